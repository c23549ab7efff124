//! What a turn of a run is told of itself: what it is for, what the turns before came to, how the checks
//! stand, and what is left.

use crate::domain::cost::budget::{Exceeded, Spent};
use crate::domain::goal::state::Goal;
use crate::domain::iteration::judge::{BLOCKED, COMPLETE, Signal};
use crate::domain::iteration::state::Open;
use crate::domain::run::state::{Counts, Run};
use crate::domain::task::order::current_checkpoint;
use crate::domain::task::state::Tasks;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::tail;
use crate::render::checkpoints::{CURRENT, checkpoints, in_full};
use crate::render::prompt::fenced::{block, fenced};
use crate::render::task::mark;
use crate::render::text::{count, inline, one_line, short};

/// Most iterations whose lessons are in a prompt, and most characters of each.
const LEARNED: usize = 5;
const LESSON: usize = 300;

/// Most bytes of the last words.
const SAID: usize = 2 * 1024;

/// Most keys of evidence that a turn is told of.
const RECORDED: usize = 20;

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
    let promise = match own_promise(goal) {
        Some(own) => format!(
            "put this line after the report, alone: {}",
            inline(own, 200)
        ),
        None => format!("put this line after the report, alone: `{COMPLETE}`"),
    };
    let standing = TaskStatuses::of(&goal.tasks);
    let is_whole = current_checkpoint(&goal.tasks, &standing).is_none();
    let has_rules = under_way(goal).is_some_and(|open| !open.rules.is_empty());
    let has_checks = !goal.contract.checks.is_empty();
    let shown = match goal.contract.verification_contract {
        Some(_) if is_whole => " The contract asks for evidence: nothing is audited without it.",
        _ => "",
    };
    let how = match (is_whole, has_rules || (is_whole && has_checks)) {
        (true, true) => format!(
            "When the goal is reached and you have looked, {promise}. It goes to its auditor then if all \
             checks pass after your turn. Once all pass after one had failed, it goes there without your word."
        ),
        (true, false) => format!(
            "When the goal is reached and you have looked, {promise}. It goes to its auditor then."
        ),
        (false, true) => format!(
            "When the checkpoint is done and you have looked, {promise}. It counts if the rules above pass \
             after your turn. Once all pass after one had failed, it is complete without your word."
        ),
        (false, false) if has_checks => format!(
            "When the checkpoint is done and you have looked, {promise}. It does not count while a \
             check fails that passed when the checkpoint began."
        ),
        (false, false) => format!("When the checkpoint is done and you have looked, {promise}."),
    };
    format!("- {how}{shown} Do not run `goal complete` yourself: the runner does, after your turn.")
}

/// The promise by which an agent's own definition says that its work is done, where it has one.
fn own_promise(goal: &Goal) -> Option<&str> {
    let promises = under_way(goal)?.promises.iter().map(String::as_str);
    let mut own = promises.filter(|it| ![COMPLETE, BLOCKED].contains(&it.trim()));
    own.find(|it| Signal::of(it) == Signal::Complete)
}

/// What the iterations before came to.
pub(super) fn learned(goal: &Goal) -> String {
    let Some(open) = under_way(goal) else {
        return String::new();
    };
    let count = open.number();
    let counts = counts(goal);
    // How rules stand after the turn before is told with what they wrote; not that a check was broken.
    let is_told = |name: &String| {
        open.rules.contains(name) && counts.is_some_and(|it| it.checks.contains_key(name))
    };
    let latest = || open.latest.iter().flat_map(|latest| &latest.results);
    let all_told = latest().next().is_some() && latest().all(|(rule, _)| is_told(rule));
    let lines = open.learned.iter().rev().take(LEARNED).rev();
    let lines = lines.filter(|(iteration, _)| !all_told || iteration + 1 != count);
    let mut lines: Vec<String> = lines
        .map(|(iteration, text)| format!("- {}: {}", iteration.max(&1), short(text, LESSON)))
        .collect();
    let failing = latest().filter(|(rule, result)| !result.pass && !is_told(rule));
    lines.extend(failing.map(|(rule, result)| {
        let (rule, message) = (one_line(rule), short(&result.message, LESSON));
        format!("- the rule `{rule}` failed last: {message}")
    }));
    let turn = counts.map(|counts| counts.iterations + 1);
    let here = match (turn, &open.task) {
        (Some(turn), Some(_)) => {
            format!("This is turn {turn} of the run, and iteration {count} on this checkpoint.")
        }
        (Some(turn), None) => format!("This is turn {turn} of the run."),
        (None, Some(_)) => format!("This is iteration {count} on this checkpoint."),
        (None, None) => format!("This is iteration {count}."),
    };
    match lines.is_empty() {
        true => here,
        false => format!(
            "{here} What the iterations before came to:\n\n{}",
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
        false => format!(
            "None has run after a turn of this run yet: {}.",
            listed.join(", ")
        ),
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

/// In which tree the turn works, and who commits what it changes.
pub(super) fn commits(goal: &Goal) -> String {
    let choices = goal.runs.open.as_ref().map(|run| run.choices);
    let choices = choices.unwrap_or_default();
    let who = match choices.commit {
        true => {
            "The runner commits what you changed after your turn, and git's hooks run then: leave it in a \
             state that they let pass."
        }
        false => {
            "Commit where the contract or the project's habits ask for it; the runner commits nothing."
        }
    };
    match choices.worktree {
        true => format!(
            "You are in a work tree of this goal's own, on its branch `goal/{}`: stay on it. {who}",
            goal.id
        ),
        false => who.to_owned(),
    }
}

/// Why what the turns before changed is not committed.
pub(super) fn uncommitted(goal: &Goal) -> String {
    let why = counts(goal).and_then(|counts| counts.uncommitted.as_deref());
    let lead = "What was changed before this turn could not be committed. Mend this first:";
    block(lead, why.unwrap_or_default())
}

/// What evidence is on record, so that nothing is recorded again that did not change.
pub(super) fn recorded(goal: &Goal) -> String {
    let latest = goal.tasks.evidence.latest_since(goal.gate.evidence_from);
    let lines: Vec<String> = latest
        .into_iter()
        .rev()
        .take(RECORDED)
        .map(|(given, _)| {
            format!(
                "- {}, {}",
                one_line(given.key.as_str()),
                one_line(&given.at)
            )
        })
        .collect();
    let lead = "Evidence on record, each key with the time of its latest value; record a key again only \
                if the value changed:";
    block(lead, &lines.join("\n"))
}

/// How many turns are left, how long this one may take, and what is left of the user's budget.
pub(super) fn left(goal: &Goal) -> String {
    let run = goal.runs.open.as_ref();
    let after = |most: u64, run: &Run| most.saturating_sub(run.counts.iterations + 1);
    let turns = run.and_then(|run| Some(after(run.max_iterations?, run)));
    let turns = turns.map(|turns| match turns {
        0 => "this is the last turn of the run".to_owned(),
        turns => format!("at most {} after this one", count(turns, "turn")),
    });
    let deadline = run.and_then(|run| run.deadline.as_deref());
    let deadline = deadline.map(|at| format!("the run is over at {}", one_line(at)));
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
    let parts = turns.into_iter().chain(most).chain(deadline).chain(budget);
    let parts: Vec<String> = parts.collect();
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
