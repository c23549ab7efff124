//! `goal sync`.

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::person;
use crate::cli::print::complain;
use crate::ops;
use crate::ops::sync::{Exchanged, PATIENCE, SyncRequest, Synchronised};
use crate::render::clock::moment;
use crate::render::sync::{joining, standing};
use crate::render::text::{count, one_line};

/// Exchange ledger lines with a git remote
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The remote keeps the ledger in refs/goal/ledger, beside the branches: no branch, pull request or \
checkout contains it. Both sides only add lines. If another clone synced first, it tries again; if \
it is killed, the next `goal sync` continues.

Nothing is sent unless you ask for it. If your own configuration has `remote` below [sync], hooks \
and `goal run` sync when they end.

Examples:
  goal sync
  goal sync backup --dry-run
  goal sync --status")]
pub struct Sync {
    /// A remote's name or address [default: `remote` below [sync] in your configuration, else origin]
    remote: Option<String>,
    /// Only show what would be received and sent
    #[arg(long)]
    dry_run: bool,
    /// Only show what is not synced; asks no remote
    #[arg(long, conflicts_with_all = ["remote", "dry_run", "join"])]
    status: bool,
    /// Also accept a ledger that has no line in common with this one, and lines after a missing line
    /// (user only)
    #[arg(long)]
    join: bool,
}

pub fn sync(args: &Sync, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if args.status {
        let outcome = ops::sync::status(&call)?;
        return Reply::read(remotes(&outcome, &call), outcome);
    }
    let waits = person::can_be_asked(&call, globals);
    let asked = SyncRequest {
        remote: args.remote.clone(),
        dry_run: args.dry_run,
        join: args.join,
        patience: (!waits).then_some(PATIENCE),
    };
    // Each on a line of its own: git may ask for a password there.
    let shown = call.status_line.is_shown();
    let step = |text: &str| {
        if shown {
            complain(&format!("  … {}; Ctrl-C ends it", one_line(text)));
        }
    };
    let outcome = ops::sync::sync(&call, &asked, &step, &|| false)?;
    let text = outcome.exchange.as_ref().map(exchanged);
    let recorded = outcome.exchange.as_ref().is_some_and(|it| it.taken > 0);
    Reply::maybe_transacted(text.unwrap_or_default(), outcome, recorded && !args.dry_run)
}

fn exchanged(exchanged: &Exchanged) -> String {
    let remote = one_line(&exchanged.remote);
    let (taken, sent) = (
        count(exchanged.taken, "line"),
        count(exchanged.sent, "line"),
    );
    let join = format!(
        "in the remote, not taken in: behind a line that is missing; `{}` takes in what follows it",
        joining(&exchanged.remote)
    );
    let of_others = exchanged.left_here + exchanged.left_there;
    let left = [
        (exchanged.unconnected, join.as_str()),
        (
            exchanged.left_here,
            "new here, not sent: no line of `goal`, and none follows it",
        ),
        (
            exchanged.left_there,
            "in the remote, not taken in: no line of `goal`, and none follows it",
        ),
    ];
    let mut parts = vec![match exchanged.dry_run {
        false => format!("{taken} came in, {sent} sent"),
        true => format!("{taken} to come in, {sent} to send"),
    }];
    if exchanged.unconnected > 0 {
        parts.push(format!("{} not taken in", exchanged.unconnected));
    }
    if of_others > 0 {
        parts.push(format!(
            "{} of other programs left",
            count(of_others, "line")
        ));
    }
    let goes = exchanged.taken > 0 || exchanged.sent > 0;
    let mut text = match (parts.len() > 1 || goes, exchanged.dry_run) {
        (false, _) => format!("Nothing to sync: {remote} and this clone have the same lines.\n"),
        (true, false) => format!("Synced with {remote}: {}.\n", parts.join(", ")),
        (true, true) => format!("To sync with {remote}: {}.\n", parts.join(", ")),
    };
    for (lines, why) in left.into_iter().filter(|(lines, _)| *lines > 0) {
        text += &format!("  {} {why}\n", count(lines, "line"));
    }
    for it in &exchanged.accepted {
        let about = match &it.title {
            Some(title) => format!("is of goal `{}`", one_line(title)),
            None => format!("has the id {}", it.id),
        };
        let begun = moment(&it.at);
        text += &format!("  accepted as yours: a ledger begun {begun}, whose first line {about}\n");
    }
    text
}

fn remotes(outcome: &Synchronised, call: &Call) -> String {
    if outcome.remotes.is_empty() {
        return "This ledger was not synced with any remote: `goal sync REMOTE` does it.\n".into();
    }
    let now = call.workspace.environment.now_millis();
    let line = |it| format!("{}\n", standing(it, now));
    outcome.remotes.iter().map(line).collect()
}
