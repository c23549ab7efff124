//! All that waits about one goal.

use std::iter;

use serde::de::IntoDeserializer as _;
use serde::de::value::Error;
use serde::{Deserialize as _, Serialize, Serializer};

use crate::domain::actor::Actor;
use crate::domain::attention::Facts;
use crate::domain::attention::left::task_left;
use crate::domain::attention::need::{
    Choice, Lines, Need, NeedKind, answer_command, oldest_first, safe,
};
use crate::domain::goal::contest::ContestKind;
use crate::domain::goal::contract::heading;
use crate::domain::goal::row::{Row, WhileOpen};
use crate::domain::goal::state::{Goal, Pause, Status, Wait};
use crate::domain::id::GoalId;
use crate::domain::run::state::{Cause, Left};
use crate::domain::task::question::{Question, QuestionKind};
use crate::domain::time::is_within;

/// Everything that waits about the goal of this row, and what is `proposed` for it.
pub(super) fn needs(row: &Row, facts: &Facts, proposed: Vec<Need>) -> Needs {
    let contested = row.contested.map(|kind| contested(row, kind));
    let first = contested.into_iter().chain(outside(row, facts));
    let first = first.chain(not_committed(row, facts));
    let open = row.open.as_deref();
    let open = open.filter(|_| row.status.is_open());
    let others = open.map(|open| others(row, open, facts));
    Needs::of(
        row,
        first.collect(),
        open.map(|it| it.questions.clone()).unwrap_or_default(),
        others.into_iter().flatten().chain(proposed).collect(),
    )
}

/// What waits about an open goal and is no question: for most goals nothing.
fn others(row: &Row, open: &WhileOpen, facts: &Facts) -> Vec<Need> {
    let mut all = Vec::new();
    all.extend(unproven(row, facts));
    all.extend(foreign(row, facts));
    all.extend(rests(row, open, facts));
    all.extend(signature(row, open, facts));
    all.extend(interrupted(row, open, facts));
    all.extend(run_stopped(row, open, facts));
    all.extend(task_left(row, open, facts));
    all.extend(stuck(row, open, facts));
    all
}

/// A need about the goal, since this time or else its latest event. Its first choice is its command.
pub(super) fn need(
    row: &Row,
    kind: NeedKind,
    since: Option<String>,
    reason: impl Into<String>,
    choices: Vec<Choice>,
) -> Need {
    let first = choices.first().map(|it| it.command.clone());
    Need {
        since: since.or_else(|| Some(row.updated_at.clone())),
        reason: reason.into(),
        command: first.unwrap_or_default(),
        choices,
        ..About::of(row).need(kind)
    }
}

/// A need that `goal settle` settles.
fn to_settle(row: &Row, kind: NeedKind, reason: impl Into<String>, label: &str) -> Need {
    let settle = format!("goal settle {}", row.id);
    need(row, kind, None, reason, vec![Choice::new(label, settle)])
}

fn contested(row: &Row, kind: ContestKind) -> Need {
    let label = "see both and choose";
    to_settle(row, NeedKind::Contested, kind.said(), label)
}

fn outside(row: &Row, facts: &Facts) -> Option<Need> {
    let line = row
        .outside
        .filter(|_| !facts.known_outside.contains(&row.id))?;
    let settle = format!(
        "goal settle --finding unaudited_completion@{} --reason seen",
        line.number
    );
    let choices = vec![
        Choice::new("look at it", format!("goal show {}", row.id)),
        Choice::new("take note of it", &*settle),
    ];
    let reason = "it is complete, and no audit approved that";
    Some(Need {
        command: settle,
        ..need(row, NeedKind::OutsideGate, None, reason, choices)
    })
}

/// What a run changed and git did not commit, on a goal that nobody works on.
fn not_committed(row: &Row, facts: &Facts) -> Option<Need> {
    let left = row.uncommitted.as_ref()?;
    if facts.committed.contains(&row.id) || facts.is_leased(&row.id) {
        return None;
    }
    let look = safe(&left.run_id).map(|id| format!("goal runs {id}"));
    let look = look.unwrap_or_else(|| format!("goal runs --goal {}", row.id));
    let choices = vec![Choice::new("look at it", look)];
    let reason = format!("what its run changed is not committed: {}", left.why);
    let since = Some(left.since.clone());
    Some(need(row, NeedKind::NotCommitted, since, reason, choices))
}

fn unproven(row: &Row, facts: &Facts) -> Option<Need> {
    let lines = facts.unproven.get(&row.id)?;
    let are = "in force, but not proven to be yours: completion is refused";
    Some(of_lines(row, NeedKind::Unproven, lines, are))
}

fn foreign(row: &Row, facts: &Facts) -> Option<Need> {
    let lines = facts.foreign.get(&row.id)?;
    let are = "of another program, without effect so far";
    Some(of_lines(row, NeedKind::Foreign, lines, are))
}

