//! Whether ledger and documents are as they should be, and what brings documents up to date.

use camino::Utf8PathBuf;

use super::{Call, Done, Failure, Globals, Reply};
use crate::domain::id::EventId;
use crate::ops;
use crate::ops::attested::readable;
use crate::ops::findings;
use crate::ops::repair::{self, Act, Repaired};
use crate::ops::verify::Wanted;
use crate::render::findings::{findings as listed, tally};
use crate::render::text::one_line;
use crate::render::verify::{self, Figures};
use crate::workspace::gate::{Gate, Signers};

/// Find what is wrong with ledger, documents and settings, and say what helps
#[derive(Debug, clap::Args)]
#[command(after_help = "Changes nothing. `goal repair` mends documents.

Exits 7 when there are errors, with --strict also for warnings.")]
pub struct Doctor {
    /// Exit 7 for warnings too
    #[arg(long)]
    strict: bool,
}

pub fn doctor(args: &Doctor, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::doctor::doctor(&call)?;
    let (found, rest) = (&outcome.diagnostics, &outcome.not_listed);
    let text = format!(
        "{}: {}\n{}",
        call.workspace.root.path,
        tally(found, rest),
        listed(found, rest)
    );
    let failure = findings::failure(found, rest, args.strict);
    Reply::judged(text, &outcome, failure)
}

/// Check every line and every link of the ledger, and print the tip to keep elsewhere
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Every line that `goal` appends names the id of the line before it, so editing, \
removing or moving a line that a link covers is found. Against somebody who rewrites all of it \
only a tip that is kept elsewhere helps:

  goal verify --json | jq -r .data.tip   keep this in CI or a signed tag
  goal verify --tip 0b5e…                every line that it reaches is untouched

Signatures of verdicts are checked by the list that you trusted (`goal trust`). CI names its own, \
and then neither the project's configuration nor anything that was trusted counts:

  goal verify --signers /etc/goal/allowed_signers --require signed

A list that lies in the project can be changed by whoever works on the project: keep it outside. \
What was complete before you required signatures has none. Keep the tip of that day, and name it:

  goal verify --signers /etc/goal/allowed_signers --require signed --since 0b5e…

Exits 7 when there are errors, with --strict also for warnings."
)]
pub struct Verify {
    /// A tip that was kept elsewhere: it must still be in the history
    #[arg(long, value_name = "ID")]
    tip: Option<EventId>,
    /// Lines without a link, and lines that no link covers or reaches, are findings too
    #[arg(long)]
    strict: bool,
    /// Whose signatures count: a list of signers, as git and ssh-keygen read them
    #[arg(long, value_name = "FILE")]
    signers: Option<Utf8PathBuf>,
    /// What every completion must have
    #[arg(long, value_name = "WHAT", requires = "signers", value_enum)]
    require: Option<Require>,
    /// A tip that was kept elsewhere: what its links reach was complete before, and needs none
    #[arg(long, value_name = "ID", requires = "require")]
    since: Option<EventId>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Require {
    Signed,
}

pub fn verify(args: &Verify, call: Call, _: &Globals) -> Result<Done, Failure> {
    let gate = match &args.signers {
        None => None,
        Some(path) => {
            let path = call.workspace.environment.cwd.join(path);
            let signers = Signers::read(path)
                .and_then(|signers| readable(&signers).map(|()| signers))
                .map_err(|why| Failure::usage(why, "name a list of signers that can be read"))?;
            Some(Gate::named_by_caller(signers, args.require.is_some()))
        }
    };
    let wanted = Wanted {
        gate,
        since: args.since,
        tip: args.tip,
        strict: args.strict,
    };
    let outcome = ops::verify::verify(&call, wanted)?;
    let text = verify::verify(&Figures {
        tip: outcome.tip,
        lines: outcome.lines,
        covered: outcome.covered,
        jumps: outcome.jumps,
        anchor: outcome.anchor_line.zip(outcome.unreached),
        settled: outcome.settled,
        strict: args.strict,
        findings: &outcome.findings,
        not_listed: &outcome.not_listed,
    });
    let failure = findings::failure(&outcome.findings, &outcome.not_listed, args.strict);
    Reply::judged(text, &outcome, failure)
}

/// Bring goal documents up to date with the ledger, which is never changed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A document that was edited by hand is kept beside the new one as `.orig`; its \
Notes are carried over as they are. What another tool wrote of a goal that is kept here is put \
aside, as it is. A second time there is nothing to do."
)]
pub struct Repair {
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

pub fn repair(args: &Repair, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = ops::repair::repair(&call, args.dry_run)?;
    Reply::judged(repaired(&outcome), &outcome, outcome.failure())
}

fn repaired(outcome: &Repaired) -> String {
    if outcome.documents.is_empty() {
        return "Every document is up to date.\n".to_owned();
    }
    let lines = outcome.documents.iter();
    lines.map(|repair| line(repair, outcome.dry_run)).collect()
}

fn line(repair: &repair::Repair, dry_run: bool) -> String {
    let path = repair.path.as_deref().unwrap_or("the document");
    let done = match (repair.act, &repair.problem, dry_run) {
        (_, Some(_), _) | (Act::None, ..) => "could not repair",
        (Act::Create, None, false) => "created",
        (Act::Create, None, true) => "would create",
        (Act::Render, None, false) => "rendered",
        (Act::Render, None, true) => "would render",
        (Act::Move, None, false) => "moved",
        (Act::Move, None, true) => "would move",
        (Act::Aside, None, false) => "put aside",
        (Act::Aside, None, true) => "would put aside",
    };
    let mut line = format!("{done} {path} of goal {}", repair.goal_id);
    if let Some(to) = &repair.moved_to {
        line.push_str(&format!(", now at {to}"));
    }
    if repair.original_kept {
        line.push_str("; the edited version is kept beside it as .orig");
    }
    if let Some(problem) = &repair.problem {
        line.push_str(&format!(": {}", one_line(problem)));
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_document_is_a_line_that_says_what_was_done() {
        let repair = |act, problem: Option<&str>| repair::Repair {
            goal_id: "a-1".parse().unwrap(),
            path: Some("x.md".into()),
            act,
            moved_to: matches!(act, Act::Move | Act::Aside).then(|| "archived/x.md".into()),
            original_kept: act == Act::Render,
            problem: problem.map(str::to_owned),
        };
        let all = |dry_run| {
            repaired(&Repaired {
                dry_run,
                documents: vec![
                    repair(Act::Create, None),
                    repair(Act::Render, None),
                    repair(Act::Move, None),
                    repair(Act::Aside, None),
                    repair(Act::None, Some("it is a\nsymlink")),
                ],
            })
        };
        assert_eq!(
            all(false),
            "created x.md of goal a-1\n\
             rendered x.md of goal a-1; the edited version is kept beside it as .orig\n\
             moved x.md of goal a-1, now at archived/x.md\n\
             put aside x.md of goal a-1, now at archived/x.md\n\
             could not repair x.md of goal a-1: it is a symlink\n"
        );
        assert!(all(true).starts_with("would create x.md of goal a-1\nwould render"));
    }
}
