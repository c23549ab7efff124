//! What is told of a goal below headings: pauses, audits, tasks, notes, events.

use super::{Block, Detail, Told};
use crate::domain::attention::{NeedKind, Standing};
use crate::domain::goal::state::{Pause, Status};
use crate::render::acted::acted;
use crate::render::audit::{because, unreported};
use crate::render::clock::Clock;
use crate::render::contract::{indented, texts};
use crate::render::marks::{Mark, of_goal, of_judgement, of_status};
use crate::render::progress::{advised, agenda, bars, facts};
use crate::render::review::head;
use crate::render::task::{counted, tree};
use crate::render::text::{clean, one_line};
use crate::render::view::{AuditStanding, PendingView};
use crate::render::work::paused_by;

/// Most lines in a pane: of an objective, of a report, of another text.
const OBJECTIVE: usize = 6;
const REPORT: usize = 12;
const OTHER: usize = 4;

impl Told<'_> {
    fn text(&mut self, heading: &str, body: &str) {
        self.put(None, heading.to_owned(), body.to_owned(), OTHER);
    }

    fn put(&mut self, mark: Option<Mark>, heading: String, body: String, most: usize) {
        self.blocks.push(Block::Text {
            mark,
            heading,
            body,
            most,
        });
    }

    fn is_full(&self) -> bool {
        self.reader.detail == Detail::Full
    }

    /// Why it rests, unless that stands above.
    pub(super) fn pause(&mut self) {
        let is_rest = |kind| {
            matches!(
                kind,
                NeedKind::Blocked | NeedKind::Paused | NeedKind::Budget
            )
        };
        let is_above = self.reader.above.is_some_and(|it| is_rest(it.kind));
        let Some(pause) = self.goal.pause.as_ref().filter(|_| !is_above) else {
            return;
        };
        let heading = rests(self.goal.status, pause, |at| self.reader.clock.time(at));
        let mark = of_status(self.goal.status);
        self.put(Some(mark), heading, clean(&pause.reason), OTHER);
        if let Some(action) = &pause.suggested_action {
            self.text("suggested", &clean(action));
        }
    }

    /// The request to complete that has no result, and how its audit stands.
    pub(super) fn requested(&mut self) {
        let Some(pending) = &self.goal.pending_request else {
            return;
        };
        let mut parts = vec![standing(pending, self.reader.clock)];
        if self.is_full() {
            parts.extend(pending.summary.as_deref().map(clean));
            let evidence = pending.evidence.iter();
            parts.extend(evidence.map(|it| format!("Evidence: {}", indented(&clean(it)))));
            parts.retain(|it| !it.is_empty());
        }
        let mark = of_goal(Standing::Auditing, self.goal.status);
        let heading = "completion requested".to_owned();
        self.put(Some(mark), heading, parts.join("\n"), OTHER);
    }

    /// What is to be achieved, and in full how.
    pub(super) fn contract(&mut self) {
        let contract = &self.goal.contract;
        if self.reader.detail == Detail::Pane {
            let objective = clean(&contract.objective);
            self.put(None, String::new(), objective, OBJECTIVE);
        }
        if !self.is_full() {
            return;
        }
        if contract.objective.is_empty() {
            self.text("objective", "Unknown: no line of the ledger records it.");
        }
        for (label, text) in texts(contract) {
            // These stand among the facts.
            if label != "Category" && label != "Owner" {
                self.text(&label, &text);
            }
        }
    }

    pub(super) fn tasks(&mut self) {
        let tasks = &self.goal.tasks;
        if tasks.count == 0 && tasks.list.is_empty() {
            return;
        }
        let heading = counted(tasks);
        let mut lines = tree(tasks);
        if lines.is_empty() {
            lines.push("The list itself is in the other tool's document.".to_owned());
        }
        self.blocks.push(Block::Tasks { heading, lines });
    }

    pub(super) fn notes(&mut self) {
        let notes = self.goal.notes.iter().map(|note| {
            let by = note
                .by
                .map(|by| format!(" by the {}", acted(by, note.via.as_deref())));
            let at = self.reader.clock.time(&note.at);
            let text = indented(&clean(&note.text));
            format!("{at}{}: {text}", by.unwrap_or_default())
        });
        if self.is_full() && !self.goal.notes.is_empty() {
            self.text("notes", &notes.collect::<Vec<_>>().join("\n"));
        }
        if let Some(action) = &self.goal.next_action {
            self.text("next action", &clean(action));
        }
    }

    /// What the latest audit came to.
    pub(super) fn audit(&mut self) {
        let Some(audit) = &self.goal.latest_audit else {
            return;
        };
        let mark = of_judgement(Some(audit.verdict), self.goal.proof.as_ref());
        let cause = because(audit.cause.as_ref());
        let how = unreported(audit.verdict, &audit.report);
        let at = self.reader.clock.time(&audit.at);
        let heading = format!("latest audit: {}{how}{cause}, {at}", mark.word);
        self.put(Some(mark), heading, report(&audit.report), REPORT);
    }

    /// What reviewers said last, the latest first.
    pub(super) fn reviews(&mut self) {
        for review in self.goal.latest_reviews.iter().rev() {
            let at = self.reader.clock.time(&review.at);
            let head = head(&review.role, review.verdict.as_deref(), &at);
            let since = match review.revision {
                Some(revision) if self.goal.revision != Some(revision) => {
                    ", of an earlier revision"
                }
                _ => "",
            };
            let heading = format!("review, {head}{since}");
            self.text(&heading, &report(&review.report));
        }
    }

    /// What was said of the goal's progress, and its agenda.
    pub(super) fn progress(&mut self) {
        let Some(progress) = &self.goal.progress else {
            return;
        };
        let clock = self.reader.clock;
        if let Some(baseline) = progress.baseline.as_ref().filter(|_| self.is_full()) {
            let heading = format!("baseline, {}", clock.time(&baseline.at));
            self.text(&heading, clean(&baseline.text).trim());
        }
        if let Some(latest) = &progress.latest_evaluation {
            let course = match &*progress.scores {
                [] | [_] => String::new(),
                scores => format!("{} ", bars(scores)),
            };
            let by = latest.by.map(|it| format!(" by the {it}"));
            let source = latest.source.as_deref();
            let source = source.map(|it| format!(" ({})", one_line(it)));
            let heading = format!(
                "latest evaluation: {course}{} of 1{}{}, {}",
                latest.score,
                by.unwrap_or_default(),
                source.unwrap_or_default(),
                clock.time(&latest.at)
            );
            let gap = clean(&latest.gap_analysis).trim().to_owned();
            let body = match self.reader.detail {
                // What is to be done now comes before what was wrong then.
                Detail::Brief => advised(progress.advice).map_or(gap, str::to_owned),
                Detail::Pane => gap,
                Detail::Full => format!("{gap}\n{}", facts(progress).join("\n")),
            };
            self.text(&heading, &body);
        }
        if self.is_full() && !progress.agenda.is_empty() {
            self.text("agenda", &agenda(&progress.agenda).join("\n"));
        }
    }

    pub(super) fn events(&mut self) {
        let (goal, events) = (self.goal, &*self.goal.recent_events);
        if events.is_empty() {
            return;
        }
        let shown = events.len() as u64;
        let which = match self.reader.detail {
            // A pane has the time of day only.
            Detail::Pane => ", in UTC".to_owned(),
            _ if goal.events > shown => format!(
                " (latest {shown} of {}; `goal log --goal {}`)",
                goal.events, goal.goal_id
            ),
            _ => String::new(),
        };
        let heading = format!("what happened last{which}");
        self.blocks.push(Block::Events { heading, events });
    }
}

