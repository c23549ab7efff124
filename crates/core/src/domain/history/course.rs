//! The history of one goal: its statuses over time, the times of work, questions, scores, and calls for
//! a new plan.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::cost::state::SECONDS;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::state::{Goal, Status};
use crate::domain::passed_on::host;
use crate::domain::progress::history::Score;
use crate::domain::task::question::QuestionKind;
use crate::domain::time::{millis, rfc3339};
use crate::domain::words::words;

words! {
    /// What a goal was for a time.
    pub enum SpanKind {
        Active = "active",
        Paused = "paused",
        Blocked = "blocked",
    }
}

/// A time during which a goal had one status.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportSpan")]
pub struct Span {
    pub kind: SpanKind,
    pub from: String,
    /// Null while it lasts.
    pub to: Option<String>,
}

/// A time during which agents worked on a goal without a long break.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ReportBurst")]
pub struct Burst {
    pub from: String,
    pub to: String,
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionReport {
    pub question_id: String,
    pub kind: QuestionKind,
    pub question: String,
    pub suggestions: Vec<String>,
    pub task_id: Option<String>,
    pub at: String,
    /// Null while nobody answered.
    pub answered_at: Option<String>,
    /// The agent's host that passed the user's answer on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    pub answer: Option<Value>,
}

/// A score, as it was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScoreReport {
    pub at: String,
    pub score: Score,
    pub gap_analysis: String,
    pub by: Option<Actor>,
    /// The agent's host that passed the user's act on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// `evaluator` where it was asked.
    pub source: Option<String>,
}

/// A call for a new plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ReportEscalated")]
pub struct Escalated {
    pub at: String,
    pub reason: String,
}

/// Collects the history of one goal while its lines are read.
#[derive(Debug, Default)]
pub struct Course {
    pub spans: Vec<Span>,
    pub work: Bursts,
    pub questions: Vec<QuestionReport>,
    pub scores: Vec<ScoreReport>,
    pub escalations: Vec<Escalated>,
}

impl Course {
    /// Takes the next event of the goal.
    pub(super) fn event(&mut self, event: &Event) {
        let at = &event.at;
        let by = event.envelope.by;
        let passed_on = || host(by, event.envelope.via.as_deref()).map(str::to_owned);
        if by == Some(Actor::Agent)
            && let Some(at) = millis(at)
        {
            self.work.work(at, 0);
        }
        if let Some(status) = event.payload.status() {
            self.stand(status, at);
        }
        match &event.payload {
            Payload::GoalCreated(_) if self.spans.is_empty() => self.begin(SpanKind::Active, at),
            Payload::UsageRecorded(it) if by != Some(Actor::User) => {
                let seconds = it.counters.get(SECONDS).copied().unwrap_or_default();
                if let (true, Some(at)) = (seconds > 0.0, millis(at)) {
                    // `as` cuts a number that is too large to what fits.
                    self.work.work(at, (seconds * 1000.0) as i64);
                }
            }
            Payload::QuestionAsked(it) => self.questions.push(QuestionReport {
                question_id: it.question_id.clone(),
                kind: it.kind,
                question: it.question.clone(),
                suggestions: it.suggestions.clone().unwrap_or_default(),
                task_id: it.task_id.clone(),
                at: at.clone(),
                answered_at: None,
                via: None,
                answer: None,
            }),
            Payload::QuestionAnswered(it) => {
                let mut asked = self.questions.iter_mut();
                // The first answer counts.
                let open = asked
                    .find(|asked| asked.question_id == it.question_id && asked.answer.is_none());
                if let Some(question) = open {
                    question.answered_at = Some(at.clone());
                    question.via = passed_on();
                    question.answer = Some(it.answer.clone());
                }
            }
            Payload::QuestionWithdrawn(it) => {
                let is_open = |asked: &QuestionReport| {
                    asked.question_id == it.question_id && asked.answer.is_none()
                };
                self.questions.retain(|asked| !is_open(asked));
            }
            Payload::ProgressEvaluated(it) => self.scores.push(ScoreReport {
                at: at.clone(),
                score: it.score,
                gap_analysis: it.gap_analysis.clone(),
                by,
                via: passed_on(),
                source: it.source.clone(),
            }),
            Payload::GoalEscalated(it) => self.escalations.push(Escalated {
                at: at.clone(),
                reason: it.reason.clone(),
            }),
            _ => {}
        }
    }

    fn stand(&mut self, status: Status, at: &str) {
        match status {
            Status::Active => self.begin(SpanKind::Active, at),
            Status::Paused => self.begin(SpanKind::Paused, at),
            Status::Blocked => self.begin(SpanKind::Blocked, at),
            _ => self.close(at),
        }
    }

    fn begin(&mut self, kind: SpanKind, at: &str) {
        let last = self.spans.last();
        if last.is_some_and(|last| last.to.is_none() && last.kind == kind) {
            return;
        }
        self.close(at);
        self.spans.push(Span {
            kind,
            from: at.to_owned(),
            to: None,
        });
    }

    fn close(&mut self, at: &str) {
        if let Some(last) = self.spans.last_mut() {
            last.to.get_or_insert_with(|| at.to_owned());
        }
    }

    /// Corrects the last span by the goal's state: [`Course::event`] also took events that do not count,
    /// such as those of another program on a goal of ours.
    pub(super) fn finish(&mut self, goal: &Goal) {
        if self.spans.is_empty() {
            self.begin(SpanKind::Active, &goal.created_at);
        }
        let ended_at = goal.ended_at.as_ref().filter(|_| !goal.status.is_open());
        let rests_since = goal.pause.as_ref().and_then(|pause| pause.at.as_ref());
        let since = ended_at.or(rests_since).unwrap_or(&goal.updated_at);
        self.stand(goal.status, since);
    }
}

/// A break that is longer than this ends a burst. An agent that only reads and thinks records nothing for
/// a while.
const BREAK: i64 = 20 * 60_000;

/// Times of work, as they come.
#[derive(Debug, Default)]
pub struct Bursts(Vec<(i64, i64)>);

impl Bursts {
    /// Adds work that ended at the time `at` and lasted `took`, both in milliseconds.
    pub fn work(&mut self, at: i64, took: i64) {
        let from = at.saturating_sub(took.max(0));
        match self.0.last_mut() {
            // Lines of a merged ledger need not come in the order of their times.
            Some((first, last)) if from <= *last + BREAK && at >= *first - BREAK => {
                *first = (*first).min(from);
                *last = (*last).max(at);
            }
            _ => self.0.push((from, at)),
        }
    }

    /// The bursts, with their times as RFC 3339.
    pub fn into_bursts(self) -> Vec<Burst> {
        let all = self.0.into_iter();
        all.map(|(from, to)| Burst {
            from: rfc3339(from),
            to: rfc3339(to),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_break_divides_work_and_a_long_turn_reaches_back() {
        let minute = 60_000;
        let mut bursts = Bursts::default();
        for (at, took) in [(100, 0), (110, 0), (125, 5), (200, 30), (205, 0)] {
            bursts.work(at * minute, took * minute);
        }
        let minutes: Vec<(i64, i64)> = bursts
            .0
            .iter()
            .map(|(from, to)| (from / minute, to / minute))
            .collect();
        assert_eq!(minutes, [(100, 125), (170, 205)]);
        let text = bursts.into_bursts();
        assert_eq!(text[0].from, "1970-01-01T01:40:00.000Z");
    }
}
