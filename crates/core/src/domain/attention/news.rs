//! What began to wait with a write, or was completed by it: what a person can be told of at once.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::attention::{Choice, Facts, Need, NeedKind, of_goal};
use crate::domain::event::{Event, Payload};
use crate::domain::goal::contract::heading;
use crate::domain::goal::row::Row;
use crate::domain::id::GoalId;
use crate::domain::words::words;

words! {
    /// What a person can be told of.
    pub enum NewsKind listed {
        /// A question was asked.
        Question = "question",
        /// A question was asked that takes a yes or a no.
        Approval = "approval",
        /// A goal was blocked.
        Blocked = "blocked",
        /// An agent paused a goal.
        Paused = "paused",
        /// A goal gets no further; said again with each further audit that objects.
        Stuck = "stuck",
        /// A goal was completed.
        Complete = "complete",
        /// A run stopped before its end.
        RunStopped = "run_stopped",
    }
}

/// One thing to tell a person of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct News {
    pub kind: NewsKind,
    pub goal_id: GoalId,
    /// Title of the goal.
    pub title: String,
    /// Who answers for the goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// When it happened.
    pub at: String,
    /// The question, the reason of the block or pause, why the run stopped; empty where the goal is
    /// complete.
    pub reason: String,
    /// What the person can do about it.
    pub choices: Vec<Choice>,
    /// The command that settles it, or that shows the goal. It holds ids only.
    pub command: String,
}

/// Whether an event of this type can make news, so that nobody else has to look further.
pub fn makes_news(payload: &Payload) -> bool {
    matches!(
        payload,
        Payload::QuestionAsked(_)
            | Payload::GoalPaused(_)
            | Payload::GoalBlocked(_)
            | Payload::AuditResult(_)
            | Payload::GoalContinued(_)
            | Payload::GoalCompleted(_)
            | Payload::RunStopped(_)
    )
}

/// The news of these events about the goal of this row, which is the goal after them, in their
/// order and each once. What waits is what [`super::attention`] says.
pub fn news(events: &[Event], row: &Row, facts: &Facts) -> Vec<News> {
    let needs: Vec<Need> = of_goal::needs(row, facts, Vec::new()).iter().collect();
    let waits = |kind: NeedKind| needs.iter().find(|need| need.kind == kind);
    let asked = |id: &str| {
        let mut asked = needs.iter().filter(|need| need.is_question());
        asked.find(|need| need.question_id.as_deref() == Some(id))
    };
    let mut news: Vec<News> = Vec::new();
    for event in events {
        if event.goal_id.as_ref() != Some(&row.id) {
            continue;
        }
        let need = match &event.payload {
            Payload::QuestionAsked(question) => asked(&question.question_id),
            Payload::GoalPaused(_) | Payload::GoalBlocked(_) => {
                waits(NeedKind::Blocked).or_else(|| waits(NeedKind::Paused))
            }
            Payload::AuditResult(_) | Payload::GoalContinued(_) => waits(NeedKind::Stuck),
            Payload::RunStopped(_) => waits(NeedKind::RunStopped),
            Payload::GoalCompleted(_) => {
                news.push(completed(row, &event.at));
                None
            }
            _ => None,
        };
        let new = need.and_then(|need| of_need(need, row, &event.at));
        news.extend(new.filter(|new| !news.contains(new)));
    }
    news
}

fn of_need(need: &Need, row: &Row, at: &str) -> Option<News> {
    let kind = match need.kind {
        NeedKind::Question => NewsKind::Question,
        NeedKind::Approval => NewsKind::Approval,
        NeedKind::Blocked => NewsKind::Blocked,
        NeedKind::Paused => NewsKind::Paused,
        NeedKind::Stuck => NewsKind::Stuck,
        NeedKind::RunStopped => NewsKind::RunStopped,
        _ => return None,
    };
    Some(News {
        kind,
        goal_id: row.id.clone(),
        title: need.title.clone(),
        owner: need.owner.clone(),
        at: at.to_owned(),
        reason: need.reason.clone(),
        choices: need.choices.clone(),
        command: need.command.clone(),
    })
}

