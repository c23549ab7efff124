//! Whether the goal gets anywhere: an evaluation when one is due, a new plan where that suggests one, and
//! a summary behind a checkpoint. None of it completes anything, and none of it is asked for once the
//! goal is over its budget.

use super::Runner;
use super::events::{RunUpdate, RunnerEvent, RunnerEventKind};
use super::iteration::Unit;
use super::preflight::has_planner;
use crate::domain::cost::budget::over;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::progress::advice::{Advice, advice};
use crate::ops::context::summarize;
use crate::ops::evaluate::for_run;
use crate::ops::failure::Failure;
use crate::ops::plan::{PlanOptions, escalate, plan};
use crate::render::run::Bar;
use crate::roles::command::CommandOptions;
use crate::workspace::config::{Role, resolve};

impl Runner<'_> {
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
        self.files.take();
        let evaluated = match for_run(self.call, &self.id) {
            Ok(evaluated) => evaluated,
            Err(failure) if failure.code == "interrupted" => return Ok(false),
            Err(failure) => {
                self.unasked_until = now.progress.ticks + u64::from(every);
                self.watch.say(&failure.message);
                return Ok(false);
            }
        };
        // The line of the ledger comes first.
        self.watch.look()?;
        self.watch.tell(RunUpdate::RunnerEvent(RunnerEvent {
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
        if over(now).is_some()
            || !resolve(&self.call.workspace.config_files()?).has(Role::Summarizer)
        {
            return Ok(());
        }
        self.watch.show(Bar::of(now, "summary"));
        self.files.take();
        match summarize(self.call, None) {
            Err(failure) if failure.code != "interrupted" => {
                self.watch.say(&failure.message);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Has a goal without tasks planned before it is worked. Without a plan it is worked as a whole.
    pub(super) fn plan(&self) -> Result<(), Failure> {
        let now = self.goal()?;
        if now.status != Status::Active || now.tasks.are_defined() || !has_planner(self.call)? {
            return Ok(());
        }
        self.watch.show(Bar::of(&now, "plan"));
        let asked = PlanOptions {
            checkpoints: true,
            ..PlanOptions::default()
        };
        let no_plan = match plan(self.call, &asked) {
            Ok(planned) => planned.data.failed,
            Err(failure) if failure.code == "interrupted" => None,
            Err(failure) => Some(failure.message),
        };
        if let Some(why) = no_plan {
            let said = format!("No plan came about ({why}): the goal is worked as a whole.");
            self.watch.say(said);
        }
        Ok(())
    }

    fn escalate_if_advised(&self) -> Result<(), Failure> {
        let now = self.goal()?;
        let difficulty = now.contract.difficulty;
        if !now.status.is_open()
            || over(&now).is_some()
            || advice(&now.progress, difficulty) != Advice::SuggestEscalation
            || !resolve(&self.call.workspace.config_files()?).has(Role::Planner)
        {
            return Ok(());
        }
        self.watch.show(Bar::of(&now, "new plan"));
        let gap = now.progress.latest.as_ref();
        let gap = gap.map_or("", |it| it.gap_analysis.as_str());
        let reason = format!("the runner's evaluation suggests it: {gap}");
        match escalate(self.call, &reason, CommandOptions::default()) {
            Ok(_) => Ok(()),
            // The work goes on as it was planned.
            Err(failure) => {
                self.watch.say(&failure.message);
                Ok(())
            }
        }
    }
}
