//! Trusting what a project's configuration would run (docs/auditor-protocol.md#trust): what that
//! is, and saying so.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::seal::{Key, KeyId};
use crate::ops::accepted::accept_first;
use crate::ops::attested::check_signers_readable;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::workspace::Workspace;
use crate::workspace::accepted::Accepted;
use crate::workspace::config::{Loaded, Parsed, read_project, read_user};
use crate::workspace::dirs::Dirs;
use crate::workspace::gate::{Gate, GateStanding};
use crate::workspace::judge::{ONE_FILE, Runs};
use crate::workspace::keys::read_or_make;
use crate::workspace::records::RootRecord;
use crate::workspace::trust::{Coverage, Part, TrustStatus};
use crate::workspace::uses::Use;

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
    /// The judges of whom nobody can tell what they are made of, each a sentence. One that the
    /// project's configuration names does not run.
    pub untold: Vec<String>,
    /// The keys of other machines whose seals count on this ledger, and the names of those machines.
    pub keys: BTreeMap<KeyId, String>,
    /// The public key of this machine, by which others accept it; null before it sealed anything.
    pub own_key: Option<KeyId>,
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
    /// Of what differed, what this call accepted.
    pub accepted: Vec<String>,
    /// All of it, to see whether it is still what was shown.
    #[serde(skip)]
    pub all: Use,
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
        call.refuse_all_but_the_user_in_person("trust", RUN_IT)?;
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
    let now = workspace.this_use(&loaded);
    same(seen, digest, gate.standing(root), &now)?;
    let has_gate = gate.is_set();
    if record {
        record_gate(call, &mut gate)?;
        accept_first(call)?;
    }
    let Some(examined) = examined else {
        return Ok(Trusted {
            recorded: record && has_gate,
            keys: keys(call),
            own_key: workspace.own_key().map(|own| own.id()),
            used: used(call, now, record)?,
            untold: untold(workspace, &loaded),
            gate: gate.standing(root),
            ..Trusted::default()
        });
    };
    let standing = match &workspace.environment.dirs {
        Some(dirs) if record => {
            examined.record(&dirs.state, paths, &own_or_made(workspace, dirs)?)?;
            TrustStatus::Trusted
        }
        None if record => return Err(no_home()),
        _ => examined.standing,
    };
    let used = used(call, now, record)?;
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
        untold: untold(workspace, &loaded),
        keys: keys(call),
        own_key: workspace.own_key().map(|own| own.id()),
        used,
        gate: gate.standing(root),
    })
}

/// What this call's environment makes of configuration and auditor; with `record` it is noted as
/// the user's own.
fn used(call: &Call, now: Use, record: bool) -> Result<Used, Failure> {
    let workspace = &call.workspace;
    let differing = || match workspace.last_use() {
        Ok(None) => Vec::new(),
        Ok(Some(last)) => {
            let checks = now.checks.iter();
            let checks = checks.flat_map(|(name, it)| last.objections_to_check(name, it));
            let auditor = now.objections(&last).into_iter();
            let led = now.led_elsewhere(&last);
            auditor.chain(led).chain(checks).collect()
        }
        Err(unusable) => vec![unusable.to_string()],
    };
    let mut accepted = Vec::new();
    if record {
        accepted = differing();
        let hint = "see to it that you can write the state directory, then run `goal trust` again";
        let noted = workspace.take_over(&now);
        noted.map_err(|error| Failure::io(&error, hint))?;
    }
    let programs = now.programs.iter();
    Ok(Used {
        changed: differing(),
        accepted,
        config: now.config.as_ref().map(ToString::to_string),
        programs: programs
            .map(|(name, path)| (name.clone(), path.to_string()))
            .collect(),
        all: now,
    })
}

/// The judges of whom nobody can tell what they are made of, each a sentence without its end.
pub fn untold(workspace: &Workspace, loaded: &Loaded) -> Vec<String> {
    let mut all = Vec::new();
    for (parsed, whose) in [
        (&loaded.project, "the project's"),
        (&loaded.user, "your own"),
    ] {
        let roles = parsed.iter().flat_map(|it| &it.file.roles);
        let judges = roles.filter(|(role, it)| role.judges() && it.preset.is_none());
        all.extend(
            judges.filter_map(|(role, command)| match workspace.runs(&command.argv) {
                Runs::Untold(why) => Some(format!("{whose} `{role}`: {why}; {ONE_FILE}")),
                Runs::Program(_) | Runs::File(_) => None,
            }),
        );
    }
    all
}

/// Whoever trusts has read what they trust.
fn same(
    seen: Option<&Trusted>,
    digest: Option<&str>,
    gate: Option<GateStanding>,
    now: &Use,
) -> Result<(), Failure> {
    let Some(seen) = seen else { return Ok(()) };
    if seen.digest.as_deref() == digest && seen.gate == gate && seen.used.all == *now {
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
        Some(Ok(signers)) => check_signers_readable(signers),
        Some(Err(_)) | None => Ok(()),
    };
    let (own, root) = (own_or_made(workspace, dirs)?, workspace.paths.known_as());
    let recorded = list.and_then(|()| gate.record(&dirs.state, root, &own));
    recorded.map_err(|why| {
        let hint = "correct `[gate] signers`, or make the list readable";
        Failure::new("config_invalid", why, hint)
    })
}

/// Lets the seals of another machine's key count on this ledger, under a name for that machine.
///
/// # Errors
/// Anybody but the user asks; there is no home to keep it in, or no key of this machine's own.
pub fn accept_key(call: &Call, key: KeyId, name: &str) -> Result<Trusted, Failure> {
    call.refuse_all_but_the_user_in_person("trust", RUN_IT)?;
    let workspace = &call.workspace;
    let (dirs, root) = (
        workspace.environment.dirs.as_ref().ok_or_else(no_home)?,
        workspace.paths.known_as(),
    );
    let own = own_or_made(workspace, dirs)?;
    let kept = Accepted::read(&dirs.state, root, Some(&own)).valid();
    let mut accepted = kept.unwrap_or_else(|| Accepted::none(root));
    if accepted.beginnings.is_empty() {
        accepted.beginnings.extend(call.look()?.beginning()?);
    }
    accepted.keys.insert(key, name.to_owned());
    accepted.write(&dirs.state, &own)?;
    trust(call, false, None)
}

/// This machine's key, with which every record of what the user trusts is made.
fn own_or_made(workspace: &Workspace, dirs: &Dirs) -> Result<Key, Failure> {
    let own = read_or_make(&dirs.state, workspace.environment.pinned_key());
    own.map_err(|fault| {
        let why = format!("the key with which you seal your lines cannot be used: {fault}");
        Failure::new("key_unusable", why, fault.hint())
    })
}

fn keys(call: &Call) -> BTreeMap<KeyId, String> {
    let own = call.workspace.own_key();
    let kept = call.workspace.kept::<Accepted>(own.as_ref()).valid();
    kept.map(|accepted| accepted.keys).unwrap_or_default()
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
