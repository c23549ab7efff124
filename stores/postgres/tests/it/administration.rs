//! Tables, roles, where the connection comes from, and what the server's settings are worth.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::helper::{Helper, command, run, said};
use crate::support::server::{OWNER, Server, shared};

#[test]
fn tables_are_made_once() {
    let Some(server) = Server::empty(&[]) else {
        return;
    };
    let mut helper = Helper::start(&server.url(OWNER));
    let answer = helper.read("a");
    assert_eq!(answer.code(), "failed");
    assert!(
        answer.last["error"]["message"]
            .as_str()
            .unwrap()
            .contains("migrate"),
        "{answer:?}"
    );
    assert!(run(&server.url(OWNER), &["migrate"]).contains("version 2 now"));
    assert!(run(&server.url(OWNER), &["migrate"]).contains("version 2 already"));
    assert!(run(&server.url(OWNER), &["roles"]).contains("goal_writer"));
    assert!(run(&server.url(OWNER), &["roles"]).contains("goal_writer"));
    assert_eq!(helper.read("a").code(), "no_ledger");
    server.sql("INSERT INTO goal_store.migration (version) VALUES (99)");
    let mut later = Helper::start(&server.url(OWNER));
    assert!(
        later.read("a").last["error"]["message"]
            .as_str()
            .unwrap()
            .contains("newer")
    );
}

#[test]
fn what_is_printed_is_what_is_run() {
    let Some(server) = Server::empty(&[]) else {
        return;
    };
    server.sql(&run("", &["migrate", "--print"]));
    server.sql(&run("", &["roles", "--print"]));
    assert!(run(&server.url(OWNER), &["migrate"]).contains("already"));
}

#[test]
fn the_users_file_names_the_server_and_others_may_not_read_a_password_in_it() {
    let Some(server) = shared() else { return };
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("goal")).unwrap();
    let file = home.path().join("goal/config.toml");
    let status = || {
        let mut command = command("");
        command
            .env_remove("GOAL_STORE_POSTGRES")
            .env("XDG_CONFIG_HOME", home.path());
        command.arg("status").output().unwrap()
    };
    let mode = |path: &std::path::Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    assert!(
        said(&status()).contains("no server is named"),
        "{}",
        said(&status())
    );
    // goal's own tables are there too.
    let others = "[store]\ncommand = [\"goal-store-postgres\"]\n[runner]\nmaxIterations = 3\n";
    let with = |helper: &str| fs::write(&file, format!("{others}[store.helper]\n{helper}"));
    let url = server.url("reader");
    with(&format!("connection = \"{url}\"\n")).unwrap();
    mode(&file, 0o644);
    assert!(status().status.success(), "{}", said(&status()));
    let with_password = url.replace("reader@", "reader:secret@");
    with(&format!("connection = \"{with_password}\"\n")).unwrap();
    assert!(said(&status()).contains("chmod 600"), "{}", said(&status()));
    mode(&file, 0o600);
    let done = status();
    assert!(done.status.success(), "{}", said(&done));

    // The password can stand in a file of its own, and then that one is the secret.
    let password = home.path().join("password");
    fs::write(&password, "secret\n").unwrap();
    with(&format!(
        "connection = \"{url}\"\npassword_file = \"{}\"\n",
        password.display()
    ))
    .unwrap();
    mode(&file, 0o644);
    mode(&password, 0o640);
    assert!(
        said(&status()).contains("password; say: chmod 600"),
        "{}",
        said(&status())
    );
    mode(&password, 0o600);
    assert!(status().status.success(), "{}", said(&status()));

    with("conection = \"postgres://u:secret@h/d\"\n").unwrap();
    assert!(!status().status.success());
    assert!(!said(&status()).contains("secret"), "{}", said(&status()));
}

#[test]
fn the_file_of_an_earlier_version_is_named_and_not_read() {
    let Some(server) = shared() else { return };
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("goal")).unwrap();
    let old = home.path().join("goal/store-postgres.toml");
    let lines = format!("connection = \"{}\"\n", server.url("reader"));
    fs::write(&old, &lines).unwrap();
    let status = || {
        let mut command = command(&server.url("reader"));
        command.env("XDG_CONFIG_HOME", home.path());
        command.arg("status").output().unwrap()
    };
    let refused = said(&status());
    for words in [
        "store-postgres.toml is not read any more",
        "[store.helper]",
        "remove",
    ] {
        assert!(refused.contains(words), "{refused}");
    }
    // What it says to do works.
    let new = home.path().join("goal/config.toml");
    fs::write(new, format!("[store.helper]\n{lines}")).unwrap();
    assert!(status().status.success(), "{}", said(&status()));
}

#[test]
fn the_variables_of_psql_name_the_server_too() {
    let Some(server) = shared() else { return };
    let mut command = command("");
    command
        .env_remove("GOAL_STORE_POSTGRES")
        .env("PGHOST", "127.0.0.1");
    command
        .env("PGPORT", server.port.to_string())
        .env("PGUSER", "reader");
    let done = command
        .env("PGDATABASE", "postgres")
        .arg("status")
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", said(&done));
}

#[test]
fn a_password_is_never_shown() {
    for url in [
        "postgres://user:secret@127.0.0.1:1/db",
        "host=127.0.0.1 port=1 password=secret user=u",
        "host=127.0.0.1 password=secret=",
        "host=127.0.0.1 password='secret",
        "secret",
    ] {
        let mut helper = Helper::start(url);
        let answer = helper.read("a");
        assert_ne!(answer.code(), "ok");
        assert!(!answer.last.to_string().contains("secret"), "{answer:?}");
    }
}

#[test]
fn settings_that_lose_events_are_warned_about() {
    let unsafe_settings = [
        "fsync = off",
        "full_page_writes = off",
        "synchronous_commit = off",
    ];
    let Some(server) = Server::start(&unsafe_settings) else {
        return;
    };
    let mut helper = server.writer();
    helper.create("a");
    let begun = helper.begin("a", 0);
    let warnings = begun.last["warnings"].as_array().unwrap();
    let codes: Vec<&str> = warnings
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["fsync_off", "full_page_writes_off"]);
    // The third can be mended from here: the server says what holds in the open turn.
    let status = run(&server.url("writer"), &["status"]);
    assert!(
        status.contains("synchronous_commit off (on in the transactions of goal)"),
        "{status}"
    );
    assert!(
        status.contains("warning: the server has fsync = off"),
        "{status}"
    );
}
