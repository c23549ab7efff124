//! What waits to be settled, as people read it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::event::ledger::SettledKind;
use crate::domain::event::{Event, Payload};
use crate::domain::goal::contest::{Choice, Contest};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::task::spec::TaskSpec;
use crate::render::columns::fit;
use crate::render::contract;
use crate::render::event::summary;
use crate::render::text::{count, one_line, short};

/// A line that waits for the user.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// Line of the ledger, from 1.
    pub line: u64,
    pub id: EventId,
    #[serde(rename = "type")]
    pub kind: String,
    pub at: String,
    /// What it says, on one line.
    pub summary: String,
    /// The new words of a contract or of tasks, a line each, as far as a screen has room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Whether it can be taken as the user's own act.
    pub can_be_taken: bool,
}

impl Waiting {
    /// The event that stands at `line`, whose id is `id`.
    pub fn of(line: LineRef, id: EventId, event: Event, can_be_taken: bool) -> Waiting {
        Waiting {
            line: line.number,
            id,
            kind: event.payload.name().to_owned(),
            summary: summary(&event.payload),
            words: words(&event.payload),
            can_be_taken,
            at: event.at,
        }
    }

    /// One of the conflicting lines, and what the goal is if that line holds.
    pub fn choice(contest: &Contest, choice: &Choice, event: Event) -> Waiting {
        let contract = contract::texts(&choice.contract).into_iter();
        let contract = contract.map(|(label, text)| format!("{label}: {text}\n"));
        let text = match contest.ends() {
            true => format!("then the goal is {}\n", choice.status),
            false => String::new(),
        };
        Waiting {
            words: first_lines(&(text + &contract.collect::<String>())),
            ..Waiting::of(choice.line, choice.id, event, true)
        }
    }
}

/// At most this many of the waiting lines are shown.
const SHOWN: usize = 50;

/// For each line at most this many lines of words are shown, each of at most this many bytes.
const WORDS: usize = 24;
const WIDTH: usize = 160;

/// Lines that wait for the user: number, type, and what each says.
pub fn waiting(kind: SettledKind, lines: &[Waiting]) -> String {
    let many = count(lines.len() as u64, "line");
    let what = match kind {
        SettledKind::Foreign => "of other programs, without effect so far",
        SettledKind::Contest => {
            "that contradict each other, by writers that did not know of each \
             other; one of them can hold"
        }
        _ => "in force, but nothing proves that they are yours",
    };
    let mut text = format!("{many} {what}:\n");
    for line in lines.iter().take(SHOWN) {
        let kind = one_line(&line.kind);
        let said = format!("  {:>5}  {kind}  {}", line.line, fit(&line.summary, 60));
        text.extend([said.trim_end(), "\n"]);
        for word in &line.words {
            text += &format!("           {word}\n");
        }
    }
    if lines.len() > SHOWN {
        let more = count((lines.len() - SHOWN) as u64, "more line");
        text += &format!("  and {more}; `--json` has them all\n");
    }
    text
}

/// The words that the event gives the contract or the tasks, as far as they fit; empty for what
/// its summary says already.
pub fn words(payload: &Payload) -> Vec<String> {
    let text = match payload {
        Payload::GoalCreated(it) => contract::proposed(&it.contract),
        Payload::GoalTweaked(it) => contract::change(&it.contract),
        Payload::TaskListSet(it) => tasks(it.tasks.as_deref().unwrap_or_default()),
        Payload::TaskAdded(it) => tasks(&it.tasks),
        Payload::TaskUpdated(it) => tasks(&it.tasks),
        Payload::TaskExpanded(it) => tasks(&it.tasks),
        _ => String::new(),
    };
    first_lines(&text)
}

/// As much of a text as a screen has room for beside others.
fn first_lines(text: &str) -> Vec<String> {
    let mut lines = text.lines();
    let shown = lines.by_ref().take(WORDS).map(|line| {
        let text = line.trim_start();
        let indent = " ".repeat(line.len() - text.len());
        format!("{indent}{}", short(text, WIDTH))
    });
    let mut words: Vec<String> = shown.collect();
    let more = lines.count() as u64;
    if more > 0 {
        let more = count(more, "more line");
        words.push(format!("… and {more}; `goal log --json` has it whole"));
    }
    words
}

fn tasks(tasks: &[TaskSpec]) -> String {
    let lines = tasks
        .iter()
        .map(|task| format!("- {} {}\n", one_line(&task.id), one_line(&task.title)));
    lines.collect()
}
