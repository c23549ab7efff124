//! What the events of one goal tell over time: when it was what, when it was worked on, questions,
//! scores, and what it cost. How it stands now, its state says.

use crate::domain::actor::Actor;
use crate::domain::cost::amount::Amount;
use crate::domain::cost::state::{COST_USD, SECONDS};
use crate::domain::event::{Event, Payload};
use crate::domain::goal::state::Status;
use crate::domain::passed_on::host;
use crate::domain::report::document::{Escalated, QuestionReport, ScoreReport, Span, SpanKind};
use crate::domain::report::window::Bursts;
use crate::domain::time::millis;
use crate::domain::verdict::Verdict;

/// Of one goal, while lines are read.
#[derive(Debug, Default)]
pub(super) struct History {
    pub spans: Vec<Span>,
    pub work: Bursts,
    pub questions: Vec<QuestionReport>,
    pub scores: Vec<ScoreReport>,
    pub escalations: Vec<Escalated>,
}

/// What a goal cost, while lines are read.
#[derive(Debug, Default)]
pub(super) struct Spending {
    objected: bool,
    /// In the window, and of that after the first objection, which may lie before it.
    pub usd: Amount,
    pub usd_after: Amount,
    /// After the first objection, whenever it was.
    pub usd_ever_after: Amount,
}

impl Spending {
    pub fn event(&mut self, event: &Event, in_window: bool) {
        match &event.payload {
            Payload::AuditResult(it) => self.objected |= it.verdict == Verdict::Disapproved,
            Payload::UsageRecorded(it) => {
                let usd = it.counters.get(COST_USD);
                let usd = usd.and_then(|usd| Amount::of(*usd)).unwrap_or_default();
                if in_window {
                    self.usd += usd;
                }
                if self.objected {
                    self.usd_ever_after += usd;
                    self.usd_after += if in_window { usd } else { Amount::default() };
                }
            }
            _ => {}
        }
    }
}

impl History {
    pub fn event(&mut self, event: &Event) {
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
                    // A number of any size is cut to what fits.
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

    /// Makes the last span what the goal's state says: an event that did not count, as one of another
    /// program on a goal of ours, changed nothing.
    pub fn finish(
        &mut self,
        status: Status,
        created_at: &str,
        ended_at: Option<&str>,
        since: &str,
    ) {
        if self.spans.is_empty() {
            self.begin(SpanKind::Active, created_at);
        }
        let since = ended_at.filter(|_| !status.is_open()).unwrap_or(since);
        self.stand(status, since);
    }
}
