//! Leases in every shape and standing.

use proptest::prelude::*;

use super::*;

const NOW: i64 = 1_795_000_000_000;

fn goal() -> GoalId {
    "g-1".parse().unwrap()
}

fn holder(session: &str, pid: i32) -> Holder {
    Holder {
        session: Some(session.to_owned()),
        pid,
        host: None,
    }
}

fn lease(session: &str, pid: i32) -> Lease {
    acquire(&goal(), None, holder(session, pid), (NOW, 1000), false).unwrap()
}

fn found(session: &str, pid: i32, standing: LeaseStatus) -> LeaseFound {
    LeaseFound::Lease(lease(session, pid), standing)
}

#[test]
fn held_means_alive_and_not_lapsed() {
    let lease = lease("s", 7);
    for (now, alive, standing) in [
        (NOW, Some(true), LeaseStatus::Held),
        (NOW + 999, Some(true), LeaseStatus::Held),
        (NOW + 1000, Some(true), LeaseStatus::Lapsed),
        (NOW, Some(false), LeaseStatus::Dead),
        (NOW + 5000, Some(false), LeaseStatus::Dead),
        (NOW + 999, None, LeaseStatus::Held),
        (NOW + 1000, None, LeaseStatus::Lapsed),
        // A clock that went backwards prolongs it, and the end of the process still ends it.
        (NOW - 100_000, Some(true), LeaseStatus::Held),
        (i64::MIN, Some(false), LeaseStatus::Dead),
    ] {
        assert_eq!(lease.standing(now, alive), standing, "{now} {alive:?}");
    }
}

