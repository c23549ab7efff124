//! Tests of procedures as files: what is found, what hides what, and what is wrong where.

use std::fs;

use super::*;

const TRAIN: &str = include_str!("../../../fixtures/procedures/train.md");

fn problem(text: &str) -> String {
    let problems = parse("p", text).unwrap_err();
    let shown = problems
        .iter()
        .map(|it| format!("{}: {}\n", it.line, it.message));
    shown.collect()
}

#[test]
fn a_procedure_is_read_whatever_its_line_ends() {
    let train = parse("train", TRAIN).unwrap();
    assert_eq!(train.title, "Book a train ticket");
    assert_eq!(train.intent, ["find a train", "travel by train"]);
    assert_eq!(train.parameters, ["origin", "destination"]);
    let kinds: Vec<&str> = train.steps.iter().map(|it| it.pred.name.as_str()).collect();
    let expected = [
        "gather_info",
        "use_tool",
        "present_info",
        "confirm",
        "use_tool",
    ];
    assert_eq!(kinds, expected);
    let crlf = format!("\u{feff}{}", TRAIN.replace('\n', "\r\n"));
    assert_eq!(parse("train", &crlf).unwrap(), train);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let steps = "## Steps\n1. a\n";
    for (header, says) in [
        ("", "1: the frontmatter has no `title`"),
        ("title: 0042", "2: `title` must be text, in quotes"),
        ("title: true", "2: `title` must be text"),
        ("title: [a, b]", "2: `title` must be text"),
        ("title: \"\"", "2: `title` must be text"),
        ("title: a\ntitle: b", "3: `title` stands twice"),
        ("title: a\nsteps: b", "3: `steps` is not known"),
        ("title: a\nparameters: [a b]", "3: the parameter `a b`"),
        ("title: a\nparameters: [[a]]", "3: only plain text"),
        ("title: a\nparameters:\n  - - a", "4: only plain text"),
        ("title: &a b\nintent: *a", "2: only plain text"),
        (
            "title: T\nintent: !t\n\nparameters: a",
            "3: only plain text",
        ),
        ("title: T\nintent: &a\n\n", "3: only plain text"),
        ("title: T\nintent: |\n  a", "3: only plain text"),
        ("title: a\nintent: [&a b, *a]", "3: only plain text"),
        ("title: *x", "2: only plain text"),
        ("title: @a", "2: only plain text"),
        ("title: a\nintent: - foo", "3: only plain text"),
        ("title: a\n  deep: b", "3: neither"),
        ("title: \"a", "1: the frontmatter is no YAML"),
    ] {
        let found = problem(&format!("---\n{header}\n---\n{steps}"));
        assert!(found.contains(says), "{header:?}: {found}");
    }
    assert!(problem("# Title\n").contains("1: it does not begin with frontmatter"));
    assert!(problem("---\ntitle: a\n").contains("no closing"));
    assert!(problem("---\ntitle: a\n---\n\n## Steps\n\nx\n").contains("7: neither a numbered"));
    assert!(problem(&"x".repeat(MOST_BYTES + 1)).contains("are the most"));
    assert!(parse("../up", TRAIN).is_err());
}

#[test]
fn the_projects_own_hides_the_users_and_a_broken_one_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(dir.path()).unwrap();
    let [project, user] = ["project", "user"].map(|name| root.join(name));
    fs::create_dir(&project).unwrap();
    fs::create_dir(&user).unwrap();
    fs::write(project.join("train.md"), TRAIN).unwrap();
    fs::write(
        user.join("train.md"),
        TRAIN.replace("train ticket", "plane"),
    )
    .unwrap();
    fs::write(project.join("other.md"), "no procedure").unwrap();
    fs::write(user.join("other.md"), TRAIN).unwrap();
    fs::write(user.join("notes.txt"), "no markdown").unwrap();
    std::os::unix::fs::symlink(user.join("other.md"), project.join("link.md")).unwrap();
    let library = load(&[
        (Source::Project, project.clone()),
        (Source::User, user),
        (Source::User, root.join("missing")),
    ]);
    let found: Vec<_> = library
        .procedures
        .iter()
        .map(|it| (it.procedure.id.as_str(), it.source))
        .collect();
    assert_eq!(found, [("other", Source::User), ("train", Source::Project)]);
    assert_eq!(library.procedures[1].procedure.title, "Book a train ticket");
    let broken: Vec<_> = library.broken.iter().map(|it| it.path.clone()).collect();
    assert_eq!(broken, [project.join("link.md"), project.join("other.md")]);
    assert!(library.broken[0].problems[0].message.contains("symlink"));
}
