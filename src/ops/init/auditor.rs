//! `goal init --auditor`: the auditor is tried, and becomes the one of the user's own configuration.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::verdict::Verdict;
use crate::ops::auditor_test::auditor_test;
use crate::ops::call::Call;
use crate::ops::config::Settings;
use crate::ops::configure;
use crate::ops::failure::Failure;
use crate::roles::command::Wanted;
use crate::workspace::config::{Role, Source};
use crate::workspace::presets::Preset;

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
    #[serde(skip)]
    pub failure: Option<Failure>,
}

/// Asks this auditor about a harmless sample. If its answer is a verdict, the user's own
/// configuration names it from now on.
///
/// # Errors
/// Anybody but the user; the auditor cannot be asked; the file cannot be written.
pub fn choose(call: &Call, named: &str) -> Result<ChosenAuditor, Failure> {
    let say = format!("run `goal init --auditor {named}` if it is to judge your goals");
    call.refuse_all_but_the_user("init", &say)?;
    // Where the file is broken, nothing is asked for nothing.
    let (path, _) = configure::to_edit(call)?;
    let tested = auditor_test(
        call,
        &Wanted {
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
    let settings = match failure {
        None => Some(configure::set(call, key, std::slice::from_ref(&value))?),
        Some(_) => None,
    };
    Ok(ChosenAuditor {
        verdict: tested.verdict,
        rule: tested.rule,
        key: format!("{key} = {value}"),
        file: path.into_string(),
        source: settings.as_ref().and_then(source),
        failure,
    })
}

fn source(settings: &Settings) -> Option<Source> {
    let auditor = settings.roles.0.get(&Role::Auditor)?;
    Some(auditor.source)
}
