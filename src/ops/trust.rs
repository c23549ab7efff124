//! Trusting what a project's configuration would run (docs/auditor-protocol.md#trust): what that
//! is, and saying so.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::seal::KeyId;
use crate::ops::attested::readable;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::workspace::config::{Loaded, Parsed, read_project, read_user};
use crate::workspace::dirs::Dirs;
use crate::workspace::gate::{Gate, GateStanding};
use crate::workspace::known::Known;
use crate::workspace::trust::{Coverage, Part, TrustStatus};

/// What the user would say to an agent that trusts something.
const RUN_IT: &str =
    "read what `goal trust --show` lists; if you trust it, run `goal trust` yourself";

/// The outcome of `trust`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trusted {
    /// What `GOAL_TRUST` must be for CI; nothing when there is nothing to trust.
    pub digest: Option<String>,
    /// How it stands now; nothing when there is nothing to trust.
    pub standing: Option<TrustStatus>,
    /// It was recorded by this call.
    pub recorded: bool,
    /// What would run.
    pub commands: Vec<NamedCommand>,
    /// The configuration and all files that count, relative to the root: each byte of them.
    pub files: Vec<String>,
    /// The programs in the project, with their digests and the commands that run them, and the
    /// templates.
    pub coverage: Coverage,
    /// What withdrew trust, each a sentence; empty where nothing did.
    pub changed: Vec<String>,
    /// The keys of others whose seals count on this ledger.
    pub keys: BTreeSet<KeyId>,
    /// What the environment of this call makes of the user's configuration and auditor.
    pub used: Used,
    /// Whether verdicts must be signed, and by whom; null where nothing says so.
    pub gate: Option<GateStanding>,
}

impl Trusted {
    /// Whether there is something that the user has not trusted as it is now.
    pub fn is_open(&self) -> bool {
        let commands = self.standing.is_some_and(|it| !it.is_trusted());
        let gate = self.gate.as_ref().is_some_and(|gate| gate.changed);
        commands || gate || !self.used.changed.is_empty()
    }
}

/// What agents' calls must resolve to as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Used {
    /// The user's configuration file, whether or not it is there; null without a home.
    pub config: Option<String>,
    /// The programs that the auditor's command names without a directory, and where they lie.
    pub programs: BTreeMap<String, String>,
    /// How that differs from the user's last own use, each a sentence; empty where it does not.
    pub changed: Vec<String>,
}

/// A command of the project's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamedCommand {
    /// The table that names it: `auditor`, `reviewer.ROLE`, `planner` or `checks.NAME`.
    pub name: String,
    pub command: Vec<String>,
}

/// Shows what trust covers, and with `record` trusts it, if it is still what was `seen`.
///
/// # Errors
/// Anybody but the user recording; a configuration that is invalid; no home to record it in.
pub fn trust(call: &Call, record: bool, seen: Option<&Trusted>) -> Result<Trusted, Failure> {
    if record {
        call.refuse_all_but_the_user("trust", RUN_IT)?;
    }
    let workspace = &call.workspace;
    let (paths, root) = (&workspace.paths, &workspace.root.path);
    let project = read_project(&paths.config())?;
    let user = workspace.environment.dirs.as_ref().map(Dirs::config_file);
    let loaded = Loaded {
        project: project.clone(),
        // One that cannot be used runs nothing, and says so where it is asked for.
        user: user.and_then(|path| read_user(&path).ok().flatten()),
    };
    let mut gate = Gate::of(workspace);
    let examined = workspace.trust(&loaded, call.caller.actor)?;
    let digest = examined.as_ref().map(|it| it.digest.as_str());
    same(seen, digest, gate.standing(root))?;
    let has_gate = gate.is_set();
    if record {
        record_gate(call, &mut gate)?;
    }
    let Some(examined) = examined else {
        return Ok(Trusted {
            recorded: record && has_gate,
            keys: keys(call),
            used: used(call, &loaded, record)?,
            gate: gate.standing(root),
            ..Trusted::default()
        });
    };
    let standing = match &workspace.environment.dirs {
        Some(dirs) if record => {
            examined.record(&dirs.state, paths)?;
            TrustStatus::Trusted
        }
        None if record => return Err(no_home()),
        _ => examined.standing,
    };
    let used = used(call, &loaded, record)?;
    let mut files: Vec<String> = project
        .iter()
        .map(|file| paths.relative(&file.path).to_string())
        .collect();
    files.extend(examined.coverage.keys().cloned());
    files.dedup();
    let changed = match record || standing == TrustStatus::Unknown {
        true => Vec::new(),
        false => examined.objections(Part::Whole),
    };
    Ok(Trusted {
        digest: Some(examined.digest),
        standing: Some(standing),
        recorded: record,
        commands: commands(&examined.project),
        files,
        changed,
        coverage: examined.coverage,
        keys: keys(call),
        used,
        gate: gate.standing(root),
    })
}

