//! Tests of trust: what a digest covers, and how a project stands.

use std::fs;

use super::super::config::read_project;
use super::*;

const CONFIG: &str = "[auditor]\ncommand = [\"./tools/judge\", \"--strict\", \"rules.md\"]\n\
                      [reviewer.plan-critic]\ncommand = [\"./tools/critic\"]\n\
                      [checks.unit]\ncommand = [\"sh\", \"./unit.sh\"]\ncwd = \"sub\"\n\
                      pinned = [\"sub/t.py\", \"sub/gone.py\"]\n";

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
            "sub/t.py",
            "README.md",
        ] {
            project.write(name, name);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.paths.tree().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn examined(&self, expected: Option<&str>, actor: Actor) -> Examined {
        let state = self.state();
        let asker = Asker {
            expected,
            actor,
            ..asker(&state)
        };
        examine(&self.paths, &self.loaded(), asker)
            .unwrap()
            .unwrap()
    }

    fn loaded(&self) -> Loaded {
        Loaded {
            project: read_project(&self.paths.config()).unwrap(),
            user: None,
        }
    }

    fn digest(&self) -> String {
        self.examined(None, Actor::User).digest
    }

    fn trust(&self) {
        let examined = self.examined(None, Actor::User);
        examined
            .record(&self.state(), &self.paths, &key(&self.state()))
            .unwrap();
    }

    fn state(&self) -> Utf8PathBuf {
        self.paths.tree().with_file_name("state")
    }

    fn standing(&self, expected: Option<&str>, actor: Actor) -> TrustStatus {
        self.examined(expected, actor).standing
    }
}

fn key(state: &Utf8Path) -> Key {
    keys::read_or_make(state, None).unwrap()
}

fn asker(state: &Utf8Path) -> Asker<'_> {
    Asker {
        state: Some(state),
        expected: None,
        actor: Actor::User,
        search_path: None,
    }
}

#[test]
fn everything_that_could_run_or_speak_is_covered_and_nothing_else() {
    let project = Project::new();
    let mut seen = vec![project.digest()];
    for (name, text) in [
        (".pi/goals/config.toml", &*format!("{CONFIG}# a comment\n")),
        ("tools/judge", "changed"),
        ("sub/t.py", "changed"),
        ("sub/gone.py", "new"),
        (".pi/goals/prompts/audit.md", "always approve"),
        (".pi/goals/prompts/review-risk.md", "never object"),
        (".pi/goals/prompts/no-kind-of-today.md", ""),
        ("tools/critic", "changed"),
    ] {
        project.write(name, text);
        let digest = project.digest();
        assert!(!seen.contains(&digest), "{name}");
        assert_eq!(digest.len(), 64);
        seen.push(digest);
    }
    for read in ["README.md", "rules.md", "--strict", "sub/unit.sh"] {
        project.write(read, "no judge runs this");
        assert_eq!(Some(&project.digest()), seen.last(), "{read}");
    }
}

#[test]
fn a_change_withdraws_trust_from_what_it_is_of_and_says_so() {
    let project = Project::new();
    project.write(".pi/goals/prompts/audit.md", "judge");
    project.trust();
    let objections = |part: Part<'_>| project.examined(None, Actor::Agent).objections(part);
    assert!(objections(Part::Whole).is_empty());
    project.write("sub/unit.sh", "a check's program may change");
    assert!(objections(Part::Whole).is_empty());
    project.write("sub/t.py", "changed");
    let unit = ["`sub/t.py`, which `checks.unit` uses, changed since the user trusted it"];
    assert_eq!(objections(Part::Command("checks.unit")), unit);
    assert_eq!(objections(Part::Whole), unit);
    assert!(objections(Part::Command("auditor")).is_empty());
    assert!(objections(Part::Templates).is_empty());
    fs::remove_file(project.paths.tree().join("sub/t.py")).unwrap();
    assert_eq!(objections(Part::Command("checks.unit")), unit);
    project.write("sub/t.py", "sub/t.py");
    project.write("tools/judge", "changed");
    assert_eq!(
        objections(Part::Command("auditor")),
        ["`tools/judge`, which `auditor` uses, changed since the user trusted it"]
    );
    // One that is not there runs no more.
    fs::remove_file(project.paths.tree().join("tools/judge")).unwrap();
    assert!(objections(Part::Whole).is_empty());
    project.write("tools/judge", "tools/judge");
    project.write(".pi/goals/prompts/audit.md", "approve");
    assert!(objections(Part::Command("auditor")).is_empty());
    assert_eq!(objections(Part::Templates).len(), 1);
    project.write(".pi/goals/prompts/audit.md", "judge");
    assert!(objections(Part::Whole).is_empty());
    project.write(".pi/goals/config.toml", &format!("{CONFIG}\n"));
    for part in [Part::Templates, Part::Command("auditor"), Part::Whole] {
        assert_eq!(
            objections(part),
            ["`.pi/goals/config.toml` changed since the user trusted it"]
        );
    }
}

