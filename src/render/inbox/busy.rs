//! The list of what waits when much does: alike things together, and the first command of each in full.

use std::collections::BTreeSet;

use crate::domain::attention::{Choice, Need, NeedKind};
use crate::domain::id::GoalId;
use crate::render::columns::{DIM, fit, padded, sealed, styled, unstyled, width};
use crate::render::inbox::{Entry, answers, choices, reason};
use crate::render::text::{count, one_line};

/// Most lines of a reason. What the person agrees to is never cut.
const REASON: usize = 3;

/// Space between two commands on one line.
const GAP: &str = "    ";

/// Everything that waits, oldest first. What is alike stands with the oldest of its kind, and what is
/// about one goal with the oldest of that goal.
pub(super) fn listed(needs: &[Need], now: i64, columns: usize) -> String {
    let mut text = String::new();
    let mut left: Vec<&Need> = needs.iter().collect();
    while let Some(first) = left.first().copied() {
        let (about, others): (Vec<&Need>, Vec<&Need>) =
            left.iter().partition(|it| is_about_the_same(first, it));
        left = others;
        for need in about {
            let (mut alike, others): (Vec<&Need>, Vec<&Need>) =
                left.iter().partition(|it| is_alike(need, it));
            left = others;
            alike.insert(0, need);
            text += &match alike.len() {
                1 => one(need, now, columns),
                _ => several(&alike, now, columns),
            };
        }
    }
    text
}

fn is_about_the_same(a: &Need, b: &Need) -> bool {
    std::ptr::eq(a, b) || (a.goal_id.is_some() && a.goal_id == b.goal_id)
}

/// Whether one reason and one label say it of both. What the person agrees to stands alone.
fn is_alike(a: &Need, b: &Need) -> bool {
    let labels = |it: &Need| it.choices.first().map(|choice| choice.label.clone());
    !a.is_agreed_to() && (a.kind, &a.reason, labels(a)) == (b.kind, &b.reason, labels(b))
}

fn one(need: &Need, now: i64, columns: usize) -> String {
    let line = Entry::of(need).line(now, columns);
    let said = said(need, &unstyled(&line));
    let mut text = format!("{line}\n");
    text += &reason(need, said, columns, REASON);
    let takes_words = need.kind == NeedKind::Question || !need.can_be_answered();
    text += &match need.is_question() && takes_words {
        true => answers(need, columns),
        false => commands(need, columns),
    };
    text
}

/// The reason without what the line above says already: that a contract is proposed, and its objective
/// where that is its title and the line shows all of it.
fn said<'a>(need: &'a Need, line: &str) -> &'a str {
    let NeedKind::Draft = need.kind else {
        return &need.reason;
    };
    let lines = need.reason.split_once('\n').map_or("", |(_, lines)| lines);
    if !line.contains(&need.title) {
        return lines;
    }
    let objective = format!("+ objective: {}\n", need.title);
    lines.strip_prefix(&objective).unwrap_or(lines)
}

/// Several goals or remotes of which the same is true: it is said once, then each has its command.
fn several(needs: &[&Need], now: i64, columns: usize) -> String {
    let first = needs[0];
    let goals: BTreeSet<&GoalId> = needs.iter().filter_map(|it| it.goal_id.as_ref()).collect();
    let title = match goals.len() {
        // Only what is about a remote is about no goal and alike.
        0 => count(needs.len() as u64, "remote"),
        goals => count(goals as u64, "goal"),
    };
    let entry = Entry {
        title: &title,
        ..Entry::of(first)
    };
    let mut text = format!("{}\n", entry.line(now, columns));
    text += &reason(first, &first.reason, columns, REASON);
    if let Some(choice) = first.choices.first() {
        text += &format!("  {}\n", styled(&format!("{}:", choice.label), DIM));
    }
    let command = |need: &Need| match need.choices.first() {
        Some(first) => first.command.clone(),
        None => need.command.clone(),
    };
    let widest = needs.iter().map(|it| width(&command(it))).max();
    for need in needs {
        let command = padded(&command(need), widest.unwrap_or_default().min(columns));
        let room = columns.saturating_sub(width(&command) + 4).max(1);
        let title = sealed(&fit(&one_line(&need.title), room));
        text += &format!("  {command}  {title}\n");
    }
    text
}

/// The commands on one line where they fit; else the first, and what the others are called. Of what the
/// person agrees to, and of what no other list shows for one goal, each has a line then.
fn commands(need: &Need, columns: usize) -> String {
    let Some((first, others)) = need.choices.split_first() else {
        return String::new();
    };
    let all: Vec<String> = need.choices.iter().map(labelled).collect();
    let line = all.join(GAP);
    if width(&line) + 2 <= columns {
        return format!("  {line}\n");
    }
    if need.is_agreed_to() || need.goal_id.is_none() {
        return choices(need, columns);
    }
    let mut line = first.command.clone();
    let mut says = |more: String, and: &str| {
        let has_room = width(&line) + width(&more) + width(and) + 2 <= columns;
        if has_room {
            line += &more;
        }
        has_room
    };
    let names = others.iter().map(|it| name(&it.command));
    let mut names = names.filter(|it| *it != name(&first.command)).peekable();
    let mut before = "; or";
    if says(format!("  {}", first.label), "") {
        while let Some(name) = names.next() {
            let rest = if names.peek().is_some() { ", …" } else { "" };
            if !says(format!("{before} `{name}`"), rest) {
                says(", …".to_owned(), "");
                break;
            }
            before = ",";
        }
    }
    format!("  {line}\n")
}

/// A command and what it does, where the command does not end in that word.
fn labelled(choice: &Choice) -> String {
    match choice.command.ends_with(&format!(" {}", choice.label)) {
        true => choice.command.clone(),
        false => format!("{}  {}", choice.command, choice.label),
    }
}

/// `goal abort` of `goal abort --goal ID --reason TEXT`.
fn name(command: &str) -> String {
    let words = command.split(' ').take_while(|it| !it.starts_with('-'));
    words.take(2).collect::<Vec<_>>().join(" ")
}
