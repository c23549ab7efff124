//! Whether ledger and documents are as they should be, and what brings them in order.

use camino::Utf8PathBuf;

use super::one_copy::OneCopy;
use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::person::{agrees, can_be_asked};
use crate::cli::print::complain;
use crate::domain::id::EventId;
use crate::ops::attested::check_signers_readable;
use crate::ops::drop::{self, Dropped};
use crate::ops::repair::{self, Act, Repaired};
use crate::ops::verify::{Verified, VerifyOptions};
use crate::ops::{self, findings};
use crate::render::findings::{findings as all_of, tally};
use crate::render::text::{count, one_line};
use crate::workspace::accepted::named_in;
use crate::workspace::gate::{Gate, Signers};

/// Find problems in the ledger, documents and settings
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without --repair it changes nothing; --repair mends documents. The ledger is \
never changed.

Exits 7 if there are errors; with --strict also if there are warnings.

Examples:
  goal doctor --strict
  goal doctor --repair --dry-run"
)]
pub struct Doctor {
    /// Exit 7 for warnings too
    #[arg(long, conflicts_with = "repair")]
    strict: bool,
    /// Bring goal documents up to date with the ledger, as `goal repair` does
    #[arg(long)]
    pub repair: bool,
    /// With --repair: only show what would be done
    #[arg(long, requires = "repair")]
    dry_run: bool,
    #[command(flatten)]
    copy: OneCopy,
}

pub fn doctor(args: &Doctor, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if args.repair && args.copy.is_named() {
        return Err(Failure::usage(
            "one copy is read, and none is repaired",
            "leave `--repair` out, or `--at` and `--file`",
        ));
    }
    if args.repair {
        let repair_all = Repair {
            dry_run: args.dry_run,
            drop: None,
            reason: None,
        };
        return repair(&repair_all, call, globals);
    }
    let (call, _kept) = args.copy.read(call)?;
    let outcome = ops::doctor::doctor(&call)?;
    let (found, rest) = (&outcome.diagnostics, &outcome.not_listed);
    let text = format!(
        "{}: {}\n{}",
        call.workspace.root.path,
        tally(found, rest),
        all_of(found, rest)
    );
    let failure = findings::failure(found, rest, args.strict);
    Reply::judged(text, outcome, failure)
}

/// Check every line and every link of the ledger; print its tip
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Every line that `goal` appends links to the line before it, by that line's id. \
So `verify` finds a linked line that was edited, removed or moved. Against somebody who rewrites \
the whole file, only a tip that you keep elsewhere helps:

  goal verify --json | jq -r .data.tip   keep this in CI or a signed tag
  goal verify --tip 0b5e…                every line that it reaches is untouched

Signatures of verdicts are checked against the list that you trusted (`goal trust`). CI names its \
own list; then neither the project's configuration nor anything that was trusted counts:

  goal verify --signers /etc/goal/allowed_signers --require signed

Anybody who works on the project can change a list that is in the project: keep it outside. Goals \
that were complete before you required signatures have none. Keep the tip of that day, and name \
it:

  goal verify --signers /etc/goal/allowed_signers --require signed --since 0b5e…

CI has no key of its own. Give it the public keys of your team's machines: `--keys` names a file \
with a key and a name in each line. Read that file from the base branch: a pull request could add \
a key.

  goal verify --keys keys.txt --require proven

Exits 7 if there are errors; with --strict also if there are warnings.

