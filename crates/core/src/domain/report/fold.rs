//! What a report says of the past: the history of the goals that it tells of, and the figures of all
//! goals in its window.

use std::collections::HashMap;

use crate::domain::attention::Standing;
use crate::domain::cost::amount::Amount;
use crate::domain::cost::budget::over;
use crate::domain::cost::state::COST_USD;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::signed::Attested;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::history::{AuditRecord, History};
use crate::domain::id::GoalId;
use crate::domain::line::RawLine;
use crate::domain::objections::{CameBack, objections};
use crate::domain::passed_on::host;
use crate::domain::report::document::{
    AuditReport, CostReport, Figures, GoalReport, OwnerReport, TaskReport,
};
use crate::domain::report::window::Window;
use crate::domain::run::liveness::Liveness;
use crate::domain::task::done::TasksDone;
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::Verdict;

/// The latest notes of a goal that are told, at most.
const NOTES: usize = 5;

/// The past while it is read.
#[derive(Debug)]
pub struct Past<'w> {
    window: &'w Window,
    /// Of the goals that are told of one by one.
    told: History,
    /// Of all goals to which something happened that is counted.
    counted: HashMap<GoalId, Counted>,
    figures: Figures,
}

/// What is counted of a goal, told or not.
#[derive(Debug, Default)]
struct Counted {
    /// In the window, and of that after the first objection, which may lie before it.
    usd: Amount,
    usd_after: Amount,
    /// After the first objection, whenever it was.
    usd_ever_after: Amount,
    /// Some audit objected, whenever it was.
    objected: bool,
    objections: u64,
    ended: bool,
}

