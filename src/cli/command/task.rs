//! What a goal is made of, and plan files that become tasks or goals.

use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::{Value, json};

use super::questions::{Step, step};
use super::{Call, Done, Failure, Globals, Nothing, Reply, say};
use crate::cli::input::{file_or_stdin, lines};
use crate::cli::screen::fitted;
use crate::domain::task::command::{TaskCommand, Word};
use crate::domain::task::plan_file::{FORMATS, Format};
use crate::domain::task::spec::{Decomposition, Predicate, TaskGiven};
use crate::domain::task::state::TaskStatus;
use crate::ops;
use crate::ops::import::{Imported, PlanGiven, as_goals, as_tasks, read, rehearse_import};
use crate::ops::plan_sync::sync;
use crate::ops::rehearse::Rehearsal;
use crate::ops::tasks::{Tasked, act, add, export, rehearse_set, set, tree};
use crate::ops::transacted::{Outcome, again};
use crate::render::tasks::{self, tree as render};
use crate::render::text::{bracketed, count, one_line, short};
use crate::render::view::{Named, PlanFileView, SyncedView};

/// Manage the goal's tasks
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A task with subtasks is done when all of them are done; an OR task, when any one of them is. When \
all tasks are done, the goal is ready for its audit; only `goal complete` completes it.

Example:
  goal task set PLAN.md
  goal task import MORE.md
  goal next
  goal task complete 1.2 --evidence 'cargo test: 212 passed'
  goal task skip 1.3 --reason 'the platform has it already'")]
pub struct Task {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Replace the task list by a file; a task with the same title keeps its state
    #[command(after_help = "\
Markdown: items with a checkbox are tasks. In a file without a checkbox, numbered items are tasks, else \
bullets. Indented items are subtasks, headings make groups. `[x]` is done, `[-]` skipped, `[~]` and \
`[/]` in progress, any other mark is open. Numbers and ids of the plan are the ids of the tasks. \
JSON: an array of tasks, or an object with `tasks`, `decomp`, `blockCompletion`. A task needs a \
`title`; optional are id, pred, decomp, tasks, doneWhen, successCriteria, verificationContract, owner, \
provenance, maxAttempts, after, done.

An agent cannot drop an open task that completion requires; it can skip the task with a reason.")]
    Set {
        /// A Markdown checklist or JSON; `-` reads it from stdin
        #[arg(default_value = "-")]
        file: Utf8PathBuf,
        /// Open tasks do not prevent completion (user only)
        #[arg(long, conflicts_with = "hold")]
        free: bool,
        /// Open tasks prevent completion [default: unchanged; for a first list, they do]
        #[arg(long)]
        hold: bool,
        /// Any one of the top-level tasks is enough
        #[arg(long)]
        or: bool,
        /// Why; the auditor reads it with each task that was dropped
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// The format of the file [default: by its name and text]
        #[arg(long, value_name = "NAME", value_parser = formats())]
        format: Option<String>,
        /// Only show what would be recorded
        #[arg(long)]
        dry_run: bool,
    },
    /// Append a task, or a subtask with `--under`
    Add(Box<AddArgs>),
    #[command(flatten)]
    One(One),
    /// Show all tasks
    Tree,
    /// Write all tasks as a plan file, with how each stands
    Export {
        /// The format to write; importing `markdown` or `json` gives the same tasks
        #[arg(long, value_name = "NAME", default_value = "markdown", value_parser = written())]
        format: String,
        /// Instead, set the boxes of this plan file as the tasks stand; no other byte changes
        #[arg(long, value_name = "FILE", conflicts_with = "format")]
        sync: Option<Utf8PathBuf>,
        /// Only say which boxes would be set
        #[arg(long, requires = "sync")]
        dry_run: bool,
    },
    /// Show the open tasks as a stack, the one to do now first
    Stack,
    Step(Step),
    Import(Import),
}

impl Task {
    /// The command whose output it prints.
    pub fn stands_for(&self) -> Option<&'static str> {
        match &self.act {
            Act::Stack => Some("stack"),
            Act::Step(_) => Some("step"),
            Act::Set { dry_run: true, .. } => Some("dry-run"),
            Act::Import(asked) if asked.dry_run => Some("dry-run"),
            Act::Import(_) => Some("import"),
            Act::Set { .. } | Act::Add(_) | Act::One(_) | Act::Tree | Act::Export { .. } => None,
        }
    }
}

