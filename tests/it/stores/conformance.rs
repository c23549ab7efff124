//! `goal store check`: the helper in `examples/` holds every rule, and one that breaks a rule on purpose is
//! found out.

use super::Store;
use crate::support::{Project, Ran};

fn check(store: &Store, project: &Project, fault: &str, more: &[&str]) -> Ran {
    let script = store.helper(project, fault);
    let args = ["store", "check", "--most-turn", "2"];
    project.run(&[&args[..], more, &["--", "/bin/sh", &script]].concat())
}

#[test]
fn the_helper_of_the_page_holds_every_rule() {
    let (store, project) = (Store::new(), Project::new());
    let text = check(&store, &project, "", &[]).ok().stdout;
    assert!(
        text.lines().all(|it| it.starts_with("passed")
            || it.starts_with("not tried")
            || it.starts_with(' ')),
        "{text}"
    );
    assert_eq!(text.matches("passed").count(), 20, "{text}");
    let without = check(&store, &project, "no_leases", &["--only", "lease"]).ok();
    assert_eq!(
        without.stdout.matches("not tried  ").count(),
        1,
        "{without}"
    );
    let none = check(&store, &project, "", &["--only", "no such words"]).exits(2);
    assert!(none.stderr.contains("no rule has these words"), "{none}");
    // Nothing of the project was made or changed.
    assert!(!project.goals("").exists());
    let listed = project.run(&["list", "--store"]);
    assert_eq!(listed.code, Some(75), "{listed}");
    store.reached_by(&project);
    let listed = project.run(&["list", "--store"]).ok().stdout;
    assert!(listed.contains("goal-store-check/"), "{listed}");
}

#[test]
fn a_helper_that_breaks_a_rule_is_found_out() {
    for (fault, rule) in [
        ("bytes", "lines come back byte for byte, in order"),
        ("from", "an answer begins with the line that holds"),
        ("ahead", "a `from` beyond the end is `ahead`"),
        ("watch", "watch answers at once"),
        ("moved", "an append goes only where its turn began"),
        ("duplicate", "an id is there once"),
        ("keeps_turn", "an append ends the turn"),
        ("overlap", "turns do not overlap"),
        ("halves", "a helper that is killed in an append"),
        ("fence", "an append with an outdated token"),
        ("forgets", "lines come back byte for byte, in order"),
    ] {
        let (store, project) = (Store::new(), Project::new());
        let ran = check(&store, &project, fault, &["--json", "--only", rule]).exits(7);
        let data = ran.data();
        let rules = data["rules"].as_array().unwrap();
        let [ruled] = &rules[..] else {
            panic!("{fault}: {ran}");
        };
        assert_eq!(ruled["passed"], false, "{fault}: {ran}");
        assert!(ruled["why"].is_string(), "{fault}: {ran}");
    }
}