/// A need about lines of the goal that wait; `are` says what these lines are.
fn of_lines(row: &Row, kind: NeedKind, lines: &Lines, are: &str) -> Need {
    let reason = match lines.count {
        1 => format!("1 line is {are}"),
        many => format!("{many} lines are {are}"),
    };
    Need {
        since: lines.since.clone(),
        ..to_settle(row, kind, reason, "see them and decide")
    }
}

/// Whether a pause asks something of the person: an agent paused, here or by another tool, which
/// writes that as the source. What the person paused rests, and so does what a rule paused.
fn is_asked(by: Option<Actor>, source: Option<&str>) -> bool {
    match source {
        None => by == Some(Actor::Agent),
        Some(source) => source == Actor::Agent.name() && by.is_none_or(|it| it == Actor::Agent),
    }
}

/// Whether an agent paused the goal, and so asks the person to look.
pub fn waits_by_pause(goal: &Goal) -> bool {
    let pause = goal.pause.as_ref();
    goal.status == Status::Paused && pause.is_some_and(|it| is_asked(it.by, it.source.as_deref()))
}

/// The same of a row. Who chooses what does not go together decides that, too.
pub(super) fn row_waits_by_pause(row: &Row) -> bool {
    let pause = row.open.as_ref().and_then(|it| it.pause.as_ref());
    let asks = pause.is_some_and(|it| is_asked(it.by, it.source.as_deref()));
    row.status == Status::Paused && row.contested.is_none() && asks
}

/// It is blocked, over its budget, or paused by an agent. Who chooses what does not go together decides
/// that, too.
fn rests(row: &Row, open: &WhileOpen, facts: &Facts) -> Option<Need> {
    let (status, pause) = (row.status, open.pause.as_ref());
    let over = pause.is_some_and(|it| it.source.as_deref() == Some(Pause::BUDGET));
    let id = &row.id;
    let resume = Choice::new("go on", format!("goal resume --goal {id}"));
    let (kind, choices) = match status {
        Status::Blocked if row.contested.is_none() => {
            let abort = format!("goal abort --goal {id} --reason TEXT");
            let choices = vec![resume, Choice::new("give it up", abort)];
            (NeedKind::Blocked, choices)
        }
        Status::Paused if over => {
            let budget = format!("goal budget --goal {id}");
            let raise = facts.raises.get(id);
            let raise = raise.map(|it| Choice::new("raise the limit", format!("{budget} {it}")));
            // While it is over a limit, going on is refused.
            let others = [
                Choice::new("see its limits", budget.clone()),
                Choice::new("take the limits away", format!("{budget} --clear")),
                Choice::new("go on, once it is within them", resume.command),
            ];
            let choices = raise.into_iter().chain(others).collect();
            (NeedKind::Budget, choices)
        }
        Status::Paused if row_waits_by_pause(row) => {
            let tell = format!("goal note --goal {id} TEXT");
            let rest = format!("goal pause --goal {id} --reason TEXT");
            let choices = vec![
                resume,
                Choice::new("note something first", tell),
                Choice::new("let it rest", rest),
            ];
            (NeedKind::Paused, choices)
        }
        _ => return None,
    };
    let mut reason = pause.map_or_else(String::new, |it| it.reason.clone());
    let suggested = pause.and_then(|it| it.suggested_action.as_ref());
    if let Some(suggested) = suggested.filter(|_| kind != NeedKind::Budget) {
        reason = format!("{reason} (suggested: {suggested})");
    }
    let since = pause.and_then(|it| it.at.clone());
    Some(need(row, kind, since, reason, choices))
}

fn signature(row: &Row, open: &WhileOpen, facts: &Facts) -> Option<Need> {
    if !facts.unsigned.contains(&row.id) {
        return None;
    }
    let began = open.audit_began.clone();
    let choices = vec![Choice::new("audit and sign", "goal complete --pending")];
    let reason = "its verdict has to be signed by somebody with a key";
    Some(need(row, NeedKind::Signature, began, reason, choices))
}

/// An audit whose process is gone, on a goal that nobody works on: whoever does asks again.
fn interrupted(row: &Row, open: &WhileOpen, facts: &Facts) -> Option<Need> {
    let (id, kind) = (&row.id, NeedKind::AuditInterrupted);
    let is_nobodys = row.status == Status::Active && !facts.is_leased(id);
    if !is_nobodys || !facts.interrupted.contains(id) {
        return None;
    }
    let began = open.audit_began.clone();
    let choices = vec![
        Choice::new("ask again", format!("goal complete --goal {id}")),
        Choice::new("see its audits", format!("goal audits --goal {id}")),
    ];
    let reason = "its audit has no result, and its process is gone";
    Some(need(row, kind, began, reason, choices))
}

