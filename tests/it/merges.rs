//! What git makes of a ledger and its documents where two branches meet: documents are rendered anew,
//! nothing that a person wrote is lost, and an ordinary merge leaves no finding.

use std::fs;

use camino::Utf8PathBuf;

use crate::support::wait::until;
use crate::support::{Project, Ran, auditor};

/// Lets each of two clones go its way, one on the branch `side`, which the other, on `main` and here
/// afterwards, has by git alone: its home and its records know nothing of the side.
fn diverge(project: &Project, side: impl FnOnce(), main: impl FnOnce()) {
    project.in_another_clone(|| {
        project.git(&["checkout", "-q", "-b", "side"]);
        side();
        project.commit();
    });
    project.git(&["checkout", "-q", "main"]);
    main();
    project.commit();
}

fn merge(project: &Project) -> Ran {
    project.try_git(&["merge", "-q", "-m", "merged", "side"])
}

/// The documents with this in their path, and copies kept beside them.
fn documents(project: &Project, part: &str) -> Vec<Utf8PathBuf> {
    let dirs = [project.goals(""), project.goals("archived")];
    let entries = dirs.iter().filter_map(|dir| dir.read_dir_utf8().ok());
    let paths = entries.flatten().map(|entry| entry.unwrap().into_path());
    let is_one = |path: &Utf8PathBuf| path.as_str().contains(".md") && path.as_str().contains(part);
    let mut found: Vec<_> = paths.filter(is_one).collect();
    found.sort();
    found
}

fn text(project: &Project, part: &str) -> String {
    let found = documents(project, part);
    assert_eq!(found.len(), 1, "{found:?}");
    fs::read_to_string(&found[0]).unwrap()
}

fn change(project: &Project, part: &str, change: impl FnOnce(&str) -> String) {
    let path = documents(project, part).remove(0);
    let before = fs::read_to_string(&path).unwrap();
    let after = change(&before);
    assert_ne!(before, after);
    fs::write(path, after).unwrap();
}

fn codes(ran: &Ran) -> Vec<String> {
    let notices = ran.data()["notices"].as_array().cloned();
    let notices = notices.unwrap_or_default().into_iter();
    let codes = notices.map(|it| it["code"].as_str().unwrap().to_owned());
    // What a merge brought is taken in, and that is said.
    codes.filter(|code| code != "lines_taken_in").collect()
}

/// Says the project's documents are as they should be, and nothing is kept beside them.
#[track_caller]
fn is_clean(project: &Project) {
    let doctor = project.run(&["doctor"]).ok();
    assert!(!doctor.stdout.contains("document_"), "{doctor}");
    assert_eq!(documents(project, ".orig"), [""; 0]);
}

#[test]
fn two_endings_are_one_archived_document() {
    let project = Project::under_git();
    let end = |reason: &str| {
        project.run(&["abort", "--reason", reason]).ok();
    };
    diverge(&project, || end("aside"), || end("mainly"));
    let merged = merge(&project);
    assert!(merged.success(), "{merged}");
    assert_eq!(documents(&project, "goal_").len(), 1);
    is_clean(&project);
    project.set("go on");
    let archived = text(&project, "archived/");
    assert_eq!(archived.matches("Aborted since").count(), 1, "{archived}");
    is_clean(&project);
}

#[test]
fn an_ordinary_merge_leaves_no_finding() {
    let project = Project::under_git();
    let run = |words: &[&str]| drop(project.run(words).ok());
    diverge(
        &project,
        || {
            run(&[
                "tweak",
                "--criteria",
                "docs build",
                "--boundary",
                "no new pages",
            ]);
            run(&["note", "aside", "--next", "look at the side"]);
        },
        || {
            run(&["note", "mainly", "--next", "look at the main page"]);
            run(&["pause", "--reason", "lunch"]);
        },
    );
    merge(&project).ok();
    is_clean(&project);
    // On another machine, or where somebody looks later.
    project.git(&["checkout", "-q", "-b", "later"]);
    let ran = project.run(&["resume", "--json"]).ok();
    assert_eq!(codes(&ran), [""; 0]);
    is_clean(&project);
    let document = text(&project, "active_goal");
    assert_eq!(document.matches("digest:").count(), 1, "{document}");
    for said in ["docs build", "aside", "mainly"] {
        assert!(document.contains(said), "{document}");
    }
    // And once more from what was merged.
    project.commit();
    project.git(&["checkout", "-q", "side"]);
    run(&["note", "again aside"]);
    project.commit();
    project.git(&["checkout", "-q", "later"]);
    run(&["note", "again mainly"]);
    project.commit();
    merge(&project).ok();
    is_clean(&project);
    run(&["note", "n"]);
    is_clean(&project);
}

