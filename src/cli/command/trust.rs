//! `goal trust`: lets the commands of the project's configuration run.

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::person::agrees;
use crate::domain::seal::KeyId;
use crate::ops::trust::{Trusted, Used, accept_key, trust};
use crate::render::text::{command_line, one_line};
use crate::workspace::gate::GateStanding;
use crate::workspace::trust::TrustStatus;

/// Trust the commands of the project's configuration
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The commands of a project run only after you trusted them. Trust is needed again \
after a change of the project's configuration, of its texts for roles, of a file in the project \
that is an auditor or has another role, or of a file that a check pins. The other files that a \
check runs may change: an agent edits tests, and the auditor judges the files as they are. Your \
own configuration needs trust only if a role runs a file of the project. In CI, set GOAL_TRUST to \
the digest that this prints.

When an agent requests completion, the auditor is asked only if it is the auditor of your own last \
call of `goal`. This command shows what differs, and records the current auditor as yours.

Example:
  goal trust --show"
)]
pub struct Args {
    /// Only show what would be trusted, and whether it is trusted now
    #[arg(long)]
    show: bool,
    /// Accept seals of another machine on this ledger: its public key, 64 hex digits
    #[arg(long, value_name = "KEY", conflicts_with = "show", requires = "name")]
    accept_key: Option<KeyId>,
    /// A name for that machine
    #[arg(long = "as", id = "name", value_name = "NAME", requires = "accept_key")]
    name: Option<String>,
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if let (Some(key), Some(name)) = (args.accept_key, &args.name) {
        let outcome = accept_key(&call, key, name)?;
        let text = format!(
            "What {} seals counts on this ledger from now on. Machines of which that holds: {}\n",
            one_line(name),
            listed(&outcome)
        );
        return Reply::read(text, outcome);
    }
    let mut seen = None;
    if !args.show && !globals.json && call.workspace.environment.at_terminal() {
        let shown = trust(&call, false, None)?;
        if shown.is_open() {
            anstream::print!("{}", text(&shown));
            let hint = "run `goal trust` again when you have read it";
            agrees("Trust this?", "nothing was trusted", hint)?;
            seen = Some(shown);
        }
    }
    let outcome = trust(&call, !args.show, seen.as_ref())?;
    let text = match seen {
        Some(_) => "Trusted, until one of these changes.\n".to_owned(),
        None => text(&outcome),
    };
    Reply::read(text, outcome)
}

fn listed(outcome: &Trusted) -> String {
    let names: Vec<String> = outcome.keys.values().map(|name| one_line(name)).collect();
    names.join(", ")
}

fn text(outcome: &Trusted) -> String {
    let accepted = outcome.used.accepted.iter();
    let accepted: String = accepted
        .map(|it| format!("Accepted: {}.\n", one_line(it)))
        .collect();
    let gate = outcome.gate.as_ref().map(gate).unwrap_or_default();
    let (Some(digest), Some(standing)) = (&outcome.digest, outcome.standing) else {
        let nothing = match accepted.is_empty() {
            true => "There is nothing to trust: the project's configuration names no commands.\n",
            false => "The project's configuration names no commands.\n",
        };
        let nothing = format!("{accepted}{nothing}");
        let used = machines(outcome) + &used(&outcome.used) + &untold(outcome);
        return match (gate.as_str(), outcome.recorded) {
            ("", _) => nothing + &used,
            (_, true) => format!("{accepted}Trusted, until one of these changes:\n{gate}{used}"),
            (_, false) => gate + &used,
        };
    };
    let mut text = accepted;
    text += match (outcome.recorded, standing) {
        (true, _) => "Trusted, until one of these changes:\n",
        (false, TrustStatus::Trusted) => "Trusted:\n",
        (false, TrustStatus::Expected) => "Trusted by GOAL_TRUST:\n",
        (false, TrustStatus::Changed) => "Not trusted: it changed after you trusted it:\n",
        (false, TrustStatus::Unknown) => "Not trusted:\n",
    };
    for named in &outcome.commands {
        text += &format!(
            "  {} runs {}\n",
            one_line(&named.name),
            command_line(&named.command)
        );
    }
    for file in &outcome.files {
        let covered = outcome.coverage.get(file);
        let runs = covered.map_or(&[][..], |covered| &covered.commands);
        let of = match runs {
            [] => String::new(),
            [one] => format!(", which {} uses", one_line(one)),
            many => format!(", which {} use", one_line(&many.join(" and "))),
        };
        text += &format!("  file {}{of}\n", one_line(file));
    }
    for changed in &outcome.changed {
        text += &format!("{}\n", one_line(changed));
    }
    text += &untold(outcome);
    text.push_str(&gate);
    text += &format!("GOAL_TRUST={digest}\n");
    text + &machines(outcome) + &used(&outcome.used)
}