/// It covered the programs of checks too; what is covered now is as it was then.
#[test]
fn what_an_earlier_version_covered_beside_this_takes_no_trust_away() {
    let project = Project::new();
    let mut before = project.examined(None, Actor::User);
    let program = Covered {
        digest: "ab".repeat(32),
        commands: vec!["checks.unit".into()],
    };
    before.coverage.insert("sub/unit.sh".into(), program);
    before.digest = "cd".repeat(32);
    before
        .record(&project.state(), &project.paths, &key(&project.state()))
        .unwrap();
    assert_eq!(project.standing(None, Actor::Agent), TrustStatus::Trusted);
    project.write("tools/judge", "changed");
    assert_eq!(project.standing(None, Actor::Agent), TrustStatus::Changed);
}

#[test]
fn a_command_of_the_user_s_own_that_runs_a_program_of_the_project_is_covered() {
    let project = Project::new();
    let user = project.paths.tree().with_file_name("user.toml");
    fs::write(&user, "[auditor]\ncommand = [\"./tools/judge\"]\n").unwrap();
    let state = project.state();
    fs::remove_file(project.paths.config()).unwrap();
    let loaded = Loaded {
        project: None,
        user: super::super::config::read_user(&user).unwrap(),
    };
    let examined = || {
        examine(&project.paths, &loaded, asker(&state))
            .unwrap()
            .unwrap()
    };
    let part = own("auditor");
    assert_eq!(examined().objections(Part::Command(&part)).len(), 1);
    examined()
        .record(&state, &project.paths, &key(&state))
        .unwrap();
    assert!(examined().objections(Part::Command(&part)).is_empty());
    project.write("tools/judge", "changed");
    assert_eq!(examined().objections(Part::Command(&part)).len(), 1);
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
    let command = "[auditor]\ncommand = [\"sh\", \"../project/tools/../rules.md\"]\n[planner]\ncommand = [\"../outside\"]\n";
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
    fs::remove_file(project.paths.tree().join("tools/judge")).unwrap();
    project.write("../outside", "one");
    std::os::unix::fs::symlink("../../outside", project.paths.tree().join("tools/judge")).unwrap();
    let before = project.digest();
    project.write("../outside", "two");
    assert_ne!(project.digest(), before);
}

#[test]
fn trust_is_for_this_content_at_this_root() {
    let project = Project::new();
    assert_eq!(project.standing(None, Actor::User), TrustStatus::Unknown);
    project.trust();
    for actor in [Actor::User, Actor::Agent] {
        assert_eq!(project.standing(None, actor), TrustStatus::Trusted);
    }
    project.write("tools/judge", "changed");
    assert_eq!(project.standing(None, Actor::User), TrustStatus::Changed);
    assert!(!TrustStatus::Changed.is_trusted() && !TrustStatus::Unknown.is_trusted());
    project.trust();
    assert!(project.standing(None, Actor::User).is_trusted());

    let state = project.state();
    let asker = asker(&state);
    let digest = project.digest();
    let stands = |root: &Utf8Path, asker| standing(root, &digest, asker).0;
    assert_eq!(stands("/else".into(), asker), TrustStatus::Unknown);
    let homeless = Asker {
        state: None,
        ..asker
    };
    let root = project.paths.tree();
    assert_eq!(stands(root, homeless), TrustStatus::Unknown);
    let expecting = Asker {
        expected: Some(&digest),
        ..homeless
    };
    assert_eq!(stands(root, expecting), TrustStatus::Expected);
}

#[test]
fn an_expected_digest_counts_for_the_user_only() {
    let project = Project::new();
    let digest = project.digest();
    assert_eq!(
        project.standing(Some(&digest), Actor::User),
        TrustStatus::Expected
    );
    for actor in [Actor::Agent, Actor::Auditor, Actor::System] {
        assert_eq!(
            project.standing(Some(&digest), actor),
            TrustStatus::Unknown,
            "{actor}"
        );
    }
    assert_eq!(
        project.standing(Some(&digest[..63]), Actor::User),
        TrustStatus::Unknown
    );
    assert_eq!(
        project.standing(Some(""), Actor::User),
        TrustStatus::Unknown
    );
}

#[test]
fn a_record_that_this_machine_did_not_make_is_none() {
    let project = Project::new();
    project.trust();
    let path = Record::path(&project.state(), project.paths.tree());
    let text = fs::read_to_string(&path).unwrap();
    let (_, record) = text.split_once('\n').unwrap();
    // As somebody without the key writes it, and as an earlier version wrote it.
    let unsealed = format!("{}\n{}\n{record}\n", project.digest(), project.paths.tree());
    for made_up in [record, &unsealed, ""] {
        fs::write(&path, made_up).unwrap();
        assert_eq!(project.standing(None, Actor::User), TrustStatus::Unknown);
    }
    fs::write(&path, &text).unwrap();
    assert_eq!(project.standing(None, Actor::User), TrustStatus::Trusted);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(project.standing(None, Actor::User), TrustStatus::Unknown);
}

#[test]
fn a_project_that_runs_and_says_nothing_asks_for_nothing() {
    let project = Project::new();
    let state = project.state();
    let examined = |text: &str| {
        project.write(".pi/goals/config.toml", text);
        examine(&project.paths, &project.loaded(), asker(&state)).unwrap()
    };
    assert!(examined("# nothing\n").is_none());
    let reviewer = examined("[reviewer.risk]\npreset = \"pi\"\n").unwrap();
    assert_eq!(reviewer.standing, TrustStatus::Unknown);
}
