//! The N-th-system-call loop: a command is killed on entering each system call it makes, one run
//! for each, until it completes; then each call that writes, syncs, renames, opens or truncates
//! fails, once and for ever.
//!
//! Loops that take long are sampled; `GOAL_CRASH_FULL=1` runs every fault.

use crate::oracle::{Cure, audit_is_over, judge};
use crate::scene::{self, Prepare, Scene, loops};
use crate::strace::{self, Calls, calls, inject};
use crate::support::Ran;
use crate::{from_environment, say};

/// Calls that are repeated while the process waits: how often depends on the machine.
const POLLING: [&str; 5] = [
    "wait4",
    "clock_nanosleep",
    "futex",
    "poll",
    "restart_syscall",
];

/// Calls that a failing disk, a full one, a quota or a signal can refuse.
const FAILING: [&str; 11] = [
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "open",
    "openat",
    "mkdir",
    "unlink",
    "ftruncate",
];

const ERRORS: [&str; 4] = ["EIO", "ENOSPC", "EINTR", "EDQUOT"];

/// A line a command: which of its faults are tried without `GOAL_CRASH_FULL` (each n-th kill and
/// each n-th error), and whether its children are traced too.
macro_rules! commands {
    ($($name:ident: $prepare:path, kills $kills:literal, errors $errors:literal, follow $follow:literal;)*) => {$(
        #[test]
        fn $name() {
            every_fault_is_survived(stringify!($name), $prepare, [$kills, $errors], $follow);
        }
    )*};
}

commands! {
    set: scene::set, kills 1, errors 2, follow false;
    pause: scene::pause, kills 8, errors 7, follow false;
    confirm: scene::confirm, kills 8, errors 9, follow false;
    review: scene::review, kills 8, errors 17, follow false;
    plan: scene::plan, kills 8, errors 17, follow false;
    planner: loops::planner, kills 8, errors 17, follow false;
    interpret: loops::interpret, kills 8, errors 17, follow false;
    import_goals: loops::import_goals, kills 9, errors 13, follow false;
    confirm_delegation: loops::confirm_delegation, kills 8, errors 13, follow false;
    set_with_a_baseline: loops::set_with_a_baseline, kills 8, errors 17, follow false;
    evaluate: scene::evaluate, kills 8, errors 13, follow false;
    evaluate_gives_up: loops::evaluate_gives_up, kills 9, errors 13, follow false;
    escalate: scene::escalate, kills 8, errors 17, follow false;
    step: scene::step, kills 8, errors 17, follow false;
    answer: scene::answer, kills 8, errors 13, follow false;
    iterate_validate: scene::iterate_validate, kills 8, errors 17, follow false;
    iterate_complete: loops::iterate_complete, kills 8, errors 13, follow false;
    check: scene::check, kills 8, errors 17, follow false;
    task_set: scene::task_set, kills 8, errors 9, follow false;
    delegate: scene::delegate, kills 8, errors 13, follow false;
    usage_over_budget: scene::usage_over_budget, kills 8, errors 13, follow false;
    repair: scene::repair, kills 9, errors 9, follow false;
    adopt: loops::adopt, kills 9, errors 13, follow false;
    hook_stop: scene::hook_stop, kills 9, errors 7, follow false;
    lease: scene::lease, kills 8, errors 9, follow false;
    complete: scene::complete, kills 9, errors 17, follow true;
    complete_with_a_killed_caller: scene::complete, kills 9, errors 11, follow false;
}

fn every_fault_is_survived(name: &str, prepare: Prepare, strides: [usize; 2], follow: bool) {
    if let Err(why) = strace::usable() {
        say(&format!(
            "SKIPPED: {name} killed at its system calls: no strace here ({why})"
        ));
        return;
    }
    let full = from_environment("GOAL_CRASH_FULL", 0) == 1;
    let scene = Scene::new(prepare);
    let calls = calls(&scene, follow, full);
    scene.restore();
    let syncs = ["fdatasync", "fsync"].map(|sync| calls.contains_key(sync));
    let appends = !scene.attempted.is_empty();
    assert_eq!(
        syncs,
        [appends, true],
        "the ledger and every document are synced"
    );
    for (kind, faults, stride) in [
        ("kills", kills(&calls), strides[0]),
        ("errors", errors(&calls), strides[1]),
    ] {
        let all = faults.len();
        let stride = if full { 1 } else { stride };
        let (mut tried, mut injected) = (0, 0);
        for (number, fault) in faults.into_iter().step_by(stride).enumerate() {
            let (ran, took_place) = inject(&scene, follow, &fault);
            tried += 1;
            injected += usize::from(took_place);
            let unsynced = fault[0].starts_with("fdatasync:error=") && !fault[0].contains("EINTR");
            let acknowledged = unsynced && took_place && ran.did() && !owned_up(&ran);
            assert!(
                !acknowledged,
                "what could not be synced was acknowledged: {fault:?}\n{ran}"
            );
            audit_is_over(&scene.project);
            judge(
                &scene,
                &ran,
                Cure::number(&scene, number),
                &fault.join(" and "),
            );
            scene.restore();
        }
        say(&format!(
            "{name}: {kind}: {injected} faults injected and survived, in {tried} runs of {all}"
        ));
        assert!(injected > 0, "no fault took place");
    }
}

/// Whether it says that its second write, without which the first stands, is not recorded.
fn owned_up(ran: &Ran) -> bool {
    let data = ran.data();
    let notices = data["notices"].as_array().into_iter().flatten();
    let mut codes = notices.map(|notice| &notice["code"]);
    codes.any(|code| code == "no_baseline" || code == "not_given_up" || code == "not_sealed")
}

/// Killed on entering each call.
fn kills(calls: &Calls) -> Vec<Vec<String>> {
    let mut faults = Vec::new();
    for (name, &(first, last)) in calls {
        let last = match POLLING.contains(&name.as_str()) {
            true => last.min(first + 2),
            false => last,
        };
        let at = |number| vec![format!("{name}:signal=KILL:when={number}")];
        faults.extend((first..=last).map(at));
    }
    faults
}

/// Each call refused, once and from then on. Rolling back is only tried after a failed sync, so
/// that `ftruncate` fails together with one.
fn errors(calls: &Calls) -> Vec<Vec<String>> {
    let mut faults = Vec::new();
    for name in FAILING {
        let Some(&(first, last)) = calls.get(name) else {
            continue;
        };
        for number in first..=last {
            faults.extend(refused(name, number).map(|fault| vec![fault]));
        }
    }
    if calls.contains_key("fdatasync") {
        for fault in refused("ftruncate", 1) {
            faults.push(vec!["fdatasync:error=EIO:when=1".into(), fault]);
        }
    }
    faults
}

fn refused(name: &str, number: usize) -> impl Iterator<Item = String> {
    ERRORS.into_iter().flat_map(move |error| {
        // A call that is interrupted is called again: for ever would be for ever.
        let on = if error == "EINTR" {
            format!("..{}", number + 20)
        } else {
            "+".into()
        };
        let fault = |when| format!("{name}:error={error}:when={when}");
        [fault(number.to_string()), fault(format!("{number}{on}"))]
    })
}
