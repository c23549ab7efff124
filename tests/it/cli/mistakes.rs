//! What a person types who does not know the program yet, and what it answers: one table, so that a
//! reader sees at a glance whether each answer says what to do next.

use std::fmt::Write as _;

use camino::Utf8Path;

use crate::support::Project;

/// Typed in a project with one goal that is worked on, by the user; `GOAL` is its id.
const MISTAKES: &[&[&str]] = &[
    // Other tools' words.
    &["ls"],
    &["rm", "GOAL"],
    &["done"],
    &["new", "x"],
    &["history"],
    &["edit"],
    &["switch", "GOAL"],
    &["todo"],
    &["rename", "x"],
    &["undo"],
    &["reopen", "GOAL"],
    &["search", "x"],
    &["stats"],
    &["version"],
    &["man"],
    &["goals"],
    &["approve"],
    // Misspelled.
    &["lsit"],
    &["pauze", "--reason", "r"],
    &["list", "--al"],
    &["help", "exit-code"],
    &["tool", "note_progres"],
    &["--nothing"],
    // Incomplete.
    &["set"],
    &["propose"],
    &["draft"],
    &["note"],
    &["fail"],
    &["task"],
    &["task", "add"],
    &["abort"],
    &["answer", "q"],
    &["auditor"],
    &["evidence", "add", "key"],
    &["delegate", "x"],
    &["show", "--goal"],
    // In another form.
    &["set", "Write", "the", "docs"],
    &["set", "--objective", "x"],
    &["pause", "because"],
    &["abort", "it", "is", "over"],
    &["tweak", "--data", "nonsense"],
    &["tweak", "--clear", "colour"],
    &["set", "x", "--priority", "2"],
    &["set", "x", "--difficulty", "hard"],
    &["set", "x", "--check", "cargo test"],
    &["list", "--status", "open"],
    &["list", "--status", "done"],
    &["budget", "--max-seconds", "-1"],
    &["run", "--agent", "bert"],
    &["run", "--max-iterations", "lots"],
    &["verify", "--tip", "123"],
    &["completions", "tcsh"],
    &["config", "set", "auditor", "claude"],
    &["config", "set", "auditor.preset", "bert"],
    &["config", "set", "runner.retryFor", "soon"],
    &["abort", "--as", "done", "--reason", "r"],
    &["focus", "--none", "GOAL"],
    // About what is not there, or not so.
    &["focus", "nowhere"],
    &["show", "nowhere"],
    &["import", "nofile.md"],
    &["task", "set", "."],
    &["summary", "--compare", "golden.md"],
    &["task", "complete", "9"],
    &["confirm"],
    &["reject"],
    &["answer", "q", "yes"],
    &["resume"],
    &["complete"],
    &["auditor", "test"],
    &["plan"],
    &["schema", "nothing"],
    &["tool", "note_progress", "--data", "{"],
    &["set", "--like", "GOAL"],
    &["adopt", "GOAL"],
    &["-C", "/nowhere/at/all", "list"],
    &["--root", "/nowhere/at/all", "list"],
];

#[test]
fn sixty_mistakes_of_a_person() {
    assert!(MISTAKES.len() >= 60);
    let (project, goal) = Project::with_goal("Write the docs");
    let before = project.events().len();
    let mut table = String::new();
    for mistake in MISTAKES {
        let typed: Vec<&str> = mistake
            .iter()
            .map(|word| if *word == "GOAL" { goal.as_str() } else { word })
            .collect();
        let ran = project.run(&typed);
        let said = ran
            .stderr
            .replace(&goal, "GOAL")
            .replace(project.root.as_str(), "ROOT");
        let said = said.replace(project.aside.as_str(), "ASIDE");
        let _ = writeln!(
            table,
            "$ goal {}  [{}]",
            mistake.join(" "),
            ran.code.unwrap_or(-1)
        );
        for line in said.lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(table, "  {line}");
        }
        assert_ne!(ran.code, Some(0), "{ran}");
        assert_ne!(ran.code, Some(70), "{ran}");
    }
    assert_eq!(project.events().len(), before, "a mistake was recorded");
    let kept = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cli/mistakes.txt");
    if std::env::var_os("UPDATE_MISTAKES").is_some() {
        std::fs::write(&kept, &table).unwrap();
    }
    let expected = std::fs::read_to_string(&kept).unwrap_or_default();
    assert_eq!(
        table, expected,
        "if it is right: UPDATE_MISTAKES=1, and read the diff"
    );
}

#[test]
fn what_is_typed_as_elsewhere_does_what_it_says() {
    let project = Project::new();
    let quiet = project.run(&["init", "-q"]).ok();
    assert_eq!((&*quiet.stdout, &*quiet.stderr), ("", ""));
    let listed = project.run(&["draft", "list"]).ok();
    assert!(!listed.stdout.contains("Opened"), "{listed}");
    assert!(!project.ledger_path().exists());
    let twice = project.run(&["list", "--columns", "id,title,id"]).exits(2);
    assert!(twice.stderr.contains("names id twice"), "{twice}");
    let other = project.run(&["list", "--columns", "id,ledger"]).exits(2);
    assert!(other.stderr.contains("no column is called"), "{other}");
    let misplaced = ["draft", "speed", "--columns", "draft"];
    project.run(&misplaced).exits(2);
    assert!(!project.ledger_path().exists());
}
