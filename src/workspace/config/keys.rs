//! The keys of the configuration that set one value each: one table. It says how a key is read,
//! what holds without it, and how `goal config`, its JSON and docs/configuration.md show it. A new
//! key is a row here, and whoever uses it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::MapAccess;
use serde::{Deserialize, Serialize};

use super::Source;
use super::roles::AgentCommand;
use super::values::{
    Abandon, Argv, Goals, HostNames, KeyType, Names, NewsKinds, NotOurs, Paths, Patterns, Pause,
    Shown, Sourced, Text, Texts, Times, Whole,
};
use crate::domain::attention::{QUIET_AFTER, STUCK_AFTER};
use crate::domain::goal::continuation::MOST_WITHOUT_RESULT;
use crate::domain::goal::slots::SLOTS;
use crate::domain::progress::tick;
use crate::domain::run::limited::RETRY_FOR;
use crate::domain::run::stop::{
    MOST_EMPTY, MOST_RUNS_IN_VAIN, MOST_SAME_FAILURES, MOST_SAME_OBJECTIONS,
};
use crate::domain::task::spec::{Limits, SUMMARY_TOKENS};

/// How long an agent may write nothing, where nothing else is said.
const SILENCE: Duration = Duration::from_secs(10 * 60);

/// A key, what is in force for it, and what people read about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingRow {
    /// Its table, without brackets.
    pub table: &'static str,
    /// Its name in the table.
    pub key: &'static str,
    /// What it sets.
    pub about: String,
    /// The value in force, and where it came from; nothing where there is none.
    pub held: Option<(String, Source)>,
}

/// What is in force for a key: a value, or perhaps one where none is built in.
trait Held<V> {
    fn say(&mut self, value: V, source: Source);
    fn shown(&self) -> Option<(String, Source)>;
}

impl<V: Shown> Held<V> for Sourced<V> {
    fn say(&mut self, value: V, source: Source) {
        *self = Sourced { value, source };
    }

    fn shown(&self) -> Option<(String, Source)> {
        Some((self.value.plain().to_string(), self.source))
    }
}

impl<V: Shown> Held<V> for Option<Sourced<V>> {
    fn say(&mut self, value: V, source: Source) {
        *self = Some(Sourced { value, source });
    }

    fn shown(&self) -> Option<(String, Source)> {
        self.as_ref().and_then(Held::shown)
    }
}

/// What is in force where a row names a default, and where it names none.
macro_rules! held {
    ($kind:ty) => { Option<Sourced<<$kind as KeyType>::Value>> };
    ($kind:ty, $default:expr) => { Sourced<<$kind as KeyType>::Value> };
}

macro_rules! built_in {
    () => {
        None
    };
    ($default:expr) => {
        Sourced::built_in($default)
    };
}

