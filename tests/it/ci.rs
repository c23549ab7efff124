//! `.ci/run` runs what a change can break: which steps it chooses, and why, in a repository of its
//! own that has only the script and its map.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use camino::Utf8PathBuf;

/// A repository with `.ci` and one commit.
struct Repository {
    _kept: tempfile::TempDir,
    root: Utf8PathBuf,
}

impl Repository {
    fn new() -> Repository {
        let kept = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(kept.path().to_owned()).unwrap();
        let made = Repository { _kept: kept, root };
        let from = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in [".ci/run", ".ci/map", "scripts/network"] {
            let to = made.root.join(name);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(from.join(name), to).unwrap();
        }
        made.git(&["init", "--quiet"]);
        made.git(&["config", "user.name", "Ann"]);
        made.git(&["config", "user.email", "ann@example.org"]);
        made.commit();
        made
    }

    fn git(&self, arguments: &[&str]) -> String {
        let done = Command::new("git")
            .args(arguments)
            .current_dir(&self.root)
            .output()
            .unwrap();
        assert!(done.status.success(), "git {arguments:?}: {done:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything, and gives the commit's id.
    fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn write(&self, path: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "changed\n").unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new("bash")
            .arg(".ci/run")
            .args(arguments)
            .current_dir(&self.root)
            .output()
            .unwrap()
    }

    /// The steps of the map that would run.
    fn chosen(&self, arguments: &[&str]) -> Vec<String> {
        let done = self.run(arguments);
        assert!(done.status.success(), "{done:?}");
        let text = String::from_utf8(done.stdout).unwrap();
        let rows = text.lines().filter_map(|line| line.strip_prefix("* "));
        let mapped = rows.filter(|row| !row.ends_with(" always"));
        let name = |row: &str| row.split(' ').next().unwrap().to_owned();
        mapped.map(name).collect()
    }
}

/// The steps of the map, in the order of the map.
fn mapped() -> Vec<String> {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/map")).unwrap();
    let rows = map
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'));
    rows.map(|row| row.split(' ').next().unwrap().to_owned())
        .collect()
}

#[test]
fn a_step_runs_when_a_file_of_its_row_changed() {
    let repository = Repository::new();
    let base = repository.commit();
    repository.write("src/render/list/mod.rs");
    repository.commit();
    assert!(repository.chosen(&["--list", &base]).is_empty());
    repository.write("stores/postgres/src/main.rs");
    repository.commit();
    assert_eq!(repository.chosen(&["--list", &base]), ["postgres"]);
    // What is not committed counts, and so does a file that git does not have yet.
    repository.write("src/render/report/page/new.rs");
    assert_eq!(repository.chosen(&["--list", &base]), ["page", "postgres"]);
    // A change of the choice itself runs everything.
    let script = repository.root.join(".ci/run");
    let text = fs::read_to_string(&script).unwrap();
    fs::write(&script, format!("{text}# changed\n")).unwrap();
    assert_eq!(
        sorted(repository.chosen(&["--list", &base])),
        sorted(mapped())
    );
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn the_commit_to_compare_with_is_given_or_the_last_tag_or_the_last_landing() {
    let repository = Repository::new();
    // Nothing can be told.
    assert_eq!(sorted(repository.chosen(&["--list"])), sorted(mapped()));
    let landed = repository.commit();
    fs::write(repository.root.join(".ci/landed"), format!("{landed}\n")).unwrap();
    repository.write("fuzz/src/lib.rs");
    repository.commit();
    assert_eq!(repository.chosen(&["--list"]), ["fuzzing"]);
    repository.git(&["tag", "v1"]);
    // A tag of this very commit is nothing to compare with.
    assert_eq!(repository.chosen(&["--list"]), ["fuzzing"]);
    repository.write("stores/README.md");
    repository.commit();
    assert_eq!(repository.chosen(&["--list"]), ["postgres"]);
    assert_eq!(
        repository.chosen(&["--list", &landed]),
        ["postgres", "fuzzing"]
    );
    assert_eq!(
        sorted(repository.chosen(&["--list", "--all"])),
        sorted(mapped())
    );
    // What lies aside is no ancestor.
    repository.git(&["checkout", "--quiet", "-b", "aside", &landed]);
    repository.write("aside");
    let aside = repository.commit();
    repository.git(&["checkout", "--quiet", "-"]);
    for wrong in [aside.as_str(), "HEAD", "nowhere"] {
        let done = repository.run(&["--list", wrong]);
        assert_eq!(done.status.code(), Some(2), "{wrong}");
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(said, format!("{wrong} is no commit before HEAD\n"));
    }
}

#[test]
fn every_row_of_the_map_is_a_step_and_names_what_is_there() {
    let repository = Repository::new();
    let all = String::from_utf8(repository.run(&["--list"]).stdout).unwrap();
    let steps: Vec<&str> = all
        .lines()
        .map(|row| row[2..].split(' ').next().unwrap())
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = fs::read_to_string(root.join(".ci/map")).unwrap();
    for row in map
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'))
    {
        let mut words = row.split_ascii_whitespace();
        let step = words.next().unwrap();
        assert!(steps.contains(&step), "{step} is no step of .ci/run");
        for path in words {
            let (folder, pattern) = path.rsplit_once('/').unwrap_or(("", path));
            let start = pattern.trim_end_matches('*');
            let mut entries = fs::read_dir(root.join(folder)).unwrap();
            let there = entries.any(|entry| {
                let name = entry.unwrap().file_name();
                let name = name.to_str().unwrap();
                if pattern.ends_with('*') {
                    name.starts_with(start)
                } else {
                    name == pattern
                }
            });
            assert!(there, "{step}: there is no {path}");
        }
    }
}
