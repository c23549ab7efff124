//! Edits by hand outside a document's Notes: not in force, and never lost in silence.

use std::fs;

use camino::Utf8PathBuf;

use crate::support::{Project, Ran};

/// The names in `.pi/goals` that contain this.
fn named(project: &Project, part: &str) -> Vec<Utf8PathBuf> {
    let entries = project.goals("").read_dir_utf8().unwrap();
    let paths = entries.map(|entry| entry.unwrap().into_path());
    paths.filter(|path| path.as_str().contains(part)).collect()
}

/// A project whose goal's document somebody gave a criterion, and the goal's id.
fn edited() -> (Project, String) {
    let (project, id) = Project::with_goal("Write docs");
    edit(&project);
    (project, id)
}

fn edit(project: &Project) {
    let path = named(project, "active_goal_").remove(0);
    let text = fs::read_to_string(&path).unwrap();
    let wanted = text.replacen("_none given_", "- docs build", 1);
    assert_ne!(text, wanted);
    fs::write(&path, wanted).unwrap();
}

fn criteria(project: &Project, id: &str) -> Vec<String> {
    serde_json::from_value(project.goal(id)["successCriteria"].clone()).unwrap()
}

fn codes(ran: &Ran) -> Vec<String> {
    let notices = ran.data()["notices"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let codes = notices
        .iter()
        .map(|it| it["code"].as_str().unwrap().to_owned());
    codes.collect()
}

#[test]
fn whoever_renders_over_an_edit_says_so_and_where_it_is_kept() {
    for as_agent in [false, true] {
        let (project, id) = edited();
        let note = ["note", "n"];
        let ran = match as_agent {
            true => project.run_as_agent(&note).ok(),
            false => project.run(&note).ok(),
        };
        let kept = named(&project, ".orig").remove(0);
        let kept = kept.strip_prefix(&project.root).unwrap();
        let command = format!("goal tweak --goal {id} --from-document {kept}");
        assert!(ran.stderr.contains(&command), "{ran}");
        assert!(criteria(&project, &id).is_empty());
        // Until it is settled.
        project.run(&["note", "m"]).ok();
        let doctor = project.run(&["doctor"]).ok();
        assert!(doctor.stdout.contains(&command), "{doctor}");
        let agents = ["tweak", "--from-document", kept.as_str()];
        project.run_as_agent(&agents).exits(5);
        project.run(&agents).ok();
        assert_eq!(criteria(&project, &id), ["docs build"]);
        let doctor = project.run(&["doctor"]).ok();
        assert!(!doctor.stdout.contains("document_edited"), "{doctor}");
    }
}

#[test]
fn in_json_it_is_a_notice() {
    let (project, _) = edited();
    let ran = project.run(&["note", "n", "--json"]).ok();
    assert_eq!(codes(&ran), ["document_edited"]);
    assert_eq!(codes(&project.run(&["note", "n", "--json"]).ok()), [""; 0]);
    fs::remove_file(&named(&project, ".orig")[0]).unwrap();
    let doctor = project.run(&["doctor"]).ok();
    assert!(!doctor.stdout.contains("document_edited"), "{doctor}");
}

#[test]
fn a_copy_from_before_another_change_is_not_taken_over() {
    let (project, id) = edited();
    project.run(&["tweak", "--boundary", "no new pages"]).ok();
    let kept = named(&project, ".orig").remove(0);
    let ran = project.run(&["tweak", "--from-document", kept.as_str(), "--json"]);
    assert_eq!(ran.exits(4).error_code(), "document_outdated");
    let other = project.set("other");
    let args = ["tweak", "--goal", &other, "--from-document", kept.as_str()];
    let ran = project.run(&args).exits(2);
    assert!(ran.stderr.contains(&format!("is of goal {id}")), "{ran}");
    for missing in ["no-such-file", "."] {
        let ran = project.run(&["tweak", "--from-document", missing]);
        assert!(!ran.success(), "{ran}");
    }
}

#[test]
fn a_merge_is_no_edit() {
    let project = Project::new();
    project.git(&["init", "-q", "-b", "main"]);
    project.run(&["init", "--commits"]).ok();
    project.set("x");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "begin"]);
    project.git(&["checkout", "-q", "-b", "side"]);
    project.run(&["note", "aside"]).ok();
    project.git(&["commit", "-q", "-a", "-m", "side"]);
    project.git(&["checkout", "-q", "main"]);
    project.run(&["note", "mainly"]).ok();
    project.git(&["commit", "-q", "-a", "-m", "main"]);
    project.git(&["merge", "-q", "-m", "merged", "side"]);
    let doctor = project.run(&["doctor"]).ok();
    assert!(!doctor.stdout.contains("document_edited"), "{doctor}");
    let ran = project.run(&["note", "n", "--json"]).ok();
    assert!(
        !codes(&ran).contains(&"document_edited".to_owned()),
        "{ran}"
    );
    assert_eq!(named(&project, ".orig"), [""; 0]);
}
