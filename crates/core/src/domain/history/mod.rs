//! What happened to goals over time, folded from the lines of a ledger in their order: audits, runs,
//! and when each goal was what. Whoever tells of the past asks here, each for its part. How goals
//! stand now, the state says.

mod audits;
mod course;
mod runs;

use std::collections::BTreeMap;

pub use audits::{AuditRecord, Changed};
pub use course::{Burst, Escalated, QuestionReport, ScoreReport, Span, SpanKind};
pub use runs::{AuditSeen, RunReport, TurnReport, Wait};

use crate::domain::event::{Event, Payload};
use crate::domain::goal::state::Goal;
use crate::domain::id::GoalId;
use crate::domain::line::RawLine;
use crate::domain::objections::{AuditOfWork, CameBack, came_back};
use crate::domain::run::liveness::Liveness;
use audits::Programs;
use course::Course;
use runs::UnderWay;

/// The past while it is read.
#[derive(Debug, Default)]
pub struct History {
    pub goals: BTreeMap<GoalId, GoalHistory>,
    /// It tells of every goal, not only of those above.
    of_all: bool,
    programs: Programs,
}

/// The past of one goal.
#[derive(Debug, Default)]
pub struct GoalHistory {
    pub course: Course,
    /// In the order in which they began, as the runs.
    pub audits: Vec<AuditRecord>,
    pub runs: Vec<RunReport>,
    under_way: UnderWay,
}

impl History {
    /// Nothing read yet, of these goals, or of all.
    pub fn of(goals: Option<&[GoalId]>) -> History {
        let wanted = goals.unwrap_or_default().iter();
        History {
            goals: wanted
                .map(|id| (id.clone(), GoalHistory::default()))
                .collect(),
            of_all: goals.is_none(),
            programs: Programs::default(),
        }
    }

    /// Takes the next event, of whatever goal.
    pub fn event(&mut self, raw: &RawLine<'_>, event: &Event) {
        let Some(id) = &event.goal_id else { return };
        // Auditors are the same for all goals.
        let changed = match &event.payload {
            Payload::AuditStarted(it) if event.is_ours() => self.programs.next(it, raw.number),
            _ => Vec::new(),
        };
        let goal = match self.of_all {
            true => Some(self.goals.entry(id.clone()).or_default()),
            false => self.goals.get_mut(id),
        };
        if let Some(goal) = goal {
            goal.course.event(event);
            audits::take(&mut goal.audits, raw, event, changed);
            // Only what we wrote says anything of our runs.
            if event.is_ours() {
                goal.under_way.take(&mut goal.runs, id, raw, event);
            }
        }
    }

    /// The audits of these goals, in the order in which they began.
    pub fn into_audits(self) -> Vec<(GoalId, AuditRecord)> {
        let mut all = Vec::new();
        for (id, goal) in self.goals {
            all.extend(goal.audits.into_iter().map(|audit| (id.clone(), audit)));
        }
        all.sort_by_key(|(_, audit)| audit.line());
        all
    }

    /// The runs of these goals, in the order in which they began.
    pub fn into_runs(self) -> Vec<RunReport> {
        let all = self.goals.into_values().flat_map(|goal| goal.runs);
        let mut all: Vec<RunReport> = all.collect();
        all.sort_by_key(|run| run.line);
        all
    }
}

impl GoalHistory {
    /// All lines are read: adds what the goal's state says, and whether the runner of its open run is alive.
    pub fn finish(&mut self, goal: &Goal, runner: Option<Liveness>) {
        self.course.finish(goal);
        for run in &mut self.runs {
            goal.contract.heading().clone_into(&mut run.title);
        }
        if let (Some(latest), Some(open)) = (self.runs.last_mut(), &goal.runs.open) {
            latest.be_found(runner.filter(|_| latest.run_id == open.id));
        }
    }

    /// The objections to this goal that came back.
    pub fn came_back(&self, goal: &Goal) -> impl Iterator<Item = CameBack> {
        let judged = self.audits.iter().filter_map(|audit| {
            let result = audit.result.as_ref()?;
            AuditOfWork::of(audit.ended_at.as_ref()?, result.verdict, &result.report)
        });
        came_back(goal, judged)
    }
}

#[cfg(test)]
mod tests;