#[test]
fn a_merge_of_what_was_merged_before_leaves_no_finding() {
    let project = Project::under_git();
    let note = |text: &str| drop(project.run(&["note", text]).ok());
    project.git(&["branch", "third"]);
    diverge(&project, || note("aside"), || note("mainly"));
    merge(&project).ok();
    note("after");
    project.commit();
    project.git(&["checkout", "-q", "third"]);
    note("third");
    project.commit();
    project.git(&["merge", "-q", "-m", "merged", "main"]);
    is_clean(&project);
    note("n");
    is_clean(&project);
}

#[test]
fn notes_of_both_sides_are_kept_and_what_stood_before_them_is_not() {
    let project = Project::under_git();
    let act = |text: &str| {
        project
            .run(&["note", "n", "--next", &format!("{text} next")])
            .ok();
        change(&project, "active_goal", |before| {
            format!("{before}my {text}\n")
        });
    };
    diverge(&project, || act("side"), || act("main"));
    merge(&project).ok();
    is_clean(&project);
    project.run(&["note", "n"]).ok();
    let document = text(&project, "active_goal");
    let (_, notes) = document.split_once("## Notes\n").unwrap();
    assert_eq!(notes, "my main\nmy side\n", "{document}");
    is_clean(&project);
}

#[test]
fn commits_that_are_rebased_leave_no_finding() {
    let project = Project::under_git();
    let note = |text: &str| {
        project.run(&["note", text, "--next", text]).ok();
    };
    diverge(
        &project,
        || {
            for text in ["one", "two", "three"] {
                note(text);
                project.commit();
            }
            project.run(&["pause", "--reason", "r"]).ok();
        },
        || note("mainly"),
    );
    project.git(&["checkout", "-q", "side"]);
    project.git(&["rebase", "-q", "main"]);
    is_clean(&project);
    let ran = project.run(&["note", "n", "--json"]).ok();
    assert_eq!(codes(&ran), [""; 0]);
    is_clean(&project);
}

#[test]
fn an_edit_is_found_also_in_a_document_that_was_merged() {
    let add = |text: &str| text.replacen("_none given_", "- docs build", 1);
    let remove = |text: &str| text.replacen("- written on the side\n", "", 1);
    for (branch, adds) in [
        ("side", true),
        ("main", true),
        ("merged", true),
        ("merged", false),
    ] {
        let project = Project::under_git();
        let run = |words: &[&str]| drop(project.run(words).ok());
        let edit = |at: &str| {
            if branch == at {
                let edit = |text: &str| if adds { add(text) } else { remove(text) };
                change(&project, "active_goal", edit);
            }
        };
        diverge(
            &project,
            || {
                run(&["tweak", "--boundary", "written on the side"]);
                edit("side");
            },
            || {
                run(&["note", "mainly"]);
                edit("main");
            },
        );
        merge(&project).ok();
        edit("merged");
        let merged = text(&project, "active_goal");
        let doctor = project.run(&["doctor"]);
        assert!(
            doctor.stdout.contains("document_edited"),
            "{branch}: {merged}\n{doctor}"
        );
        let ran = project.run(&["note", "n", "--json"]).ok();
        assert_eq!(codes(&ran), ["document_edited"], "{branch}");
        assert_eq!(text(&project, ".orig"), merged);
    }
}

