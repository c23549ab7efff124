//! An extract of an open goal's content: as much as listings and the inbox need of it, so that nobody
//! has to fold the goal for them. It is saved in the goal's header.

use serde::{Deserialize, Serialize};

use crate::domain::goal::state::Goal;
use crate::domain::line::LineRef;
use crate::domain::run::state::Left;
use crate::domain::task::packed::PackedQuestions;
use crate::domain::task::pending::pending;
use crate::domain::task::question::Question;
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::Verdict;

/// What is known of an open goal beside its outline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extract {
    /// The questions that wait for an answer, oldest first.
    pub questions: PackedQuestions,
    /// Why it rests.
    pub pause: Option<Rest>,
    /// Completion was requested, or an audit began.
    pub audit: Option<UnderWay>,
    /// The run that was started and not stopped.
    pub run: Option<OpenRun>,
    /// The run that stopped, since when nobody has worked on the goal.
    pub left: Option<Left>,
    /// How many audits in a row objected.
    pub objections: u32,
    /// When the latest audit ended.
    pub judged_at: Option<String>,
    /// Why it is not continued any more, though nobody paused it.
    pub given_up: Option<String>,
    /// Lines of other programs without effect.
    pub foreign: Vec<LineRef>,
    /// Lines in which only the user can have agreed to something.
    pub consents: Vec<LineRef>,
    /// The verdicts of its audits, the latest last.
    pub verdicts: Vec<Verdict>,
    /// How many tasks are done, and how many there are.
    pub tasks: Option<(u64, u64)>,
    /// The latest score.
    pub score: Option<f64>,
    /// What it cost in US dollars.
    pub cost_usd: Option<f64>,
}

/// Why a goal rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    pub reason: String,
    pub suggested: Option<String>,
    pub source: Option<String>,
    pub at: Option<String>,
}

/// Completion was requested and no verdict is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnderWay {
    /// When the audit began; nothing before that.
    pub at: Option<String>,
}

/// A run that goes on, unless its runner died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenRun {
    pub id: String,
    pub at: String,
}

impl Extract {
    /// What is needed of this goal; of an ended one nothing.
    pub fn of(goal: &Goal) -> Option<Box<Extract>> {
        if !goal.status.is_open() {
            return None;
        }
        let statuses = TaskStatuses::of(&goal.tasks);
        let gate = &goal.gate;
        let under_way = gate.requested.is_some() || gate.running.is_some();
        let cost = goal.cost.total.get(crate::domain::cost::state::COST_USD);
        Some(Box::new(Extract {
            questions: PackedQuestions::of(pending(&goal.tasks, &statuses)),
            pause: goal.pause.as_ref().map(|it| Rest {
                reason: it.reason.clone(),
                suggested: it.suggested_action.clone(),
                source: it.source.clone(),
                at: it.at.clone(),
            }),
            audit: under_way.then(|| UnderWay {
                at: gate.running.as_ref().map(|it| it.at.clone()),
            }),
            run: goal.runs.open.as_ref().map(|it| OpenRun {
                id: it.id.clone(),
                at: it.started_at.clone(),
            }),
            left: goal.runs.left.clone(),
            objections: gate.verdicts.objections,
            judged_at: gate.result.as_ref().map(|it| it.at.clone()),
            given_up: goal
                .continuation
                .rest(goal.revision)
                .map(|it| it.to_string()),
            foreign: goal.foreign.clone(),
            consents: goal.consents.clone(),
            verdicts: gate.verdicts.latest.iter().copied().collect(),
            tasks: counted(goal, &statuses),
            score: goal.progress.latest.as_ref().map(|it| f64::from(it.score)),
            cost_usd: cost.map(|it| it.number()),
        }))
    }
}

/// The questions of a goal that wait for the person's answer, oldest first.
pub fn questions(goal: &Goal) -> Vec<&Question> {
    // Most have none, and then nobody has to know how the tasks stand.
    match goal.status.is_open() && !goal.tasks.questions.all().is_empty() {
        true => pending(&goal.tasks, &TaskStatuses::of(&goal.tasks)),
        false => Vec::new(),
    }
}

/// How many of the tasks without children are done, and how many there are.
fn counted(goal: &Goal, statuses: &TaskStatuses) -> Option<(u64, u64)> {
    let (mut done, mut all) = (0, 0);
    let mut left: Vec<_> = goal.tasks.specs.iter().collect();
    while let Some(task) = left.pop() {
        if task.tasks.is_empty() {
            all += 1;
            let status = statuses.status(&task.id);
            done += u64::from(matches!(status, TaskStatus::Complete | TaskStatus::Skipped));
        }
        left.extend(&task.tasks);
    }
    (all > 0).then_some((done, all))
}