/// What becomes of one task.
#[derive(Debug, clap::Subcommand)]
enum One {
    /// Start a task; this does not count as an attempt
    Start {
        /// Its id
        task: String,
    },
    /// Mark a task as done
    Complete {
        /// Its id
        task: String,
        /// What proves it; required if the task has a verification contract
        #[arg(long, value_name = "TEXT")]
        evidence: Option<String>,
        /// What was done
        #[arg(long, value_name = "TEXT")]
        summary: Option<String>,
    },
    /// Skip a task; the auditor is told why
    Skip(Because),
    /// Record a failed attempt at a task; the task fails for good when no attempt is left
    Fail(Because),
    /// Mark a task as blocked
    Block(Because),
    /// Reopen a task; its evidence no longer counts
    Reopen(Because),
}

#[derive(Debug, clap::Args)]
struct Because {
    /// Its id
    task: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

#[derive(Debug, clap::Args)]
struct AddArgs {
    /// What to do
    #[arg(required_unless_present = "batch")]
    title: Option<String>,
    /// Add many at once: a file with one task per line, in the JSON of `task set`; `-` reads stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "title", "id", "pred", "done_when", "criteria", "verification", "or", "attempts", "after",
    ])]
    batch: Option<Utf8PathBuf>,
    /// The parent task
    #[arg(long, value_name = "TASK")]
    under: Option<String>,
    /// Its id [default: the next number]
    #[arg(long)]
    id: Option<String>,
    /// The kind of step: execute, use_tool, gather_info, confirm, present_info, or composite for a
    /// task that still needs a plan; with arguments as JSON, `{"name":…,"args":{…}}`
    #[arg(long, value_name = "PRED")]
    pred: Option<String>,
    /// The task is done once there is evidence under this key; may be repeated
    #[arg(long, value_name = "KEY")]
    done_when: Vec<String>,
    /// A success criterion of the task; may be repeated
    #[arg(long, value_name = "TEXT")]
    criteria: Vec<String>,
    /// What must prove its completion
    #[arg(long, value_name = "TEXT")]
    verification: Option<String>,
    /// Any one of its subtasks is enough
    #[arg(long)]
    or: bool,
    /// Ids of tasks that are to end before it begins
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    after: Vec<String>,
    /// How many attempts may fail [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    attempts: Option<u32>,
}

pub fn task(args: &Task, call: Call, globals: &Globals) -> Result<Done, Failure> {
    let (told, outcome) = match &args.act {
        Act::Stack => return stack(&Nothing {}, call, globals),
        Act::Step(asked) => return step(asked, call, globals),
        Act::Import(asked) => return import(asked, call, globals),
        Act::Set {
            file: path,
            free,
            hold,
            or,
            reason,
            format,
            dry_run,
        } => {
            let source = match path.as_str() {
                "-" => "stdin",
                _ => path.file_name().unwrap_or("file"),
            };
            let plan = plan_of(path, format.as_deref())?;
            let (mut given, file) = (plan.tree, Some(plan.file));
            if *or {
                given.decomp = Some(Decomposition::Or);
            }
            if *free || *hold {
                given.block_completion = Some(*hold);
            }
            let reason = reason.as_deref();
            if *dry_run {
                let rehearsal = rehearse_set(&call, &given, source, reason)?;
                return say::rehearsed(Rehearsal {
                    plan: file,
                    ..rehearsal
                });
            }
            let mut outcome = set(&call, &given, source, reason)?;
            let named = outcome.data.tasks.iter().flat_map(|tasks| &tasks.list);
            let named: Vec<Named<'_>> = named.map(Named::from).collect();
            let items: Vec<&TaskGiven> = given.tasks.iter().collect();
            let file = file.map(|mut file| {
                file.say_other_ids(&items, &named);
                file
            });
            outcome.data.plan = file;
            (("Set", None), outcome)
        }
        Act::Add(new) => {
            let under = new.under.as_deref();
            let tasks = match &new.batch {
                Some(path) => lines(path)?,
                None => vec![spec(new)?],
            };
            (("Added", None), add(&call, &tasks, under)?)
        }
        Act::Tree => {
            let outcome = tree(&call)?;
            let text = outcome.data.tasks.as_ref().map(render).unwrap_or_default();
            return Reply::read(fitted(&call, &text), outcome);
        }
        Act::Export {
            sync: Some(file),
            dry_run,
            ..
        } => {
            let outcome = sync(&call, file, *dry_run)?;
            let text = outcome.data.synced.as_ref().map(SyncedView::text);
            return Reply::read(text.unwrap_or_default(), outcome);
        }
        Act::Export { format, .. } => {
            let format = FORMATS.iter().find(|it| it.name == *format);
            let outcome = export(&call, format.unwrap_or(&FORMATS[FORMATS.len() - 1]))?;
            return Reply::read(outcome.data.text.clone().unwrap_or_default(), outcome);
        }
        Act::One(one) => {
            let (told, command, arguments) = one_task(one);
            (told, act(&call, command, arguments)?)
        }
    };
    Reply::transacted(fitted(&call, &text(told, &outcome)), outcome)
}