/// `blocked by the user, 2026-11-21 21:05`.
pub(in crate::render) fn rests(
    status: Status,
    pause: &Pause,
    time: impl Fn(&str) -> String,
) -> String {
    let at = pause.at.as_deref();
    let at = at.map_or_else(String::new, |at| format!(", {}", time(at)));
    format!("{}{}{at}", of_status(status).word, paused_by(pause))
}

/// How an audit without a result stands, in a sentence.
fn standing(pending: &PendingView, clock: Clock<'_>) -> String {
    let begun = pending.started_at.as_deref();
    let begun = begun.map_or_else(String::new, |at| format!(" (begun {})", clock.time(at)));
    match pending.standing {
        AuditStanding::Running => {
            format!("The audit is running{begun}; `goal complete` waits for it.")
        }
        AuditStanding::Elsewhere => format!(
            "Another machine audits it{begun}; its verdict comes with the ledger of that machine."
        ),
        AuditStanding::Waiting => {
            "It waits for somebody who can sign the verdict: `goal complete --pending`.".to_owned()
        }
        AuditStanding::Lapsed => {
            "No audit of it began: it waited for a signature, and the goal changed since, or none is \
             required any more. `goal complete` asks anew."
                .to_owned()
        }
        AuditStanding::Interrupted => {
            "The audit was interrupted: it has no result and its process is gone. `goal complete` \
             asks again."
                .to_owned()
        }
        AuditStanding::Foreign => {
            format!("Another tool is to judge it{begun}; no result is recorded.")
        }
    }
}

fn report(text: &str) -> String {
    match clean(text).trim_start_matches('\n') {
        text if text.trim().is_empty() => "(no report)".to_owned(),
        text => text.to_owned(),
    }
}
