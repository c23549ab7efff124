//! Whether anybody can audit a goal, said when the goal is created and not when it is done.

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::ops::call::Call;
use crate::roles::command::{Wanted, choose};
use crate::workspace::config::Role;
use crate::workspace::gate::Gate;
use crate::workspace::presets::Preset;

/// What the user is told where no auditor is configured, with the command that configures one.
/// Whoever signs verdicts may bring the auditor, and a configuration that cannot be read is told of
/// where it is used.
pub fn nobody(call: &Call) -> Option<Diagnostic> {
    let wanted = Wanted::default();
    let chosen = choose(&call.workspace, call.caller.actor, Role::Auditor, &wanted);
    if !matches!(chosen, Ok(None)) || Gate::of(&call.workspace).required {
        return None;
    }
    let message = "no auditor is configured, and without one the goal cannot be completed";
    let names = Preset::ALL.map(Preset::program).join(", ");
    let hint = format!("`goal config set auditor.preset NAME` names one: {names}");
    Some(Diagnostic::new(Code::NoAuditor, message, hint))
}
