//! What a turn of a run is told of itself: what it is for, what the turns before came to, how the checks
//! stand, and what is left.

use crate::domain::cost::budget::{Exceeded, Spent};
use crate::domain::goal::state::Goal;
use crate::domain::iteration::state::Open;
use crate::domain::run::state::Counts;
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::tail;
use crate::render::checkpoints::{CURRENT, checkpoints, in_full};
use crate::render::prompt::fenced::{block, fenced};
use crate::render::task::mark;
use crate::render::text::{inline, one_line, short};

/// Most iterations whose lessons are in a prompt, and most characters of each.
const LEARNED: usize = 5;
const LESSON: usize = 300;

/// Most bytes of the last words.
const SAID: usize = 2 * 1024;

/// Most parts of a checkpoint that are listed.
const PARTS: usize = 50;

/// What the turn is for.
pub(super) fn checkpoint(goal: &Goal) -> String {
    let standing = TaskStatuses::of(&goal.tasks);
    let Some(task) = current_checkpoint(&goal.tasks, &standing) else {
        return "Work on the goal as a whole.".to_owned();
    };
    let parts = Tasks::flat_of(&task.tasks).into_iter().take(PARTS);
    let parts = parts.map(|(depth, part)| {
        let (mark, title) = (mark(standing.status(&part.id)), one_line(&part.title));
        format!(
            "{}- {mark} {}: {title}",
            "  ".repeat(depth),
            one_line(&part.id)
        )
    });
    let parts = parts.collect::<Vec<_>>().join("\n");
    let lead = "\n\nIts parts; mark each that is done with `goal task complete ID`:";
    format!(
        "Work on this checkpoint, and on nothing that comes after it:\n\n{}{}",
        fenced(&in_full(task, &goal.tasks)),
        block(lead, &parts)
    )
}

/// The other checkpoints: how many there are, which are done, and which are left.
pub(super) fn others(goal: &Goal) -> String {
    let Some((counted, lists)) = checkpoints(&goal.tasks) else {
        return String::new();
    };
    let others = lists.into_iter().filter(|(label, _)| *label != CURRENT);
    let others = others.map(|(label, text)| block(&format!("{label}:"), &text));
    let blocks: Vec<String> = [counted].into_iter().chain(others).collect();
    blocks.join("\n\n")
}

/// The one way in which what the turn works on is finished.
pub(super) fn finish(goal: &Goal) -> String {
    const PROMISE: &str = "put this line after the report, alone: `<promise>COMPLETE</promise>`";
    let standing = TaskStatuses::of(&goal.tasks);
    let is_whole = current_checkpoint(&goal.tasks, &standing).is_none();
    let has_rules = under_way(goal).is_some_and(|open| !open.rules.is_empty());
    let has_checks = !goal.contract.checks.is_empty();
    let shown = match goal.contract.verification_contract {
        Some(_) if is_whole => " The contract asks for evidence: nothing is audited without it.",
        _ => "",
    };
    let how = match (is_whole, has_rules || (is_whole && has_checks)) {
        (true, true) => {
            "The goal goes to its auditor when all checks pass after your turn; nothing that you say \
             takes their place."
                .to_owned()
        }
        (true, false) => format!(
            "When the goal is reached and you have looked, {PROMISE}. It goes to its auditor then."
        ),
        (false, true) => {
            "The checkpoint is complete when the rules above pass after your turn; nothing that you \
             say takes their place."
                .to_owned()
        }
        (false, false) if has_checks => format!(
            "When the checkpoint is done and you have looked, {PROMISE}. It does not count while a \
             check fails that passed when the checkpoint began."
        ),
        (false, false) => format!("When the checkpoint is done and you have looked, {PROMISE}."),
    };
    format!("- {how}{shown} Do not run `goal complete` yourself: the runner does, after your turn.")
}

