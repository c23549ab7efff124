//! Tests of configuration: what is read, what is refused and where, and what wins.

use super::super::presets::Model;
use super::*;

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

fn resolved(project: &str, user: &str, choice: Choice<'_>) -> Result<Config, ConfigError> {
    let loaded = Loaded {
        project: parsed(project),
        user: parsed(user),
    };
    resolve(&loaded, choice, Utf8Path::new("/cwd"))
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
    let auditor = file.auditor.unwrap();
    assert_eq!(auditor.argv, ["my-auditor", "--flag"]);
    assert_eq!(auditor.timeout, Some(Duration::from_secs(60)));
    let text = |text: &str| Some(text.to_owned());
    let model = Model {
        provider: text("p"),
        model: text("m"),
        thinking: text("high"),
    };
    assert_eq!(auditor.model, model);
    assert_eq!(file.checks["tests_pass"].cwd, "sub/dir");
    assert_eq!(file.checks["fmt"].cwd, ".");
    assert_eq!(file.checks["fmt"].timeout, None);
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
            "invalid type",
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
    let config = resolved(project, user, Choice::default()).unwrap();
    let auditor = config.auditor.unwrap();
    assert_eq!(
        (auditor.value.preset, auditor.source),
        (Some(Preset::Pi), Source::Project)
    );
    assert_eq!(auditor.value.model, Model::default());
    assert_eq!(
        auditor.timeout(),
        Sourced {
            value: AUDIT_TIMEOUT,
            source: Source::Default
        }
    );
    let (a, b) = (&config.checks["a"], &config.checks["b"]);
    assert_eq!(
        (a.value.argv[0].as_str(), a.source),
        ("project", Source::Project)
    );
    assert_eq!(
        a.timeout(),
        Sourced {
            value: CHECK_TIMEOUT,
            source: Source::Default
        }
    );
    let said = Sourced {
        value: Duration::from_secs(7),
        source: Source::User,
    };
    assert_eq!((b.source, b.timeout()), (Source::User, said));
    assert_eq!(
        resolved("", "", Choice::default()).unwrap(),
        Config::default()
    );
}

#[test]
fn one_calls_choice_beats_the_files() {
    let project = "[auditor]\npreset = \"pi\"\nmodel = \"m\"\n";
    let chosen = |flag, environment| {
        let choice = Choice { flag, environment };
        let auditor = resolved(project, "", choice).unwrap().auditor.unwrap();
        (
            auditor.value.preset,
            auditor.value.argv[0].clone(),
            auditor.source,
        )
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
        let error = resolved("[auditor]\npreset = \"pi\"\n", "", choice).unwrap_err();
        assert!(matches!(error, ConfigError::Choice { .. }), "{error}");
    }
}
