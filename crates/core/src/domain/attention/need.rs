//! One thing that waits for the person.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::goal::contract::Contract;
use crate::domain::goal::difference::{difference, lines, loss};
use crate::domain::goal::draft::{self, Draft};
use crate::domain::id::GoalId;
use crate::domain::time;
use crate::domain::words::words;

words! {
    /// What waits.
    pub enum NeedKind {
        /// A question of a goal.
        Question = "question",
        /// A question that takes a yes or a no.
        Approval = "approval",
        /// A proposed goal.
        Draft = "draft",
        /// A proposed change of a goal's contract.
        Tweak = "tweak",
        /// What was done to a goal does not go together.
        Contested = "contested",
        /// Lines in force are not proven to be the user's.
        Unproven = "unproven",
        /// Another program wrote about a goal that this one keeps.
        Foreign = "foreign",
        /// A goal is blocked.
        Blocked = "blocked",
        /// An agent paused a goal: it asks the person to look.
        Paused = "paused",
        /// A goal rests since it went over its budget.
        Budget = "budget",
        /// The verdict of a goal's audit has to be signed.
        Signature = "signature",
        /// The audit of a goal ended without a result.
        AuditInterrupted = "audit_interrupted",
        /// A run stopped before its end.
        RunStopped = "run_stopped",
        /// A task is under way, and the session that had it has ended.
        TaskLeft = "task_left",
        /// What a run changed is not committed.
        NotCommitted = "not_committed",
        /// A goal gets no further.
        Stuck = "stuck",
        /// A goal was completed without the gate.
        OutsideGate = "outside_gate",
        /// What would run in this project is not trusted.
        Untrusted = "untrusted",
        /// The ledger is not synced.
        Unsynced = "unsynced",
    }
}

/// Something that waits for the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Need {
    pub kind: NeedKind,
    /// The goal that it is about; null where it is about none.
    pub goal_id: Option<GoalId>,
    /// The draft that waits, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_id: Option<String>,
    /// The question that waits, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question_id: Option<String>,
    /// Title of the goal or topic of the draft; the remote's name; what is not trusted.
    pub title: String,
    /// Who answers for the goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Since when it waits, where that is known.
    pub since: Option<String>,
    /// Why: the question, the reason of the block, what does not go together.
    pub reason: String,
    /// What the person can do about it.
    pub choices: Vec<Choice>,
    /// The command that settles it, or that shows what has to be decided. It holds ids only, never
    /// a text that somebody else wrote.
    pub command: String,
}

/// One way to settle it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "NeedChoice")]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    pub label: String,
    pub command: String,
}

/// Lines about a goal that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    pub count: u64,
    /// `at` of the first.
    pub since: Option<String>,
}

/// A remote that has not got all lines, or of which not all came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsynced {
    pub remote: String,
    pub lines: u64,
    /// Lines there that were not taken in, because they follow a line that neither side has.
    pub not_taken_in: u64,
    /// When it was synced last.
    pub since: Option<String>,
}

impl Need {
    /// Where it stands among others: what does not say since when stands last.
    pub(super) fn order(&self) -> i64 {
        time::order(self.since.as_deref())
    }

    /// Whether it is a question that a command can name.
    pub fn can_be_answered(&self) -> bool {
        self.is_question()
            && self
                .question_id
                .as_deref()
                .is_some_and(|id| safe(id).is_some())
    }

    /// Why, as far as a list of goals has room for it: of a proposal what goes, and not every line of it.
    pub fn gist(&self) -> &str {
        match self.kind {
            NeedKind::Draft | NeedKind::Tweak => self.reason.lines().next().unwrap_or_default(),
            _ => &self.reason,
        }
    }

    /// Whether the person agrees to the reason itself, so that nothing of it may be left out.
    pub fn is_agreed_to(&self) -> bool {
        self.is_question() || matches!(self.kind, NeedKind::Draft | NeedKind::Tweak)
    }

    /// Whether it is a question, of whichever kind.
    pub fn is_question(&self) -> bool {
        matches!(self.kind, NeedKind::Question | NeedKind::Approval)
    }
}

impl Choice {
    pub(super) fn new(label: impl Into<String>, command: impl Into<String>) -> Choice {
        Choice {
            label: label.into(),
            command: command.into(),
        }
    }
}

/// The command that answers this question, or that lists it where its id cannot stand in a command.
pub fn answer_command(question: &str) -> String {
    with("goal answer", question).unwrap_or_else(|| "goal questions".to_owned())
}