/// What an act is called where it is told, and the status that its task has after it: where it has
/// another one, that is told too.
type ActWords = (&'static str, Option<TaskStatus>);

/// The acts on one task: the words of the receipt, the act, and the arguments that identify the
/// request.
fn one_task<'a>(one: &'a One) -> (ActWords, TaskCommand, Value) {
    let because = |verb, status, act: &str, Because { task, reason }: &'a Because| {
        let arguments = json!({ act: task, "reason": reason });
        (verb, status, task, Word::why(reason), arguments)
    };
    let (verb, becomes, task, word, arguments) = match one {
        One::Start { task } => {
            let arguments = json!({ "start": task });
            (
                "Started",
                TaskStatus::Active,
                task,
                Word::default(),
                arguments,
            )
        }
        One::Complete {
            task,
            evidence,
            summary,
        } => {
            let arguments = json!({ "complete": task, "evidence": evidence, "summary": summary });
            let word = Word {
                evidence: evidence.clone(),
                summary: summary.clone(),
                ..Word::default()
            };
            ("Completed", TaskStatus::Complete, task, word, arguments)
        }
        One::Skip(it) => because("Skipped", TaskStatus::Skipped, "skip", it),
        One::Fail(it) => because("An attempt failed at", TaskStatus::Failed, "fail", it),
        One::Block(it) => because("Blocked", TaskStatus::Blocked, "block", it),
        One::Reopen(it) => because("Reopened", TaskStatus::Pending, "reopen", it),
    };
    // After a failed attempt the status is told whichever it is.
    let expected = Some(becomes).filter(|it| *it != TaskStatus::Failed);
    let command = TaskCommand::Mark {
        task: task.clone(),
        becomes,
        word,
    };
    ((verb, expected), command, arguments)
}

pub fn next(_: &Nothing, call: Call, _: &Globals) -> Result<Done, Failure> {
    let next = ops::tasks::next(&call)?;
    Reply::read(fitted(&call, &tasks::next(&next)), next)
}

pub fn stack(_: &Nothing, call: Call, _: &Globals) -> Result<Done, Failure> {
    let stack = ops::tasks::stack(&call)?;
    Reply::read(fitted(&call, &tasks::stack(&stack.frames)), stack)
}

fn spec(new: &AddArgs) -> Result<TaskGiven, Failure> {
    let conditions = new.done_when.iter();
    let pred = new.pred.as_deref().map(predicate).transpose()?;
    Ok(TaskGiven {
        id: new.id.clone(),
        title: new.title.clone().unwrap_or_default(),
        pred,
        decomp: new.or.then_some(Decomposition::Or),
        done_when: conditions
            .map(|key| json!({ "kind": "hasEvidence", "key": key }))
            .collect(),
        success_criteria: (!new.criteria.is_empty()).then(|| new.criteria.clone()),
        verification_contract: new.verification.clone(),
        max_attempts: new.attempts,
        after: new.after.iter().map(|id| id.trim().to_owned()).collect(),
        ..TaskGiven::default()
    })
}

fn predicate(text: &str) -> Result<Predicate, Failure> {
    if !text.starts_with('{') {
        return Ok(Predicate {
            name: text.to_owned(),
            args: Value::Null,
        });
    }
    serde_json::from_str(text).map_err(|error| {
        let hint = r#"pass a name, or {"name":"use_tool","args":{"tool":"…"}}"#;
        Failure::usage(format!("`--pred` cannot be read: {error}"), hint)
    })
}

