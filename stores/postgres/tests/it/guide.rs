//! The guide and the compose file beside it, run with the PostgreSQL that is installed here.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::goal;
use crate::support::server::{Server, installed};

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The settings behind each `-c` of the compose file.
fn settings(compose: &str) -> Vec<String> {
    let words: Vec<&str> = compose
        .lines()
        .filter_map(|it| it.trim().strip_prefix("- "))
        .collect();
    let pairs = words.windows(2).filter(|it| it[0] == "-c");
    pairs.map(|it| it[1].to_owned()).collect()
}

/// The commands of the guide's `sh` blocks, one block after the other.
fn commands(guide: &str) -> String {
    let blocks = guide
        .split("```sh\n")
        .skip(1)
        .map(|it| it.split("```").next().unwrap());
    blocks.collect::<Vec<_>>().concat()
}

#[test]
fn the_guide_works_as_it_is_written() {
    let Some(bin) = installed() else { return };
    let settings = settings(&page("compose.yaml"));
    assert!(
        settings.contains(&"synchronous_commit=on".to_owned()),
        "{settings:?}"
    );
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let Some(server) = Server::empty(&settings) else {
        return;
    };
    // The compose file's image has this user, with this password.
    server.sql("CREATE ROLE postgres SUPERUSER LOGIN PASSWORD 'change-me'");
    let address = format!("127.0.0.1:{}", server.port);
    let script = commands(&page("README.md")).replace("127.0.0.1:5432", &address);
    assert!(script.contains("goal-store-postgres roles") && script.contains("pg_dump"));

    let home = tempfile::tempdir().unwrap();
    let helper = Path::new(env!("CARGO_BIN_EXE_goal-store-postgres"))
        .parent()
        .unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", helper.display(), bin.display());
    let done = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(home.path())
        .env_clear()
        .env("PATH", path)
        .env("HOME", home.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    assert!(
        said.contains("Nothing that was acknowledged is lost"),
        "{said}"
    );
    // The one file does for both programs.
    if let Some(goal) = goal() {
        let listed = Command::new(goal)
            .args(["list", "--store"])
            .current_dir(home.path())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", helper.display()))
            .env("HOME", home.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&listed.stderr);
        assert!(listed.status.success(), "{said}");
    }
}
