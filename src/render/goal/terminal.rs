//! Blocks on a terminal. Stored text is always indented, so that none of it can pass for a heading of ours.

use super::{Block, WIDEST, stands};
use crate::domain::passed_on::host;
use crate::render::acted::in_column;
use crate::render::clock::Clock;
use crate::render::columns::{BOLD, HEADING, fit, padded, sealed, styled, toned, width, within};
use crate::render::contract::capitalised;
use crate::render::marks::of_goal;
use crate::render::text::one_line;
use crate::render::view::{GoalView, RecentEvent};

/// How far in the text below a heading stands.
const INDENT: usize = 2;

/// Columns before the value of a fact.
const VALUE: usize = 14;

/// Everything in full: facts in a table, texts below their headings. No line is wider than so many
/// columns, where these are known, but a word that is.
pub(in crate::render) fn full(
    blocks: &[Block<'_>],
    clock: Clock<'_>,
    columns: Option<usize>,
) -> String {
    let mut text = String::new();
    let mut is_table = false;
    for block in blocks {
        let is_fact = matches!(block, Block::Fact { .. });
        if is_fact && !is_table {
            text.push('\n');
        }
        is_table = is_fact;
        text += &match block {
            Block::Head(goal) => {
                let focused = if goal.focused { "  [focused]" } else { "" };
                let (title, standing) = head(goal, columns.unwrap_or(HEADING));
                format!("{title}\n{standing}{focused}\n")
            }
            Block::Fact { label, value, tone } => {
                let room = columns.map_or(usize::MAX, |it| it.saturating_sub(VALUE).max(1));
                let broken = within(value, room);
                let lines = broken.lines().map(|line| match tone {
                    Some(tone) => styled(line, toned(*tone)),
                    None => line.to_owned(),
                });
                let lines = lines.collect::<Vec<_>>();
                let value = lines.join(&format!("\n{}", " ".repeat(VALUE)));
                format!("  {}{value}\n", padded(label, VALUE - 2))
            }
            Block::Text { heading, body, .. } => section(heading, body),
            Block::Tasks { heading, lines } => section(heading, &lines.join("\n")),
            Block::Events { heading, events } => {
                let lines = events.iter().map(|it| event(it, clock, columns));
                section(heading, &lines.collect::<Vec<_>>().join("\n"))
            }
        };
    }
    match columns {
        Some(columns) => within(&text, columns),
        None => text,
    }
}

/// A line for each block, cut where it is too wide.
pub(in crate::render) fn brief(blocks: &[Block<'_>]) -> String {
    let line = |name: &str, text: &str| format!("  {name}: {}\n", fit(text, WIDEST));
    let lines = blocks.iter().map(|block| match block {
        Block::Head(goal) => {
            let (title, standing) = head(goal, HEADING);
            format!("{title}\n  {standing}\n")
        }
        Block::Fact { label, value, .. } => line(label, value),
        Block::Text { heading, body, .. } => line(heading, body),
        Block::Tasks { heading, .. } | Block::Events { heading, .. } => format!("  {heading}\n"),
    });
    lines.collect()
}

/// The title; and which goal it is and how it stands.
fn head(goal: &GoalView, columns: usize) -> (String, String) {
    let title = styled(&sealed(&fit(goal.heading(), columns.min(HEADING))), BOLD);
    let mark = of_goal(goal.standing, goal.status);
    let standing = format!("{} {}", mark.mark, stands(goal.status, goal.standing));
    let standing = styled(&standing, toned(mark.tone));
    (title, format!("{}  {standing}", goal.goal_id))
}

/// A heading and an indented text, after a blank line.
fn section(heading: &str, text: &str) -> String {
    let lines: Vec<String> = text
        .trim_end()
        .lines()
        .map(|line| match line {
            "" => String::new(),
            line => format!("{:INDENT$}{line}", ""),
        })
        .collect();
    let heading = styled(&capitalised(heading), BOLD);
    format!("\n{heading}\n{}\n", lines.join("\n"))
}

/// Widest summary of an event, in columns; what has less room than the other stands below.
const SUMMARY: usize = 100;
const SHORT_SUMMARY: usize = 20;

/// How far in it stands there.
const BELOW: usize = 7;

fn event(event: &RecentEvent, clock: Clock<'_>, columns: Option<usize>) -> String {
    let by = in_column(event.by, host(event.by, event.via.as_deref()));
    let name = padded(&one_line(&event.name), 20);
    let (at, by) = (clock.short(&event.at), padded(&by, 7));
    let head = format!("{:>5}  {at}  {name}  {by}  ", event.line);
    let columns = columns.unwrap_or(usize::MAX).saturating_sub(INDENT);
    let below = columns.saturating_sub(width(&head)) < SHORT_SUMMARY;
    let before = if below { BELOW } else { width(&head) };
    let gist = fit(&event.summary, columns.saturating_sub(before).min(SUMMARY));
    let line = match below {
        true => format!("{}\n{:BELOW$}{gist}", head.trim_end(), ""),
        false => head + &gist,
    };
    line.trim_end().to_owned()
}
