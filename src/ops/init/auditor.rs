//! `goal init --auditor`: the auditor is tried, and becomes the one of the user's own configuration.

use camino::Utf8Path;
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::verdict::Verdict;
use crate::ops::auditor_test::auditor_test;
use crate::ops::call::Call;
use crate::ops::config::Settings;
use crate::ops::configure;
use crate::ops::failure::Failure;
use crate::ops::trust::trust;
use crate::roles::command::CommandOptions;
use crate::workspace::config::{Role, Source};
use crate::workspace::presets::Preset;
use crate::workspace::trust::TrustStatus;

/// The auditor that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChosenAuditor {
    /// Its answer to a harmless sample; with `error` it was not set.
    pub verdict: Verdict,
    /// The row of the verdict table that decided, in words.
    pub rule: String,
    /// The key and its value in the file.
    pub key: String,
    /// The user's configuration.
    pub file: String,
    /// Whose auditor counts in this project now.
    pub source: Option<Source>,
    /// How the user trusts it, where it is a file of this project; null where it is none.
    pub trust: Option<TrustStatus>,
    #[serde(skip)]
    pub failure: Option<Failure>,
    /// The last line that it wrote beside its answer, which says most of why there is none.
    #[serde(skip)]
    pub said_last: Option<String>,
}

/// Refuses a caller who may not choose an auditor.
///
/// # Errors
/// Anybody but the user.
pub fn may_choose(call: &Call, named: &str) -> Result<(), Failure> {
    let say = format!("run `goal init --auditor {named}` if it is to judge your goals");
    call.refuse_all_but_the_user("init --auditor", &say)?;
    Ok(())
}

/// Asks this auditor about a harmless sample. If its answer is a verdict, the user's own
/// configuration names it from now on.
///
/// # Errors
/// Anybody but the user; the auditor cannot be asked; the file cannot be written.
pub fn choose(call: &Call, named: &str) -> Result<ChosenAuditor, Failure> {
    may_choose(call, named)?;
    // Where the file is broken, nothing is asked for nothing.
    let (path, _) = configure::to_edit(call)?;
    let tested = auditor_test(
        call,
        &CommandOptions {
            command: Some(named.to_owned()),
            timeout: None,
        },
    )?;
    let (key, value) = match (Preset::named(named), named.contains('/')) {
        (Some(_), _) => ("auditor.preset", named.to_owned()),
        // The file counts in every project, wherever it was typed.
        (None, true) => {
            let path = call.workspace.environment.cwd.join(named);
            let path = path.canonicalize_utf8().unwrap_or(path);
            ("auditor.command", path.into_string())
        }
        (None, false) => ("auditor.command", named.to_owned()),
    };
    let failure = tested.failure();
    let said = tested.stderr_end.lines().rfind(|it| !it.trim().is_empty());
    let settings = match failure {
        None => Some(configure::set(
            call,
            false,
            key,
            std::slice::from_ref(&value),
        )?),
        Some(_) => None,
    };
    let trust = match failure {
        None => trust_file(call, &value)?,
        Some(_) => None,
    };
    Ok(ChosenAuditor {
        verdict: tested.verdict,
        rule: tested.rule,
        key: format!("{key} = {value}"),
        file: path.into_string(),
        source: settings.as_ref().and_then(source),
        trust,
        failure,
        said_last: said.map(str::to_owned),
    })
}

/// The user who names a file of the project as the auditor trusts it by that, unless more than this
/// file waits for their trust.
fn trust_file(call: &Call, path: &str) -> Result<Option<TrustStatus>, Failure> {
    let file = call.workspace.paths.relative(Utf8Path::new(path));
    let seen = trust(call, false, None)?;
    if !seen.coverage.contains_key(file.as_str()) {
        return Ok(None);
    }
    // Whose signatures count and what leads the auditor would be trusted with it.
    let gate = seen.gate.as_ref().is_some_and(|gate| gate.changed);
    let is_all = seen.coverage.len() == 1
        && seen.commands.is_empty()
        && seen.used.changed.is_empty()
        && !gate;
    let trusted = match is_all && seen.is_open() {
        true => trust(call, true, Some(&seen)).unwrap_or(seen),
        false => seen,
    };
    Ok(trusted.standing)
}

fn source(settings: &Settings) -> Option<Source> {
    let auditor = settings.roles.0.get(&Role::Auditor)?;
    Some(auditor.source)
}
