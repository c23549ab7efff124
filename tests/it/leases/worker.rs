//! Who works a goal, as the ledger tells it, shown with ages in texts for people and nowhere else.

use serde_json::json;

use super::acquire;
use crate::support::Project;

#[test]
fn who_works_a_goal_is_told_to_the_others() {
    let (project, id) = Project::with_goal("x");
    let at = |time: &str, args: &[&str]| {
        let call = project.call(args).env("GOAL_TEST_CLOCK", time);
        call.env("AI_AGENT", "pi").run().ok()
    };
    let summary = project.run(&["summary"]).ok().stdout;
    at("2026-01-01T10:00:00.000Z", &["note", "n", "--session", "s"]);
    let worker =
        json!({"session": "s", "by": "user", "via": "pi", "at": "2026-01-01T10:00:00.000Z"});
    for (args, pointer) in [
        (&["list", "--json"][..], "/goals/0/worker"),
        (&["status", "--json"], "/goal/worker"),
        (&["show", "--json"], "/goal/worker"),
    ] {
        let data = at("2026-01-01T10:04:30.000Z", args).data();
        assert_eq!(data.pointer(pointer), Some(&worker), "{data}");
    }
    let said = |time: &str, args: &[&str]| at(time, args).stdout;
    for (args, own) in [
        (&["list"][..], ""),
        (&["status"], ""),
        (&["show"], "session s, "),
    ] {
        let own_session = [args, &["--session", "s"]].concat();
        let text = said("2026-01-01T10:04:30.000Z", args);
        assert!(text.contains("session s, 4 minutes ago"), "{text}");
        let text = said("2026-01-01T10:04:30.000Z", &own_session);
        assert_eq!(
            text.contains("session s, 4 minutes ago"),
            !own.is_empty(),
            "{text}"
        );
        let text = said("2026-01-02T10:00:00.000Z", args);
        assert_eq!(
            text.contains("session s, 1 day ago"),
            !own.is_empty(),
            "{text}"
        );
    }
    // An event without a session is nobody's work; another session's is.
    at("2026-01-01T10:05:00.000Z", &["note", "n"]);
    assert_eq!(
        at("2026-01-01T10:06:00.000Z", &["show", "--json"]).data()["goal"]["worker"],
        worker
    );
    at("2026-01-01T10:07:00.000Z", &["note", "n", "--session", "t"]);
    assert!(said("2026-01-01T10:08:00.000Z", &["list"]).contains("session t, 1 minute ago"));
    // The summary is of the ledger alone: no age, no lease, the same bytes whenever it is made.
    let now = said("2026-01-01T10:08:00.000Z", &["summary"]);
    acquire(&project, "s", &[]).ok();
    assert_eq!(said("2030-01-01T00:00:00.000Z", &["summary"]), now);
    assert_ne!(now, summary);
    assert!(!now.contains(" ago"), "{now}");
    project.run(&["abort", "--reason", "r", "--goal", &id]).ok();
    assert!(!said("2026-01-01T10:09:00.000Z", &["list", "--all"]).contains("session"));
}
