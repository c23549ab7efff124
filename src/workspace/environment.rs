//! The process's surroundings, gathered once: working directory, variables, terminals, clock and
//! randomness. Nothing else in the crate reads them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use camino::Utf8PathBuf;
use jiff::tz::TimeZone;

use super::actor::{ActorError, Because, Circumstances, Marks, Surface, because, resolve};
use super::dirs::Dirs;
use super::{readonly, uses};
use crate::domain::actor::{Actor, RUN_SESSION};
use crate::domain::lease::Claim;
use crate::domain::seal::Key;
use crate::domain::time;

/// What the process was started with.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The working directory, absolute.
    pub cwd: Utf8PathBuf,
    /// `HOME`: no project is found there from below.
    pub home: Option<Utf8PathBuf>,
    /// `GOAL_ROOT`
    pub root: Option<String>,
    /// `GOAL_ACTOR`, as it was given.
    pub declared_actor: Option<String>,
    /// `GOAL_AUDITOR`: honoured for the user only.
    pub auditor: Option<String>,
    /// `GOAL_TRUST`: honoured for the user only.
    pub trust: Option<String>,
    /// `GOAL_READONLY`: the ledgers that this process may only read.
    pub read_only: Option<String>,
    /// `GOAL_SESSION`: the session that an agent of the runner works in.
    pub session: Option<String>,
    /// `GOAL_TURN`: its turn, which is one iteration.
    pub turn: Option<String>,
    /// `GOAL_LEASE`: the lease in a store under which it works. The runner sets its own here.
    pub claim: Option<Claim>,
    /// Who audits in a run: whoever did when it began, whatever its agent has written since. Only the runner
    /// sets it.
    pub began_with: Option<Box<uses::Use>>,
    /// Whether what a ledger came to may be kept for the next command: not with `GOAL_NO_CACHE`.
    pub may_cache: bool,
    /// `PATH`: to tell which programs are there, and for the tour's shell; running a program leaves
    /// the search to the system.
    pub search_path: Option<OsString>,
    /// Variables that can lead a judge elsewhere, with their values ([`uses::redirects`]).
    pub redirects: BTreeMap<String, String>,
    /// `ITERATION_MAX_DEFAULT`, `ITERATION_TIMEOUT`, `ITERATION_VALIDATION_TIMEOUT`, as they were
    /// given: only iterations ask, so only they say what is wrong with one.
    pub iteration: IterationVariables,
    /// What agent hosts left.
    pub marks: Marks,
    /// Which of the process's streams are terminals.
    pub terminals: Terminals,
    /// A CI runs the program, as `CI` says: nobody answers, whatever the streams are.
    pub is_ci: bool,
    /// The terminal only adds lines (`TERM=dumb`): nothing is drawn on it, and no list to choose from
    /// stands there.
    pub is_dumb: bool,
    /// How many columns a text has that is not for a terminal: `COLUMNS`, where it is a number.
    pub columns: Option<usize>,
    /// The user's directories, if there is a home.
    pub dirs: Option<Dirs>,
    /// The next time, where it is pinned. Times decide the order only of lines that had not seen each
    /// other (docs/ledger-format.md#order), so a pinned clock can make a time look odd but cannot
    /// forge anything.
    clock: Option<Arc<AtomicI64>>,
    /// The next seed, where it is pinned.
    seed: Option<Arc<AtomicU64>>,
    /// By how much the runner's pauses are shorter than they are said to be: 1 but in tests.
    pub hurry: u32,
}

/// Which streams are terminals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terminals {
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
}

/// Defaults for iterations; numbers, if they are what they should be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IterationVariables {
    /// How many there are at most.
    pub most: Option<String>,
    /// How long one may take, in milliseconds.
    pub timeout: Option<String>,
    /// How long a rule may take, in milliseconds.
    pub validation_timeout: Option<String>,
}

/// Why the surroundings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// The working directory was removed, or may not be read.
    #[error("the working directory cannot be told ({cause}); change into a directory that exists")]
    WorkingDirectory { cause: io::Error },
    /// Paths are printed as JSON, which has no bytes.
    #[error("{name} is not UTF-8; {hint}")]
    NotUtf8 {
        /// A variable's name, or `the working directory`.
        name: &'static str,
        hint: &'static str,
    },
    /// A lease, or a pinned clock or seed, that does not parse.
    #[error("{name} is `{value}`, which is no {expected}; correct it, or unset it")]
    Pin {
        name: &'static str,
        value: String,
        expected: &'static str,
    },
}