/// What this call's environment makes of configuration and auditor; with `record` it is noted as
/// the user's own.
fn used(call: &Call, loaded: &Loaded, record: bool) -> Result<Used, Failure> {
    let workspace = &call.workspace;
    if record {
        let hint = "see to it that you can write the state directory, then run `goal trust` again";
        let noted = workspace.note_use(loaded);
        noted.map_err(|error| Failure::io(&error, hint))?;
    }
    let now = workspace.this_use(loaded);
    let last = workspace.last_use();
    let programs = now.programs.iter();
    Ok(Used {
        changed: match last {
            Ok(None) => Vec::new(),
            Ok(Some(last)) => {
                let checks = now.checks.iter();
                let checks = checks.flat_map(|(name, it)| last.objections_to_check(name, it));
                now.objections(&last).into_iter().chain(checks).collect()
            }
            Err(unusable) => vec![unusable.to_string()],
        },
        config: now.config.as_ref().map(ToString::to_string),
        programs: programs
            .map(|(name, path)| (name.clone(), path.to_string()))
            .collect(),
    })
}

/// Whoever trusts has read what they trust.
fn same(
    seen: Option<&Trusted>,
    digest: Option<&str>,
    gate: Option<GateStanding>,
) -> Result<(), Failure> {
    let Some(seen) = seen else { return Ok(()) };
    if seen.digest.as_deref() == digest && seen.gate == gate {
        return Ok(());
    }
    Err(Failure::usage(
        "it changed while you read it, so nothing was trusted",
        "run `goal trust` again and read what it lists now",
    ))
}

/// Remembers the gate as the files of today say it, where there is anything to remember.
fn record_gate(call: &Call, gate: &mut Gate) -> Result<(), Failure> {
    if !gate.is_set() {
        return Ok(());
    }
    let workspace = &call.workspace;
    let dirs = workspace.environment.dirs.as_ref().ok_or_else(no_home)?;
    let list = match &gate.named {
        Some(Ok(signers)) => readable(signers),
        Some(Err(_)) | None => Ok(()),
    };
    let recorded = list.and_then(|()| gate.record(&dirs.state, workspace.paths.known_as()));
    recorded.map_err(|why| {
        let hint = "correct `[gate] signers`, or make the list readable";
        Failure::new("config_invalid", why, hint)
    })
}

/// Lets the seals of another key count on this ledger.
///
/// # Errors
/// Anybody but the user asks, or nothing was ever sealed here, so that no key is unknown.
pub fn accept_key(call: &Call, key: KeyId) -> Result<Trusted, Failure> {
    call.refuse_all_but_the_user("trust", RUN_IT)?;
    let workspace = &call.workspace;
    let dirs = workspace.environment.dirs.as_ref().ok_or_else(no_home)?;
    let Some(mut known) = Known::read(&dirs.state, workspace.paths.known_as()) else {
        return Err(Failure::usage(
            "you have sealed no line of this ledger yet, so every key in it counts",
            "nothing to do; the first command that records something notes what was there before",
        ));
    };
    known.keys.insert(key);
    known.write(&dirs.state)?;
    trust(call, false, None)
}

fn keys(call: &Call) -> BTreeSet<KeyId> {
    let workspace = &call.workspace;
    let dirs = workspace.environment.dirs.as_ref();
    let known = dirs.and_then(|dirs| Known::read(&dirs.state, workspace.paths.known_as()));
    known.map(|known| known.keys).unwrap_or_default()
}

fn no_home() -> Failure {
    Failure::new(
        "config_untrusted",
        "there is no home directory in which trust could be recorded",
        "set HOME, or pass the digest of `goal trust --show` in GOAL_TRUST",
    )
}

fn commands(project: &Parsed) -> Vec<NamedCommand> {
    let commands = project.file.commands().into_iter();
    commands
        .map(|command| NamedCommand {
            name: command.table.to_string(),
            command: command.argv.to_vec(),
        })
        .collect()
}
