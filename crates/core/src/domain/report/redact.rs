//! A report without words: what people and agents wrote is left out, so that it can be shown to
//! those who may know how the work goes and not what it is about. Ids, times, numbers and verdicts
//! stay.

use std::collections::BTreeMap;

use crate::domain::cost::state::{COST_USD, LLM_CALLS, SECONDS, TOKENS_IN, TOKENS_OUT};
use crate::domain::goal::contract::Contract;
use crate::domain::report::document::{AuditReport, GoalReport, Report};

/// What stands for words that are left out.
const LEFT_OUT: &str = "[left out]";

impl Report {
    /// Leaves out all words.
    pub fn redact(&mut self) {
        self.made_of.redacted = true;
        left_out(&mut self.made_of.project);
        let through = std::mem::take(&mut self.figures.through);
        if !through.is_empty() {
            let lines = through.values().sum();
            self.figures.through.insert(LEFT_OUT.to_owned(), lines);
        }
        let mut owners: Vec<String> = Vec::new();
        let mut named = |owner: &mut Option<String>| {
            let Some(name) = owner else { return };
            let known = owners.iter().position(|it| it == name);
            let place = known.unwrap_or_else(|| {
                owners.push(name.clone());
                owners.len() - 1
            });
            *name = format!("owner {}", place + 1);
        };
        for owner in &mut self.owners {
            named(&mut owner.owner);
        }
        for (place, goal) in self.goals.iter_mut().enumerate() {
            let title = format!("goal {}", place + 1);
            named(&mut goal.contract.owner);
            goal.redact(&title);
            let same = self
                .objections
                .iter_mut()
                .filter(|it| it.goal_id == goal.goal_id);
            for came_back in same {
                came_back.title.clone_from(&title);
            }
        }
        for need in &mut self.needs {
            let of_goal = |goal: &&GoalReport| Some(&goal.goal_id) == need.goal_id.as_ref();
            let title = self
                .goals
                .iter()
                .find(of_goal)
                .map(|goal| goal.title.clone());
            need.title = title.unwrap_or_else(|| LEFT_OUT.to_owned());
            named(&mut need.owner);
            left_out(&mut need.reason);
            for (place, choice) in need.choices.iter_mut().enumerate() {
                choice.label = format!("choice {}", place + 1);
            }
        }
        for came_back in &mut self.objections {
            if let Some(criterion) = &mut came_back.criterion {
                left_out(criterion);
            }
            left_out(&mut came_back.objection);
        }
        for commit in &mut self.commits {
            left_out(&mut commit.author);
            left_out(&mut commit.subject);
        }
    }
}

impl GoalReport {
    fn redact(&mut self, title: &str) {
        title.clone_into(&mut self.title);
        let contract = std::mem::take(&mut self.contract);
        self.contract = Contract {
            objective: LEFT_OUT.to_owned(),
            title: Some(title.to_owned()),
            success_criteria: numbered("criterion", contract.success_criteria.len()),
            priority: contract.priority,
            owner: contract.owner,
            difficulty: contract.difficulty,
            sisyphus: contract.sisyphus,
            auto_continue: contract.auto_continue,
            ..Contract::default()
        };
        if let Some(agreed) = &mut self.agreed_through {
            left_out(&mut agreed.via);
        }
        self.end_reason.iter_mut().for_each(left_out);
        self.live.iter_mut().for_each(left_out);
        if let Some(pause) = &mut self.pause {
            left_out(&mut pause.reason);
            pause.suggested_action = None;
            pause.via.iter_mut().for_each(left_out);
        }
        self.audits.iter_mut().for_each(AuditReport::redact);
        for question in &mut self.questions {
            left_out(&mut question.question);
            question.via.iter_mut().for_each(left_out);
            question.suggestions = numbered("suggestion", question.suggestions.len());
            if let Some(answer) = &mut question.answer {
                *answer = LEFT_OUT.into();
            }
        }
        for score in &mut self.scores {
            left_out(&mut score.gap_analysis);
            score.via.iter_mut().for_each(left_out);
        }
        for escalated in &mut self.escalations {
            left_out(&mut escalated.reason);
        }
        for run in &mut self.runs {
            title.clone_into(&mut run.title);
            left_out(&mut run.agent);
            let machine = run.running_on.iter_mut();
            machine.flat_map(|it| &mut it.machine).for_each(left_out);
            run.detail = None;
            known_only(&mut run.usage);
            run.waits_for.clear();
            for turn in &mut run.turns {
                (turn.said, turn.failed, turn.promise) = (None, None, None);
                turn.uncommitted = None;
                turn.task_id = None;
                turn.checks.clear();
            }
            for audit in &mut run.audits {
                left_out(&mut audit.report);
            }
            for wait in &mut run.waits {
                wait.detail = None;
            }
        }
        known_only(&mut self.cost.total);
        for (place, task) in self.tasks.iter_mut().enumerate() {
            task.id = (place + 1).to_string();
            left_out(&mut task.title);
            task.proof = None;
        }
        self.notes.clear();
    }
}

impl AuditReport {
    fn redact(&mut self) {
        self.claim.iter_mut().for_each(left_out);
        self.evidence = numbered("evidence", self.evidence.len());
        self.auditor = None;
        self.via.iter_mut().for_each(left_out);
        left_out(&mut self.report);
    }
}

/// Names of counters are free, but for these.
fn known_only(counters: &mut BTreeMap<String, f64>) {
    let known = [COST_USD, LLM_CALLS, SECONDS, TOKENS_IN, TOKENS_OUT];
    counters.retain(|name, _| known.contains(&name.as_str()));
}

fn left_out(text: &mut String) {
    if !text.is_empty() {
        LEFT_OUT.clone_into(text);
    }
}

fn numbered(what: &str, count: usize) -> Vec<String> {
    (1..=count)
        .map(|number| format!("{what} {number}"))
        .collect()
}
