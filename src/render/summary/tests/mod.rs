//! What the summary's tests share.

mod audits;
mod bounds;
mod goals;

use serde_json::json;

use super::*;
use crate::domain::actor::Actor;
use crate::domain::id::EventId;
use crate::render::testing::{created, line};

pub(super) fn of(state: &State) -> String {
    with(state, &[], &[], &Limits::default())
}

pub(super) fn with(
    state: &State,
    audited: &[(&str, Audited)],
    events: &[RecentEvent],
    to: &Limits,
) -> String {
    let known = |(id, audited): &(&str, Audited)| (id.parse().unwrap(), *audited);
    let input = SummaryInput {
        state,
        session: None,
        events,
        audited: &audited.iter().map(known).collect(),
        outside: audited
            .iter()
            .filter(|(_, how)| *how == Audited::None)
            .count() as u64,
        document: Some(".pi/goals/active_goal_2026112120010000_a-1.md"),
    };
    summary(&input, to)
}

pub(super) fn event(minute: usize, name: &str, text: &str) -> RecentEvent {
    RecentEvent {
        line: minute as u64 + 1,
        id: EventId::of_line(&[minute as u8]),
        name: name.into(),
        at: format!("2026-11-21T20:{minute:02}:00.000Z"),
        by: Some(Actor::User),
        via: None,
        summary: text.into(),
    }
}

pub(super) fn audited(result: serde_json::Value) -> Vec<String> {
    vec![
        created(1, "a-1", "sort the list"),
        line(
            2,
            "completion_requested",
            "a-1",
            json!({"summary": "sorted"}),
        ),
        line(3, "audit_started", "a-1", json!({})),
        line(4, "audit_result", "a-1", result),
    ]
}