/// The proposal that waits, where one does: a draft without one waits for the agent. `now` is the
/// contract of the goal that it would change. The reason has all that the user would agree to.
pub(super) fn of_draft(draft: &Draft, now: Option<&Contract>) -> Option<Need> {
    let proposal = draft.proposal.as_ref()?;
    let kind = match draft.goal_id {
        Some(_) => NeedKind::Tweak,
        None => NeedKind::Draft,
    };
    // A new goal continues by itself unless its contract says otherwise.
    let none = Contract {
        auto_continue: true,
        ..Contract::default()
    };
    let differences = difference(now.unwrap_or(&none), proposal);
    let head = match (kind, now) {
        (NeedKind::Tweak, Some(_)) => format!("a change is proposed: {}", loss(&differences)),
        (NeedKind::Tweak, None) => "a change of the contract is proposed".to_owned(),
        _ => "a contract is proposed".to_owned(),
    };
    let known = draft::known(&draft.context);
    let known = known.map(|(key, value)| format!("+ known: {} = {value}", key.as_str()));
    let why = draft.summary.as_deref().map(str::trim);
    let why = why
        .filter(|it| !it.is_empty())
        .map(|it| format!("why: {it}"));
    let reason: Vec<String> = [head]
        .into_iter()
        .chain(lines(&differences))
        .chain(known)
        .chain(why)
        .collect();
    let title = match now {
        Some(now) => now.heading(),
        None => draft.about(),
    };
    let confirm = with("goal confirm", &draft.draft_id).map(|it| Choice::new("agree", it));
    let reject = with("goal reject", &draft.draft_id).map(|it| Choice::new("refuse", it));
    let choices: Vec<Choice> = confirm.into_iter().chain(reject).collect();
    Some(Need {
        kind,
        goal_id: draft.goal_id.clone(),
        draft_id: Some(draft.draft_id.clone()),
        question_id: None,
        title: title.to_owned(),
        owner: proposal.owner.clone(),
        since: Some(draft.updated_at.clone()),
        reason: reason.join("\n"),
        command: choices
            .first()
            .map_or_else(|| "goal draft --list".to_owned(), |it| it.command.clone()),
        choices,
    })
}

pub(super) fn of_trust(why: &str) -> Need {
    let command = "goal trust".to_owned();
    Need {
        kind: NeedKind::Untrusted,
        goal_id: None,
        draft_id: None,
        question_id: None,
        title: "commands or the auditor".to_owned(),
        owner: None,
        since: None,
        reason: why.to_owned(),
        choices: vec![
            Choice::new("look at it", "goal trust --show"),
            Choice::new("trust it", command.clone()),
        ],
        command,
    }
}

pub(super) fn of_remote(unsynced: &Unsynced) -> Need {
    let sync = with("goal sync", &unsynced.remote);
    let choice = |it: &String| match unsynced.not_taken_in {
        0 => Choice::new("sync", it.clone()),
        _ => Choice::new("take them in", format!("{it} --join")),
    };
    let sync = sync.as_ref().map(choice);
    let mut reasons = Vec::new();
    match unsynced.not_taken_in {
        0 => {}
        1 => {
            reasons.push("1 line there was not taken in: it follows one that nobody has".to_owned())
        }
        many => reasons.push(format!(
            "{many} lines there were not taken in: they follow one that nobody has"
        )),
    }
    match unsynced.lines {
        0 => {}
        1 => reasons.push("1 line has not reached it".to_owned()),
        many => reasons.push(format!("{many} lines have not reached it")),
    }
    Need {
        kind: NeedKind::Unsynced,
        goal_id: None,
        draft_id: None,
        question_id: None,
        title: unsynced.remote.clone(),
        owner: None,
        since: unsynced.since.clone(),
        reason: reasons.join("; "),
        command: sync
            .as_ref()
            .map_or_else(|| "goal sync --status".to_owned(), |it| it.command.clone()),
        choices: sync.into_iter().collect(),
    }
}

/// Sorts these, the oldest first. Equal ones keep their order.
pub(super) fn oldest_first(needs: &mut [Need]) {
    needs.sort_by_key(Need::order);
}

/// An id as a command may hold it: other programs can call a draft or a question anything.
pub fn safe(id: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '#' | ':');
    let is_safe = !id.is_empty() && !id.starts_with(['-', '#']) && id.chars().all(plain);
    is_safe.then_some(id)
}

/// The command about this id; nothing where the id cannot stand in one. A command without it could
/// settle something else.
fn with(command: &str, id: &str) -> Option<String> {
    safe(id).map(|id| format!("{command} {id}"))
}
