//! Tests of configuration: what is read, what is refused and where, and what wins.

use std::time::Duration;

use super::super::presets::Model;
use super::*;
use crate::domain::review::ReviewRole;

fn write(text: &str) -> (tempfile::TempDir, camino::Utf8PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(dir.path()).unwrap().join("config.toml");
    std::fs::write(&path, text).unwrap();
    (dir, path)
}

fn parsed(text: &str) -> Option<Parsed> {
    let (_dir, path) = write(text);
    read_project(&path).unwrap()
}

fn refused(text: &str) -> (usize, String, String) {
    let (_dir, path) = write(text);
    match read_project(&path) {
        Err(ConfigError::Invalid {
            line, key, message, ..
        }) => (line, key, message),
        other => panic!("{text}: {other:?}"),
    }
}

fn resolved(project: &str, user: &str) -> Config {
    resolve(&Loaded {
        project: parsed(project),
        user: parsed(user),
    })
}

fn chosen(
    project: &str,
    role: Role,
    choice: Choice<'_>,
) -> Result<Option<CommandInForce>, ConfigError> {
    resolved(project, "").command(role, choice, Utf8Path::new("/cwd"))
}

#[test]
fn a_full_file_is_read() {
    let file = parsed(
        "[auditor]\ncommand = [\"my-auditor\", \"--flag\"]\nprovider = \"p\"\nmodel = \"m\"\n\
         thinking = \"high\"\ntimeout = 60\n[checks.tests_pass]\ncommand = [\"cargo\", \"test\"]\n\
         cwd = \"sub/dir\"\ntimeout = 5\n[checks.fmt]\ncommand = [\"cargo\", \"fmt\"]\n",
    )
    .unwrap()
    .file;
    let auditor = &file.roles[&Role::Auditor];
    assert_eq!(auditor.argv, ["my-auditor", "--flag"]);
    assert_eq!(auditor.timeout, Some(Duration::from_secs(60)));
    let text = |text: &str| Some(text.to_owned());
    let model = Model {
        provider: text("p"),
        model: text("m"),
        thinking: text("high"),
    };
    assert_eq!(auditor.model, model);
    assert_eq!(file.checks.0["tests_pass"].cwd.0, "sub/dir");
    assert_eq!(file.checks.0["fmt"].cwd.0, ".");
    assert_eq!(file.checks.0["fmt"].timeout, None);
}

#[test]
fn a_missing_file_is_empty_and_other_kinds_are_refused() {
    let (_dir, path) = write("");
    let missing = path.with_file_name("none.toml");
    let loaded = load(&missing, Some(&missing)).unwrap();
    assert!(loaded.project.is_none() && loaded.user.is_none());
    assert!(read_user(&path.join("below.toml")).unwrap().is_none());
    let directory = path.parent().unwrap();
    assert!(matches!(
        read_project(directory),
        Err(ConfigError::NotAFile { .. })
    ));
    std::fs::write(&path, b"\xff").unwrap();
    assert!(matches!(
        read_project(&path),
        Err(ConfigError::Unreadable { .. })
    ));
}

#[cfg(unix)]
#[test]
fn a_linked_file_is_the_users_right_only() {
    let (_dir, path) = write("[auditor]\npreset = \"pi\"\n");
    let link = path.with_file_name("link.toml");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(matches!(
        read_project(&link),
        Err(ConfigError::NotAFile { .. })
    ));
    assert!(read_user(&link).unwrap().is_some());
}

