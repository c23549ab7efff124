//! Who works a goal, for people: ages as of a time that is passed in, since a text that holds one
//! is of that moment. JSON carries the times themselves.

use crate::domain::goal::state::{Keeper, Pause, Worker};
use crate::domain::lease::LeaseStatus;
use crate::domain::run::liveness::Heard;
use crate::domain::time::{DAY, HOUR, MINUTE, millis};
use crate::render::acted::acted;
use crate::render::amounts::age;
use crate::render::columns::fit;
use crate::render::table::{Column, ID, Tabled};
use crate::render::text::{count, one_line};
use crate::render::view::LeaseView;

/// Less than this and it is another clock's time: two that run apart a little are no news.
const AHEAD: i64 = -MINUTE;

/// Widest session id, in columns.
const SESSION: usize = 36;

/// Who paused a goal: ` by the user`; where no actor of ours did, another tool.
pub(super) fn paused_by(pause: &Pause) -> String {
    match pause.by {
        Some(by) => format!(" by the {}", acted(by, pause.via.as_deref())),
        None => " by another tool".to_owned(),
    }
}

/// Who keeps a goal where that is not us, in a few words.
pub(super) fn kept(keeper: Keeper) -> Option<&'static str> {
    match keeper {
        Keeper::Ours => None,
        Keeper::Theirs => Some("kept by another tool"),
        Keeper::Lost => Some("its ledger is missing"),
    }
}

/// Who looks, and when.
#[derive(Debug, Clone, Copy)]
pub struct Onlooker<'a> {
    /// The caller's own session, of which it need not be told.
    pub session: Option<&'a str>,
    /// Milliseconds since 1970.
    pub now: i64,
}

impl Onlooker<'_> {
    fn is_another(&self, session: Option<&str>) -> bool {
        session.is_none() || session != self.session
    }
}

/// How long ago a recorded time is; the time itself when it is none or lies ahead.
pub(super) fn ago(at: &str, now: i64) -> String {
    let Some(age) = millis(at).map(|then| now.saturating_sub(then)) else {
        return one_line(at);
    };
    let ago = |number: i64, noun| format!("{} ago", count(number.unsigned_abs(), noun));
    match age {
        AHEAD..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => ago(age / MINUTE, "minute"),
        HOUR..DAY => ago(age / HOUR, "hour"),
        DAY.. => ago(age / DAY, "day"),
        _ => one_line(at),
    }
}

/// `session S, 4 minutes ago`.
pub fn worked(worker: &Worker, now: i64) -> String {
    format!("{}, {}", named(&worker.session), ago(&worker.at, now))
}

/// `running on NAME, last heard 4 minutes ago`.
pub fn running_on(heard: &Heard, now: i64) -> String {
    let (place, heard) = (one_line(&heard.place()), ago(&heard.last_heard, now));
    format!("{place}, last heard {heard}")
}

/// `session S, pid 12, renewed 4 minutes ago`.
pub(super) fn holder(lease: &LeaseView, now: i64) -> String {
    let mut parts = vec![match &lease.session {
        Some(session) => named(session),
        None => "another program".to_owned(),
    }];
    parts.extend(lease.pid.map(|pid| format!("pid {pid}")));
    let renewed = lease.heartbeat_at.as_ref();
    parts.extend(renewed.map(|at| format!("renewed {}", ago(at, now))));
    parts.join(", ")
}

fn named(session: &str) -> String {
    format!("session {}", fit(session, SESSION))
}

/// The worker of an open goal as it matters to the onlooker: another session, within a day.
pub(super) fn other_worker<'a>(
    worker: Option<&'a Worker>,
    onlooker: Onlooker<'_>,
) -> Option<&'a Worker> {
    worker.filter(|worker| {
        let age = millis(&worker.at).map(|at| onlooker.now.saturating_sub(at));
        onlooker.is_another(Some(&worker.session)) && age.is_none_or(|age| age < DAY)
    })
}

/// The lease that another session than the onlooker's holds.
pub(super) fn other_lease<'a>(
    lease: Option<&'a LeaseView>,
    onlooker: Onlooker<'_>,
) -> Option<&'a LeaseView> {
    lease.filter(|lease| {
        lease.standing == LeaseStatus::Held && onlooker.is_another(lease.session.as_deref())
    })
}

/// Who else is at the goal, in a few words: the holder of its lease, else its latest worker.
pub fn others(
    worker: Option<&Worker>,
    lease: Option<&LeaseView>,
    onlooker: Onlooker<'_>,
) -> Option<String> {
    match other_lease(lease, onlooker) {
        Some(lease) => Some(format!("leased to {}", holder(lease, onlooker.now))),
        None => other_worker(worker, onlooker).map(|it| worked(it, onlooker.now)),
    }
}

