//! The word, the mark and the tone of everything that has one: a status, a standing, a verdict, what
//! waits, a task. Every list, screen and page takes them from here.

use crate::domain::attention::{NeedKind, Standing};
use crate::domain::goal::state::Status;
use crate::domain::proof::Proof;
use crate::domain::task::checkbox;
use crate::domain::task::state::TaskStatus;
use crate::domain::verdict::Verdict;

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// One column wide.
    pub mark: &'static str,
    pub word: &'static str,
    pub tone: Tone,
}

/// What a colour says. Each surface has its own colours for them; the mark and the word say it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Calm,
    /// It waits for the person.
    Asks,
    Bad,
    /// Nothing happens with it.
    Rests,
}

impl Tone {
    /// Its class on a page.
    pub(super) fn name(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Calm => "calm",
            Tone::Asks => "asks",
            Tone::Bad => "bad",
            Tone::Rests => "rests",
        }
    }
}

const fn marked(mark: &'static str, word: &'static str, tone: Tone) -> Mark {
    Mark { mark, word, tone }
}

/// Of a goal's status.
pub(super) fn of_status(status: Status) -> Mark {
    let (mark, tone) = match status {
        Status::Active => ("●", Tone::Calm),
        Status::Paused => ("○", Tone::Rests),
        Status::Blocked => ("■", Tone::Bad),
        Status::Complete => ("✓", Tone::Good),
        Status::Aborted | Status::Abandoned => ("✗", Tone::Rests),
        Status::Failed => ("✗", Tone::Bad),
    };
    marked(mark, status.name(), tone)
}

/// How a goal stands for a person; of one that has ended, how it ended.
pub(super) fn of_goal(standing: Standing, status: Status) -> Mark {
    let (mark, tone) = match standing {
        Standing::Ended => return of_status(status),
        Standing::Waiting => ("?", Tone::Asks),
        Standing::Contested => ("≠", Tone::Bad),
        Standing::Blocked => ("■", Tone::Bad),
        Standing::Auditing => ("◆", Tone::Good),
        Standing::Live => ("▶", Tone::Good),
        Standing::Stuck => ("↻", Tone::Bad),
        Standing::Quiet => {
            let Mark { mark, tone, .. } = of_status(status);
            (mark, tone)
        }
        Standing::Resting => ("○", Tone::Rests),
    };
    marked(mark, standing.name(), tone)
}

/// Of an audit's verdict; nothing is the verdict of an audit that has none yet.
pub(super) fn of_verdict(verdict: Option<Verdict>) -> Mark {
    let Some(verdict) = verdict else {
        return marked("…", "no result yet", Tone::Rests);
    };
    let (mark, tone) = match verdict {
        Verdict::Approved => ("✓", Tone::Good),
        Verdict::Disapproved => ("✗", Tone::Bad),
        Verdict::Error => ("!", Tone::Asks),
    };
    marked(mark, verdict.name(), tone)
}

/// Of a verdict about a goal whose completion is worth so much: what is not proven is no approval.
pub(super) fn of_judgement(verdict: Option<Verdict>, completion: Option<&Proof>) -> Mark {
    match (verdict, completion) {
        (Some(Verdict::Approved), Some(Proof::Unproven { .. })) => of_need(NeedKind::Unproven),
        _ => of_verdict(verdict),
    }
}

/// As many of the latest verdicts are shown in a row.
const LATEST: usize = 6;

/// The marks of the latest verdicts, the newest last.
pub(super) fn verdicts(all: &[Verdict]) -> String {
    let latest = &all[all.len().saturating_sub(LATEST)..];
    latest.iter().map(|it| of_verdict(Some(*it)).mark).collect()
}

/// Of what waits for the person.
pub(super) fn of_need(kind: NeedKind) -> Mark {
    match kind {
        NeedKind::Question => marked("?", "question", Tone::Asks),
        NeedKind::Approval => marked("?", "approval", Tone::Asks),
        NeedKind::Draft => marked("+", "proposal", Tone::Asks),
        NeedKind::Tweak => marked("±", "change", Tone::Asks),
        NeedKind::Signature => marked("§", "to sign", Tone::Asks),
        NeedKind::Contested => marked("≠", "contested", Tone::Bad),
        NeedKind::Unproven => marked("!", "not proven", Tone::Bad),
        NeedKind::Foreign => marked("!", "other program", Tone::Bad),
        NeedKind::OutsideGate => marked("!", "outside the gate", Tone::Bad),
        NeedKind::Untrusted => marked("!", "not trusted", Tone::Bad),
        NeedKind::Blocked => marked("■", "blocked", Tone::Bad),
        NeedKind::Paused => marked("?", "agent paused", Tone::Asks),
        NeedKind::Budget => marked("$", "over budget", Tone::Bad),
        NeedKind::AuditInterrupted => marked("◇", "audit died", Tone::Bad),
        NeedKind::RunStopped => marked("□", "run stopped", Tone::Bad),
        NeedKind::TaskLeft => marked("▷", "task left", Tone::Bad),
        NeedKind::Stuck => marked("↻", "stuck", Tone::Bad),
        NeedKind::NotCommitted => marked("⎇", "not committed", Tone::Bad),
        NeedKind::Unsynced => marked("⇅", "not synced", Tone::Bad),
    }
}

/// Of a task. Documents have these marks in their checklists, so that what is written can be read
/// back.
pub(super) fn of_task(status: TaskStatus) -> Mark {
    let tone = match status {
        TaskStatus::Complete => Tone::Good,
        TaskStatus::Active => Tone::Calm,
        TaskStatus::Skipped | TaskStatus::Pending => Tone::Rests,
        TaskStatus::Blocked | TaskStatus::Failed => Tone::Bad,
    };
    marked(checkbox::mark(status), status.name(), tone)
}

#[cfg(test)]
mod tests;