impl Environment {
    /// Reads the process's own surroundings.
    pub fn from_process() -> Result<Environment, EnvironmentError> {
        let cwd = working_directory()?;
        let terminals = Terminals {
            stdin: io::stdin().is_terminal(),
            stdout: io::stdout().is_terminal(),
            stderr: io::stderr().is_terminal(),
        };
        let own = Environment::gather(cwd, std::env::var_os, terminals, Dirs::find())?;
        let redirects = uses::redirects(std::env::vars_os());
        Ok(Environment { redirects, ..own })
    }

    /// Surroundings of one's own making. `variable` answers for the process's environment. An empty
    /// variable counts as unset.
    ///
    /// Two variables pin what would differ from run to run, for tests: `GOAL_TEST_CLOCK`
    /// (RFC 3339; each call answers one millisecond later than the one before) and
    /// `GOAL_TEST_SEED` (an unsigned integer). A third, `GOAL_TEST_HURRY`, divides the runner's
    /// pauses. They count only beside `GOAL_TEST=1`, and never
    /// for an agent or an auditor: a clock decides whose lease has lapsed. Two processes with the
    /// same pins draw the same ids; one that the ledger has already is passed over
    /// ([`Environment::is_seeded`]), one that another process is about to write is not.
    pub fn gather(
        cwd: Utf8PathBuf,
        variable: impl Fn(&'static str) -> Option<OsString>,
        terminals: Terminals,
        dirs: Option<Dirs>,
    ) -> Result<Environment, EnvironmentError> {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        let text = |name| {
            let hint = "correct it, or unset it";
            let not_utf8 = |_| EnvironmentError::NotUtf8 { name, hint };
            given(name)
                .map(OsString::into_string)
                .transpose()
                .map_err(not_utf8)
        };
        let mut environment = Environment {
            cwd,
            home: given("HOME")
                .and_then(|home| home.into_string().ok())
                .map(Utf8PathBuf::from),
            root: text("GOAL_ROOT")?,
            declared_actor: text("GOAL_ACTOR")?,
            auditor: text("GOAL_AUDITOR")?,
            trust: text("GOAL_TRUST")?,
            read_only: text(readonly::VARIABLE)?,
            session: text("GOAL_SESSION")?,
            turn: text("GOAL_TURN")?,
            claim: pin(
                ("GOAL_LEASE", text("GOAL_LEASE")?),
                "lease of the form GOAL:TOKEN",
                |it| it.parse().ok(),
            )?,
            began_with: None,
            may_cache: given("GOAL_NO_CACHE").is_none_or(|value| value == "0"),
            search_path: given("PATH"),
            redirects: BTreeMap::new(),
            iteration: IterationVariables {
                most: text("ITERATION_MAX_DEFAULT")?,
                timeout: text("ITERATION_TIMEOUT")?,
                validation_timeout: text("ITERATION_VALIDATION_TIMEOUT")?,
            },
            marks: Marks::find(given),
            terminals,
            is_ci: given("CI").is_some_and(|value| value != "false" && value != "0"),
            is_dumb: given("TERM").is_some_and(|value| value == "dumb"),
            columns: given("COLUMNS").and_then(|it| it.to_str()?.parse().ok()),
            dirs,
            clock: None,
            seed: None,
            hurry: 1,
        };
        // An actor that makes no sense is refused where it is asked for.
        let actor = environment.actor(Surface::CommandLine);
        let is_test = given("GOAL_TEST").is_some_and(|value| value == "1");
        if is_test && !matches!(actor, Ok(Actor::Agent | Actor::Auditor)) {
            let pinned = |name| Ok::<_, EnvironmentError>((name, text(name)?));
            let clock = |value: &str| time::millis(value).map(|it| Arc::new(it.into()));
            let seed = |value: &str| value.parse().ok().map(|it: u64| Arc::new(it.into()));
            environment.clock = pin(pinned("GOAL_TEST_CLOCK")?, "RFC 3339 time", clock)?;
            environment.seed = pin(pinned("GOAL_TEST_SEED")?, "unsigned integer", seed)?;
            let hurry = |value: &str| value.parse().ok().filter(|hurry: &u32| *hurry > 0);
            let hurried = pin(pinned("GOAL_TEST_HURRY")?, "number of at least 1", hurry)?;
            environment.hurry = hurried.unwrap_or(1);
        }
        Ok(environment)
    }

    /// Milliseconds since 1970, UTC.
    pub fn now_millis(&self) -> i64 {
        match &self.clock {
            Some(next) => next.fetch_add(1, Ordering::Relaxed),
            None => {
                let since = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default();
                i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
            }
        }
    }

    /// Where the person is who reads stdout at a terminal; nothing elsewhere. `TZ` says it, else the
    /// system does.
    pub fn zone(&self) -> Option<TimeZone> {
        self.terminals.stdout.then(TimeZone::system)
    }

    /// Random bits for ids. Not for secrets.
    pub fn entropy(&self) -> u64 {
        match &self.seed {
            Some(next) => fastrand::Rng::with_seed(next.fetch_add(1, Ordering::Relaxed)).u64(..),
            None => fastrand::u64(..),
        }
    }

    /// Whether a run of ours started this process, as its agent or below it.
    fn in_run(&self) -> bool {
        let session = self.session.as_deref();
        session.is_some_and(|session| session.starts_with(RUN_SESSION))
    }

    /// Whether `entropy` repeats itself in every process with the same seed.
    pub fn is_seeded(&self) -> bool {
        self.seed.is_some()
    }

    /// The bytes of the sealing key in a test whose ids are pinned: there a key, once made, must be
    /// the same in every run.
    pub fn pinned_key(&self) -> Option<[u8; Key::LEN]> {
        self.is_seeded().then_some([7; Key::LEN])
    }

    /// Whether the runner started this process as its agent: then session and turn are the run's,
    /// whatever a host that the agent is built on calls its own.
    pub fn is_of_run(&self) -> bool {
        let as_agent = self.declared_actor.as_deref() == Some(Actor::Agent.name());
        self.in_run() || (self.session.is_some() && as_agent)
    }

    /// Whether a person can be asked: stdin and stdout are both terminals, and this is no CI.
    pub fn at_terminal(&self) -> bool {
        self.terminals.stdin && self.terminals.stdout && !self.is_ci
    }

    /// Who acts through `surface`.
    ///
    /// # Errors
    /// `GOAL_ACTOR` names nobody, or the tool itself.
    pub fn actor(&self, surface: Surface) -> Result<Actor, ActorError> {
        resolve(&self.circumstances(surface))
    }

    /// What makes the caller of a command an agent, where nobody said so.
    pub fn agent_because(&self) -> Option<Because> {
        because(&self.circumstances(Surface::CommandLine))
    }

    fn circumstances(&self, surface: Surface) -> Circumstances<'_> {
        let terminals = self.terminals;
        Circumstances {
            surface,
            declared: self.declared_actor.as_deref(),
            marks: &self.marks,
            in_run: self.in_run(),
            on_screen: terminals.stdout || terminals.stderr,
        }
    }
}