#[test]
fn a_goal_that_ended_on_one_side_has_one_document_whatever_git_made_of_the_others() {
    for (more, ends_too, merges) in [(1, false, true), (30, false, false), (30, true, false)] {
        let project = Project::under_git();
        let run = |words: &[&str]| drop(project.run(words).ok());
        let notes = |mine: &str| change(&project, "goal_2026", |text| format!("{text}{mine}\n"));
        diverge(
            &project,
            || {
                // So much that git takes it for another file.
                for n in 0..more {
                    run(&["note", &format!("aside {n} {}", "x".repeat(10 * more))]);
                }
                run(&["abort", "--reason", "aside"]);
                notes("my side");
            },
            || {
                run(&["note", "mainly"]);
                if ends_too {
                    run(&["abort", "--reason", "mainly"]);
                }
                notes("my main");
            },
        );
        assert_eq!(merge(&project).success(), merges);
        // Where both ended, the two are one file.
        let is_second = documents(&project, "mjuohsrs").len() == 2;
        assert_eq!(is_second, !merges && !ends_too);
        let said = codes(&project.run(&["set", "go on", "--json"]).ok());
        assert_eq!(
            said.iter().any(|it| it == "document_duplicate"),
            is_second,
            "{said:?}"
        );
        assert_eq!(documents(&project, "mjuohsrs").len(), 1);
        let archived = text(&project, "archived/");
        let (rendered, notes) = archived.split_once("## Notes\n").unwrap();
        assert!(rendered.contains("Aborted since"), "{archived}");
        let mut notes: Vec<_> = notes.lines().collect();
        notes.sort_unstable();
        assert_eq!(notes, ["my main", "my side"]);
        is_clean(&project);
    }
}