#[test]
fn it_is_written_as_the_older_extensions_read_it() {
    let mut lease = lease("s \"1\"", 7);
    assert_eq!(
        lease.encode(),
        r#"{"goalId":"g-1","owner":{"sessionId":"s \"1\"","pid":7},"acquiredAt":"2026-11-18T11:06:40.000Z","expiresAt":"2026-11-18T11:06:41.000Z","heartbeatAt":"2026-11-18T11:06:40.000Z"}"#
    );
    lease.holder.host = Some("h".into());
    assert!(
        lease
            .encode()
            .contains(r#""owner":{"sessionId":"s \"1\"","pid":7,"host":"h"}"#)
    );
}

#[test]
fn every_shape_that_was_seen_is_read() {
    let read = |text: &str| Lease::decode(&goal(), text.as_bytes()).unwrap();
    let nested = read(
        r#"{"goalId":"g-1","owner":{"sessionId":"s","pid":7,"startTimeMs":null,"more":[]},
            "acquiredAt":"2026-11-18T11:06:39.000Z","expiresAt":"2026-11-18T11:06:41Z",
            "heartbeatAt":"2026-11-18T12:06:40+01:00","future":1}"#,
    );
    assert_eq!(nested.holder, holder("s", 7));
    assert_eq!(nested.acquired_at, Some(NOW - 1000));
    assert_eq!(nested.heartbeat_at, Some(NOW));
    assert_eq!(nested.expires_at, NOW + 1000);

    let flat = read(r#"{"sessionId":"s","pid":7,"expiresAt":1795000001000}"#);
    assert_eq!((flat.holder, flat.expires_at), (holder("s", 7), NOW + 1000));
    assert_eq!((flat.acquired_at, flat.heartbeat_at), (None, None));

    let short = read(r#"{"pid":7,"startedAt":"2026-11-18T11:06:40.000Z"}"#);
    assert_eq!(short.holder.session, None);
    assert_eq!(short.expires_at, NOW + 30_000);
    // Nobody's session is not everybody's.
    let short = LeaseFound::Lease(short, LeaseStatus::Held);
    assert!(release(&short, None, None, false).is_err());
}

#[test]
fn what_is_no_lease_says_why() {
    let at = "2026-11-18T11:06:40.000Z";
    for (text, why) in [
        (String::new(), "it is not JSON"),
        ("{\"goalId\":".into(), "it is not JSON"),
        ("\0\0\0".into(), "it is not JSON"),
        ("[".repeat(10_000), "it is not JSON"),
        ("[]".into(), "it is no JSON object"),
        ("{}".into(), "it names no process"),
        (
            format!(r#"{{"goalId":"g-2","pid":7,"expiresAt":"{at}"}}"#),
            "it names another goal",
        ),
        (
            format!(r#"{{"pid":0,"expiresAt":"{at}"}}"#),
            "it names no process",
        ),
        (
            format!(r#"{{"pid":-1,"expiresAt":"{at}"}}"#),
            "it names no process",
        ),
        (
            format!(r#"{{"pid":4294967297,"expiresAt":"{at}"}}"#),
            "it names no process",
        ),
        (
            format!(r#"{{"pid":"7","expiresAt":"{at}"}}"#),
            "it names no process",
        ),
        (r#"{"pid":7}"#.into(), "it does not say when it lapses"),
        // A time that is none is no reason to guess another.
        (
            format!(r#"{{"pid":7,"heartbeatAt":"{at}","expiresAt":"soon"}}"#),
            "it does not say when it lapses",
        ),
    ] {
        let refused = Lease::decode(&goal(), text.as_bytes()).unwrap_err();
        assert_eq!(refused, why, "{text:.60}");
    }
}

#[test]
fn only_a_live_lease_of_another_session_refuses() {
    let by = |found: Option<LeaseFound>, take_over| {
        let lease = acquire(
            &goal(),
            found.as_ref(),
            holder("s", 8),
            (NOW + 5, 10),
            take_over,
        );
        lease.map(|it| {
            (
                it.holder.pid,
                it.acquired_at.unwrap() - NOW,
                it.expires_at - NOW,
            )
        })
    };
    let fresh = Ok((8, 5, 15));
    assert_eq!(by(None, false), fresh);
    assert_eq!(by(Some(LeaseFound::Unreadable("x".into())), false), fresh);
    assert_eq!(by(Some(found("t", 7, LeaseStatus::Dead)), false), fresh);
    assert_eq!(by(Some(found("t", 7, LeaseStatus::Lapsed)), false), fresh);
    assert_eq!(by(Some(found("t", 7, LeaseStatus::Held)), true), fresh);
    // One's own goes on under the new process.
    assert_eq!(
        by(Some(found("s", 7, LeaseStatus::Held)), false),
        Ok((8, 0, 15))
    );
    let refused = by(Some(found("t", 7, LeaseStatus::Held)), false).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "goal g-1 is leased to session t, pid 7, until 2026-11-18T11:06:41.000Z"
    );
}

#[test]
fn renewing_is_for_the_holder_alone() {
    let by =
        |found: Option<LeaseFound>| renew(&goal(), found.as_ref(), holder("s", 7), (NOW + 5, 10));
    for standing in [LeaseStatus::Held, LeaseStatus::Lapsed, LeaseStatus::Dead] {
        let renewed = by(Some(found("s", 7, standing))).unwrap();
        assert_eq!(renewed.acquired_at, Some(NOW));
        assert_eq!(renewed.heartbeat_at, Some(NOW + 5));
        assert_eq!(renewed.expires_at, NOW + 15);
    }
    let lost = |found| matches!(by(found), Err(Refusal::Lost { .. }));
    assert!(lost(None));
    assert!(lost(Some(LeaseFound::Unreadable("x".into()))));
    assert!(lost(Some(found("s", 8, LeaseStatus::Held))));
    assert!(lost(Some(found("t", 7, LeaseStatus::Lapsed))));
    let held = by(Some(found("t", 7, LeaseStatus::Held)));
    assert!(matches!(held, Err(Refusal::Held(_))));
}

#[test]
fn releasing_is_for_the_holder_the_user_and_what_is_stale() {
    let held = found("s", 7, LeaseStatus::Held);
    assert_eq!(release(&held, Some("s"), None, false), Ok(()));
    assert_eq!(release(&held, Some("s"), Some(7), false), Ok(()));
    assert_eq!(release(&held, None, None, true), Ok(()));
    let other = release(&held, Some("s"), Some(8), false);
    assert!(matches!(other, Err(Refusal::Lost { .. })));
    for session in [None, Some("t")] {
        let other = release(&held, session, None, false);
        assert!(matches!(other, Err(Refusal::Held(_))));
    }
    for stale in [
        found("s", 7, LeaseStatus::Dead),
        found("s", 7, LeaseStatus::Lapsed),
        LeaseFound::Unreadable("x".into()),
    ] {
        assert_eq!(release(&stale, Some("t"), None, false), Ok(()));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_lease_or_not(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _either = Lease::decode(&goal(), &bytes);
    }

    #[test]
    fn what_is_written_is_read_again(
        session in "\\PC{1,40}", pid in 1..i32::MAX, host in proptest::option::of("[a-z]{1,9}"),
        now in 0i64..4_000_000_000_000, ttl in 0i64..100_000_000,
    ) {
        let holder = Holder { session: Some(session), pid, host };
        let lease = acquire(&goal(), None, holder, (now, ttl), false).unwrap();
        prop_assert_eq!(Lease::decode(&goal(), lease.encode().as_bytes()), Ok(lease));
    }

    #[test]
    fn nobody_holds_what_is_past(expires in any::<i64>(), now in any::<i64>(), alive in any::<Option<bool>>()) {
        let lease = Lease { expires_at: expires, ..lease("s", 7) };
        let held = lease.standing(now, alive) == LeaseStatus::Held;
        prop_assert_eq!(held, now < expires && alive != Some(false));
    }
}
