//! What waits for the person, as they read it.

mod busy;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::domain::attention::{Need, NeedKind, Standing};
use crate::domain::goal::state::Wait;
use crate::domain::passed_on::PassedOn;
use crate::domain::time::is_within;
use crate::render::amounts::age;
use crate::render::clock::moment;
use crate::render::columns::{BOLD, DIM, fit, padded, sealed, styled, unstyled, width, wrapped};
use crate::render::contract::capitalised;
use crate::render::marks::of_need;
use crate::render::text::{clean, one_line, short};
use crate::render::waiting;
use crate::render::work::ago;

/// Most lines of a reason. A question, what it can be answered with and a proposal are never cut:
/// whoever answers agrees to all of it.
const REASON: usize = 4;

/// So many things are each shown with every command.
const FEW: usize = 5;

/// How wide the word for what waits is.
const LABEL: usize = 16;

/// Widest line of a thing that waits: further apart, title and age are hard to read together.
const LINE: usize = 120;

/// A title that has less room than this gets that of the age.
const TITLE: usize = 12;

/// Everything that waits, oldest first, for a terminal of so many columns. With more than a few things
/// of more than one goal, those that are alike stand together and each is short.
pub fn inbox(needs: &[Need], now: i64, columns: usize) -> String {
    let Some(first) = needs.first() else {
        return format!("{}\n", nothing_waits());
    };
    let is_about = |need: &Need| need.goal_id.is_some() && need.goal_id == first.goal_id;
    if needs.len() > FEW && !needs.iter().all(is_about) {
        let counted = counted(needs.len() as u64);
        let whole = format!("{counted}. `goal inbox --goal GOAL` shows all choices for one goal.");
        return busy::listed(needs, now, columns) + &remark(&whole, columns);
    }
    let mut text = String::new();
    for need in needs {
        text += &whole(need, now, columns);
        text.push('\n');
    }
    text + &format!("{}\n", styled(&counted(needs.len() as u64), DIM))
}

/// That nothing waits, as a sentence.
pub fn nothing_waits() -> String {
    capitalised(&counted(0)) + "."
}

/// Goals that wait for something outside, by their titles; empty where none does.
pub fn waits(waits: &[(String, Wait)], now: i64, columns: usize) -> String {
    let lines = waits.iter().flat_map(|(title, wait)| {
        let said = waiting::waits(wait, now, moment);
        let said = format!("{} waits for {said}.", one_line(title));
        wrapped(&said, columns, usize::MAX)
    });
    lines
        .map(|line| format!("{}\n", styled(&line, DIM)))
        .collect()
}

/// How long the inbox remarks on what a host passed on.
const REMARKED: Duration = Duration::from_secs(7 * 24 * 3600);

/// That acts of the user came through agents' hosts of late; empty where none did.
pub fn passed_on(passed_on: &PassedOn, now: i64, columns: usize) -> String {
    let all = passed_on.0.iter();
    let late = all.filter(|(_, it)| is_within(&it.at, now, REMARKED));
    let late: Vec<String> = late
        .map(|(host, it)| format!("{} {}", short(host, 64), ago(&it.at, now)))
        .collect();
    if late.is_empty() {
        return String::new();
    }
    let said = format!(
        "An act of yours came through an agent's host: {}. `goal log --by user` shows which.",
        late.join(", ")
    );
    remark(&said, columns)
}

/// A sentence below the list.
fn remark(said: &str, columns: usize) -> String {
    let lines = wrapped(said, columns, usize::MAX).into_iter();
    lines
        .map(|line| format!("{}\n", styled(&line, DIM)))
        .collect()
}

/// `12 need you`.
pub fn counted(needs: u64) -> String {
    match needs {
        0 => "nothing needs you".to_owned(),
        1 => "1 needs you".to_owned(),
        many => format!("{many} need you"),
    }
}

/// Something on one line: of what kind it is, what it is called, and since when it is so.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    pub kind: &'a str,
    pub title: &'a str,
    pub since: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// What waits.
    pub fn of(need: &'a Need) -> Entry<'a> {
        Entry {
            kind: of_need(need.kind).word,
            title: &need.title,
            since: need.since.as_deref(),
        }
    }

    /// As a list to choose from shows it, in so many columns.
    pub fn row(&self, now: i64, columns: usize) -> String {
        unstyled(&self.line(now, columns))
    }

    /// The same in colours; on a narrow terminal with less of the age and of the kind.
    fn line(&self, now: i64, columns: usize) -> String {
        let columns = columns.min(LINE);
        let kind = fit(self.kind, LABEL.min(columns / 3));
        let (wide, far) = (LABEL, self.since.map(|at| ago(at, now)));
        let near = self.since.map(|at| age(at, now));
        for (wide, age) in [(wide, far), (width(&kind), near)] {
            let age = age.unwrap_or_default();
            let room = columns.saturating_sub(wide + width(&age) + 4);
            if room >= TITLE {
                let kind = padded(&kind, wide);
                let title = sealed(&padded(&fit(self.title, room), room));
                let line = format!("{}  {}  {age}", styled(&kind, BOLD), styled(&title, BOLD));
                return line.trim_end().to_owned();
            }
        }
        let title = fit(self.title, columns.saturating_sub(width(&kind) + 2).max(1));
        format!("{}  {}", styled(&kind, BOLD), styled(&sealed(&title), BOLD))
    }
}

/// What waits, why, and what settles it. A command is never cut.
pub fn whole(need: &Need, now: i64, columns: usize) -> String {
    let mut text = format!("{}\n", Entry::of(need).line(now, columns));
    text += &reason(need, &need.reason, columns, REASON);
    match need.is_question() {
        true => text += &answers(need, columns),
        false => text += &choices(need, columns),
    }
    text
}

/// Why it waits, in at most so many lines; what the person agrees to keeps all of its lines.
fn reason(need: &Need, said: &str, columns: usize, most: usize) -> String {
    let reason = clean(said);
    let (parts, most): (Vec<&str>, usize) = match need.is_agreed_to() {
        true => (reason.lines().collect(), usize::MAX),
        false => (vec![&reason], most),
    };
    let lines = parts
        .into_iter()
        .flat_map(|part| wrapped(part, columns.saturating_sub(2), most));
    lines.map(|line| format!("  {line}\n")).collect()
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
        (true, true) => " VALUE",
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

/// What waits in one line, the command first.
pub fn brief(need: &Need) -> String {
    format!("{}: {}", called(need), one_line(need.gist()))
}

/// The word for what waits, and the command.
pub fn called(need: &Need) -> String {
    let value = match need.can_be_answered() {
        true => " VALUE",
        false => "",
    };
    let what = of_need(need.kind).word;
    format!("{what}, `{}{value}`", need.command)
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