impl<'w> Past<'w> {
    /// Nothing read yet, of a report that tells of these goals.
    pub fn new(window: &'w Window, ids: &[GoalId]) -> Past<'w> {
        Past {
            window,
            told: History::of(Some(ids)),
            counted: HashMap::new(),
            figures: Figures::default(),
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, raw: &RawLine<'_>, event: &Event) {
        let Some(id) = &event.goal_id else { return };
        self.count(id, event, self.window.has(&event.at));
        self.told.event(raw, event);
    }

    fn count(&mut self, id: &GoalId, event: &Event, in_window: bool) {
        let figures = &mut self.figures;
        let envelope = &event.envelope;
        if let (true, Some(host)) = (
            in_window && envelope.is_ours(),
            host(envelope.by, envelope.via.as_deref()),
        ) {
            *figures.through.entry(host.to_owned()).or_default() += 1;
        }
        match &event.payload {
            Payload::UsageRecorded(it) => {
                let usd = it.counters.get(COST_USD);
                let usd = usd.and_then(|usd| Amount::of(*usd)).unwrap_or_default();
                let counted = self.counted.entry(id.clone()).or_default();
                let after = Some(usd).filter(|_| counted.objected).unwrap_or_default();
                counted.usd_ever_after += after;
                if in_window {
                    counted.usd += usd;
                    counted.usd_after += after;
                }
            }
            Payload::AuditResult(it) => {
                let objects = it.verdict == Verdict::Disapproved;
                let counted = self.counted.entry(id.clone()).or_default();
                counted.objected |= objects;
                if in_window {
                    counted.objections += u64::from(objects);
                    figures.audits += 1;
                    figures.without_verdict += u64::from(it.verdict == Verdict::Error);
                }
            }
            Payload::GoalCreated(_) if in_window => figures.created += 1,
            Payload::RunStarted(_) if in_window => figures.runs += 1,
            payload if in_window && payload.ends_goal() => {
                self.counted.entry(id.clone()).or_default().ended = true;
            }
            _ => {}
        }
    }

    /// All lines are read. `stands` says what a goal is now, and how it came to be complete: an end
    /// that somebody recorded need not count. `owner` says whose a goal is.
    pub fn read(
        &mut self,
        stands: impl Fn(&GoalId) -> Option<(Status, Option<Audited>)>,
        owner: impl Fn(&GoalId) -> Option<String>,
    ) -> (Figures, Vec<OwnerReport>) {
        let mut figures = std::mem::take(&mut self.figures);
        let (mut cost, mut after) = (Amount::default(), Amount::default());
        let mut owners: HashMap<Option<String>, (OwnerReport, Amount, Amount)> = HashMap::new();
        for (id, counted) in &self.counted {
            let stands = counted.ended.then(|| stands(id)).flatten();
            let ended = stands.filter(|(status, _)| !status.is_open());
            let audited = ended.and_then(|(_, audited)| audited);
            let completed = u64::from(audited.is_some());
            figures.completed += completed;
            figures.completed_outside_the_gate += u64::from(audited == Some(Audited::None));
            figures.given_up += u64::from(ended.is_some()) - completed;
            cost += counted.usd;
            after += counted.usd_after;
            let (of_owner, usd, usd_after) = owners.entry(owner(id)).or_default();
            of_owner.completed += completed;
            of_owner.objections += counted.objections;
            figures.objections += counted.objections;
            *usd += counted.usd;
            *usd_after += counted.usd_after;
        }
        figures.cost_usd = cost.number();
        figures.cost_usd_after_objection = after.number();
        let owners = owners.into_iter();
        let mut owners: Vec<OwnerReport> = owners
            .map(|(owner, (report, usd, usd_after))| OwnerReport {
                owner,
                cost_usd: usd.number(),
                cost_usd_after_objection: usd_after.number(),
                ..report
            })
            .filter(|it| it.cost_usd > 0.0 || it.completed + it.objections > 0)
            .collect();
        owners.sort_by(|a, b| {
            let by_cost = b.cost_usd.total_cmp(&a.cost_usd);
            by_cost.then_with(|| a.owner.cmp(&b.owner))
        });
        (figures, owners)
    }

    /// What the report says of this goal, which `live` names the worker of, while `runner` says whether that
    /// of its open run is alive; and the objections to it that came back.
    pub fn goal(
        &mut self,
        goal: &Goal,
        (standing, audited, attested): (Standing, Option<Audited>, Option<Attested>),
        live: Option<String>,
        runner: Option<Liveness>,
    ) -> (GoalReport, Vec<CameBack>) {
        let mut history = self.told.goals.remove(&goal.id).unwrap_or_default();
        history.finish(goal, runner);
        let came_back = history.came_back(goal).collect();
        let audits = history.audits.into_iter();
        let criteria = &goal.contract.success_criteria;
        let statuses = TaskStatuses::of(&goal.tasks);
        let report = GoalReport {
            goal_id: goal.id.clone(),
            title: goal.contract.heading().to_owned(),
            contract: goal.contract.clone(),
            status: goal.status,
            standing,
            audited,
            proof: attested.as_ref().map(|it| it.proof.clone()),
            signer: attested.and_then(|it| it.signer),
            parent_goal_id: goal.parent.clone(),
            agreed_through: goal.agreed_through.clone(),
            created_at: goal.created_at.clone(),
            updated_at: goal.updated_at.clone(),
            ended_at: goal.ended_at.clone(),
            end_reason: goal.end_reason.clone(),
            pause: goal.pause.clone(),
            live,
            spans: history.course.spans,
            work: history.course.work.into_bursts(),
            audits: audits.map(|it| audit(it, criteria)).collect(),
            questions: history.course.questions,
            scores: history.course.scores,
            escalations: history.course.escalations,
            runs: history.runs,
            tasks: tasks(goal, &statuses),
            tasks_done: TasksDone::of(&goal.tasks, &statuses),
            notes: goal.notes.iter().rev().take(NOTES).rev().cloned().collect(),
            cost: self.cost(goal),
        };
        (report, came_back)
    }

    fn cost(&self, goal: &Goal) -> CostReport {
        let counted = self.counted.get(&goal.id);
        let number = |of: fn(&Counted) -> Amount| counted.map_or(0.0, |it| of(it).number());
        let total = goal.cost.total.iter();
        let limits = goal.cost.limits.0.iter();
        CostReport {
            total: total
                .map(|(name, sum)| (name.clone(), sum.number()))
                .collect(),
            usd_in_window: number(|it| it.usd),
            usd_after_objection: number(|it| it.usd_ever_after),
            limits: limits
                .map(|(limit, most)| (*limit, most.number()))
                .collect(),
            over: over(goal),
        }
    }
}

fn audit(record: AuditRecord, criteria: &[String]) -> AuditReport {
    let request = record.request.unwrap_or_default();
    let started = record.started.unwrap_or_default();
    let result = record.result;
    let verdict = result.as_ref().map(|it| it.verdict);
    let report = result
        .as_ref()
        .map(|it| it.report.clone())
        .unwrap_or_default();
    let objected = verdict == Some(Verdict::Disapproved);
    AuditReport {
        at: record.at,
        by: record.by,
        via: record.via,
        claim: request.summary,
        evidence: request.evidence.unwrap_or_default(),
        started_at: record.started_at,
        auditor: started.command,
        auditor_from: started.config_source,
        head: started.head,
        dirty: started.dirty,
        ended_at: record.ended_at,
        verdict,
        cause: result.as_ref().and_then(|it| it.cause.clone()),
        criteria: if objected {
            let made = objections(criteria, &report);
            made.into_iter().filter_map(|it| it.criterion).collect()
        } else {
            Vec::new()
        },
        report,
    }
}

fn tasks(goal: &Goal, statuses: &TaskStatuses) -> Vec<TaskReport> {
    let all = goal.tasks.flat().into_iter();
    all.map(|(depth, task)| TaskReport {
        id: task.id.clone(),
        title: task.title.clone(),
        depth,
        status: statuses.status(&task.id),
        proof: goal.tasks.mark(&task.id).evidence,
    })
    .collect()
}
