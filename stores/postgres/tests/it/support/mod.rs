//! What the tests and the figures share: a server, and the program as `goal` starts it.

pub mod agent;
pub mod crowd;
pub mod helper;
pub mod lines;
pub mod proxy;
pub mod server;
pub mod writers;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Asks again until something is there. It ends the test if it never comes.
pub fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "never happened: {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The program `goal`, which `cargo build` puts beside the helper.
pub fn goal() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_BIN_EXE_goal-store-postgres")).with_file_name("goal");
    if !path.exists() {
        eprintln!("SKIPPED: there is no {}; say: cargo build", path.display());
        return None;
    }
    Some(path)
}

/// The variables with which a program's clock is wrong by so much, where faketime is installed.
pub fn clock(offset: &str) -> Vec<(&'static str, String)> {
    let library = format!(
        "/usr/lib/{}-linux-gnu/faketime/libfaketime.so.1",
        std::env::consts::ARCH
    );
    if !Path::new(&library).exists() {
        eprintln!("SKIPPED: wrong clocks: faketime is not installed");
        return Vec::new();
    }
    vec![
        ("LD_PRELOAD", library),
        ("FAKETIME", offset.to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]
}

/// A number from the environment, so that a long suite can ask for more.
pub fn from_environment(name: &str, otherwise: usize) -> usize {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => otherwise,
    }
}

/// Tells threads to stop, also when a test ends early.
#[derive(Default)]
pub struct Stop(AtomicBool);

impl Stop {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets it when the guard is dropped.
    pub fn guard(&self) -> impl Drop + '_ {
        struct Guard<'a>(&'a AtomicBool);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        Guard(&self.0)
    }
}