#[test]
fn what_is_wrong_is_named_with_line_and_key() {
    let cases = [
        ("\n[auditor\n", 2, "", ""),
        (
            "[auditr]\npreset = \"pi\"\n",
            1,
            "auditr",
            "unknown field `auditr`",
        ),
        (
            "[auditor]\npreset = \"pi\"\ntimeuot = 5\n",
            3,
            "auditor.timeuot",
            "unknown field",
        ),
        (
            "[auditor]\npreset = \"pie\"\n",
            2,
            "auditor.preset",
            "unknown variant `pie`",
        ),
        (
            "\n[auditor]\npreset = \"pi\"\ncommand = [\"x\"]\n",
            2,
            "auditor",
            "exclude each other",
        ),
        (
            "[auditor]\nmodel = \"m\"\n",
            1,
            "auditor",
            "`preset` or `command`",
        ),
        (
            "[auditor]\npreset = \"claude\"\nprovider = \"p\"\n",
            1,
            "auditor",
            "no `provider`",
        ),
        (
            "[auditor]\ncommand = \"my auditor\"\n",
            2,
            "auditor.command",
            "a list of texts",
        ),
        (
            "[auditor]\ncommand = []\n",
            2,
            "auditor.command",
            "program to run",
        ),
        (
            "[auditor]\ncommand = [\"\"]\n",
            2,
            "auditor.command",
            "program to run",
        ),
        (
            "[auditor]\ncommand = [\"a\\u0000\"]\n",
            2,
            "auditor.command",
            "NUL",
        ),
        (
            "[auditor]\npreset = \"pi\"\nmodel = \" \"\n",
            3,
            "auditor.model",
            "empty",
        ),
        (
            "[auditor]\npreset = \"pi\"\ntimeout = 0\n",
            3,
            "auditor.timeout",
            "1 to 604800",
        ),
        (
            "[auditor]\npreset = \"pi\"\ntimeout = -1\n",
            3,
            "auditor.timeout",
            "invalid value",
        ),
        (
            "[reviewer.critic]\npreset = \"pi\"\n",
            1,
            "reviewer",
            "\"critic\" is no reviewer; known are risk, release, plan-critic",
        ),
        (
            "[reviewer]\npreset = \"pi\"\n",
            2,
            "reviewer.preset",
            "invalid type",
        ),
        (
            "[reviewer.risk]\ncommand = [\"x\"]\npreset = \"pi\"\n",
            1,
            "reviewer.risk",
            "exclude each other",
        ),
        (
            "[checks.a]\ncwd = \".\"\n",
            1,
            "checks.a",
            "missing field `command`",
        ),
        (
            "[checks.a]\ncommand = [\"x\"]\ncwd = \"../up\"\n",
            3,
            "checks.a.cwd",
            "inside it",
        ),
        (
            "[checks.a]\ncommand = [\"x\"]\ncwd = \"/etc\"\n",
            3,
            "checks.a.cwd",
            "inside it",
        ),
        (
            "[checks.a]\ncommand = [\"x\"]\nshell = true\n",
            3,
            "checks.a.shell",
            "unknown field",
        ),
        (
            "[checks.\"a\\nb\"]\ncommand = [\"x\"]\n",
            1,
            "checks",
            "cannot name a check",
        ),
        (
            "# no key\n\n[gate]\nrequire = \"signed\"\nkey = \"k\"\n",
            5,
            "gate.key",
            "your own configuration",
        ),
    ];
    for (text, line, key, message) in cases {
        let found = refused(text);
        assert_eq!(
            (found.0, found.1.as_str()),
            (line, key),
            "{text}: {}",
            found.2
        );
        assert!(found.2.contains(message), "{text}: {}", found.2);
        assert!(!found.2.contains('\n'), "{text}: {}", found.2);
    }
}

#[test]
fn an_error_says_file_line_and_key() {
    let (_dir, path) = write("[auditor]\npreset = \"pie\"\n");
    let error = read_project(&path).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("`{path}` line 2, key `auditor.preset`: ")),
        "{error}"
    );
}

#[test]
fn an_auditor_is_taken_whole_and_checks_go_by_name() {
    let project = "[auditor]\npreset = \"pi\"\n[checks.a]\ncommand = [\"project\"]\n";
    let user = "[auditor]\npreset = \"claude\"\nmodel = \"m\"\ntimeout = 9\n\
                [checks.a]\ncommand = [\"user\"]\n[checks.b]\ncommand = [\"user\"]\ntimeout = 7\n";
    let config = resolved(project, user);
    let auditor = &config.roles.0[&Role::Auditor];
    assert_eq!(
        (auditor.preset, auditor.source),
        (Some(Preset::Pi), Source::Project)
    );
    assert_eq!(auditor.model, Model::default());
    let built_in = |seconds| Sourced::built_in(Duration::from_secs(seconds));
    assert_eq!(auditor.timeout, built_in(1800));
    let (a, b) = (&config.checks["a"], &config.checks["b"]);
    assert_eq!((a.argv[0].as_str(), a.source), ("project", Source::Project));
    assert_eq!(a.timeout, built_in(600));
    let said = Sourced {
        value: Duration::from_secs(7),
        source: Source::User,
    };
    assert_eq!((b.source, b.timeout), (Source::User, said));
    assert_eq!(resolved("", ""), Config::default());
}