#[test]
fn two_archived_documents_of_earlier_versions_become_one() {
    let project = Project::under_git();
    let end = |reason: &str, stamp: &str| {
        project.run(&["abort", "--reason", reason]).ok();
        change(&project, "archived/", |text| format!("{text}{reason}\n"));
        let path = documents(&project, "archived/").remove(0);
        let name = path.file_name().unwrap().replace("2026010100000100", stamp);
        fs::rename(&path, path.with_file_name(name)).unwrap();
    };
    diverge(
        &project,
        || end("aside", "2026010100000300"),
        || end("mainly", "2026010100000200"),
    );
    assert!(!merge(&project).success(), "no conflict");
    assert_eq!(documents(&project, "goal_").len(), 2);
    assert!(
        project
            .run(&["doctor"])
            .stdout
            .contains("document_duplicate")
    );
    let ran = project.run(&["set", "go on"]).ok();
    insta::assert_snapshot!(ran, @"
    Created and focused goal mjuohvuw-2pmcc2 (revision [id]…).
    ------- stderr -------
    note: 1 line that only $ROOT/.pi/goals/goal_events.jsonl had is now in the ledger
      nothing to do
    note: a merge left goal mjuohsrs-r8rvzl a second document, .pi/goals/archived/goal_2026010100000200_mjuohsrs-r8rvzl.md: its Notes are in .pi/goals/archived/goal_2026010100000300_mjuohsrs-r8rvzl.md, and it is removed
      look at its Notes, then give git what there is now (`git add -A`)
    note: no auditor is configured, and without one the goal cannot be completed
      `goal init --auditor NAME` tries one and keeps it: pi, claude, codex, gemini, or ./SCRIPT
    ");
    let archived = text(&project, "archived/");
    let (_, notes) = archived.split_once("## Notes\n").unwrap();
    let mut notes: Vec<_> = notes.lines().collect();
    notes.sort_unstable();
    assert_eq!(notes, ["aside", "mainly"], "{archived}");
    is_clean(&project);
}

#[test]
fn conflict_markers_in_a_document_are_rendered_over_and_notes_stay() {
    let project = Project::under_git();
    let rules = "goal_events.jsonl -text merge=union\n";
    fs::write(project.goals(".gitattributes"), rules).unwrap();
    project.commit();
    let act = |text: &str| {
        project.run(&["note", text]).ok();
        change(&project, "active_goal", |before| {
            format!("{before}my {text}\n")
        });
    };
    diverge(&project, || act("aside"), || act("mainly"));
    assert!(!merge(&project).success(), "no conflict");
    let doctor = project.run(&["doctor"]).ok();
    assert!(
        doctor.stdout.contains("git left conflict markers in"),
        "{doctor}"
    );
    let ran = project.run(&["note", "n"]).ok();
    insta::assert_snapshot!(ran, @"
    Noted for goal mjuohsrs-r8rvzl (revision [id]…).
    ------- stderr -------
    note: 1 line that only $ROOT/.pi/goals/goal_events.jsonl had is now in the ledger
      nothing to do
    note: git left conflict markers in the document of goal mjuohsrs-r8rvzl: it is rendered anew, and its Notes are as they were, in .pi/goals/active_goal_2026010100000100_mjuohsrs-r8rvzl.md
      look at its Notes, then give git what there is now (`git add -A`)
    ");
    let document = text(&project, "active_goal");
    let (rendered, notes) = document.split_once("## Notes\n").unwrap();
    assert!(!rendered.contains("<<<<<<<"), "{document}");
    for mine in ["my aside", "my mainly"] {
        assert!(notes.contains(mine), "{document}");
    }
    assert_eq!(documents(&project, ".orig"), [""; 0]);
}

#[test]
fn an_audit_hears_its_verdict_when_a_merge_moved_its_lines() {
    let (project, _) = Project::with_goal("Write docs");
    project.auditor(auditor::WAIT_AND_APPROVE);
    let base = project.ledger();
    project.run(&["note", "aside"]).ok();
    let aside = project.ledger()[base.len()..].to_vec();
    project.run(&["note", "mainly"]).ok();
    let asked = project.call(&["complete", "--json"]).spawn();
    until("the auditor works", || project.started() == 1);
    // Another tool has put a line before those of the audit.
    let more = r#"{"type":"goal_noted","goalId":"o-1","note":"n","at":"2026-01-01T00:00:00Z"}"#;
    let rest = project.ledger()[base.len() + aside.len()..].to_vec();
    let before = project.ledger();
    let moved = [&base[..], &aside, more.as_bytes(), b"\n", &rest].concat();
    fs::write(project.goals("new"), moved).unwrap();
    fs::rename(project.goals("new"), project.ledger_path()).unwrap();
    assert!(
        !project.ledger().starts_with(&before),
        "the lines are where they were"
    );
    project.go();
    let ran = Ran::new(&project, &asked.wait_with_output().unwrap()).ok();
    assert_eq!(ran.data()["verdict"], "approved");
}

#[test]
fn nothing_is_appended_between_conflict_markers() {
    let (project, _) = Project::with_goal("x");
    let ledger = project.ledger();
    let marked = [&ledger[..], b"<<<<<<< ours\n=======\n>>>>>>> theirs\n"].concat();
    project.put_ledger(&marked);
    for words in [
        &["note", "n"][..],
        &["set", "x"],
        &["pause", "--reason", "r"],
    ] {
        let refused = project.run(&[words, &["--json"]].concat()).exits(4);
        assert_eq!(refused.error_code(), "unfinished_merge");
        let said = refused.json()["error"]["message"].to_string();
        assert!(
            said.contains("line 3 of .pi/goals/goal_events.jsonl"),
            "{said}"
        );
    }
    assert_eq!(project.ledger(), marked);
    project.run(&["list"]).ok();
    project.put_ledger(ledger);
    project.run(&["note", "after"]).ok();
}

#[test]
fn a_merge_that_is_not_finished_in_the_file_is_in_nobodys_way() {
    let project = Project::under_git();
    fs::remove_file(project.goals(".gitattributes")).unwrap();
    project.commit();
    let note = |text: &str| {
        project.run(&["note", text]).ok();
    };
    diverge(&project, || note("aside"), || note("mainly"));
    assert!(!merge(&project).success(), "no conflict");
    let before = project.ledger();
    let ran = project.run(&["note", "meanwhile"]).ok();
    assert!(ran.stderr.contains("git has not finished a merge"), "{ran}");
    assert_eq!(project.ledger(), before);
    let ledger = String::from_utf8(before).unwrap();
    let is_event = |line: &&str| line.starts_with('{');
    let kept: Vec<_> = ledger.lines().filter(is_event).collect();
    project.put_ledger(format!("{}\n", kept.join("\n")));
    note("after");
    let log = project.run(&["log"]).ok().stdout;
    for said in ["aside", "mainly", "meanwhile", "after"] {
        assert!(log.contains(said), "{log}");
    }
}

#[test]
fn two_objectives_are_a_contest_and_no_edit() {
    let project = Project::under_git();
    let tweak = |objective: &str| {
        project.run(&["tweak", "--objective", objective]).ok();
    };
    diverge(
        &project,
        || tweak("Write the guide"),
        || tweak("Write the reference"),
    );
    merge(&project).ok();
    let doctor = project.run(&["doctor"]);
    assert!(doctor.stdout.contains("contested"), "{doctor}");
    assert!(!doctor.stdout.contains("document_edited"), "{doctor}");
    project.run(&["note", "after it"]).ok();
    assert_eq!(documents(&project, "").len(), 1);
}
