//! Plays scenarios with scripted agents, or with a real one, and judges what is left behind.
//!
//! `cargo run --example experiments`; README.md beside this folder says how a case is
//! written. Exits 7 when a case fails.

mod case;
mod play;
mod rubric;
mod stage;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use case::Case;

/// What a failed case exits with, as `goal` does for findings.
const FINDINGS: u8 = 7;

#[derive(Debug, Parser)]
#[command(
    name = "experiments",
    about = "Plays scenarios and judges what they leave behind"
)]
struct Arguments {
    /// Only cases whose name contains one of these
    names: Vec<String>,
    /// The program to try [default: the `goal` beside this one]
    #[arg(long)]
    goal: Option<PathBuf>,
    /// A real agent in place of the scripts: an executable that reads a prompt on stdin and works
    /// in its working directory
    #[arg(long)]
    agent_command: Option<PathBuf>,
    /// Where the cases are
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/cases"))]
    cases: PathBuf,
    /// Keep the directories of failed cases
    #[arg(long)]
    keep: bool,
}

/// What came of one case.
struct Played {
    name: String,
    title: String,
    took: Duration,
    /// What does not hold; nothing when the case passed.
    failed: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FINDINGS),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(70)
        }
    }
}

/// Plays all cases; whether all passed.
fn run(arguments: &Arguments) -> Result<bool> {
    let goal = match &arguments.goal {
        Some(path) => path.clone(),
        None => beside()?,
    };
    let goal = goal
        .canonicalize()
        .with_context(|| format!("no program {}; run `cargo build` first", goal.display()))?;
    let cases = case::load(&arguments.cases, &arguments.names)?;
    if cases.is_empty() {
        bail!("no case in {} has such a name", arguments.cases.display());
    }
    let mut out = std::io::stdout().lock();
    let mut all = Vec::new();
    for case in &cases {
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", case.name);
        }
        let played = play_one(case, &goal, arguments)?;
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        row(&mut out, &played)?;
        all.push(played);
    }
    let failed = all.iter().filter(|it| !it.failed.is_empty()).count();
    let took: Duration = all.iter().map(|it| it.took).sum();
    writeln!(
        out,
        "\n{} cases, {failed} failed, {:.1} s",
        all.len(),
        took.as_secs_f64()
    )?;
    Ok(failed == 0)
}

fn play_one(case: &Case, goal: &Path, arguments: &Arguments) -> Result<Played> {
    let began = Instant::now();
    let agent = arguments.agent_command.as_deref();
    let stage = stage::Stage::set(case, goal, agent)
        .with_context(|| format!("setting up {}", case.name))?;
    let seen = play::play(case, &stage).with_context(|| format!("playing {}", case.name))?;
    let failed =
        rubric::judge(case, &stage, &seen).with_context(|| format!("judging {}", case.name))?;
    let took = began.elapsed();
    if arguments.keep && !failed.is_empty() {
        let kept = stage.keep();
        let _ = writeln!(
            std::io::stderr(),
            "{}: kept in {}",
            case.name,
            kept.display()
        );
    }
    Ok(Played {
        name: case.name.clone(),
        title: case.title.clone(),
        took,
        failed,
    })
}

fn row(out: &mut impl Write, played: &Played) -> Result<()> {
    let mark = if played.failed.is_empty() {
        "pass"
    } else {
        "FAIL"
    };
    let took = played.took.as_secs_f64();
    writeln!(
        out,
        "{mark}  {:<24} {took:>6.1} s  {}",
        played.name, played.title
    )?;
    for failed in &played.failed {
        writeln!(out, "      - {failed}")?;
    }
    Ok(())
}

/// The `goal` of the same build: examples stand one directory below it.
fn beside() -> Result<PathBuf> {
    let own = std::env::current_exe().context("where this program is")?;
    let directory = own.parent().and_then(Path::parent);
    Ok(directory
        .context("this program stands in no build")?
        .join("goal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays one case that consists of a goal and this expectation.
    fn passes(expectation: &str) -> bool {
        let cases = tempfile::tempdir().unwrap();
        let folder = cases.path().join("one");
        std::fs::create_dir(&folder).unwrap();
        let text = format!(
            "title = 't'\n[[step]]\nuser = \"goal set 'a thing'; echo changed > a.txt\"\n\
             [[expect]]\nthat = 'it'\n{expectation}"
        );
        std::fs::write(folder.join("case.toml"), text).unwrap();
        let arguments = Arguments {
            names: Vec::new(),
            goal: None,
            agent_command: None,
            cases: cases.path().to_owned(),
            keep: false,
        };
        run(&arguments).unwrap()
    }

    #[test]
    fn each_look_can_fail() {
        for (holds, does_not) in [
            (
                "look = 'events'\ntype = 'goal_created'",
                "look = 'events'\ntype = 'goal_noted'",
            ),
            (
                "look = 'events'\ntype = 'goal_created'\nwith = { by = 'user' }",
                "look = 'events'\ntype = 'goal_created'\nwith = { by = 'agent' }",
            ),
            (
                "look = 'events'\ntype = 'goal_created'\nat_most = 1",
                "look = 'events'\ntype = 'goal_created'\nat_least = 0\nat_most = 0",
            ),
            (
                "look = 'order'\ntypes = ['goal_created', 'goal_focused']",
                "look = 'order'\ntypes = ['goal_focused', 'goal_created']",
            ),
            (
                "look = 'goal'\nstatus = 'active'",
                "look = 'goal'\nstatus = 'paused'",
            ),
            (
                "look = 'untouched'\npaths = ['b.txt']",
                "look = 'untouched'\npaths = ['a.txt']",
            ),
            (
                "look = 'command'\nrun = 'goal verify'",
                "look = 'command'\nrun = 'exit 1'",
            ),
            (
                "look = 'asks'\nstep = 1\nasks = false",
                "look = 'asks'\nstep = 1\nasks = true",
            ),
            (
                "look = 'exit'\nstep = 1\nexit = 0",
                "look = 'exit'\nstep = 1\nexit = 5",
            ),
        ] {
            assert!(passes(holds), "{holds}");
            assert!(!passes(does_not), "{does_not}");
            let noticed = format!("broken_by_script = true\n{does_not}");
            assert!(passes(&noticed), "{noticed}");
            let unnoticed = format!("broken_by_script = true\n{holds}");
            assert!(!passes(&unnoticed), "{unnoticed}");
        }
    }
}