/// The key of this machine, and those of others that count here.
fn machines(outcome: &Trusted) -> String {
    let own = outcome
        .own_key
        .map(|key| format!("This machine's key: {key}\n"));
    let others = outcome.keys.iter();
    let others = others.map(|(key, name)| format!("The key of {}: {key}\n", one_line(name)));
    own.into_iter().chain(others).collect()
}

/// What an agent's call has to resolve to as well.
fn used(used: &Used) -> String {
    let mut text = String::new();
    if let Some(config) = &used.config {
        text += &format!("Your configuration: {}\n", one_line(config));
    }
    for (program, path) in &used.programs {
        let (program, path) = (one_line(program), one_line(path));
        text += &format!("Your auditor's {program}: {path}\n");
    }
    for changed in &used.changed {
        text += &format!("{}\n", one_line(changed));
    }
    text
}

/// The judges of whom nobody can tell what they run.
fn untold(outcome: &Trusted) -> String {
    let lines = outcome.untold.iter();
    lines
        .map(|line| format!("Not covered: {}\n", one_line(line)))
        .collect()
}

/// Whether verdicts must be signed, and by whom.
fn gate(gate: &GateStanding) -> String {
    let required = match (gate.required, gate.asked) {
        (true, true) => "required",
        (true, false) => "required, though the configuration no longer says so",
        (false, _) => "not required",
    };
    let mut text = format!("  gate: a signed verdict is {required}\n");
    text += &match (&gate.signers, &gate.digest) {
        (Some(path), Some(digest)) => {
            format!("  gate: signers {}, digest {digest}\n", one_line(path))
        }
        (Some(why), None) => format!("  gate: {}\n", one_line(why)),
        (None, _) => "  gate: no list of signers is configured\n".to_owned(),
    };
    for entry in &gate.may_sign {
        text += &format!("  gate: may sign: {}\n", one_line(entry));
    }
    if gate.inside {
        text.push_str(
            "  gate: this list lies in the project, where an agent can change it; a change counts \
             only once you trust it\n",
        );
    }
    if let Some(from) = &gate.moved_from {
        let from = one_line(from);
        text += &format!("  gate: it was required at {from}, where this ledger was\n");
    }
    if gate.changed {
        text.push_str(
            "  gate: this is not what you trusted last; until you trust it, the stricter of the two counts\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::trust::NamedCommand;
    use crate::workspace::trust::{Coverage, Covered};

    #[test]
    fn commands_are_shown_word_by_word() {
        let outcome = Trusted {
            untold: vec!["`auditor`: nobody can tell".into()],
            keys: std::collections::BTreeMap::new(),
            own_key: None,
            used: Used {
                config: Some("/u/config.toml".into()),
                programs: [("claude".into(), "/u/claude".into())].into(),
                changed: vec!["the user's configuration is another".into()],
                ..Used::default()
            },
            gate: None,
            digest: Some("ab".into()),
            standing: Some(TrustStatus::Changed),
            recorded: false,
            commands: vec![NamedCommand {
                name: "checks.unit".into(),
                command: vec!["sh".into(), "-c".into(), "a \x1b[2J\nb".into()],
            }],
            files: vec![".pi/goals/config.toml".into(), "unit.sh".into()],
            coverage: Coverage::from([(
                "unit.sh".into(),
                Covered {
                    digest: "cd".into(),
                    commands: vec!["checks.unit".into()],
                },
            )]),
            changed: vec!["`unit.sh` changed".into()],
        };
        insta::assert_snapshot!(text(&outcome), @r#"
        Not trusted: it changed after you trusted it:
          checks.unit runs "sh" "-c" "a \u{1b}[2J\nb"
          file .pi/goals/config.toml
          file unit.sh, which checks.unit uses
        `unit.sh` changed
        Not covered: `auditor`: nobody can tell
        GOAL_TRUST=ab
        Your configuration: /u/config.toml
        Your auditor's claude: /u/claude
        the user's configuration is another
        "#);
    }
}
