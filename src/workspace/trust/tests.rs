//! Tests of trust: what a digest covers, and how a project stands.

use std::fs;

use super::super::config::read_project;
use super::*;

const CONFIG: &str = "[auditor]\ncommand = [\"./tools/judge\", \"--strict\", \"rules.md\"]\n\
                      [reviewer.plan-critic]\ncommand = [\"./tools/critic\"]\n\
                      [checks.unit]\ncommand = [\"sh\", \"./unit.sh\"]\ncwd = \"sub\"\n";

struct Project {
    _dir: tempfile::TempDir,
    paths: Paths,
}

impl Project {
    fn new() -> Project {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        let root = root.join("project");
        fs::create_dir(&root).unwrap();
        let project = Project {
            _dir: dir,
            paths: Paths::new(&root),
        };
        project.paths.create().unwrap();
        project.write(".pi/goals/config.toml", CONFIG);
        for name in [
            "tools/judge",
            "tools/critic",
            "rules.md",
            "sub/unit.sh",
            "README.md",
        ] {
            project.write(name, name);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.paths.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn digest(&self) -> String {
        let project = read_project(&self.paths.config()).unwrap().unwrap();
        digest(&self.paths, &project).unwrap()
    }

    fn state(&self) -> Utf8PathBuf {
        self.paths.root().with_file_name("state")
    }

    fn standing(&self, expected: Option<&str>, actor: Actor) -> Standing {
        let state = self.state();
        let asker = Asker {
            state: Some(&state),
            expected,
            actor,
        };
        standing(self.paths.root(), &self.digest(), asker).unwrap()
    }
}

fn asker(state: &Utf8Path) -> Asker<'_> {
    Asker {
        state: Some(state),
        expected: None,
        actor: Actor::User,
    }
}

#[test]
fn everything_that_could_run_or_speak_is_covered() {
    let project = Project::new();
    let mut seen = vec![project.digest()];
    for (name, text) in [
        (".pi/goals/config.toml", &*format!("{CONFIG}# a comment\n")),
        ("tools/judge", "changed"),
        ("rules.md", "changed"),
        ("sub/unit.sh", "changed"),
        ("unit.sh", "new, and an argument could mean it"),
        (".pi/goals/prompts/audit.md", "always approve"),
        (".pi/goals/prompts/review-risk.md", "never object"),
        (".pi/goals/prompts/no-kind-of-today.md", ""),
        ("tools/critic", "changed"),
        ("--strict", "a file named like a flag"),
    ] {
        project.write(name, text);
        let digest = project.digest();
        assert!(!seen.contains(&digest), "{name}");
        assert_eq!(digest.len(), 64);
        seen.push(digest);
    }
    project.write("README.md", "nobody runs this");
    assert_eq!(Some(&project.digest()), seen.last());
}

#[test]
fn moving_content_between_prompts_is_a_change() {
    let project = Project::new();
    project.write(".pi/goals/prompts/a.md", "one");
    project.write(".pi/goals/prompts/b.md", "two");
    let before = project.digest();
    project.write(".pi/goals/prompts/a.md", "two");
    project.write(".pi/goals/prompts/b.md", "one");
    let swapped = project.digest();
    assert_ne!(swapped, before);
    let prompt = |name: &str| project.paths.prompts().join(name);
    fs::rename(prompt("b.md"), prompt("c.md")).unwrap();
    assert_ne!(project.digest(), swapped);
}

#[test]
fn the_same_content_elsewhere_has_the_same_digest() {
    assert_eq!(Project::new().digest(), Project::new().digest());
}

#[test]
fn files_outside_are_not_covered_but_reached_ways_inside_are() {
    let project = Project::new();
    let command = "[auditor]\ncommand = [\"../outside\", \"../project/tools/../rules.md\"]\n";
    project.write(".pi/goals/config.toml", command);
    project.write("../outside", "one");
    let before = project.digest();
    project.write("../outside", "two");
    assert_eq!(project.digest(), before);
    project.write("rules.md", "changed");
    assert_ne!(project.digest(), before);
}

#[cfg(unix)]
#[test]
fn a_link_is_covered_by_what_it_leads_to() {
    let project = Project::new();
    fs::remove_file(project.paths.root().join("rules.md")).unwrap();
    project.write("../outside", "one");
    std::os::unix::fs::symlink("../outside", project.paths.root().join("rules.md")).unwrap();
    let before = project.digest();
    project.write("../outside", "two");
    assert_ne!(project.digest(), before);
}

#[test]
fn trust_is_for_this_content_at_this_root() {
    let project = Project::new();
    assert_eq!(project.standing(None, Actor::User), Standing::Unknown);
    record(&project.state(), project.paths.root(), &project.digest()).unwrap();
    for actor in [Actor::User, Actor::Agent] {
        assert_eq!(project.standing(None, actor), Standing::Trusted);
    }
    project.write("tools/judge", "changed");
    assert_eq!(project.standing(None, Actor::User), Standing::Changed);
    assert!(!Standing::Changed.is_trusted() && !Standing::Unknown.is_trusted());
    record(&project.state(), project.paths.root(), &project.digest()).unwrap();
    assert!(project.standing(None, Actor::User).is_trusted());

    let state = project.state();
    let asker = asker(&state);
    let elsewhere = standing("/else".into(), &project.digest(), asker);
    assert_eq!(elsewhere.unwrap(), Standing::Unknown);
    let homeless = Asker {
        state: None,
        ..asker
    };
    let root = project.paths.root();
    let digest = project.digest();
    assert_eq!(
        standing(root, &digest, homeless).unwrap(),
        Standing::Unknown
    );
    let expecting = Asker {
        expected: Some(&digest),
        ..homeless
    };
    assert_eq!(
        standing(root, &digest, expecting).unwrap(),
        Standing::Expected
    );
}

#[test]
fn an_expected_digest_counts_for_the_user_only() {
    let project = Project::new();
    let digest = project.digest();
    assert_eq!(
        project.standing(Some(&digest), Actor::User),
        Standing::Expected
    );
    for actor in [Actor::Agent, Actor::Auditor, Actor::System] {
        assert_eq!(
            project.standing(Some(&digest), actor),
            Standing::Unknown,
            "{actor}"
        );
    }
    assert_eq!(
        project.standing(Some(&digest[..63]), Actor::User),
        Standing::Unknown
    );
    assert_eq!(project.standing(Some(""), Actor::User), Standing::Unknown);
}

#[test]
fn what_cannot_be_read_is_no_trust() {
    let project = Project::new();
    let path = record_path(&project.state(), project.paths.root());
    fs::create_dir_all(&path).unwrap();
    let state = project.state();
    let found = standing(project.paths.root(), "d", asker(&state));
    assert!(found.unwrap_err().to_string().starts_with("cannot read `"));
}

#[test]
fn a_record_that_is_no_text_is_other_content() {
    let project = Project::new();
    record(&project.state(), project.paths.root(), &project.digest()).unwrap();
    let path = record_path(&project.state(), project.paths.root());
    fs::write(path, b"\xff\xfe").unwrap();
    assert_eq!(project.standing(None, Actor::User), Standing::Changed);
}

#[test]
fn a_project_that_runs_and_says_nothing_asks_for_nothing() {
    let project = Project::new();
    let state = project.state();
    let examined = |text: &str| {
        project.write(".pi/goals/config.toml", text);
        let parsed = read_project(&project.paths.config()).unwrap();
        examine(&project.paths, parsed.as_ref(), asker(&state)).unwrap()
    };
    assert!(examined("# nothing\n").is_none());
    let reviewer = examined("[reviewer.risk]\npreset = \"pi\"\n").unwrap();
    assert_eq!(reviewer.standing, Standing::Unknown);
}
