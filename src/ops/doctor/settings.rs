//! Configuration that is invalid, not trusted, or lacks what a goal's contract names.

use camino::Utf8DirEntry;

use crate::documents::store;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::goal::state::Status;
use crate::ops::baseline::without_auditor;
use crate::ops::call::Call;
use crate::ops::contracted::unconfigured_checks;
use crate::ops::notify::lies_in_project;
use crate::ops::run::would_lack;
use crate::ops::trust::untold;
use crate::roles::command::trusted;
use crate::snapshot::Snapshot;
use crate::workspace::Paths;
use crate::workspace::config::{ConfigError, Loaded, resolve};
use crate::workspace::gate::Gate;
use crate::workspace::trust::Part;

/// What is wrong with the configuration; `snapshot` for what contracts need of it.
pub fn look(call: &Call, snapshot: Option<&Snapshot>) -> Vec<Diagnostic> {
    let loaded = match call.workspace.config_files() {
        Ok(loaded) => loaded,
        Err(error @ ConfigError::NotAFile { .. }) => {
            return vec![super::unsafe_path(error.to_string())];
        }
        Err(error) => return vec![invalid(error.to_string())],
    };
    let mut found = untrusted(call, &loaded);
    found.extend(untold(&call.workspace, &loaded).into_iter().map(|why| {
        let hint = "`goal help trust` says what a judge can be";
        Diagnostic::new(Code::JudgeUntold, why, hint)
    }));
    found.extend(unheard(call, &loaded));
    found.extend(unready(call));
    found.extend(without_auditor(call));
    found.extend(unreadable_templates(&call.workspace.paths));
    if let Some(snapshot) = snapshot {
        found.extend(missing_checks(&loaded, snapshot));
    }
    found
}

fn invalid(message: String) -> Diagnostic {
    let hint = "`goal config` shows what is in force";
    Diagnostic::new(Code::ConfigInvalid, message, hint)
}

fn untrusted(call: &Call, loaded: &Loaded) -> Vec<Diagnostic> {
    let commands = trusted(&call.workspace, call.caller.actor, loaded, Part::Whole).err();
    let gate = Gate::of(&call.workspace).objection();
    let hint = "`goal trust --show` lists what would be trusted";
    let why = commands.into_iter().chain(gate);
    why.map(|why| Diagnostic::new(Code::ConfigUntrusted, why, hint))
        .collect()
}

/// What a run would lack here, beside what is not trusted, which is found above.
fn unready(call: &Call) -> Vec<Diagnostic> {
    let missing = would_lack(call).unwrap_or_default().into_iter();
    let missing = missing.filter(|it| it.code != "config_untrusted");
    let found = missing.map(|it| {
        let message = format!("`goal run` would be refused: {}", it.message);
        Diagnostic::new(Code::RunNotReady, message, it.hint)
    });
    found.collect()
}

/// The command of `[notify]` that is not started, since it came with the project.
fn unheard(call: &Call, loaded: &Loaded) -> Option<Diagnostic> {
    let command = resolve(loaded).keys.notify.command?;
    let message = "the command of [notify] lies in the project, so it is not started";
    let hint =
        "put the program outside of the project, and name it with `goal config set notify.command`";
    lies_in_project(call, &command.value.0)
        .then(|| Diagnostic::new(Code::ConfigUntrusted, message, hint))
}

/// Templates of the project that no prompt can be made of, since they are no files to read.
fn unreadable_templates(paths: &Paths) -> Vec<Diagnostic> {
    let entries = paths.prompts().read_dir_utf8();
    let paths = entries.into_iter().flatten().flatten();
    let paths = paths.map(Utf8DirEntry::into_path);
    let mut templates: Vec<_> = paths.filter(|it| it.extension() == Some("md")).collect();
    templates.sort();
    let refused = templates.iter().filter_map(|path| store::read(path).err());
    refused
        .map(|error| super::unsafe_path(error.to_string()))
        .collect()
}

fn missing_checks(loaded: &Loaded, snapshot: &Snapshot) -> Vec<Diagnostic> {
    let open = snapshot.state.goals.in_turn(Status::is_open);
    let open = open.filter(|goal| !goal.contract.checks.is_empty());
    let found = open.flat_map(|goal| {
        let who = format!("goal {}", goal.id);
        unconfigured_checks(loaded, &who, &goal.contract.checks)
    });
    found.collect()
}
