//! Tests of the user's last use: what differs from it, and how it is noted.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn used(config: &str, programs: &[(&str, &str)]) -> Use {
    let programs = programs.iter();
    Use {
        config: Some(config.into()),
        programs: programs
            .map(|(name, path)| ((*name).to_owned(), (*path).into()))
            .collect(),
        ..Use::default()
    }
}

#[test]
fn another_auditor_another_text_of_it_and_another_server_are_told() {
    let said = |words: &[&str]| Some(words.iter().map(|it| (*it).to_owned()).collect());
    let last = Use {
        auditor: said(&["./judge.sh"]),
        file: Some(("/p/judge.sh".into(), "aa".into())),
        redirects: redirects([("A_BASE_URL", "one"), ("https_proxy", "p")].into_iter()),
        ..Use::default()
    };
    assert!(last.objections(&last).is_empty() && last.led_elsewhere(&last).is_empty());
    let other = Use {
        auditor: said(&["/bin/echo", "<approved/>"]),
        ..last.clone()
    };
    assert_eq!(
        other.objections(&last),
        [
            "the auditor is `/bin/echo '<approved/>'` in this call, and was \
          `./judge.sh` in the user's last accepted call"
        ]
    );
    let edited = Use {
        file: Some(("/p/judge.sh".into(), "bb".into())),
        ..last.clone()
    };
    assert_eq!(edited.objections(&last).len(), 1);
    let led = Use {
        redirects: redirects([("A_BASE_URL", "two"), ("CODEX_HOME", "x")].into_iter()),
        ..last.clone()
    };
    assert_eq!(
        led.led_elsewhere(&last),
        [
            "`A_BASE_URL` has another value in this call than in the user's last accepted call",
            "`CODEX_HOME` is set in this call, and was not in the user's last accepted call"
        ]
    );
    assert!(led.objections(&last).is_empty());
    // An earlier version noted neither.
    let older = Use::default();
    assert!(led.led_elsewhere(&older).is_empty());
    assert!(
        Use {
            file: None,
            ..last.clone()
        }
        .objections(&older)
        .is_empty()
    );
    let none = [
        ("HOME", "/h"),
        ("XDG_CONFIG_HOME", "/c"),
        ("NO", "1"),
        ("X_HOME", ""),
    ];
    assert!(redirects(none.into_iter()).is_empty());
}

#[test]
fn a_directory_of_the_project_that_comes_into_the_path_is_told() {
    let with = |path: &str| Use {
        path: Some(path.to_owned()),
        ..Use::default()
    };
    let root = Utf8Path::new("/p");
    for (now, before, is_told) in [
        ("/a:/b", "/a:/b", false),
        ("/b:/c:/a", "/a:/b", false),
        ("/p/bin:/a", "/a", true),
        ("/a:/p", "/a", true),
        ("/p/bin:/a", "/a:/p/bin", false),
        ("/px/bin:/a", "/a", false),
    ] {
        let told = with(now).path_into(root, &with(before)).is_some();
        assert_eq!(told, is_told, "{now} {before}");
    }
    assert_eq!(with("/p").path_into(root, &Use::default()), None);
}

#[test]
fn a_check_finds_what_the_user_s_found_where_it_is_known() {
    let found = |path: &str| BTreeMap::from([("cargo".to_owned(), path.into())]);
    let checks = [("test", "/u/cargo"), ("lint", "/old/cargo")];
    let checks = checks.map(|(name, path)| (name.to_owned(), found(path)));
    let last = Use {
        checks: checks.into(),
        ..used("/u/config.toml", &[("cargo", "/auditor/cargo")])
    };
    let objections = |check, path| last.objections_to_check(check, &found(path));
    assert!(objections("test", "/u/cargo").is_empty());
    assert!(objections("lint", "/old/cargo").is_empty());
    assert!(objections("new", "/x").is_empty());
    assert_eq!(
        objections("test", "/evil/cargo"),
        [
            "`cargo` is `/evil/cargo` in this call, and was `/u/cargo` in the user's last accepted call"
        ]
    );
    // As an earlier version noted it.
    let noted = r#"{"config":"/u/config.toml","programs":{"cargo":"/auditor/cargo"}}"#;
    let before: Use = serde_json::from_str(noted).unwrap();
    assert_eq!(
        before,
        used("/u/config.toml", &[("cargo", "/auditor/cargo")])
    );
}

#[test]
fn what_the_user_used_may_be_used_and_nothing_else() {
    let last = used(
        "/u/config.toml",
        &[("claude", "/u/claude"), ("sh", "/bin/sh")],
    );
    assert!(last.objections(&last).is_empty());
    // Fewer programs are none that the user did not use.
    let fewer = used("/u/config.toml", &[("sh", "/bin/sh")]);
    assert!(fewer.objections(&last).is_empty());
    for (other, named) in [
        (used("/evil/config.toml", &[]), "/evil/config.toml"),
        (
            used("/u/config.toml", &[("claude", "/evil/claude")]),
            "/u/claude",
        ),
        (used("/u/config.toml", &[("pi", "/u/pi")]), "/u/pi"),
    ] {
        let objections = other.objections(&last);
        assert_eq!(objections.len(), 1);
        assert!(objections[0].contains(named), "{objections:?}");
    }
    assert_eq!(Use::default().objections(&last).len(), 1);
}

#[test]
fn a_directory_has_one_name_and_a_program_its_own() {
    let keep = tempfile::tempdir().unwrap();
    let top = Utf8Path::from_path(keep.path()).unwrap();
    let top = top.canonicalize_utf8().unwrap();
    std::fs::create_dir(top.join("bin")).unwrap();
    std::os::unix::fs::symlink(top.join("bin"), top.join("also")).unwrap();
    std::os::unix::fs::symlink("/bin/sh", top.join("bin/judge")).unwrap();
    assert_eq!(beside(top.join("also/judge")), top.join("bin/judge"));
    assert_eq!(real(top.join("also/no/such")), top.join("bin/no/such"));
    assert_eq!(real(top.join("also")), top.join("bin"));
}

#[test]
fn it_comes_back_as_it_was_noted() {
    let dir = tempfile::tempdir().unwrap();
    let state = Utf8Path::from_path(dir.path()).unwrap();
    let own = Key::new([1; 32]);
    let [path, two] = ["/one", "/two"].map(|root| record(state, KIND, root.into()));
    let look = |path: &Utf8Path| read(path, Some(&own));
    assert_eq!(look(&path).unwrap(), None);
    let one = used("/u/config.toml", &[("claude", "/u/claude")]);
    let note = || write_record(&path, &kind(&path), &one, &own).unwrap();
    note();
    assert_eq!(look(&path).unwrap(), Some(one.clone()));
    assert_eq!(look(&two).unwrap(), None);
    assert!(read(&path, Some(&Key::new([2; 32]))).is_err());
    // One that was copied to the place of another project's.
    fs::copy(&path, &two).unwrap();
    assert!(look(&two).is_err());
    // As somebody without the key writes it.
    fs::write(&path, serde_json::to_vec(&one).unwrap()).unwrap();
    assert!(look(&path).is_err());
    note();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(look(&path).is_err());
}