impl Tabled for LeaseView {
    const COLUMNS: &'static [Column<LeaseView>] = &[
        Column::left("goal", "The goal's id", |row: &LeaseView, _| {
            row.goal_id.as_str().into()
        })
        .most(ID),
        Column::left(
            "session",
            "The session that holds it",
            |row: &LeaseView, _| {
                let session = row.session.as_deref();
                session.map(|it| fit(it, SESSION)).into()
            },
        )
        .chosen(),
        Column::right("pid", "The process that holds it", |row: &LeaseView, _| {
            row.pid.map(|pid| pid.to_string()).into()
        })
        .chosen(),
        Column::left(
            "host",
            "The machine of the process",
            |row: &LeaseView, _| row.host.as_deref().map(|it| fit(it, SESSION)).into(),
        )
        .chosen(),
        Column::right(
            "age",
            "How long ago it was renewed",
            |row: &LeaseView, now| row.heartbeat_at.as_deref().map(|at| age(at, now)).into(),
        )
        .chosen(),
        Column::left(
            "until",
            "When it lapses unless it is renewed",
            |row: &LeaseView, _| row.expires_at.as_deref().map(one_line).into(),
        )
        .chosen(),
        Column::wrapped(
            "standing",
            "Who holds it, and whether it counts",
            |row: &LeaseView, now| standing(row, now).into(),
        ),
    ];
}

/// How a lease stands, without its goal.
pub fn standing(lease: &LeaseView, now: i64) -> String {
    match lease.standing {
        LeaseStatus::Held => {
            let until = lease
                .expires_at
                .as_deref()
                .map(one_line)
                .unwrap_or_default();
            format!("held by {}, until {until}", holder(lease, now))
        }
        LeaseStatus::Dead => format!("stale, its process is gone: {}", holder(lease, now)),
        LeaseStatus::Lapsed => format!("stale, it lapsed: {}", holder(lease, now)),
        LeaseStatus::Unreadable => {
            let why = lease.problem.as_deref().unwrap_or_default();
            format!("no lease: {}", one_line(why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::table::{Columns, Table};

    const NOW: i64 = 1_795_000_000_000;

    fn worker(session: &str, age: i64) -> Worker {
        Worker {
            session: session.to_owned(),
            by: None,
            via: None,
            at: crate::domain::time::rfc3339(NOW - age),
        }
    }

    fn lease(session: Option<&str>, standing: LeaseStatus) -> LeaseView {
        let at = |age| Some(crate::domain::time::rfc3339(NOW - age));
        LeaseView {
            standing,
            session: session.map(str::to_owned),
            pid: Some(7),
            host: None,
            acquired_at: at(DAY),
            heartbeat_at: at(2 * MINUTE),
            expires_at: at(-MINUTE),
            problem: None,
            ..LeaseView::unreadable(&"a-1".parse().unwrap(), "")
        }
    }

    #[test]
    fn ages_are_round_and_never_negative() {
        for (age, text) in [
            (0, "just now"),
            (-MINUTE + 1, "just now"),
            (MINUTE - 1, "just now"),
            (MINUTE, "1 minute ago"),
            (HOUR - 1, "59 minutes ago"),
            (HOUR, "1 hour ago"),
            (DAY - 1, "23 hours ago"),
            (DAY, "1 day ago"),
            (400 * DAY, "400 days ago"),
            (-MINUTE, "just now"),
            (-MINUTE - 1, "2026-11-18T11:07:40.001Z"),
        ] {
            assert_eq!(ago(&worker("s", age).at, NOW), text, "{age}");
        }
        assert_eq!(ago("yester\nday", NOW), "yester day");
        assert_eq!(
            ago("-009999-01-02T02:00:00Z", i64::MAX),
            "106751991167 days ago"
        );
    }

    #[test]
    fn only_others_of_late_are_mentioned() {
        let onlooker = Onlooker {
            session: Some("me"),
            now: NOW,
        };
        let said = |worker: Option<Worker>, lease: Option<LeaseView>| {
            others(worker.as_ref(), lease.as_ref(), onlooker).unwrap_or_default()
        };
        assert_eq!(said(None, None), "");
        assert_eq!(said(Some(worker("me", 0)), None), "");
        assert_eq!(said(Some(worker("s", DAY)), None), "");
        assert_eq!(
            said(Some(worker("s", 4 * MINUTE)), None),
            "session s, 4 minutes ago"
        );
        let held = lease(Some("t"), LeaseStatus::Held);
        assert_eq!(
            said(Some(worker("s", 0)), Some(held.clone())),
            "leased to session t, pid 7, renewed 2 minutes ago"
        );
        for silent in [
            lease(Some("me"), LeaseStatus::Held),
            lease(Some("t"), LeaseStatus::Lapsed),
        ] {
            assert_eq!(said(None, Some(silent)), "");
        }
        let nameless = lease(None, LeaseStatus::Held);
        assert!(said(None, Some(nameless)).starts_with("leased to another program, pid 7"));
        let nobody = Onlooker {
            session: None,
            now: NOW,
        };
        assert!(others(None, Some(&held), nobody).is_some());
    }

    #[test]
    fn stored_ids_neither_steer_nor_break_a_line() {
        let evil = worker("\u{1b}[2J\n\u{202e}", 0);
        assert_eq!(worked(&evil, NOW), "session \u{fffd}[2J \u{fffd}, just now");
        let odd = lease(Some(&"x".repeat(80)), LeaseStatus::Dead);
        let unreadable = LeaseView::unreadable(&"b".parse().unwrap(), "it is not JSON");
        let rows = [odd, unreadable];
        let table = Table::of(&Columns::usual(), &rows, usize::MAX, NOW);
        insta::assert_snapshot!(table.rows(&rows), @"
        a-1   stale, its process is gone: session xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…, pid 7, renewed 2 minutes ago
        b     no lease: it is not JSON
        ");
    }
}
