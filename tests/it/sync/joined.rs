//! What a clone is told of a ledger that another clone joined with its own.

use insta::assert_snapshot;

use super::Clones;

#[test]
fn a_clone_is_told_how_to_accept_a_ledger_that_another_one_joined() {
    let clones = Clones::new(1);
    let (project, remote) = (&clones.project, clones.remote.as_str());
    clones.at(0, &["sync"]).ok();
    // The same user, who recorded something in a fresh clone before its first sync.
    let apart = project.aside.join("apart");
    let other = |args: &[&str]| {
        project
            .call(args)
            .cwd(&apart)
            .env("GOAL_TEST_SEED", "9")
            .run()
    };
    project.git(&["init", "-q", apart.as_str()]);
    other(&["set", "Bake bread"]).ok();
    other(&["sync", remote, "--join"]).ok();
    clones.at(0, &["sync"]).ok();
    let found = clones.at(0, &["verify", "--json"]).exits(7).data();
    let found = found["findings"].as_array().unwrap();
    let of_seals = |it: &&serde_json::Value| it["code"] == "invalid_seal";
    assert!(found.iter().filter(of_seals).count() > 0, "{found:?}");
    for one in found.iter().filter(of_seals) {
        assert!(one["message"].to_string().contains("joined"), "{one}");
        assert!(
            one["hint"].to_string().contains("`goal sync --join`"),
            "{one}"
        );
    }
    let refused = clones.at(
        0,
        &[
            "complete",
            "--goal",
            "Bake bread",
            "--summary",
            "s",
            "--auditor",
            "true",
        ],
    );
    assert!(refused.stderr.contains("`goal sync --join`"), "{refused}");
    // A dry run accepts nothing, and what is accepted is named, once.
    clones.at(0, &["sync", "--join", "--dry-run"]).ok();
    clones.at(0, &["verify"]).exits(7);
    let joined = clones.at(0, &["sync", "--join"]).ok();
    assert_snapshot!(joined.stdout, @"
    Nothing to sync: origin and this clone have the same lines.
      accepted as yours: a ledger begun 2026-01-01 00:00, whose first line is of goal `Bake bread`
    ");
    let again = clones.at(0, &["sync", "--join", "--json"]).ok().data();
    assert!(again["exchange"]["accepted"].is_null(), "{again}");
    clones.at(0, &["verify"]).ok();
}
