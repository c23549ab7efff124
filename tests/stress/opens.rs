//! How often a call opens the ledger. Each time all of it is read, or what came since the saved
//! state: a use case carries on what its transaction gave back, and reads again only where somebody
//! else may have written.

use crate::say;
use crate::strace::{self, opens, writes};
use crate::support::{Project, auditor};

/// A project with a goal, an agent that completes it, and an auditor that approves.
fn project() -> Option<Project> {
    if let Err(why) = strace::usable() {
        say(&format!(
            "SKIPPED: opens of the ledger: no strace here ({why})"
        ));
        return None;
    }
    let (project, _) = Project::with_goal("make it so");
    let auditor = project.script("auditor", auditor::APPROVE);
    let agent = project.script(
        "agent",
        "cat >/dev/null; echo '<promise>COMPLETE</promise>'",
    );
    project.configure(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{auditor}\"]\n[runner]\npauseBetweenCheckpoints = 0\n\
         [runner.agent]\ncommand = [\"/bin/sh\", \"{agent}\"]\n"
    ));
    Some(project)
}

/// Runs it, which completes the goal, and holds how often the caller and the supervisor open the
/// ledger. The caller looks once more where it happens to look while the supervisor writes, so the
/// fewest of some tries count.
fn counted(args: &[&str], most: [usize; 2]) {
    const TRIES: usize = 6;
    let tries = (0..TRIES).map_while(|_| Some(tried(&project()?, args)));
    let opens = tries.reduce(|one, other| [one[0].min(other[0]), one[1].min(other[1])]);
    let Some(opens) = opens else { return };
    say(&format!(
        "{args:?}: the caller and the supervisor opened the ledger {opens:?} times"
    ));
    assert!(
        opens[0] > 0 && opens[1] > 0,
        "nothing was counted: {opens:?}"
    );
    assert!(
        opens[0] <= most[0] && opens[1] <= most[1],
        "{args:?} opened the ledger {opens:?} times, at most {most:?} are meant"
    );
}

/// How often the caller and the supervisor open the ledger. Ids are not pinned: those are looked for in
/// the ledger before they are used.
fn tried(project: &Project, args: &[&str]) -> [usize; 2] {
    let call = project.call(args).without("GOAL_TEST_SEED");
    let (ran, opens) = opens(project, call);
    ran.ok();
    assert_eq!(project.events_of_type("goal_completed").len(), 1);
    opens
}

#[test]
fn a_completion_opens_the_ledger_at_most_five_times_on_either_side() {
    counted(&["complete", "--summary", "done"], [4, 5]);
}

#[test]
fn a_completion_with_a_key_opens_it_once_more() {
    counted(&["complete", "--key", "k"], [5, 5]);
}

#[test]
fn a_tool_that_reads_opens_it_once() {
    let Some(project) = project() else { return };
    for tool in ["get_goal", "list_goals", "goal_summary", "get_goal_tasks"] {
        let call = project.call(&["tool", tool]).env("GOAL_ACTOR", "agent");
        let (ran, opens) = opens(&project, call);
        ran.ok();
        assert_eq!(opens[0], 1, "{tool}");
    }
}

/// What a turn came to, what it cost, and that the next begins, is one write: its line is waited for, and
/// the document of the goal.
#[test]
fn an_iteration_writes_the_ledger_once() {
    let Some(project) = project() else { return };
    project.script("agent", "cat >/dev/null; echo x >>work");
    let counted = |iterations: &str| {
        let call = project.call(&["run", "--max-iterations", iterations]);
        let (ran, counts) = writes(&project, call.without("GOAL_TEST_SEED"));
        ran.exits(6);
        counts
    };
    // The first run begins the iterations.
    counted("1");
    let (few, many) = (counted("2"), counted("7"));
    let each = [
        (many[0] - few[0]) as f64 / 5.0,
        (many[1] - few[1]) as f64 / 5.0,
    ];
    say(&format!(
        "an iteration: {} writes to the ledger, {} syncs",
        each[0], each[1]
    ));
    assert_eq!(each, [1.0, 3.0], "{few:?}, {many:?}");
}

/// Three of them are to hold it against the copy that a run keeps of it: when the run begins, behind the
/// turn, and at the end.
#[test]
fn an_iteration_with_its_audit_opens_the_ledger_at_most_sixteen_times() {
    counted(&["run"], [16, 5]);
}