/// What the iterations before came to.
pub(super) fn learned(goal: &Goal) -> String {
    let Some(open) = under_way(goal) else {
        return String::new();
    };
    let lines = open.learned.iter().rev().take(LEARNED).rev();
    let mut lines: Vec<String> = lines
        .map(|(iteration, text)| format!("- {}: {}", iteration.max(&1), short(text, LESSON)))
        .collect();
    let failing = open.latest.iter().flat_map(|latest| &latest.results);
    let failing = failing.filter(|(_, result)| !result.pass);
    lines.extend(failing.map(|(rule, result)| {
        let (rule, message) = (one_line(rule), short(&result.message, LESSON));
        format!("- the rule `{rule}` failed last: {message}")
    }));
    let count = open.number();
    let on = open.task.as_ref().map_or("", |_| " on this checkpoint");
    match lines.is_empty() {
        true => format!("This is iteration {count}{on}."),
        false => format!(
            "This is iteration {count}{on}. What those before came to:\n\n{}",
            fenced(&lines.join("\n"))
        ),
    }
}

/// The last words of the turn before.
pub(super) fn said(goal: &Goal) -> String {
    let said = counts(goal).and_then(|counts| counts.said.as_deref());
    let lead = "The last words of the turn before this one:";
    block(lead, &tail(said.unwrap_or_default(), SAID))
}

/// How to run the checks of the goal, how they stand, and what those that fail wrote.
pub(super) fn outputs(goal: &Goal) -> String {
    let mut checks = goal.contract.checks.clone();
    let rules = under_way(goal).into_iter().flat_map(|open| &open.rules);
    checks.extend(
        rules
            .filter(|it| !goal.contract.checks.contains(it))
            .cloned(),
    );
    let Some(first) = checks.first() else {
        return String::new();
    };
    let counts = counts(goal);
    let seen = |name: &String| counts.and_then(|counts| counts.checks.get(name));
    let listed: Vec<String> = checks.iter().map(|name| inline(name, 80)).collect();
    let stands = checks.iter().map(|name| {
        let how = match seen(name).map(|seen| seen.pass) {
            None => "has not run yet",
            Some(true) => "passed",
            Some(false) => "failed",
        };
        format!("{} {how}", inline(name, 80))
    });
    let stands = stands.collect::<Vec<_>>().join(", ");
    let run = inline(first, 80);
    let run = run.trim_matches('`');
    let have_run = checks.iter().any(|name| seen(name).is_some());
    let stands = match have_run {
        true => format!("After the turn before: {stands}."),
        false => format!("None has run in this run yet: {}.", listed.join(", ")),
    };
    let lead =
        format!("The checks run after every turn; `goal check {run}` runs one now. {stands}");
    let outputs = counts.into_iter().flat_map(|counts| &counts.outputs);
    let outputs = outputs.filter(|(name, _)| checks.contains(name));
    let outputs = outputs.map(|(name, output)| {
        let lead = format!("The end of what {} wrote:", inline(name, 80));
        block(&lead, output)
    });
    let blocks: Vec<String> = [lead].into_iter().chain(outputs).collect();
    blocks.join("\n\n")
}

/// How many turns are left, how long this one may take, and what is left of the user's budget.
pub(super) fn left(goal: &Goal) -> String {
    let run = goal.runs.open.as_ref();
    let turns = run.and_then(|run| Some((run.counts.iterations + 1, run.max_iterations?)));
    let turns = turns.map(|(turn, most)| format!("this is turn {turn} of at most {most}"));
    let most = under_way(goal).and_then(|open| open.timeout_ms);
    let most = most.map(|millis| match millis / 1000 {
        seconds @ 0..120 => format!("it may take {seconds} s"),
        seconds => format!("it may take {} minutes", seconds / 60),
    });
    let spent = Spent::of(goal);
    let budget = goal.cost.limits.0.iter().map(|(limit, most)| {
        let of = Exceeded {
            limit: *limit,
            most: *most,
            spent: spent.under(*limit),
        };
        format!("spent {of}")
    });
    let parts: Vec<String> = turns.into_iter().chain(most).chain(budget).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("What is left: {}.", parts.join("; ")),
    }
}

/// The loop that the turn belongs to.
fn under_way(goal: &Goal) -> Option<&Open> {
    let current = current_checkpoint(&goal.tasks, &TaskStatuses::of(&goal.tasks));
    goal.iterations.of_task(current.map(|task| &*task.id))
}

fn counts(goal: &Goal) -> Option<&Counts> {
    goal.runs.open.as_ref().map(|run| &run.counts)
}
