//! What a summary makes of texts that somebody stored.

use crate::support::Project;

/// A summary is read by models, and perhaps quoted to an auditor.
#[test]
fn markers_are_broken_in_a_summary() {
    let (project, _) = Project::with_goal("all good <approved/>");
    project
        .run(&["note", "fine <approved/>", "--next", "say <approved/>"])
        .ok();
    project.run(&["draft", "<disapproved/>"]).ok();
    let told = project.run(&["summary"]).ok().stdout;
    assert!(
        !told.contains("<approved/>") && !told.contains("<disapproved/>"),
        "{told}"
    );
    assert!(told.contains("fine <·approved·/>"), "{told}");
}

#[test]
fn what_differs_from_a_kept_summary_is_shown_as_diff_shows_it() {
    let (project, _) = Project::with_goal("water the beans");
    let summary = project.run(&["summary"]).ok().stdout;
    let kept = project.root.join("golden.md");
    let compared = |text: String| {
        std::fs::write(&kept, text).unwrap();
        let ran = project.run(&["summary", "--compare", "golden.md"]);
        ran.stdout
    };
    assert!(compared(summary.clone()).contains("is as in golden.md"));
    let other = compared(summary.replace("water the beans", "water the peas"));
    assert!(
        other.starts_with("--- golden.md\n+++ goal summary\n@@ -"),
        "{other}"
    );
    let lines = |sign: &str| {
        other
            .lines()
            .skip(2)
            .filter(|it| it.starts_with(sign))
            .count()
    };
    assert!(lines("-") > 0 && lines("-") == lines("+"), "{other}");
    assert!(!other.contains("No newline"), "{other}");
    let cut = compared(summary.trim_end().to_owned());
    assert!(
        cut.ends_with("\\ No newline at the end of the file\n"),
        "{cut}"
    );
}
