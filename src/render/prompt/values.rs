//! What each placeholder stands for.

use crate::domain::actor::Actor;
use crate::domain::event::draft::DraftMode;
use crate::domain::goal::contract::Contract;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::{Goal, Keeper, Note};
use crate::domain::progress::advice::{Advice, advice};
use crate::domain::state::State;
use crate::domain::time;
use crate::domain::verdict::head_and_tail;
use crate::render::acted::acted;
use crate::render::checkpoints::checkpoints;
use crate::render::contest;
use crate::render::contract::{list, texts};
use crate::render::document::NONE_GIVEN;
use crate::render::next::{next_for, what_next};
use crate::render::notes;
use crate::render::progress;
use crate::render::prompt::fenced::{block, fenced};
use crate::render::prompt::{PromptInput, audited, lost, turn, whose};
use crate::render::surface::Surface;
use crate::render::task::{removed_lines, some_lines};
use crate::render::text::{clean, inline, json_text, short};
use crate::render::work::paused_by;

/// How a placeholder gets its text. An optional block is empty when there is nothing to say.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// There whatever the prompt is about.
    General(fn(&PromptInput<'_>) -> String),
    /// Says something of the goal.
    Goal(fn(&Goal) -> String),
    /// Says something of the goal as the prompt is about it.
    Both(fn(&Goal, &PromptInput<'_>) -> String),
}

use Value::{Both, General, Goal as OfGoal};

/// Every placeholder.
pub(super) const VALUES: &[(&str, Value)] = &[
    ("heading", OfGoal(heading)),
    ("origin", OfGoal(|goal| whose::origin(goal).to_owned())),
    ("as_agreed", OfGoal(|goal| whose::contract(goal).to_owned())),
    ("goal_id", OfGoal(|goal| goal.id.to_string())),
    ("revision", Both(|_, input| revision(input, input.surface))),
    ("expect", Both(expect)),
    ("how", General(|input| how(input.goal).to_owned())),
    ("tools", General(|input| input.surface.loading().to_owned())),
    ("status", OfGoal(|goal| goal.status.name().to_owned())),
    ("contract", OfGoal(|goal| contract(&goal.contract))),
    ("objective", OfGoal(|it| given(&it.contract.objective))),
    (
        "criteria",
        OfGoal(|it| items(&it.contract.success_criteria)),
    ),
    ("boundaries", OfGoal(|it| items(&it.contract.boundaries))),
    ("constraints", OfGoal(|it| items(&it.contract.constraints))),
    ("if_blocked", OfGoal(|it| optional(&it.contract.if_blocked))),
    (
        "verification",
        OfGoal(|it| optional(&it.contract.verification_contract)),
    ),
    ("checks", OfGoal(|it| items(&it.contract.checks))),
    ("tasks", OfGoal(tasks)),
    ("checkpoint", OfGoal(turn::checkpoint)),
    ("others", OfGoal(turn::others)),
    ("finish", OfGoal(turn::finish)),
    ("learned", OfGoal(turn::learned)),
    ("answers", OfGoal(answers)),
    ("progress", OfGoal(checkpoints_of)),
    ("agenda", OfGoal(agenda)),
    ("gap", OfGoal(gap)),
    ("context", OfGoal(context)),
    ("removed", OfGoal(removed)),
    ("agreed", OfGoal(whose::agreed)),
    ("lost", OfGoal(lost::lost)),
    ("changes", General(audited::changes)),
    ("claim", OfGoal(audited::claim)),
    ("waiting", Both(audited::waiting)),
    ("evidence", Both(audited::evidence)),
    ("said", OfGoal(turn::said)),
    ("outputs", OfGoal(turn::outputs)),
    ("left", OfGoal(turn::left)),
    ("commits", OfGoal(turn::commits)),
    ("uncommitted", OfGoal(turn::uncommitted)),
    ("recorded", OfGoal(turn::recorded)),
    ("feedback", Both(audited::feedback)),
    ("reviews", Both(audited::reviews)),
    ("notes", OfGoal(notes)),
    ("latest_notes", OfGoal(latest_notes)),
    ("times", OfGoal(times)),
    ("blocker", OfGoal(blocker)),
    ("next_action", OfGoal(next_action)),
    ("sisyphus", General(sisyphus)),
    (
        "next",
        Both(|goal, input| next_for(input.state, goal, Actor::Agent, None)),
    ),
    (
        "now",
        General(|input| what_next(input.state, input.session, Actor::Agent, None)),
    ),
    (
        "topic",
        General(|input| given(input.draft.map_or("", |draft| &draft.topic))),
    ),
    ("mode", General(|input| mode(input.draft).to_owned())),
    ("proposal", General(proposal)),
    ("candidates", General(|input| candidates(input.state))),
    (
        "choosing",
        General(|input| choosing(input.state).to_owned()),
    ),
    (
        "summary",
        General(|input| block("The summary of all goals:", input.summary)),
    ),
];

/// The placeholders' names, for messages.
pub(super) fn names() -> String {
    let names: Vec<&str> = VALUES.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// How to work, which two kinds of prompts say.
const HOW: &str = include_str!("../prompts/how.md");

/// How to work on a goal; of one that is not kept here, that nobody does.
fn how(goal: Option<&Goal>) -> &'static str {
    match goal.map(|goal| goal.keeper) {
        None | Some(Keeper::Ours) => HOW.trim_end(),
        Some(Keeper::Theirs | Keeper::Lost) => {
            "- Read it, and do nothing for it here: whatever would record something is refused.\n\
             - Tell the user in one sentence that it waits for them. What they ask for apart from \
             this goal you simply do."
        }
    }
}

/// Whose act the choice of a goal is, where there is one to choose.
fn choosing(state: &State) -> &'static str {
    match state.open_count() {
        0 => "",
        _ => {
            "- Choosing a goal is the user's act. Show them the candidates, ask which one, and wait; \
             do not take one up because it is the only one left or looks urgent."
        }
    }
}

/// Most bytes of a gap analysis in a prompt.
const GAP: usize = 4 * 1024;

/// Most bytes of the notes in a prompt.
const NOTES: usize = 4 * 1024;

/// Most bytes of each of the latest notes in a prompt to work.
const LATEST_NOTE: usize = 400;

/// Most bytes of the next action in a prompt.
const NEXT: usize = 2 * 1024;

/// Most bytes of why a proposal was rejected.
const REASON: usize = 2 * 1024;

/// Most answers in a prompt.
const ANSWERS: usize = 5;

/// Most goals that are named as candidates.
const CANDIDATES: usize = 20;

const SISYPHUS: &str = "This is a Sisyphus goal: patient, ordered work. Take criteria and steps in \
the order in which they stand, finish and check one before you begin the next, and do not skip, \
merge or hurry. Nothing counts the steps for you; the order is the discipline.";

/// Whole for a reader who passes it to a command. To others a few digits tell it from another one: their
/// tools are held to it without their word.
fn revision(input: &PromptInput<'_>, surface: Surface) -> String {
    match (input.revision, surface) {
        (None, _) => "none".to_owned(),
        (Some(id), Surface::Commands) => id.to_string(),
        (Some(id), _) => format!("{:08x}", id.short()),
    }
}

/// What a command has to say so that nothing is recorded for another goal or revision. Whoever offers
/// tools says it for the model.
fn expect(goal: &Goal, input: &PromptInput<'_>) -> String {
    match input.surface {
        Surface::Commands => format!(
            "Pass `--expect-goal {} --expect {}` with what you record.",
            goal.id,
            revision(input, Surface::Commands)
        ),
        _ => String::new(),
    }
}

fn next_action(goal: &Goal) -> String {
    match &goal.next_action {
        Some(action) => block("Noted as the next action:", &head_and_tail(action, NEXT)),
        None => String::new(),
    }
}

pub(super) fn items(items: &[String]) -> String {
    given(&list(items))
}

pub(super) fn given(text: &str) -> String {
    if text.trim().is_empty() {
        NONE_GIVEN.to_owned()
    } else {
        fenced(text)
    }
}

fn optional(text: &Option<String>) -> String {
    given(text.as_deref().unwrap_or_default())
}

fn heading(goal: &Goal) -> String {
    inline(goal.contract.heading(), 160)
}

fn contract(contract: &Contract) -> String {
    let blocks = blocks(contract);
    if contract.objective.is_empty() {
        return format!("The objective is unknown: ask the user for it.\n\n{blocks}");
    }
    blocks
}

fn blocks(contract: &Contract) -> String {
    let blocks: Vec<String> = texts(contract)
        .into_iter()
        .map(|(label, text)| format!("{label}:\n\n{}", fenced(&text)))
        .collect();
    blocks.join("\n\n")
}

fn sisyphus(input: &PromptInput<'_>) -> String {
    let asked = input
        .draft
        .is_some_and(|draft| draft.mode == DraftMode::Sisyphus);
    let confirmed = input.goal.is_some_and(|goal| goal.contract.sisyphus);
    let about_draft = input.draft.is_some_and(|draft| draft.goal_id.is_none());
    match asked || (confirmed && !about_draft) {
        true => SISYPHUS.to_owned(),
        false => String::new(),
    }
}

fn mode(draft: Option<&Draft>) -> &'static str {
    match draft.map(|draft| draft.mode) {
        Some(DraftMode::Sisyphus) => "sisyphus",
        Some(DraftMode::Tweak) => "tweak",
        Some(DraftMode::Regular) | None => "regular",
    }
}

/// What is proposed; where nothing is since the user rejected it, why they did.
fn proposal(input: &PromptInput<'_>) -> String {
    let Some(change) = input.draft.and_then(|draft| draft.proposal.as_ref()) else {
        let lead = "The user rejected the last proposal. Their reason:";
        let draft = input.draft.map(|draft| &*draft.draft_id);
        let goal = input.goal.map(|goal| &goal.id);
        let turned_down = input.state.drafts.turned_down(draft, goal, input.session);
        return turned_down.map_or_else(String::new, |it| block(lead, &short(&it.reason, REASON)));
    };
    let mut contract = Contract::default();
    contract.apply(change);
    let blocks = blocks(&contract);
    format!("Proposed so far, but not confirmed:\n\n{blocks}")
}

fn candidates(state: &State) -> String {
    let open = state.open_ids();
    let shown = open.iter().take(CANDIDATES);
    let mut lines: Vec<String> = shown
        .filter_map(|id| state.goals.get(id))
        .map(|goal| {
            format!(
                "- `{}` ({}): {}",
                goal.id,
                goal.status.name(),
                heading(goal)
            )
        })
        .collect();
    match open.len().saturating_sub(CANDIDATES) {
        0 if open.is_empty() => "_none_".to_owned(),
        0 => lines.join("\n"),
        more => {
            lines.push(format!("- … and {more} more"));
            lines.join("\n")
        }
    }
}

fn tasks(goal: &Goal) -> String {
    let holds = match goal.tasks.block_completion {
        true => " Completion waits for all of them.",
        false => "",
    };
    let marks = "`[x]` done, `[-]` skipped, `[~]` under way, `[ ]` open";
    let lines = some_lines(&goal.tasks).join("\n");
    block(&format!("Tasks ({marks}).{holds}"), &lines)
}

/// How far the goal is: its checkpoints, which of them is current, done, and left.
fn checkpoints_of(goal: &Goal) -> String {
    let blocks = checkpoints(&goal.tasks);
    let Some((counted, lists)) = blocks else {
        return String::new();
    };
    let lists: Vec<String> = lists
        .into_iter()
        .map(|(label, text)| format!("{label}:\n\n{}", fenced(&text)))
        .collect();
    format!("{counted}\n\n{}", lists.join("\n\n"))
}

/// What the user answered, the latest last; but for what became evidence of a task.
fn answers(goal: &Goal) -> String {
    let asked = goal.tasks.questions.all().iter().rev();
    let asked = asked.filter(|it| it.task_id.is_none() || it.key.is_none());
    let lines = asked.filter_map(|it| {
        let answer = match it.answer.as_deref()? {
            serde_json::Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            other => json_text(other),
        };
        Some(format!("{}\n{}", it.question, clean(&answer)))
    });
    let mut blocks: Vec<String> = lines.take(ANSWERS).collect();
    blocks.reverse();
    let blocks = head_and_tail(&clean(&blocks.join("\n\n")), NOTES);
    block("Questions with what the user answered:", &blocks)
}

/// The agenda with its marks.
fn agenda(goal: &Goal) -> String {
    let steps = progress::agenda(&goal.progress.agenda).join("\n");
    block(
        "The agenda; `goal progress agenda done N` marks a step as done:",
        &steps,
    )
}

/// What was missing at the latest evaluation, and what follows from it.
fn gap(goal: &Goal) -> String {
    let Some(latest) = &goal.progress.latest else {
        return String::new();
    };
    let advice = advice(&goal.progress, goal.contract.difficulty);
    let advised = match advice {
        // In a run the agent says so itself.
        Advice::SuggestCompletion if goal.runs.open.is_some() => Some(
            "It looks complete: if it is, say so as below; if not, say in your last words what is missing.",
        ),
        advice => progress::advised(advice),
    };
    let advice = advised.map_or_else(String::new, |it| format!(" {it}"));
    let gap = head_and_tail(&clean(&latest.gap_analysis), GAP);
    format!(
        "The latest evaluation scored {} of 1.{advice} What it found met and missing:\n\n{}",
        latest.score,
        fenced(&gap)
    )
}

/// What happened so far, in the words of whoever summed it up.
fn context(goal: &Goal) -> String {
    match &goal.context {
        None => String::new(),
        Some(context) => format!(
            "What happened so far, summed up at {}; it stands for the history before:\n\n{}",
            inline(&context.at, 40),
            fenced(&context.text)
        ),
    }
}

/// Tasks that nobody did and no list has any more.
fn removed(goal: &Goal) -> String {
    let lines = removed_lines(&goal.tasks).join("\n");
    block(
        "Tasks that were removed from the list without being done:",
        &lines,
    )
}

/// What was noted last. In a run the summary stands for what was noted before it.
fn notes(goal: &Goal) -> String {
    let summed_up = goal.context.as_ref().filter(|_| goal.runs.open.is_some());
    let since = summed_up.map(|context| time::order(Some(&context.at)));
    let is_since = |note: &&Note| since.is_none_or(|since| time::order(Some(&note.at)) >= since);
    let lines: Vec<String> = goal
        .notes
        .iter()
        .filter(is_since)
        .map(|note| match &note.via {
            Some(_) => {
                let by = acted(Actor::User, note.via.as_deref());
                format!("{}, by the {by}: {}", note.at, note.text)
            }
            None => format!("{}: {}", note.at, note.text),
        })
        .collect();
    let notes = head_and_tail(&clean(&list(&lines)), NOTES);
    block("Notes of those who work on it:", &notes)
}

/// The last few notes, each cut: what a session before this one found out. The summary has more.
fn latest_notes(goal: &Goal) -> String {
    let lines = notes::latest(goal, LATEST_NOTE);
    let what = match goal.notes.len() {
        all if all > lines.len() => format!("The latest notes of {all}:"),
        _ => "Notes so far:".to_owned(),
    };
    block(&what, &list(&lines))
}

fn times(goal: &Goal) -> String {
    let (created, updated) = (inline(&goal.created_at, 40), inline(&goal.updated_at, 40));
    format!("It was created at {created}; its latest event is of {updated}.")
}

/// Why work rests.
fn blocker(goal: &Goal) -> String {
    let choice = contest::choice(goal);
    let Some(pause) = &goal.pause else {
        return choice.unwrap_or_default();
    };
    let before = choice.map_or_else(String::new, |it| it + "\n\n");
    let reason = fenced(&pause.reason);
    let by = pause.via.as_ref().map(|_| paused_by(pause));
    let rests = format!(
        "{before}The goal is {}{}. The reason given:\n\n{reason}",
        goal.status.name(),
        by.unwrap_or_default()
    );
    match &pause.suggested_action {
        Some(action) => format!("{rests}\n\nSuggested:\n\n{}", fenced(action)),
        None => rests,
    }
}
