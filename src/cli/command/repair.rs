//! `goal repair`: brings documents up to date with the ledger.

use crate::cli::globals::Globals;
use crate::cli::reply::{Done, Reply};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::repair::{Act, Repair, Repaired, repair};
use crate::render::text::one_line;

/// Bring goal documents up to date with the ledger, which is never changed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A document that was edited by hand is kept beside the new one as `.orig`; its \
Notes are carried over as they are. What another tool wrote of a goal that is kept here is put \
aside, as it is. A second time there is nothing to do."
)]
pub struct Args {
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args, call: Call, _: &Globals) -> Result<Done, Failure> {
    let outcome = repair(&call, args.dry_run)?;
    let text = text(&outcome);
    let failure = outcome.failure();
    Reply::judged(&outcome, text, failure)
}

fn text(outcome: &Repaired) -> String {
    if outcome.documents.is_empty() {
        return "Every document is up to date.\n".to_owned();
    }
    let lines = outcome.documents.iter();
    lines.map(|repair| line(repair, outcome.dry_run)).collect()
}

fn line(repair: &Repair, dry_run: bool) -> String {
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
        let repair = |act, problem: Option<&str>| Repair {
            goal_id: "a-1".parse().unwrap(),
            path: Some("x.md".into()),
            act,
            moved_to: matches!(act, Act::Move | Act::Aside).then(|| "archived/x.md".into()),
            original_kept: act == Act::Render,
            problem: problem.map(str::to_owned),
        };
        let all = |dry_run| {
            text(&Repaired {
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
