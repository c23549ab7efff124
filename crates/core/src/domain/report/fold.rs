//! One pass over the lines of a ledger, from which everything that a report says of the past comes.

use std::collections::HashMap;

use crate::domain::attention::Standing;
use crate::domain::audits::{AuditRecord, AuditsRead};
use crate::domain::cost::amount::Amount;
use crate::domain::cost::budget::over;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::signed::Attested;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::GoalId;
use crate::domain::line::LineRef;
use crate::domain::objections::objections;
use crate::domain::passed_on::host;
use crate::domain::report::document::{
    AuditReport, CostReport, Figures, GoalReport, OwnerReport, TaskReport,
};
use crate::domain::report::history::{History, Spending};
use crate::domain::report::window::Window;
use crate::domain::run::record::{RunReport, RunsRead};
use crate::domain::task::statuses::TaskStatuses;
use crate::domain::verdict::Verdict;

/// The latest notes of a goal that are told, at most.
const NOTES: usize = 5;

/// The past while it is read.
#[derive(Debug)]
pub struct Past<'w> {
    window: &'w Window,
    /// Of the goals that are told of one by one.
    told: HashMap<GoalId, History>,
    audits: AuditsRead,
    runs: RunsRead,
    /// Of all goals to which something happened that is counted.
    counted: HashMap<GoalId, Counted>,
    figures: Figures,
}

/// What is counted of a goal, told or not.
#[derive(Debug, Default)]
struct Counted {
    spending: Spending,
    objections: u64,
    ended: bool,
}

/// What was read, for one goal after another.
#[derive(Debug)]
pub struct LedgerTold {
    histories: HashMap<GoalId, History>,
    audits: HashMap<GoalId, Vec<AuditRecord>>,
    runs: HashMap<GoalId, Vec<RunReport>>,
    counted: HashMap<GoalId, Counted>,
}

impl<'w> Past<'w> {
    /// Nothing read yet, of a report that tells of these goals.
    pub fn new(window: &'w Window, ids: &[GoalId]) -> Past<'w> {
        let told = ids.iter().map(|id| (id.clone(), History::default()));
        Past {
            window,
            told: told.collect(),
            audits: AuditsRead::default(),
            runs: RunsRead::default(),
            counted: HashMap::new(),
            figures: Figures::default(),
        }
    }

    /// Takes the next event, at this line.
    pub fn event(&mut self, line: LineRef, event: &Event) {
        let Some(id) = &event.goal_id else { return };
        let in_window = self.window.has(&event.at);
        self.count(id, event, in_window);
        if let Some(history) = self.told.get_mut(id) {
            history.event(event);
            self.audits.event(line, id, event);
            self.runs.event(id, "", event);
        }
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
            Payload::UsageRecorded(_) | Payload::AuditResult(_) => {
                let counted = self.counted.entry(id.clone()).or_default();
                counted.spending.event(event, in_window);
                if let (Payload::AuditResult(it), true) = (&event.payload, in_window) {
                    figures.audits += 1;
                    match it.verdict {
                        Verdict::Approved => {}
                        Verdict::Disapproved => {
                            figures.objections += 1;
                            counted.objections += 1;
                        }
                        Verdict::Error => figures.without_verdict += 1,
                    }
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
        self,
        stands: impl Fn(&GoalId) -> Option<(Status, Option<Audited>)>,
        owner: impl Fn(&GoalId) -> Option<String>,
    ) -> (LedgerTold, Figures, Vec<OwnerReport>) {
        let mut figures = self.figures;
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
            cost += counted.spending.usd;
            after += counted.spending.usd_after;
            let (of_owner, usd, usd_after) = owners.entry(owner(id)).or_default();
            of_owner.completed += completed;
            of_owner.objections += counted.objections;
            *usd += counted.spending.usd;
            *usd_after += counted.spending.usd_after;
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
        let told = LedgerTold {
            histories: self.told,
            audits: by_goal(self.audits.into_records(), |it| &it.goal_id),
            runs: by_goal(self.runs.runs, |it| &it.goal_id),
            counted: self.counted,
        };
        (told, figures, owners)
    }
}

fn by_goal<T>(all: Vec<T>, id: impl Fn(&T) -> &GoalId) -> HashMap<GoalId, Vec<T>> {
    let mut goals: HashMap<GoalId, Vec<T>> = HashMap::new();
    for it in all {
        goals.entry(id(&it).clone()).or_default().push(it);
    }
    goals
}

impl LedgerTold {
    /// What the report says of this goal, which `live` names the worker of.
    pub fn goal(
        &mut self,
        goal: &Goal,
        (standing, audited, attested): (Standing, Option<Audited>, Option<Attested>),
        live: Option<String>,
    ) -> GoalReport {
        let id = &goal.id;
        let mut history = self.histories.remove(id).unwrap_or_default();
        let since = goal.pause.as_ref().and_then(|pause| pause.at.as_deref());
        let since = since.unwrap_or(&goal.updated_at);
        let ended_at = goal.ended_at.as_deref();
        history.finish(goal.status, &goal.created_at, ended_at, since);
        let title = goal.contract.heading();
        let mut runs = self.runs.remove(id).unwrap_or_default();
        for run in &mut runs {
            title.clone_into(&mut run.title);
        }
        if let Some(open) = goal.runs.open.as_ref().filter(|_| live.is_some()) {
            let latest = runs.last_mut().filter(|run| run.run_id == open.id);
            if let Some(run) = latest {
                run.live = true;
            }
        }
        let audits = self.audits.remove(id).unwrap_or_default().into_iter();
        let criteria = &goal.contract.success_criteria;
        GoalReport {
            goal_id: id.clone(),
            title: title.to_owned(),
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
            spans: history.spans,
            work: history.work.into_bursts(),
            audits: audits.map(|it| audit(it, criteria)).collect(),
            questions: history.questions,
            scores: history.scores,
            escalations: history.escalations,
            runs,
            tasks: tasks(goal),
            notes: goal.notes.iter().rev().take(NOTES).rev().cloned().collect(),
            cost: self.cost(goal),
        }
    }

    fn cost(&self, goal: &Goal) -> CostReport {
        let spending = self.counted.get(&goal.id).map(|it| &it.spending);
        let number = |of: fn(&Spending) -> Amount| spending.map_or(0.0, |it| of(it).number());
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
    let by = record.request.as_ref().and(record.by);
    let via = record.request.as_ref().and(record.via);
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
        by,
        via,
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

fn tasks(goal: &Goal) -> Vec<TaskReport> {
    if goal.tasks.specs.is_empty() {
        return Vec::new();
    }
    let standing = TaskStatuses::of(&goal.tasks);
    let all = goal.tasks.flat().into_iter();
    all.map(|(depth, task)| TaskReport {
        id: task.id.clone(),
        title: task.title.clone(),
        depth,
        status: standing.status(&task.id),
        proof: goal.tasks.mark(&task.id).evidence,
    })
    .collect()
}