fn working_directory() -> Result<Utf8PathBuf, EnvironmentError> {
    let cwd =
        std::env::current_dir().map_err(|cause| EnvironmentError::WorkingDirectory { cause })?;
    Utf8PathBuf::from_path_buf(cwd).map_err(|_| EnvironmentError::NotUtf8 {
        name: "the working directory",
        hint: "rename it, or change into another",
    })
}

/// What a variable pins; nothing where it is not set.
fn pin<T>(
    (name, value): (&'static str, Option<String>),
    expected: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, EnvironmentError> {
    let Some(value) = value else {
        return Ok(None);
    };
    match parse(&value) {
        Some(pinned) => Ok(Some(pinned)),
        None => Err(EnvironmentError::Pin {
            name,
            value,
            expected,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Result<Environment, EnvironmentError> {
        let get = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(OsString::from(found.1))
        };
        let piped = Terminals {
            stdout: true,
            ..Terminals::default()
        };
        Environment::gather(Utf8PathBuf::from("/p"), get, piped, None)
    }

    #[test]
    fn variables_are_read_and_empty_ones_are_unset() {
        let environment = with(&[
            ("GOAL_ROOT", "/r"),
            ("GOAL_ACTOR", ""),
            ("GOAL_AUDITOR", "claude"),
            ("GOAL_TRUST", "abc"),
            ("AI_AGENT", ""),
            ("PI_SESSION_ID", "s"),
        ])
        .unwrap();
        assert_eq!(environment.root.as_deref(), Some("/r"));
        assert_eq!(environment.declared_actor, None);
        assert_eq!(environment.auditor.as_deref(), Some("claude"));
        assert_eq!(environment.trust.as_deref(), Some("abc"));
        assert_eq!(environment.marks.via().as_deref(), Some("pi"));
        assert!(!environment.at_terminal());
        assert_eq!(environment.actor(Surface::CommandLine), Ok(Actor::Agent));
        assert_eq!(
            with(&[]).unwrap().actor(Surface::CommandLine),
            Ok(Actor::User)
        );
        let in_run = with(&[("GOAL_SESSION", "run-1"), ("GOAL_ACTOR", "user")]).unwrap();
        assert_eq!(in_run.actor(Surface::CommandLine), Ok(Actor::Agent));
        assert!(in_run.is_of_run());
        let auditor = with(&[("GOAL_ACTOR", "auditor")]).unwrap();
        assert_eq!(auditor.actor(Surface::Tools), Ok(Actor::Auditor));
    }

    #[test]
    fn a_lease_that_makes_no_sense_is_refused() {
        let claim = with(&[("GOAL_LEASE", "k3v9-x1:8")]).unwrap().claim.unwrap();
        assert_eq!((claim.goal.as_str(), claim.token), ("k3v9-x1", 8));
        assert_eq!(claim.to_string(), "k3v9-x1:8");
        assert_eq!(with(&[("GOAL_LEASE", "")]).unwrap().claim, None);
        let refused = with(&[("GOAL_LEASE", "k3v9-x1")]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "GOAL_LEASE is `k3v9-x1`, which is no lease of the form GOAL:TOKEN; correct it, or unset it"
        );
    }

    #[test]
    fn pins_make_runs_repeatable() {
        let pins = [("GOAL_TEST", "1"), ("GOAL_ACTOR", "user"), CLOCK, SEED];
        let (one, two) = (with(&pins).unwrap(), with(&pins).unwrap());
        let first = one.now_millis();
        assert_eq!(time::rfc3339(first), "2026-11-21T20:15:00.123Z");
        assert_eq!(one.now_millis(), first + 1);
        assert_eq!(two.now_millis(), first);
        let drawn = [one.entropy(), one.entropy()];
        assert_ne!(drawn[0], drawn[1]);
        assert_eq!([two.entropy(), two.entropy()], drawn);
    }

    const CLOCK: (&str, &str) = ("GOAL_TEST_CLOCK", "2026-11-21T20:15:00.123Z");
    const SEED: (&str, &str) = ("GOAL_TEST_SEED", "7");

    #[test]
    fn pins_count_in_tests_only_and_never_for_an_agent() {
        let pinned = |more: &[(&str, &str)]| {
            let environment = with(&[&[CLOCK, SEED], more].concat()).unwrap();
            let clock = environment.now_millis() == time::millis(CLOCK.1).unwrap();
            assert_eq!(environment.is_seeded(), clock, "{more:?}");
            clock
        };
        let test = ("GOAL_TEST", "1");
        assert!(pinned(&[test, ("GOAL_ACTOR", "user")]));
        for more in [
            &[][..],
            &[("GOAL_TEST", "0")],
            &[test, ("GOAL_ACTOR", "agent")],
            &[test, ("GOAL_ACTOR", "auditor")],
            &[test, ("CLAUDECODE", "1")],
        ] {
            assert!(!pinned(more), "{more:?}");
        }
    }

    #[test]
    fn without_pins_the_clock_runs_and_ids_differ() {
        let environment = with(&[]).unwrap();
        assert!(environment.now_millis() > time::millis("2025-01-01T00:00:00Z").unwrap());
        assert_ne!(environment.entropy(), environment.entropy());
    }

    #[test]
    fn pins_that_do_not_parse_are_named() {
        for (name, value) in [("GOAL_TEST_CLOCK", "noon"), ("GOAL_TEST_SEED", "-1")] {
            let error = with(&[("GOAL_TEST", "1"), ("GOAL_ACTOR", "user"), (name, value)]);
            let error = error.unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
            assert!(with(&[(name, value)]).is_ok());
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_refused_but_still_mark_an_agent() {
        use std::os::unix::ffi::OsStringExt;
        let gather = |odd: &'static str| {
            let get = move |name: &str| (name == odd).then(|| OsString::from_vec(vec![0xff]));
            Environment::gather(Utf8PathBuf::from("/p"), get, Terminals::default(), None)
        };
        let error = gather("GOAL_ROOT").unwrap_err().to_string();
        assert!(error.starts_with("GOAL_ROOT is not UTF-8"), "{error}");
        assert_eq!(
            gather("AI_AGENT").unwrap().actor(Surface::CommandLine),
            Ok(Actor::Agent)
        );
    }
}