/// A row is `KEY "NAME IN THE FILE": WHAT CAN BE SAID [attributes of its JSON] = DEFAULT;`. Behind
/// the default stands `own` where only the user's own file counts. `role` is a table in the table,
/// which is no key.
macro_rules! tables {
    ($(
        $(#[doc = $words:literal])+
        $table:ident: $Table:ident [$($place:meta)?] {
            $(role $role:ident: $Role:ty;)?
            $(
                $(#[doc = $about:literal])+
                $key:ident $name:literal: $kind:ty $([$shown:meta])? $(= $default:expr)? $(, $own:ident)?;
            )+
        }
    )+) => {
        /// What one file says. What it leaves out is as it is elsewhere.
        pub(super) mod said {
            use super::*;

            $(#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $Table {
                $(pub(in super::super) $role: Option<$Role>,)?
                $(#[serde(rename = $name)] pub(in super::super) $key: Option<$kind>,)+
            })+

            #[derive(Debug, Clone, Default, PartialEq, Eq)]
            pub struct Keys {
                $(pub(in super::super) $table: $Table,)+
            }

            impl Keys {
                /// The names of the tables.
                pub(in super::super) const TABLES: &'static [&'static str] =
                    &[$(stringify!($table)),+];

                /// Reads the table of this name, which is one of them.
                pub(in super::super) fn read<'de, M: MapAccess<'de>>(
                    &mut self,
                    table: &str,
                    map: &mut M,
                ) -> Result<(), M::Error> {
                    match table {
                        $(stringify!($table) => self.$table = map.next_value()?,)+
                        other => return Err(serde::de::Error::unknown_field(other, Self::TABLES)),
                    }
                    Ok(())
                }
            }
        }

        $(
            $(#[doc = $words])+
            #[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
            #[serde(rename_all = "camelCase")]
            pub struct $Table {
                $($(#[doc = $about])+ $(#[$shown])? pub $key: held!($kind $(, $default)?),)+
            }

            impl Default for $Table {
                fn default() -> $Table {
                    $Table { $($key: built_in!($($default)?),)+ }
                }
            }

            impl $Table {
                /// Lets a file have its say.
                fn merge(&mut self, file: &said::$Table, source: Source) {
                    $(
                        let own: &[&str] = &[$(stringify!($own))?];
                        let counts = own.is_empty() || source == Source::User;
                        if let Some(said) = file.$key.as_ref().filter(|_| counts) {
                            self.$key.say(said.value(), source);
                        }
                    )+
                }

                fn rows(&self) -> Vec<SettingRow> {
                    vec![$(SettingRow {
                        table: stringify!($table),
                        key: $name,
                        about: about::<$kind>(&[$($about),+]),
                        held: self.$key.shown(),
                    }),+]
                }
            }
        )+

        /// What is in force.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
        pub struct Keys {
            $($(#[doc = $words])+ $(#[$place])? pub $table: $Table,)+
        }

        impl Keys {
            /// Lets a file have its say.
            pub(super) fn merge(&mut self, file: &said::Keys, source: Source) {
                $(self.$table.merge(&file.$table, source);)+
            }

            /// Every key, in the order of the table.
            pub fn rows(&self) -> Vec<SettingRow> {
                [$(self.$table.rows()),+].concat()
            }
        }
    };
}

tables! {
    /// What goes from one phase of a goal to the next.
    context: Context [serde(flatten)] {
        /// the most tokens of a rolling summary; a token is counted as four bytes
        summary_tokens "summaryTokens": NonZeroUsize = SUMMARY_TOKENS;
    }

    /// How large plans may be, by the keys of `[tasks]`.
    tasks: Tasks [schemars(with = "BTreeMap<String, Sourced<u32>>")] {
        /// levels of tasks
        max_depth "maxDepth": Whole<Times, 1, 32> = small(Limits::default().depth);
        /// open tasks without children, a goal
        max_open "maxOpen": Whole<Times, 1, 1_000> = small(Limits::default().open);
        /// the fewest checkpoints that a planner may answer with
        min_checkpoints "minCheckpoints": Whole<Times, 1, 100> = small(Limits::default().checkpoints.0);
        /// the most checkpoints that a planner may answer with
        max_checkpoints "maxCheckpoints": Whole<Times, 1, 100> = small(Limits::default().checkpoints.1);
        /// plans that may fail before the goal is blocked
        failed_plans "failedPlans": Whole<Times, 1, 100> = Limits::default().failed_plans;
        /// attempts at a task that may fail, if its definition does not say
        attempts "attempts": Whole<Times, 1, 100> = Limits::default().attempts;
    }

    /// How the runner goes about it.
    runner: Runner [] {
        role agent: AgentCommand;
        /// `false` refuses `goal run`
        enabled "enabled": bool = true;
        /// `true`: `goal run --all` first resumes the goals that an interrupted run left paused; counts in
        /// your own file only
        auto_continue "autoContinue": bool = false, own;
        /// how long the runner waits between two checkpoints
        pause_between_checkpoints "pauseBetweenCheckpoints": Whole<Pause, 0, 3_600> = Duration::from_secs(2);
        /// iterations in a row without progress after which a run stops
        empty_iterations "emptyIterations": Whole<Times, 1, 100> = MOST_EMPTY;
        /// audits in a row with the same objection, or of work that has not changed, after which a run stops
        same_objections "sameObjections": Whole<Times, 1, 100> = MOST_SAME_OBJECTIONS;
        /// iterations in a row after which a run stops, if in each of them the same checks fail with the same
        /// output and only files change
        same_failures "sameFailures": Whole<Times, 1, 1_000> = MOST_SAME_FAILURES;
        /// after how long without output the runner ends an agent's turn (0: no limit; if you do not set this
        /// key, the limit is for presets only, not for a `command` of your own)
        silence "silence": Whole<Pause, 0, 604_800> = SILENCE;
        /// runs of a goal in a row without a result after which `goal run --all` skips the goal
        goal_attempts "goalAttempts": Whole<Times, 1, 1_000> = MOST_RUNS_IN_VAIN;
        /// checks that validate every iteration of a run, in addition to those of the goal
        rules "rules": Names = Names::default();
        /// how long the runner tries again an agent that cannot work or an auditor that is down before it
        /// counts this as a failure; 0: not at all
        retry_for "retryFor": Whole<Pause, 0, 604_800> = RETRY_FOR;
        /// the preset that works while the agent's host is at a limit: `pi`, `claude`, `codex`, `gemini`;
        /// counts in your own file only
        fallback "fallback": Text, own;
        /// a command that the runner starts once in a goal's own work tree, to set it up
        setup "setup": Argv;
        /// paths inside the project that git ignores and that the runner copies into a goal's own work tree
        copy "copy": Paths = Paths::default();
        /// a command that the runner starts in the work tree of a run that has stopped, for example to push
        /// the branch (docs/runs.md)
        after "after": Argv;
        /// paths inside the project that git ignores, but where a change counts as progress
        progress_paths "progressPaths": Paths = Paths::default();
        /// patterns of messages by which the runner recognises a rate limit of the agent's host, in addition
        /// to the built-in ones (docs/runs.md)
        rate_limits "rateLimits": Patterns = Patterns::default();
    }

    /// What is made of evaluations.
    progress: Progress [serde(flatten)] {
        /// `suggest`: only the user abandons a goal whose escalations are spent; `auto`: the program abandons
        /// it, at the first later evaluation that grants neither an upgrade nor a runway
        abandon "abandon": Abandon = Abandon::default();
        /// after how many iterations an evaluation is due
        evaluate_every "evaluateEvery": Whole<Times, 1, 1_000> = tick::EVERY;
    }

    /// What is measured before work.
    baseline: Baseline [serde(flatten)] {
        /// the name of a check, whose output is the baseline of every new goal, and of
        /// `goal progress baseline` without an argument
        check "check": Text [serde(rename = "baseline")];
    }

    /// With which remote the ledger is synced by itself.
    sync: Sync [] {
        /// the git remote with which hooks and runs sync the ledger when they end (docs/machines.md); counts
        /// in your own file only
        remote "remote": Text, own;
    }

    /// How a store is reached.
    store: Store [] {
        role helper: NotOurs;
        /// the helper that keeps the lines of ledgers which belong to a store (docs/stores.md);
        /// counts in your own file only
        command "command": Argv, own;
    }

    /// From when on a goal is said to need a look.
    attention: Attention [] {
        /// how long nobody works on an active goal before it counts as quiet
        quiet_after "quietAfter": Whole<Pause, 1, 604_800> = QUIET_AFTER;
        /// how many audits in a row object before a goal counts as stuck
        stuck_after "stuckAfter": Whole<Times, 1, 100> = STUCK_AFTER;
    }

    /// What tells you at once that something waits.
    notify: Notify [] {
        /// a command that `goal` starts when something begins to wait or a goal is complete, with JSON on
        /// its stdin (docs/inbox.md#notifications); counts in your own file only
        command "command": Argv, own;
        /// for which kinds `goal` starts the command: `question`, `approval`, `blocked`, `paused`,
        /// `stuck`, `complete`, `run_stopped`; counts in your own file only
        on "on": NewsKinds = NewsKinds::all(), own;
    }

    /// What the sessions of agents' hosts do.
    hosts: Hosts [] {
        /// the hosts that continue a goal by themselves when its agent stops: `claude`, `codex`, `gemini`,
        /// `cursor`, `pi`, `copilot`, `opencode`; counts in your own file only
        auto_continue "autoContinue": HostNames = HostNames::all(), own;
        /// how many times in a row hosts continue a goal without a result (docs/hosts/how-it-works.md);
        /// counts in your own file only
        max_continuations "maxContinuations": Whole<Times, 1, 10_000> = MOST_WITHOUT_RESULT, own;
    }

    /// Which texts are no secrets.
    redact: Redact [] {
        /// exact texts that the filter never treats as secrets (SECURITY.md#secrets); counts in your own
        /// file only
        allow "allow": Texts = Texts::default(), own;
    }

    /// Who holds how many goals.
    owners: Owners [serde(flatten)] {
        /// the most active goals of one owner
        slots "slots": Whole<Goals, 1, 1_000> = SLOTS;
    }
}

fn about<K: KeyType>(words: &[&str]) -> String {
    let words = words.concat().trim().to_owned();
    match K::range() {
        Some(range) => format!("{words}, {range}"),
        None => words,
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Tasks {
    /// The limits as deciding takes them. Two files may contradict each other about checkpoints:
    /// then the larger number is both.
    pub fn limits(&self) -> Limits {
        let fewest = self.min_checkpoints.value;
        let most = fewest.max(self.max_checkpoints.value);
        Limits {
            depth: self.max_depth.value as usize,
            open: self.max_open.value as usize,
            checkpoints: (fewest as usize, most as usize),
            failed_plans: self.failed_plans.value,
            attempts: self.attempts.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What these lines of one table come to when both files are read.
    fn resolved<T: Default>(
        user: Option<&str>,
        project: Option<&str>,
        merge: impl Fn(&mut T, &str, Source),
    ) -> T {
        let mut held = T::default();
        for (text, source) in [(user, Source::User), (project, Source::Project)] {
            if let Some(text) = text {
                merge(&mut held, text, source);
            }
        }
        held
    }

    #[test]
    fn limits_are_taken_key_by_key() {
        assert_eq!(Tasks::default().limits(), Limits::default());
        let tasks = resolved(
            Some("maxOpen = 9\nattempts = 5"),
            Some("maxOpen = 7\nminCheckpoints = 30"),
            |held: &mut Tasks, text, source| held.merge(&toml::from_str(text).unwrap(), source),
        );
        let merged = tasks.limits();
        assert_eq!((merged.open, merged.attempts, merged.depth), (7, 5, 10));
        assert_eq!(merged.checkpoints, (30, 30));
        for wrong in ["maxOpen = 0", "maxDepth = 33", "open = 1", "attempts = -1"] {
            assert!(toml::from_str::<said::Tasks>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_project_makes_nothing_go_on_by_itself() {
        let merge = |held: &mut Runner, text: &str, source| {
            held.merge(&toml::from_str(text).unwrap(), source);
        };
        let project = "enabled = false\nautoContinue = true\npauseBetweenCheckpoints = 0\n";
        let runner = resolved(None, Some(project), merge);
        assert_eq!(
            (runner.enabled.value, runner.auto_continue.value),
            (false, false)
        );
        assert_eq!(runner.pause_between_checkpoints.value, Duration::ZERO);
        assert_eq!(runner.empty_iterations.value, 3);
        let user = "autoContinue = true\nemptyIterations = 5\n";
        let runner = resolved(Some(user), None, merge);
        assert!(runner.auto_continue.value);
        assert_eq!(runner.empty_iterations.source, Source::User);
        for wrong in [
            "pauseBetweenCheckpoints = 3601",
            "emptyIterations = 0",
            "emptyIterations = 101",
            "enable = true",
            "agent = {}",
            "agent = {preset = \"vim\"}",
        ] {
            assert!(toml::from_str::<said::Runner>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_says_only_what_it_names_and_names_it_rightly() {
        let progress = resolved(
            Some("abandon = \"auto\""),
            Some("evaluateEvery = 5"),
            |held: &mut Progress, text, source| held.merge(&toml::from_str(text).unwrap(), source),
        );
        let auto = Sourced {
            value: Abandon::Auto,
            source: Source::User,
        };
        assert_eq!(progress.abandon, auto);
        assert_eq!(progress.evaluate_every.value, 5);
        let baseline = resolved(
            None,
            Some("check = \"tests\""),
            |held: &mut Baseline, text, source| held.merge(&toml::from_str(text).unwrap(), source),
        );
        assert_eq!(baseline.check.unwrap().value, "tests");
        for wrong in [
            "abandon = true",
            "abandon = \"never\"",
            "evaluateEvery = 0",
            "evaluateEvery = 1001",
            "evaluateEvery = 1.5",
            "every = 3",
        ] {
            assert!(toml::from_str::<said::Progress>(wrong).is_err(), "{wrong}");
        }
        for wrong in ["check = \"\"", "check = [\"x\"]", "command = \"x\""] {
            assert!(toml::from_str::<said::Baseline>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_names_are_those_of_the_json() {
        let json = serde_json::to_value(Keys::default()).unwrap();
        for row in Keys::default().rows() {
            let name = if row.table == "baseline" {
                "baseline"
            } else {
                row.key
            };
            let nested = json.get(row.table).and_then(|table| table.get(name));
            assert!(nested.or(json.get(name)).is_some(), "{row:?}");
        }
    }
}