/// The new state, and what is next.
pub(super) fn text((verb, status): ActWords, outcome: &Outcome<Tasked>) -> String {
    let again = again(outcome.repeated);
    let what = match (&outcome.data.task, &outcome.data.tasks) {
        (Some(task), _) => {
            let name = one_line(&format!("{} {}", task.id, task.title));
            let other = Some(task.status).filter(|it| status != Some(*it));
            let other = bracketed(other.map(TaskStatus::name));
            format!("{verb} task {name}{other}.\n")
        }
        (None, Some(tasks)) => format!("{verb}. {}", render(tasks)),
        (None, None) => format!("{verb} the goal.\n"),
    };
    let next = outcome.data.next.as_ref();
    let next = next.map_or_else(String::new, |next| format!("{}\n", next.text));
    let plan = outcome.data.plan.as_ref().map(PlanFileView::text);
    format!("{again}{what}{next}{}", plan.unwrap_or_default())
}

/// Read a plan file: its items become tasks, or goals
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Items with a checkbox are read, with headings above them as groups. Without a checkbox, numbered items \
are read, else plain bullets; in a file without any list, the headings. Text below an item stays with it. \
An item with `[x]` is done: it becomes a task that is done, and no goal. Files of other tools are known \
by their names and shapes (`--format`).

A plan that is imported again adds only what is new: an item is left out where a task has its \
title, or where a goal ever had its objective.

`goal task set FILE` replaces the tasks instead, and keeps those under the same titles.

Examples:
  goal task import PLAN.md
  goal task import PLAN.md --as goals --dry-run")]
pub struct Import {
    /// A Markdown file; `-` reads it from stdin
    file: Utf8PathBuf,
    /// What its items become; goals are for the user only
    #[arg(long = "as", value_enum, default_value = "tasks", value_name = "WHAT")]
    into: Becomes,
    /// The format of the file [default: by its name and text]
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: Option<String>,
    /// Only say what would be recorded
    #[arg(long)]
    pub dry_run: bool,
}

/// The formats that a plan file can have.
fn formats() -> PossibleValuesParser {
    values(|_| true)
}

/// Those that tasks can be written in.
fn written() -> PossibleValuesParser {
    values(|format| format.write.is_some())
}

fn values(fits: impl Fn(&Format) -> bool) -> PossibleValuesParser {
    let formats = FORMATS.iter().filter(|format| fits(format));
    let formats = formats.map(|format| PossibleValue::new(format.name).help(format.is));
    PossibleValuesParser::new(formats.collect::<Vec<_>>())
}

fn plan_of(path: &Utf8Path, format: Option<&str>) -> Result<PlanGiven, Failure> {
    read(path.as_str(), &file_or_stdin(path)?, format)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Becomes {
    /// Tasks of the goal
    Tasks,
    /// A goal for each top-level item, with what is below it as its tasks
    Goals,
}

pub fn import(args: &Import, call: Call, _: &Globals) -> Result<Done, Failure> {
    let plan = plan_of(&args.file, args.format.as_deref())?;
    if args.dry_run {
        let goals = args.into == Becomes::Goals;
        return say::rehearsed(rehearse_import(&call, plan, goals)?);
    }
    let outcome = match args.into {
        Becomes::Tasks => as_tasks(&call, plan)?,
        Becomes::Goals => as_goals(&call, plan)?,
    };
    Reply::transacted(imported(&outcome), outcome)
}

fn imported(outcome: &Imported) -> String {
    let mut text = match &outcome.tasks {
        Some(tasked) => text(("Imported", None), tasked),
        None => {
            let head = say::head("Created", outcome.repeated);
            let goals = count(outcome.goals.len() as u64, "goal");
            let mut text = format!("{head} {goals}; `goal list` shows which one is focused.\n");
            for goal in &outcome.goals {
                let tasks = match goal.tasks {
                    0 => String::new(),
                    tasks => format!("  ({})", count(tasks as u64, "task")),
                };
                let objective = one_line(&goal.objective);
                text.push_str(&format!("  {}  {objective}{tasks}\n", goal.goal_id));
            }
            text
        }
    };
    text.push_str(&outcome.plan.text());
    if !outcome.already_there.is_empty() {
        let items = count(outcome.already_there.len() as u64, "item");
        let titles: Vec<String> = outcome
            .already_there
            .iter()
            .map(|it| one_line(it))
            .collect();
        let titles = short(&titles.join("; "), 200);
        text.push_str(&format!("There already: {items} of the plan: {titles}\n"));
    }
    text
}
