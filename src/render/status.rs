//! How the project stands, in a few lines.

use std::collections::BTreeMap;

use crate::domain::attention::Standing;
use crate::domain::diagnostic::Severity;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::Status;
use crate::domain::select::MOST_SHOWN;
use crate::render::audit::{because, unreported};
use crate::render::clock::Clock;
use crate::render::columns::{BAD, BOLD, DIM, fit, status as coloured, styled, width};
use crate::render::inbox::{brief, counted, standings};
use crate::render::list::{counts, no_goals};
use crate::render::progress::advised;
use crate::render::review::head;
use crate::render::show::{PLANNING, needs, standing};
use crate::render::sync::{self, RemoteStanding};
use crate::render::text::{count, one_line};
use crate::render::view::{AuditView, GoalView, ProgressView};
use crate::render::work::{Onlooker, holder, kept, other_lease, other_worker, worked};

/// What the text is made of.
#[derive(Debug, Clone, Copy)]
pub struct StatusInput<'a> {
    /// Absolute path of the project.
    pub root: &'a str,
    /// The focused goal.
    pub goal: Option<&'a GoalView>,
    pub counts: &'a BTreeMap<Status, u64>,
    pub drafts: &'a [Draft],
    /// How many things wait for the person.
    pub waiting: u64,
    pub standings: &'a BTreeMap<Standing, u64>,
    /// How many findings of each severity reading made.
    pub findings: &'a BTreeMap<Severity, u64>,
    /// How the ledger stands with the remotes that it is synced with.
    pub remotes: &'a [RemoteStanding],
    pub onlooker: Onlooker<'a>,
    /// The project had a ledger, which is not here.
    pub lost: bool,
}

/// Widest fact about the focused goal, in columns.
const WIDEST: usize = 100;

/// The focused goal with what it waits for, the counts, the drafts, and what is wrong.
pub fn status(input: &StatusInput<'_>) -> String {
    let mut text = format!("{}\n\n", styled(&one_line(input.root), DIM));
    match input.goal {
        Some(goal) => text.push_str(&focused(goal, input.onlooker)),
        None => text.push_str(unfocused(input)),
    }
    if !input.counts.is_empty() {
        text.push_str(&format!("\n{}\n", counts(input.counts)));
    }
    if let Some(standings) = standings(input.standings) {
        text.push_str(&format!("Open goals: {standings}.\n"));
    }
    // What is proposed is among what needs the person.
    let discussed = || input.drafts.iter().filter(|it| it.proposal.is_none());
    let drafts = discussed().count();
    if drafts > 0 {
        let counted = count(drafts as u64, "draft");
        text.push_str(&format!("\n{counted} without a proposal:\n"));
        text.extend(discussed().take(MOST_SHOWN).map(draft));
        let more = drafts.saturating_sub(MOST_SHOWN);
        if more > 0 {
            text.push_str(&format!("  … and {more} more: `goal drafts` shows them\n"));
        }
    }
    let unsynced = input.remotes.iter().filter(|it| it.is_behind());
    let unsynced = unsynced.map(|it| format!("\n{}\n", sync::standing(it, input.onlooker.now)));
    text.extend(unsynced);
    let found: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning")]
        .into_iter()
        .filter_map(|(severity, noun)| Some(count(*input.findings.get(&severity)?, noun)))
        .collect();
    if !found.is_empty() {
        let found = format!("{} found; see `goal doctor`", found.join(" and "));
        text.push_str(&format!("\n{}\n", styled(&found, BAD)));
    }
    if input.waiting > 0 {
        let counted = format!("{}: `goal inbox`", counted(input.waiting));
        text.push_str(&format!("\n{}\n", styled(&counted, BOLD)));
    }
    text
}

fn focused(view: &GoalView, onlooker: Onlooker<'_>) -> String {
    let heading = styled(&fit(view.heading(), 100), BOLD);
    let mut lines = vec![
        heading,
        format!(
            "  {}  {}{}",
            view.goal_id,
            coloured(view.status),
            kept(view.keeper).map_or_else(String::new, |it| format!("  [{it}]"))
        ),
    ];
    let clock = Clock::plain(onlooker.now);
    let mut fact = |name: &str, text: Option<String>| {
        lines.extend(text.map(|text| format!("  {name}: {}", fit(&text, WIDEST))));
    };
    let pause = view.pause.as_ref();
    fact("why", pause.map(|it| it.reason.clone()));
    fact(
        "suggested",
        pause.and_then(|it| it.suggested_action.clone()),
    );
    fact("latest audit", view.latest_audit.as_ref().map(audited));
    for review in view.latest_reviews.iter().rev() {
        let head = head(&review.role, review.verdict.as_deref(), &review.at);
        fact("review", Some(format!("{head}: {}", review.report.trim())));
    }
    let pending = view.pending_request.as_ref();
    fact(
        "completion requested",
        pending.map(|it| standing(it, clock)),
    );
    let (needs, more) = needs(view);
    for need in &needs {
        let said = brief(need);
        let is_cut = width(&said) > WIDEST;
        fact("needs you", Some(said));
        fact(
            "all of it",
            is_cut.then(|| "`goal inbox --list`".to_owned()),
        );
    }
    fact("needs you", more);
    let tasks = &view.tasks;
    let counted = || format!("{}, {} open", tasks.count, tasks.open);
    fact("tasks", (tasks.count > 0).then(counted));
    fact("planning", view.planning.then(|| PLANNING.to_owned()));
    fact("progress", view.progress.as_ref().and_then(scored));
    fact("run", view.run.as_ref().map(|it| it.said(onlooker.now)));
    let lease = other_lease(view.lease.as_ref(), onlooker);
    fact("leased to", lease.map(|it| holder(it, onlooker.now)));
    let worker = other_worker(view.worker.as_ref(), onlooker);
    fact("worked by", worker.map(|it| worked(it, onlooker.now)));
    fact("next", view.next_action.clone());
    lines.join("\n") + "\n"
}

fn audited(audit: &AuditView) -> String {
    let cause = because(audit.cause.as_ref());
    let report = match audit.report.trim() {
        "" => String::new(),
        report => format!(": {report}"),
    };
    let how = unreported(audit.verdict, &audit.report);
    format!("{}{how}{cause}, {}{report}", audit.verdict, audit.at)
}

/// The latest score, and what it suggests.
fn scored(progress: &ProgressView) -> Option<String> {
    let latest = progress.latest_evaluation.as_ref()?;
    let advice = advised(progress.advice).map_or_else(String::new, |it| format!(". {it}"));
    let at = one_line(&latest.at);
    Some(format!("{} of 1, {at}{advice}", latest.score))
}

fn unfocused(input: &StatusInput<'_>) -> &'static str {
    let open = input.counts.keys().any(|status| status.is_open());
    match (open, input.counts.is_empty()) {
        (true, _) => {
            "No goal is focused. `goal list` shows the open ones, `goal focus GOAL` \
                      chooses one.\n"
        }
        (false, false) => {
            "No goal is open. `goal set OBJECTIVE` creates one at once, `goal draft \
                           TOPIC` begins with a discussion.\n"
        }
        (false, true) => no_goals(input.lost),
    }
}

fn draft(draft: &Draft) -> String {
    let about = match (draft.about(), &draft.goal_id) {
        ("", Some(goal)) => format!("a change of goal {goal}"),
        (topic, _) => fit(topic, 72),
    };
    format!("  {}  {about}\n", one_line(&draft.draft_id))
}

#[cfg(test)]
mod tests;