Examples:
  goal verify
  goal verify --strict"
)]
pub struct Verify {
    /// A tip that was kept elsewhere: the history must still have it
    #[arg(long, value_name = "ID")]
    tip: Option<EventId>,
    /// Also report lines without a link, and lines that no link covers or reaches
    #[arg(long)]
    strict: bool,
    /// Whose signatures count: a list of signers, as git and ssh-keygen read them
    #[arg(long, value_name = "FILE")]
    signers: Option<Utf8PathBuf>,
    /// Machines whose seals count: a file with a public key and a name in each line
    #[arg(long, value_name = "FILE")]
    keys: Option<Utf8PathBuf>,
    /// The least proof that every completion must have
    #[arg(long, value_name = "WHAT", value_enum)]
    require: Option<Require>,
    /// A tip that was kept elsewhere: completions up to this tip need no proof
    #[arg(long, value_name = "ID", requires = "require")]
    since: Option<EventId>,
    #[command(flatten)]
    copy: OneCopy,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Require {
    /// An approval is recorded before it
    Recorded,
    /// This machine or one of `--keys` sealed it, or somebody of `--signers` signed it
    Proven,
    /// Somebody of `--signers` signed it
    Signed,
}

pub fn verify(args: &Verify, call: Call, _: &Globals) -> Result<Done, Failure> {
    let signed = matches!(args.require, Some(Require::Signed));
    if signed && args.signers.is_none() {
        return Err(Failure::usage(
            "`--require signed` does not say whose signatures count",
            "name their list: `--signers FILE`",
        ));
    }
    let (call, _kept) = args.copy.read(call)?;
    let cwd = &call.workspace.environment.cwd;
    let keys = args.keys.as_ref().map(|path| named_in(&cwd.join(path)));
    let keys = keys.transpose().map_err(|why| {
        let hint =
            "each line has a public key of 64 hex digits, a space, and a name for its machine";
        Failure::usage(why, hint)
    })?;
    let gate = match &args.signers {
        None => None,
        Some(path) => {
            let path = call.workspace.environment.cwd.join(path);
            let signers = Signers::read(path)
                .and_then(|signers| check_signers_readable(&signers).map(|()| signers))
                .map_err(|why| Failure::usage(why, "name a list of signers that can be read"))?;
            Some(Gate::named_by_caller(signers, signed))
        }
    };
    let wanted = VerifyOptions {
        gate,
        since: args.since,
        tip: args.tip,
        strict: args.strict,
        keys: keys.unwrap_or_default(),
        proven: matches!(args.require, Some(Require::Proven)),
    };
    let outcome = ops::verify::verify(&call, wanted)?;
    let failure = findings::failure(&outcome.findings, &outcome.not_listed, args.strict);
    Reply::judged(verified(&outcome, args.strict), outcome, failure)
}

/// The whole report.
fn verified(outcome: &Verified, strict: bool) -> String {
    let lines = count(outcome.lines, "line");
    let tip = match outcome.tip {
        Some(tip) => format!("tip: {tip}\n"),
        None => "tip: none, no line is linked\n".to_owned(),
    };
    let jumps = match outcome.jumps {
        0 => String::new(),
        jumps => format!(
            "{} not to the line right before (merges, other programs)\n",
            count(jumps, "link")
        ),
    };
    let anchor = match outcome.anchor_line.zip(outcome.unreached) {
        None => String::new(),
        Some((line, 0)) => {
            format!("the given tip is line {line}; every line before it is proven untouched\n")
        }
        Some((line, unreached)) => format!(
            "the given tip is line {line}; its links do not reach {} before it\n",
            count(unreached, "line")
        ),
    };
    let how = match strict {
        true => "listed all the same for `--strict`",
        false => "not listed: `--strict` shows them",
    };
    let settled = match outcome.settled {
        0 => String::new(),
        settled => format!("{} settled by the user, {how}\n", count(settled, "finding")),
    };
    format!(
        "{lines}, {} covered by links: {}\n{tip}{jumps}{anchor}{settled}{}",
        outcome.covered,
        tally(&outcome.findings, &outcome.not_listed),
        all_of(&outcome.findings, &outcome.not_listed)
    )
}

/// Bring goal documents up to date; take a secret out of the ledger
#[derive(Debug, clap::Args)]
#[command(
    after_help = "If a document was edited by hand, its old version is kept as `.orig`; its Notes \
are copied unchanged. A document that another tool wrote about a goal of this program is moved \
aside unchanged. A second call has nothing to do.

If the ledger is missing because an agent deleted it and its runner died, it is restored from the \
copy that the run kept in your state directory.

`--drop` removes the text of one line from every copy of the ledger on this machine, for good. The \
line keeps its id, type, goal and links, and your key seals the rest. The ledger records that you \
did it, and why. On other machines `goal verify` then reports that the text is still there; run \
the same command on those machines. docs/machines.md has all steps for a secret, also for git's \
history and remotes.

Examples:
  goal repair --dry-run
  goal repair --drop 0b5e42c1 --reason 'the note had a password'"
)]
pub struct Repair {
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Remove the text of this line from the ledger: its id, or at least the first 8 characters of it
    /// (user only)
    #[arg(long, value_name = "LINE", requires = "reason")]
    drop: Option<String>,
    /// Why the text is removed; do not repeat the text here
    #[arg(long, value_name = "TEXT", requires = "drop")]
    reason: Option<String>,
}

