//! Files that may not grow: real short writes, taken back, or left as a torn tail and sealed.

use crate::limits::in_shell;
use crate::oracle::projected;
use crate::say;
use crate::strace;
use crate::support::Project;

/// Ledgers that leave room for so many bytes of what is appended, which are therefore written and
/// no more. The limit is far above what a document takes, so that only the ledger meets it.
const BLOCK: usize = 512;
const BLOCKS: usize = 64;

fn with_room_for(start: &[u8], room: usize) -> Vec<u8> {
    let padding = |len: usize| {
        let text = "x".repeat(len);
        format!("{{\"type\":\"padding\",\"text\":\"{text}\",\"at\":\"2026-01-01T00:00:00Z\"}}\n")
    };
    let len = BLOCKS * BLOCK - room - start.len() - padding(0).len();
    [start, padding(len).as_bytes()].concat()
}

/// A real short write at each byte in turn (each seventh, to be quick), which is rolled back.
#[test]
fn a_ledger_that_may_not_grow() {
    let (project, _) = Project::with_goal("x");
    let start = project.ledger();
    let limit = format!("ulimit -f {BLOCKS}");
    let (mut refused, mut recorded) = (0, 0);
    for room in (0..BLOCK).step_by(7) {
        let before = with_room_for(&start, room);
        project.put_ledger(&before);
        let ran = in_shell(&project, &limit, &["note", "attempted", "--json"]).run();
        if ran.success() {
            recorded += 1;
            assert_ne!(project.ledger(), before, "{ran}");
        } else {
            refused += 1;
            let error = (ran.code, ran.error_code());
            assert_eq!(error, (Some(74), "not_recorded".into()), "{ran}");
            assert!(
                ran.stdout.contains("the ledger is as it was before"),
                "{ran}"
            );
            assert!(project.ledger() == before, "room for {room} bytes\n{ran}");
        }
        project.run(&["note", "after it"]).ok();
        assert!(project.ledger().starts_with(&before));
        projected(&project, "after a limit");
    }
    say(&format!(
        "short writes: {refused} rolled back, {recorded} appends fitted"
    ));
    assert!(refused > 0 && recorded > 0);
}

/// A short write whose rolling back is refused, or cut off by a kill, leaves a torn tail: said to
/// be there, never acknowledged, never cut off later, and sealed by the next event.
#[test]
fn a_torn_tail_that_could_not_be_taken_back() {
    if let Err(why) = strace::usable() {
        return say(&format!("SKIPPED: torn tails: no strace here ({why})"));
    }
    let (project, _) = Project::with_goal("x");
    let start = project.ledger();
    let mut sealed = 0;
    for (number, room) in (1..140).step_by(6).enumerate() {
        let before = with_room_for(&start, room);
        project.put_ledger(&before);
        let fault = ["ftruncate:error=EIO", "ftruncate:signal=KILL"][number % 2];
        let limit =
            format!("ulimit -f {BLOCKS}; set -- strace -o /dev/null -e inject={fault} \"$@\"");
        let ran = in_shell(&project, &limit, &["note", "attempted", "--json"]).run();
        let torn = project.ledger();
        assert_eq!(torn.len(), before.len() + room, "{ran}");
        assert!(
            ran.signal == Some(9) || ran.stdout.contains("may stand at"),
            "{ran}"
        );
        project.run(&["note", "after it"]).ok();
        let ledger = project.ledger();
        assert!(ledger.starts_with(&[&torn[..], b"\n{"].concat()), "{ran}");
        let verified = project.verified();
        let findings = verified.findings();
        let errors = findings
            .iter()
            .filter(|found| found["code"] == "malformed_line");
        assert_eq!(errors.count(), 1, "{findings:?}");
        assert!(verified.is_linked());
        projected(&project, "after a torn tail");
        sealed += 1;
    }
    say(&format!(
        "torn tails: {sealed} left by a refused or killed rollback, all sealed"
    ));
}
