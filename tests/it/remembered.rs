//! A saved state changes no output, whatever becomes of the documents: the oracle over the whole program.
//! The one beside `snapshot::documents` is finer.

use std::fs::{self, File, FileTimes};

use camino::Utf8PathBuf;
use proptest::prelude::*;

use crate::support::Project;

/// What may happen between two readings.
#[derive(Debug, Clone, Copy)]
enum Step {
    Note,
    /// Two goals end, and their documents go to the archive.
    Abandon,
    Create,
    /// A document of another tool, about a goal that the ledger does not know.
    Put(&'static str),
    /// It is edited in place, then looks as it did.
    Edit,
    Rename,
    Remove,
    /// Another program tweaks a goal, so that its document counts again.
    Tweak,
    /// Somebody takes a document out of the archive.
    Unarchive,
    Orphan,
    Link,
    /// A document comes, and the directory's times go back.
    Quietly,
    /// A byte of what is saved is another.
    Damage,
}

const STEPS: [Step; 14] = [
    Step::Abandon,
    Step::Create,
    Step::Put(""),
    Step::Put("archived"),
    Step::Edit,
    Step::Rename,
    Step::Remove,
    Step::Tweak,
    Step::Unarchive,
    Step::Orphan,
    Step::Link,
    Step::Quietly,
    Step::Damage,
    Step::Note,
];

const GOALS: usize = 40;
const OPEN: usize = 8;
const FOREIGN: &str = "{\"id\":\"theirs\",\"objective\":\"o\",\"status\":\"active\"}\n\n";

/// So many goals of ours, most of them ended, with their documents; just long enough for a cache.
fn long() -> Project {
    let project = Project::new();
    let mut text = String::new();
    let mut add = |at: usize, goal: usize, event: &str| {
        let prev = "0".repeat(32);
        text.push_str(&format!(
            "{{{event},\"goalId\":\"g{goal}\",\"at\":\"2025-01-01T00:00:{:02}.{:03}Z\",\
             \"by\":\"user\",\"prev\":\"{prev}\"}}\n",
            at / 1000,
            at % 1000
        ));
    };
    let created =
        r#""type":"goal_created","objective":"an objective","sisyphus":false,"autoContinue":true"#;
    for goal in 0..GOALS {
        add(goal, goal, created);
    }
    for at in GOALS..2_020 {
        add(at, at % GOALS, r#""type":"goal_noted","note":"n""#);
    }
    for goal in OPEN..GOALS {
        add(2_020 + goal, goal, r#""type":"goal_aborted","reason":"r""#);
    }
    project.put_ledger(text);
    project.run(&["repair"]).ok();
    project.run(&["status"]).ok();
    project
}

/// The saved state; beside it lies the word when the ledger was last seen to be unchanged.
fn saved(project: &Project) -> Option<Utf8PathBuf> {
    let dir = project.aside.join("home/cache/goal/replay");
    let found = dir.read_dir_utf8().unwrap();
    let paths = found.map(|it| it.unwrap().into_path());
    paths.max_by_key(|it| it.metadata().unwrap().len())
}

/// The documents in a directory, by name.
fn documents(project: &Project, dir: &str) -> Vec<Utf8PathBuf> {
    let found = project.goals(dir).read_dir_utf8().unwrap();
    let mut paths: Vec<_> = found.map(|it| it.unwrap().into_path()).collect();
    paths.retain(|it| it.extension() == Some("md") && it.symlink_metadata().unwrap().is_file());
    paths.sort();
    paths
}

fn foreign(project: &Project, dir: &str, stamp: u8) -> Utf8PathBuf {
    let name = format!("goal_20260101000000{stamp:02}_theirs.md");
    project.goals(dir).join(name)
}

fn take(project: &Project, step: Step) {
    let archived = documents(project, "archived");
    match step {
        Step::Note => drop(project.run(&["note", "n", "--goal", "g1"])),
        Step::Abandon => {
            for goal in ["g3", "g5"] {
                project.run(&["abandon", "--goal", goal, "--reason", "r"]);
            }
        }
        Step::Create => drop(project.run(&["set", "another"])),
        Step::Put(dir) => fs::write(foreign(project, dir, 1), FOREIGN).unwrap(),
        Step::Edit => {
            let path = &archived[archived.len() - 1];
            let modified = path.metadata().unwrap().modified().unwrap();
            fs::write(path, FOREIGN.replace("active", "paused")).unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.set_times(FileTimes::new().set_modified(modified))
                .unwrap();
        }
        Step::Rename => fs::rename(&archived[0], foreign(project, "archived", 2)).unwrap(),
        Step::Remove => fs::remove_file(&archived[archived.len() / 2]).unwrap(),
        Step::Tweak => project
            .append_line(r#"{"type":"goal_tweaked","goalId":"g7","changeSummary":"s","at":"t"}"#),
        Step::Unarchive => {
            let path = &archived[archived.len() / 3];
            fs::rename(path, project.goals(path.file_name().unwrap())).unwrap();
        }
        Step::Orphan => fs::write(project.goals("archived/a.md.1.tmp"), "").unwrap(),
        Step::Link => {
            let path = project.goals("archived/goal_2026010100000003_g1.md");
            std::os::unix::fs::symlink(&archived[0], path).unwrap();
        }
        Step::Quietly => {
            let dir = project.goals("archived");
            let modified = dir.metadata().unwrap().modified().unwrap();
            fs::write(foreign(project, "archived", 4), FOREIGN).unwrap();
            let times = FileTimes::new().set_modified(modified);
            File::open(dir).unwrap().set_times(times).unwrap();
        }
        Step::Damage => {
            if let Some(path) = saved(project) {
                let mut bytes = fs::read(&path).unwrap();
                let middle = bytes.len() / 8;
                bytes[middle] ^= 1;
                fs::write(path, bytes).unwrap();
            }
        }
    }
}

/// What is printed, with what is saved and without.
fn both(project: &Project, command: &str) -> [String; 2] {
    ["0", "1"].map(|without| {
        let call = project.call(&["--json", command]);
        let call = call.env("GOAL_TEST_CLOCK", "2026-02-01T00:00:00.000Z");
        call.env("GOAL_NO_CACHE", without).run().to_string()
    })
}

proptest! {
    // Each step runs the program four times.
    #![proptest_config(ProptestConfig {
        cases: 1,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn with_and_without_a_saved_state_the_same_is_printed(
        steps in Just(STEPS.to_vec()).prop_shuffle(),
    ) {
        let project = long();
        prop_assert!(saved(&project).is_some(), "nothing is saved");
        for (at, step) in steps.into_iter().enumerate() {
            take(&project, step);
            // Two of four, in turn.
            for command in [["status", "doctor"][at % 2], ["list", "summary"][at / 2 % 2]] {
                let [with, without] = both(&project, command);
                prop_assert_eq!(with, without, "{} after {:?}", command, step);
            }
        }
    }
}