pub fn repair(args: &Repair, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let drop = args.drop.as_deref().zip(args.reason.as_deref());
    if let Some((line, _)) = drop
        && !args.dry_run
        && can_be_asked(&call, globals)
    {
        let found = drop::named(&call, line)?;
        complain(&format!("The text of {} goes.", what_goes(&found)));
        let hint = "`goal log --json` has the line whole";
        agrees("Take it out for good?", "nothing was taken out", hint)?;
    }
    let asked = repair::RepairRequest {
        dry_run: args.dry_run,
        drop,
    };
    let outcome = ops::repair::repair(&call, asked)?;
    let failure = outcome.failure();
    Reply::judged(repaired(&outcome), outcome, failure)
}

/// A line whose text goes, without its text.
fn what_goes(dropped: &Dropped) -> String {
    let goal = dropped.goal_id.as_ref();
    let goal = goal.map_or_else(String::new, |id| format!(" of goal {id}"));
    let (id, kind, at) = (dropped.id, one_line(&dropped.kind), one_line(&dropped.at));
    format!("line {} ({kind}{goal}, {at}, id {id})", dropped.line)
}

fn taken_out(dropped: &Dropped, dry_run: bool) -> String {
    let what = what_goes(dropped);
    if dry_run {
        return format!("would take out the text of {what}\n");
    }
    let files: String = dropped.files.iter().map(|it| format!("  {it}\n")).collect();
    match dropped.files.is_empty() {
        true => format!("The text of {what} was taken out before.\n"),
        false => format!("Took out the text of {what}, in:\n{files}"),
    }
}

fn repaired(outcome: &Repaired) -> String {
    let dropped = outcome.dropped.as_ref();
    let dropped = dropped.map(|it| taken_out(it, outcome.dry_run));
    let dropped = dropped.unwrap_or_default();
    let restored = outcome.restored.map(|lines| {
        let lines = count(lines, "line");
        match outcome.dry_run {
            true => format!("would bring back {lines} of the ledger from the copy of a run\n"),
            false => format!("brought back {lines} of the ledger from the copy of a run\n"),
        }
    });
    let restored = dropped + &restored.unwrap_or_default();
    if outcome.documents.is_empty() {
        return restored + "Every document is up to date.\n";
    }
    let lines = outcome.documents.iter();
    let lines: String = lines.map(|repair| line(repair, outcome.dry_run)).collect();
    restored + &lines
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
        (Act::Remove, None, false) => "removed the second document",
        (Act::Remove, None, true) => "would remove the second document",
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
                restored: None,
                dropped: None,
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

    #[test]
    fn a_clean_ledger_reads_in_two_lines() {
        let mut outcome = Verified {
            tip: Some(EventId::ZERO),
            lines: 3,
            linked: 2,
            covered: 2,
            jumps: 0,
            anchor_line: None,
            unreached: None,
            settled: 0,
            findings: Vec::new(),
            not_listed: Vec::new(),
        };
        let tip = format!("tip: {}\n", EventId::ZERO);
        assert_eq!(
            verified(&outcome, false),
            format!("3 lines, 2 covered by links: no findings\n{tip}")
        );
        outcome.jumps = 1;
        (outcome.anchor_line, outcome.unreached) = (Some(3), Some(1));
        assert_eq!(
            verified(&outcome, false),
            format!(
                "3 lines, 2 covered by links: no findings\n{tip}1 link not to the line right \
                 before (merges, other programs)\nthe given tip is line 3; its links do not \
                 reach 1 line before it\n"
            )
        );
    }
}