/// A run that stopped or was refused, on a goal which is still to be worked on, and nobody works on it.
fn run_stopped(row: &Row, open: &WhileOpen, facts: &Facts) -> Option<Need> {
    if row.status != Status::Active || facts.is_leased(&row.id) {
        return None;
    }
    let stopped = match (&open.run, &open.left) {
        (Some(run), _) if facts.dead.contains(&row.id) => {
            Some((&run.run_id, &run.started_at, Cause::Crashed.to_string()))
        }
        (None, Some(left)) => stopped_early(row, open, left, facts),
        _ => None,
    };
    let refused = open.refused.as_ref().filter(|_| open.run.is_none());
    let (since, reason) = match (&stopped, refused) {
        (None, None) => return None,
        (Some((_, since, why)), None) => (*since, format!("its run stopped: {why}")),
        (None, Some(it)) => (&it.at, format!("its run was refused: {}", it.reason)),
        (Some((_, since, why)), Some(it)) => (
            *since,
            format!(
                "its run stopped: {why}; the next was refused: {}",
                it.reason
            ),
        ),
    };
    let agent = facts.agents.get(&row.id).map_or("", String::as_str);
    let again = format!("goal run --goal {}{agent}", row.id);
    let label = match &stopped {
        Some(_) => "run it again",
        None => "run it, once that is mended",
    };
    let mut choices = vec![Choice::new(label, again)];
    let look = stopped.and_then(|(id, ..)| Some(format!("goal runs {}", safe(id)?)));
    choices.extend(look.map(|look| Choice::new("look at it", look)));
    let since = Some(since.clone());
    Some(need(row, NeedKind::RunStopped, since, reason, choices))
}

/// A run that stopped before its end, with its id, when, and why; nothing where that is nobody's to look at.
fn stopped_early<'a>(
    row: &Row,
    open: &WhileOpen,
    left: &'a Left,
    facts: &Facts,
) -> Option<(&'a String, &'a String, String)> {
    let cause = cause(&left.cause);
    let is_nobodys = cause.is_some_and(|it| match it {
        Cause::Complete | Cause::Checkpoint | Cause::Ended | Cause::LeaseLost => true,
        Cause::Waiting => !open.questions.is_empty(),
        // The objections themselves wait.
        Cause::SameObjection => is_stuck(row, facts),
        _ => false,
    });
    let why = cause.map_or_else(|| left.cause.clone(), |it| it.to_string());
    (!is_nobodys).then_some((&left.id, &left.at, why))
}

fn cause(word: &str) -> Option<Cause> {
    let word: serde::de::value::StrDeserializer<'_, Error> = word.into_deserializer();
    Cause::deserialize(word).ok()
}

/// Whether an active goal gets no further by itself.
pub(super) fn is_stuck(row: &Row, facts: &Facts) -> bool {
    let Some(open) = row.open.as_deref() else {
        return false;
    };
    let objected = open.objections >= facts.thresholds.stuck_after;
    // A wait brings nothing that lets the goal go on: once it is due, the goal is as stuck as before.
    let given_up = open.given_up.is_some() && open.questions.is_empty();
    row.status == Status::Active && (objected || given_up || overslept(row, open, facts).is_some())
}

/// Whether somebody has worked on it lately.
pub(super) fn is_worked(row: &Row, facts: &Facts) -> bool {
    let quiet_after = facts.thresholds.quiet_after;
    let worked_at = row.worked_at.as_deref();
    worked_at.is_some_and(|at| is_within(at, facts.now, quiet_after))
}

/// What it waited for, where the time for that is over for long, and nobody works on it.
fn overslept<'a>(row: &Row, open: &'a WhileOpen, facts: &Facts) -> Option<&'a Wait> {
    if is_worked(row, facts) || facts.is_leased(&row.id) {
        return None;
    }
    let long = i64::try_from(facts.thresholds.quiet_after.as_millis()).unwrap_or(i64::MAX);
    let wait = open.wait.as_ref();
    wait.filter(|it| it.ends() <= facts.now.saturating_sub(long))
}

