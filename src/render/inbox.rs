//! What waits for the person, as they read it.

use std::collections::BTreeMap;

use crate::domain::attention::{Need, NeedKind, Standing};
use crate::render::columns::{BOLD, DIM, fit, padded, styled, unstyled, width, wrapped};
use crate::render::text::{clean, one_line};
use crate::render::work::ago;

/// Most lines of a reason. A question and what it can be answered with are never cut: whoever answers
/// agrees to all of it.
const REASON: usize = 4;

/// How wide the word for what waits is.
const LABEL: usize = 16;

/// A title that has less room than this gets that of the age.
const TITLE: usize = 12;

/// What waits, in a word or two.
pub fn label(kind: NeedKind) -> &'static str {
    match kind {
        NeedKind::Question => "question",
        NeedKind::Approval => "approval",
        NeedKind::Draft => "proposal",
        NeedKind::Tweak => "change",
        NeedKind::Contested => "contested",
        NeedKind::Unproven => "not proven",
        NeedKind::Foreign => "other program",
        NeedKind::Blocked => "blocked",
        NeedKind::Budget => "over budget",
        NeedKind::Signature => "to sign",
        NeedKind::RunStopped => "run stopped",
        NeedKind::Stuck => "stuck",
        NeedKind::OutsideGate => "outside the gate",
        NeedKind::Unsynced => "not synced",
    }
}

/// Everything that waits, oldest first, for a terminal of so many columns.
pub fn inbox(needs: &[Need], now: i64, columns: usize) -> String {
    if needs.is_empty() {
        return "Nothing needs you.\n".to_owned();
    }
    let mut text = String::new();
    for need in needs {
        text += &whole(need, now, columns);
        text.push('\n');
    }
    text + &format!("{}\n", styled(&counted(needs.len() as u64), DIM))
}

/// `12 need you`.
pub fn counted(needs: u64) -> String {
    match needs {
        1 => "1 needs you".to_owned(),
        many => format!("{many} need you"),
    }
}

/// One line of it, as a list to choose from shows it.
pub fn row(need: &Need, now: i64, columns: usize) -> String {
    unstyled(&head(need, now, columns))
}

/// What waits, about what, and for how long; on a narrow terminal without that.
fn head(need: &Need, now: i64, columns: usize) -> String {
    let (label, age) = (label(need.kind), age(need, now));
    let room = columns.saturating_sub(LABEL + width(&age) + 4);
    if room < TITLE {
        let title = fit(&need.title, columns.saturating_sub(label.len() + 2));
        return format!("{}  {}", styled(label, BOLD), styled(&title, BOLD));
    }
    let label = padded(label, LABEL);
    let title = padded(&fit(&need.title, room), room);
    let head = format!("{}  {}  {age}", styled(&label, BOLD), styled(&title, BOLD));
    head.trim_end().to_owned()
}

/// What waits, why, and what settles it. A command is never cut.
pub fn whole(need: &Need, now: i64, columns: usize) -> String {
    let mut text = format!("{}\n", head(need, now, columns));
    let most = match need.is_question() {
        true => usize::MAX,
        false => REASON,
    };
    for line in wrapped(&clean(&need.reason), columns.saturating_sub(2), most) {
        text += &format!("  {line}\n");
    }
    match need.is_question() {
        true => text += &answers(need, columns),
        false => text += &choices(need, columns),
    }
    text
}

fn answers(need: &Need, columns: usize) -> String {
    if need.kind == NeedKind::Approval && need.can_be_answered() {
        return choices(need, columns);
    }
    let mut text = String::new();
    for (number, choice) in (1..).zip(&need.choices) {
        let label = wrapped(&clean(&choice.label), columns.saturating_sub(8), usize::MAX);
        for (at, line) in label.iter().enumerate() {
            let number = if at == 0 {
                number.to_string()
            } else {
                String::new()
            };
            text += &format!("  {number:>3}  {line}\n");
        }
    }
    let how = match (need.can_be_answered(), need.choices.is_empty()) {
        (false, _) => "",
        (true, true) => " ANSWER",
        (true, false) => " --pick N, or your own words",
    };
    text + &format!("  {}{how}\n", need.command)
}

fn choices(need: &Need, columns: usize) -> String {
    let widest = need.choices.iter().map(|it| width(&it.command)).max();
    let widest = widest.unwrap_or_default().min(columns);
    let line = |command: &str, label: &str| {
        let command = padded(command, widest);
        let room = columns.saturating_sub(width(&command) + 4);
        let label = if room > 8 {
            fit(label, room)
        } else {
            String::new()
        };
        format!("  {command}  {}", styled(&label, DIM))
            .trim_end()
            .to_owned()
            + "\n"
    };
    need.choices
        .iter()
        .map(|it| line(&it.command, &it.label))
        .collect()
}

fn age(need: &Need, now: i64) -> String {
    need.since
        .as_deref()
        .map_or_else(String::new, |at| ago(at, now))
}

/// What waits in one line, the command first.
pub fn brief(need: &Need) -> String {
    let (what, reason) = (label(need.kind), one_line(&need.reason));
    format!("{what}, `{}`: {reason}", need.command)
}

/// How many open goals stand how, in the order of listings; nothing where none is open.
pub fn standings(standings: &BTreeMap<Standing, u64>) -> Option<String> {
    let each = Standing::ALL.iter().filter_map(|it| {
        let count = standings.get(it).filter(|count| **count > 0)?;
        Some(format!("{count} {it}"))
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| each.join(", "))
}

#[cfg(test)]
mod tests;