#[test]
fn one_calls_choice_beats_the_files() {
    let project = "[auditor]\npreset = \"pi\"\nmodel = \"m\"\n";
    let chosen = |flag, environment| {
        let choice = Choice { flag, environment };
        let auditor = chosen(project, Role::Auditor, choice).unwrap().unwrap();
        (auditor.preset, auditor.argv[0].clone(), auditor.source)
    };
    let preset = |preset: Preset, source| (Some(preset), preset.to_string(), source);
    assert_eq!(
        chosen(Some("codex"), Some("claude")),
        preset(Preset::Codex, Source::Flag)
    );
    assert_eq!(
        chosen(None, Some("claude")),
        preset(Preset::Claude, Source::Environment)
    );
    assert_eq!(chosen(None, None), preset(Preset::Pi, Source::Project));
    let path = |text, path: &str| {
        assert_eq!(
            chosen(Some(text), None),
            (None, path.to_owned(), Source::Flag)
        )
    };
    path("./judge", "/cwd/judge");
    path("/bin/my judge; true", "/bin/my judge; true");
    path("judge", "judge");
}

#[test]
fn an_empty_choice_is_an_error_and_not_the_configured_auditor() {
    for (flag, environment) in [(Some(""), None), (None, Some("\0"))] {
        let choice = Choice { flag, environment };
        let error = chosen("[auditor]\npreset = \"pi\"\n", Role::Auditor, choice).unwrap_err();
        assert!(matches!(error, ConfigError::Choice { .. }), "{error}");
    }
}

#[test]
fn reviewers_go_by_role_and_each_is_taken_whole() {
    let project = "[reviewer.risk]\npreset = \"pi\"\n[reviewer.stale-goal]\ncommand = [\"s\"]\n";
    let user = "[reviewer.risk]\npreset = \"claude\"\nmodel = \"m\"\n\
                [reviewer.plan-critic]\ncommand = [\"c\"]\ntimeout = 9\n";
    let config = resolved(project, user);
    let command = |role| {
        let role = Role::Reviewer(role);
        config.command(role, Choice::default(), Utf8Path::new("/"))
    };
    let risk = command(ReviewRole::Risk).unwrap().unwrap();
    assert_eq!(
        (risk.preset, risk.source),
        (Some(Preset::Pi), Source::Project)
    );
    assert_eq!(risk.model, Model::default());
    assert_eq!(risk.timeout.value, Duration::from_secs(600));
    let critic = command(ReviewRole::PlanCritic).unwrap().unwrap();
    assert_eq!(critic.timeout.value, Duration::from_secs(9));
    assert_eq!(command(ReviewRole::Release).unwrap(), None);
    assert!(!config.roles.0.contains_key(&Role::Auditor));
    // A choice makes a reviewer where none is configured.
    let choice = Choice {
        flag: Some("./critic"),
        environment: None,
    };
    let release = Role::Reviewer(ReviewRole::Release);
    let chosen = chosen(project, release, choice).unwrap().unwrap();
    assert_eq!(chosen.argv, ["/cwd/critic"]);
}

#[test]
fn every_command_of_a_file_is_listed() {
    let file = parsed(
        "[checks.b]\ncommand = [\"b\"]\ncwd = \"sub\"\n[reviewer.risk]\ncommand = [\"r\"]\n\
         [reviewer.release]\npreset = \"codex\"\n[auditor]\ncommand = [\"a\"]\n",
    );
    let file = file.unwrap().file;
    let listed: Vec<(String, &str)> = file
        .commands()
        .iter()
        .map(|it| (it.table.to_string(), it.cwd.as_str()))
        .collect();
    assert_eq!(
        listed,
        [
            ("auditor".to_owned(), ""),
            ("reviewer.risk".to_owned(), ""),
            ("reviewer.release".to_owned(), ""),
            ("checks.b".to_owned(), "sub"),
        ]
    );
}