fn stuck(row: &Row, open: &WhileOpen, facts: &Facts) -> Option<Need> {
    if !is_stuck(row, facts) {
        return None;
    }
    let id = &row.id;
    let objections = open.objections;
    let (reason, judged_at) = match &open.given_up {
        _ if objections >= facts.thresholds.stuck_after => {
            let reason = format!("{objections} audits in a row objected");
            (reason, open.judged_at.clone())
        }
        _ if let Some(wait) = overslept(row, open, facts) => {
            let reason = format!(
                "it waited for {}; the time for that is over, and nobody has gone on",
                wait.reason
            );
            (reason, wait.until.clone().or_else(|| Some(wait.at.clone())))
        }
        Some(why) => (format!("it is not continued any more: {why}"), None),
        None => return None,
    };
    let pause = format!("goal pause --goal {id} --reason TEXT");
    let first = match objections {
        0 => Choice::new("let a run go on with it", format!("goal run --goal {id}")),
        _ => Choice::new("see the objections", format!("goal audits --goal {id}")),
    };
    let choices = vec![
        first,
        Choice::new("change the contract", format!("goal tweak --goal {id}")),
        Choice::new("let it rest", pause),
    ];
    Some(need(row, NeedKind::Stuck, judged_at, reason, choices))
}

/// All that waits about one goal, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Needs {
    /// Needs that come before all others of the same time.
    first: Vec<Need>,
    about: About,
    questions: Vec<Question>,
    last: Vec<Need>,
}

/// The fields that all needs about one goal share.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct About {
    id: Option<GoalId>,
    title: String,
    owner: Option<String>,
}

impl Needs {
    pub(super) fn of(
        row: &Row,
        mut first: Vec<Need>,
        questions: Vec<Question>,
        mut last: Vec<Need>,
    ) -> Needs {
        oldest_first(&mut first);
        oldest_first(&mut last);
        Needs {
            first,
            about: match questions.is_empty() {
                true => About::default(),
                false => About::of(row),
            },
            questions,
            last,
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Need> {
        let questions = self
            .questions
            .iter()
            .map(|it| question(&self.about, it.clone()));
        let begun = merged(self.first.iter().cloned(), questions);
        merged(begun, self.last.iter().cloned())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.first.len() + self.questions.len() + self.last.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many of them are questions.
    pub fn questions(&self) -> usize {
        self.questions.len()
    }
}

/// Merges two lists that are oldest first; at the same time needs of `a` come first.
fn merged(
    a: impl Iterator<Item = Need>,
    b: impl Iterator<Item = Need>,
) -> impl Iterator<Item = Need> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    iter::from_fn(move || match (a.peek(), b.peek()) {
        (Some(of_a), Some(of_b)) if of_a.order() > of_b.order() => b.next(),
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    })
}

/// Serialised as a list of needs.
impl Serialize for Needs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl About {
    pub(super) fn of(row: &Row) -> About {
        About {
            id: Some(row.id.clone()),
            title: heading(row.title.as_deref(), &row.objective).to_owned(),
            owner: row.owner.clone(),
        }
    }

    /// A need about the goal; the caller fills in the other fields.
    pub(super) fn need(&self, kind: NeedKind) -> Need {
        Need {
            kind,
            goal_id: self.id.clone(),
            draft_id: None,
            question_id: None,
            title: self.title.clone(),
            owner: self.owner.clone(),
            since: None,
            reason: String::new(),
            command: String::new(),
            choices: Vec::new(),
        }
    }
}

/// Makes the need for an open question.
fn question(about: &About, asked: Question) -> Need {
    let command = answer_command(&asked.id);
    let nameable = safe(&asked.id).is_some();
    let (kind, mut choices) = match asked.kind {
        QuestionKind::Info => {
            let picks = asked.suggestions.iter().zip(1..);
            let picks = picks.map(|(text, n)| Choice::new(text, format!("{command} --pick {n}")));
            (NeedKind::Question, picks.collect())
        }
        QuestionKind::Confirm | QuestionKind::Approval => {
            let of = |word: &str| Choice::new(word, format!("{command} {word}"));
            (NeedKind::Approval, vec![of("yes"), of("no")])
        }
    };
    if !nameable {
        choices.clear();
    }
    Need {
        question_id: Some(asked.id),
        since: Some(asked.at),
        reason: asked.question,
        command,
        choices,
        ..about.need(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_as_long_keeps_its_order() {
        let of = |kinds: &[(NeedKind, &str)]| {
            let need = |(kind, since): &(NeedKind, &str)| Need {
                since: Some((*since).to_owned()),
                ..About::default().need(*kind)
            };
            kinds.iter().map(need).collect::<Vec<_>>().into_iter()
        };
        let (early, late) = ("2026-11-21T20:00:00.000Z", "2026-11-21T20:00:01.000Z");
        let a = of(&[(NeedKind::Contested, early), (NeedKind::OutsideGate, late)]);
        let b = of(&[
            (NeedKind::Question, early),
            (NeedKind::Approval, late),
            (NeedKind::Stuck, "soon"),
        ]);
        let order: Vec<NeedKind> = merged(a, b).map(|it| it.kind).collect();
        let expected = [
            NeedKind::Contested,
            NeedKind::Question,
            NeedKind::OutsideGate,
            NeedKind::Approval,
            NeedKind::Stuck,
        ];
        assert_eq!(order, expected);
    }
}
