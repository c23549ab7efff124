//! What an agent's host says of a turn in its machine-readable output: the agent's last message, how
//! the turn failed, and what it cost. Each host has its own form, and `fixtures/hosts` has outputs of
//! all four. Output that is not of that form is no fault: then nothing is known but the text.

mod claude;
mod codex;
mod gemini;
mod pi;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::domain::cost::amount::Amount;
use crate::workspace::presets::Preset;

/// What a host told of a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostReport {
    /// The agent's last message, and what went wrong where something did.
    pub text: String,
    /// What went wrong, in the host's words.
    pub failed: Option<String>,
    /// What the turn cost, by the name of the counter. What was not told, or is 0, is not here.
    pub counters: BTreeMap<String, f64>,
    /// The model, where it was one.
    pub model: Option<String>,
    /// When the limit is lifted at which the host was, in seconds since 1970, where it said so.
    pub lifted_at: Option<i64>,
}

/// Longest name of a model that is taken over.
const MODEL: usize = 100;

/// What the host told; nothing where its output is not of the form that is known here.
pub fn read(preset: Preset, stdout: &[u8]) -> Option<HostReport> {
    let text = String::from_utf8_lossy(stdout);
    match preset {
        Preset::Claude => claude::read(lines(&text)),
        Preset::Gemini => gemini::read(lines(&text)),
        Preset::Codex => codex::read(lines(&text)),
        Preset::Pi => pi::read(lines(&text)),
    }
}

/// How lines begin that say nothing that is needed here, and that are too many to be kept: pi writes
/// one for every word of its model, and every message five times; Claude Code all that its tools bring.
pub fn unneeded(preset: Option<Preset>) -> &'static [&'static str] {
    match preset {
        Some(Preset::Pi) => pi::UNNEEDED,
        Some(Preset::Claude) => claude::UNNEEDED,
        Some(Preset::Gemini) => gemini::UNNEEDED,
        _ => &[],
    }
}

impl HostReport {
    fn of(message: Option<&str>, failed: Option<&str>) -> HostReport {
        let parts = [message, failed].into_iter().flatten();
        let mut parts: Vec<&str> = parts.filter(|part| !part.trim().is_empty()).collect();
        // Some say what went wrong in place of a message.
        parts.dedup();
        HostReport {
            text: parts.join("\n"),
            failed: failed.map(str::to_owned),
            ..HostReport::default()
        }
    }

    /// Adds to a counter. What is no amount, or nothing, is not counted.
    fn add(&mut self, counter: &str, number: Option<f64>) {
        let number = number.and_then(Amount::of).map(Amount::number);
        if let Some(number) = number.filter(|number| *number > 0.0) {
            *self.counters.entry(counter.to_owned()).or_default() += number;
        }
    }

    fn with_model(self, model: Option<&str>) -> HostReport {
        let fits = |model: &&str| {
            let len = model.trim().len();
            (1..=MODEL).contains(&len) && model.len() <= MODEL && !model.contains(char::is_control)
        };
        HostReport {
            model: model.filter(fits).map(str::to_owned),
            ..self
        }
    }
}

/// The objects of its lines; other lines are passed over.
fn lines(text: &str) -> impl Iterator<Item = Value> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.filter_map(|line| serde_json::from_str(line).ok())
}

/// The number below these names.
pub(super) fn number(value: &Value, path: &[&str]) -> Option<f64> {
    let found = path.iter().try_fold(value, |value, name| value.get(name));
    found.and_then(Value::as_f64)
}

/// The tokens of an input that did not come from a cache, of a host that counts both together.
pub(super) fn uncached(all: Option<f64>, cached: Option<f64>) -> Option<f64> {
    all.map(|all| (all - cached.unwrap_or_default()).max(0.0))
}

/// The sum of two numbers, of which one at least is there.
fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
