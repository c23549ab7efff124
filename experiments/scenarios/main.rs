//! Plays scenarios with scripted agents, or with a real one, and judges what is left behind.
//!
//! `cargo run --example experiments`; README.md beside this folder says how a case is
//! written. Exits 7 when a case fails.

mod case;
mod play;
mod rubric;
mod stage;
mod told;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Parser;

use case::Case;

/// What a failed case exits with, as `goal` does for findings.
const FINDINGS: u8 = 7;

/// The most that a case may take: none needs a tenth of it on an idle machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The same with a real agent.
const AGENT_LIMIT: Duration = Duration::from_secs(1800);

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
    /// The most seconds that a case may take [default: 120, or 1800 with a real agent]
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
}

impl Arguments {
    /// The most that a case may take.
    fn limit(&self) -> Duration {
        let usual = match self.agent_command {
            Some(_) => AGENT_LIMIT,
            None => LIMIT,
        };
        self.time_limit.map_or(usual, Duration::from_secs)
    }
}

/// What came of one case.
struct Played {
    name: String,
    title: String,
    took: Duration,
    /// What does not hold; nothing when the case passed.
    failed: Vec<String>,
    /// Why it was not played.
    skipped: Option<String>,
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
        let played = play_one(case, &goal, arguments);
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
        row(&mut out, &played)?;
        all.push(played);
    }
    let failed = all.iter().filter(|it| !it.failed.is_empty()).count();
    let skipped = all.iter().filter(|it| it.skipped.is_some()).count();
    let skipped = match skipped {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let took: Duration = all.iter().map(|it| it.took).sum();
    writeln!(
        out,
        "\n{} cases, {failed} failed{skipped}, {:.1} s",
        all.len(),
        took.as_secs_f64()
    )?;
    Ok(failed == 0)
}

/// Plays a case, unless only scripts can and a real agent plays. What goes wrong on the way fails the
/// case, and no other.
fn play_one(case: &Case, goal: &Path, arguments: &Arguments) -> Played {
    let began = Instant::now();
    let why = case.script_only.clone();
    let skipped = why.filter(|_| arguments.agent_command.is_some());
    let failed = match skipped {
        Some(_) => Vec::new(),
        None => found(case, goal, arguments).unwrap_or_else(|error| vec![format!("{error:#}")]),
    };
    Played {
        name: case.name.clone(),
        title: case.title.clone(),
        took: began.elapsed(),
        failed,
        skipped,
    }
}

/// What does not hold in a case.
fn found(case: &Case, goal: &Path, arguments: &Arguments) -> Result<Vec<String>> {
    let agent = arguments.agent_command.as_deref();
    let stage = stage::Stage::set(case, goal, agent, arguments.limit()).context("setting up")?;
    let seen = play::play(case, &stage);
    let failed = seen.and_then(|seen| rubric::judge(case, &stage, &seen));
    if arguments.keep && !failed.as_ref().is_ok_and(Vec::is_empty) {
        let kept = stage.keep();
        let _ = writeln!(
            std::io::stderr(),
            "{}: kept in {}",
            case.name,
            kept.display()
        );
    }
    failed
}

fn row(out: &mut impl Write, played: &Played) -> Result<()> {
    let mark = match (&played.skipped, played.failed.is_empty()) {
        (Some(_), _) => "skip",
        (None, true) => "pass",
        (None, false) => "FAIL",
    };
    let took = played.took.as_secs_f64();
    writeln!(
        out,
        "{mark}  {:<24} {took:>6.1} s  {}",
        played.name, played.title
    )?;
    for line in played.skipped.iter().chain(&played.failed) {
        writeln!(out, "      - {line}")?;
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

    /// Plays one case, which is this text; whether it passed.
    fn plays(text: &str, change: impl FnOnce(&mut Arguments)) -> bool {
        let cases = tempfile::tempdir().unwrap();
        let folder = cases.path().join("one");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("case.toml"), text).unwrap();
        let mut arguments = Arguments {
            names: Vec::new(),
            goal: None,
            agent_command: None,
            cases: cases.path().to_owned(),
            keep: false,
            time_limit: None,
        };
        change(&mut arguments);
        run(&arguments).unwrap()
    }

    /// Plays one case that consists of a goal and this expectation.
    fn passes(expectation: &str) -> bool {
        let text = format!(
            "title = 't'\n[[step]]\nuser = \"goal set 'a thing'; echo changed > a.txt\"\n\
             [[expect]]\nthat = 'it'\n{expectation}"
        );
        plays(&text, |_| {})
    }

    /// A case whose only step runs this, and must exit 0.
    fn step(user: &str) -> String {
        format!(
            "title = 't'\n[setup]\nuser = 'goal set a'\n[[step]]\nuser = '{user}'\n\
             [[expect]]\nthat = 'it'\nlook = 'exit'\nstep = 1\nexit = 0"
        )
    }

    #[test]
    fn a_case_that_hangs_fails_and_what_it_started_is_killed() {
        let marks = tempfile::tempdir().unwrap();
        let mark = marks.path().join("mark").display().to_string();
        let began = Instant::now();
        let hangs = step(&format!("(sleep 4; touch {mark}) & sleep 1000"));
        assert!(!plays(&hangs, |it| it.time_limit = Some(2)));
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_secs(4));
        assert!(!Path::new(&mark).exists());
    }

    #[test]
    fn what_only_a_script_can_play_is_skipped_with_a_real_agent() {
        let case = step("false");
        let only = format!("script_only = 'why'\n{case}");
        let agent = |it: &mut Arguments| it.agent_command = Some("/bin/true".into());
        assert!(plays(&only, agent));
        assert!(!plays(&only, |_| {}));
        assert!(!plays(&case, agent));
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