fn completed(row: &Row, at: &str) -> News {
    News {
        kind: NewsKind::Complete,
        goal_id: row.id.clone(),
        title: heading(row.title.as_deref(), &row.objective).to_owned(),
        owner: row.owner.clone(),
        at: at.to_owned(),
        reason: String::new(),
        choices: Vec::new(),
        command: format!("goal show {}", row.id),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::domain::testing::{self, Ledger};

    fn line(kind: &str, fields: Value) -> String {
        let mut line = json!({"type": kind, "goalId": "g", "at": "2026-11-21T19:41:05.000Z"});
        if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
            line.extend(fields);
        }
        line.to_string()
    }

    /// The news of the last line.
    fn of_last(lines: &[String]) -> Vec<News> {
        let created =
            json!({"objective": "o", "sisyphus": false, "autoContinue": true, "by": "user"});
        let ledger = Ledger::default().ours(&line("goal_created", created));
        let ledger = lines.iter().fold(ledger, |ledger, line| ledger.ours(line));
        let (state, _) = ledger.replay();
        let goal = state.in_order()[0];
        let facts = Facts::default();
        let last = testing::event(lines.last().unwrap());
        news(&[last], &Row::of(goal, None), &facts)
    }

    fn kinds(lines: &[String]) -> Vec<NewsKind> {
        of_last(lines).iter().map(|it| it.kind).collect()
    }

    fn asked(id: &str, kind: &str) -> String {
        let fields = json!({"questionId": id, "kind": kind, "question": "Which?", "by": "agent"});
        line("question_asked", fields)
    }

    fn objected() -> String {
        let fields = json!({"verdict": "disapproved", "report": "no", "by": "auditor"});
        line("audit_result", fields)
    }

    #[test]
    fn each_kind_is_told_when_it_begins() {
        let asked_twice = [asked("q-1", "info"), asked("q-2", "approval")];
        assert_eq!(kinds(&asked_twice[..1]), [NewsKind::Question]);
        let second = of_last(&asked_twice);
        assert_eq!(second.len(), 1, "the first is not told again");
        assert_eq!(second[0].kind, NewsKind::Approval);
        assert_eq!(second[0].command, "goal answer q-2");
        let blocked = line("goal_blocked", json!({"reason": "no key", "by": "agent"}));
        assert_eq!(kinds(std::slice::from_ref(&blocked)), [NewsKind::Blocked]);
        let paused = line(
            "goal_paused",
            json!({"reason": "no key", "status": "paused", "blocked": true}),
        );
        assert_eq!(kinds(&[paused]), [NewsKind::Blocked]);
        let rests = line("goal_paused", json!({"reason": "tea", "status": "paused"}));
        assert_eq!(kinds(&[rests]), []);
        let asks = json!({"reason": "A or B?", "status": "paused", "by": "agent"});
        assert_eq!(kinds(&[line("goal_paused", asks)]), [NewsKind::Paused]);
        assert_eq!(kinds(&[objected(), objected()]), []);
        assert_eq!(
            kinds(&[objected(), objected(), objected()]),
            [NewsKind::Stuck]
        );
        let completed = line("goal_completed", json!({"by": "user"}));
        assert_eq!(kinds(&[completed]), [NewsKind::Complete]);
        let started = line(
            "run_started",
            json!({"runId": "r", "until": "goal", "agent": "a", "by": "system"}),
        );
        let stopped = |cause: &str| {
            line(
                "run_stopped",
                json!({"runId": "r", "cause": cause, "by": "system"}),
            )
        };
        assert_eq!(
            kinds(&[started.clone(), stopped("no_progress")]),
            [NewsKind::RunStopped]
        );
        assert_eq!(kinds(&[started, stopped("ended")]), []);
    }

    #[test]
    fn what_waits_already_is_not_told_again() {
        let noted = line("goal_noted", json!({"note": "n", "by": "agent"}));
        assert_eq!(kinds(&[asked("q-1", "info"), noted]), []);
    }
}
