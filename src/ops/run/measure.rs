//! What an iteration cost, and whether the goal gets anywhere: usage after every turn, an evaluation
//! when one is due, and a new plan where that suggests one. None of it completes anything.

use std::time::Duration;

use super::Runner;
use super::events::{RunUpdate, RunnerEvent, RunnerEventKind};
use super::iteration::Unit;
use crate::domain::cost::command::CostCommand;
use crate::domain::cost::state::SECONDS;
use crate::domain::event::UsageRecorded;
use crate::domain::goal::state::Goal;
use crate::domain::progress::advice::{Advice, advice};
use crate::domain::rejection::Class;
use crate::ops::context::summarize;
use crate::ops::evaluate::for_run;
use crate::ops::failure::Failure;
use crate::ops::plan::escalate;
use crate::render::run::Bar;
use crate::roles::command::Wanted;
use crate::transaction::TransactionError;
use crate::workspace::config::{Role, resolve};

impl Runner<'_> {
    /// Records how long the agent worked. Going over the user's budget pauses the goal in the same
    /// write.
    pub(super) fn charge(&self, task: Option<&str>, worked: Duration) -> Result<(), Failure> {
        let seconds = worked.as_millis() as f64 / 1000.0;
        let usage = UsageRecorded {
            counters: [(SECONDS.to_owned(), seconds)].into(),
            model: self.agent.model.model.clone(),
            task_id: task.map(str::to_owned),
        };
        match self.as_system(CostCommand::Add(usage)) {
            // Its plan changed in that very turn.
            Err(TransactionError::Rejected(refused))
                if matches!(refused.class(), Class::Policy | Class::NotFound) =>
            {
                Ok(())
            }
            recorded => Ok(recorded?),
        }
    }

    /// Evaluates the goal if that is due, and does what the evaluation suggests. Says whether
    /// something was recorded. Who cannot be asked is not asked again before the next is due.
    pub(super) fn measure(&mut self, now: &Goal) -> Result<bool, Failure> {
        let settings = resolve(&self.call.workspace.config_files()?);
        let every = settings.keys.progress.evaluate_every.value;
        let waits = now.progress.ticks < self.unasked_until;
        if !settings.has(Role::Evaluator)
            || waits
            || now.progress.evaluation_due(&now.tasks, every).is_none()
        {
            return Ok(false);
        }
        self.watch.show(Bar::of(now, "evaluation"));
        let evaluated = match for_run(self.call, &self.id) {
            Ok(evaluated) => evaluated,
            Err(failure) if failure.code == "interrupted" => return Ok(false),
            Err(failure) => {
                self.unasked_until = now.progress.ticks + u64::from(every);
                self.watch.tell(RunUpdate::Say(&failure.message));
                return Ok(false);
            }
        };
        self.watch.tell(RunUpdate::RunnerEvent(&RunnerEvent {
            reason: Some(evaluated.data.gap_analysis),
            score: evaluated.data.score.map(f64::from),
            ..self.event(RunnerEventKind::Evaluation, &Unit::whole(now))
        }));
        self.escalate_if_advised()?;
        Ok(true)
    }

    /// Has what happened summed up, where somebody is configured for it: the next checkpoint's agent
    /// begins with a fresh mind.
    pub(super) fn summarize(&self, now: &Goal) -> Result<(), Failure> {
        if !resolve(&self.call.workspace.config_files()?).has(Role::Summarizer) {
            return Ok(());
        }
        self.watch.show(Bar::of(now, "summary"));
        match summarize(self.call, None) {
            Err(failure) if failure.code != "interrupted" => {
                self.watch.tell(RunUpdate::Say(&failure.message));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn escalate_if_advised(&self) -> Result<(), Failure> {
        let now = self.goal()?;
        let difficulty = now.contract.difficulty;
        if !now.status.is_open()
            || advice(&now.progress, difficulty) != Advice::SuggestEscalation
            || !resolve(&self.call.workspace.config_files()?).has(Role::Planner)
        {
            return Ok(());
        }
        self.watch.show(Bar::of(&now, "new plan"));
        let gap = now.progress.latest.as_ref();
        let gap = gap.map_or("", |it| it.gap_analysis.as_str());
        let reason = format!("the runner's evaluation suggests it: {gap}");
        match escalate(self.call, &reason, Wanted::default()) {
            Ok(_) => Ok(()),
            // The work goes on as it was planned.
            Err(failure) => {
                self.watch.tell(RunUpdate::Say(&failure.message));
                Ok(())
            }
        }
    }
}
