//! The tools that agents call: one table, from which `goal tool`, its listing, MCP and the
//! schemas are made.

mod arguments;
mod completing;
mod drafting;
mod host;
mod iterating;
mod progress;
mod reading;
mod shown;
mod specification;
mod stepping;
mod tasks;
mod told;
mod working;

use schemars::Schema;
use serde_json::Value;

use crate::acts;
use crate::api::schema::data;
use crate::domain::actor::Actor;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::phase::{Phase, SessionPhase, Use};
use crate::ops::transacted::Outcome;
use crate::render::surface::Surface;
use crate::render::text::short;

pub use host::HOST_ARGUMENTS;
pub use specification::{ToolList, ToolSpecification, list, shown};
pub use told::ToolAnswer;
pub(in crate::api) use told::transacted;

/// What a call of a tool can do. Who may call it follows: an auditor only what reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing changes.
    Reads,
    /// Something is recorded, and work goes on.
    Records,
    /// The same twice is the same once.
    Settles,
    /// What it ends does not come back.
    Ends,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    /// One sentence, for the model that decides whether to call it.
    pub description: &'static str,
    pub effect: Effect,
    places: &'static [ShownIn],
    arguments: fn() -> Schema,
    result: fn() -> Schema,
    run: fn(&Call, Value) -> Result<ToolAnswer, Failure>,
}

/// Where a tool is among those that a model is shown.
#[derive(Debug)]
struct ShownIn {
    phases: &'static [Phase],
    /// Only with a project or goal that makes use of it.
    with: Option<Use>,
}

/// `name: Arguments => Result, effect, handler, places, description`. A tool without a place is shown
/// to nobody, and answers whoever calls it by name.
macro_rules! tools {
    ($(
        $name:ident: $arguments:ty => $result:ty, $effect:ident, $run:path,
            $([$($phase:ident)*] $(if $with:ident)?),+, $description:literal;
    )*) => {
        /// Every tool, in the order of the listing.
        pub const TOOLS: &[Tool] = &[$(Tool {
            name: stringify!($name),
            description: $description,
            effect: Effect::$effect,
            places: &[$(ShownIn {
                phases: &[$(Phase::$phase),*],
                with: [$(Some(Use::$with),)? None][0],
            }),+],
            arguments: specification::arguments::<$arguments>,
            result: data::<$result>,
            run: |call, arguments| $run(call, arguments::read(arguments)?),
        }),*];
    };
}

tools! {
    get_goal: arguments::GetGoal => told::WithText<crate::ops::orient::Orientation>, Reads, reading::get_goal, [None Draft Active Resting Elsewhere],
        "Read the focused goal in full: contract, revision, latest objections and what to do next.";
    list_goals: arguments::ListGoals => told::WithText<crate::ops::list::Listed>, Reads, reading::list_goals, [Elsewhere],
        "List the project's goals, those of higher priority first, else in order of creation; which one is focused is the user's choice.";
    goal_summary: arguments::Nothing => told::WithText<crate::ops::summary::Summarised>, Reads, reading::goal_summary, [],
        "Read the deterministic summary from which work goes on after the context was lost.";
    propose_goal_draft: arguments::Proposal => told::WithText<Outcome<crate::ops::contracted::Contracted>>, Records, drafting::propose, [None Draft], [Active Elsewhere] if Drafts,
        "Propose the contract of a new goal; only the user's confirmation creates it.";
    apply_goal_tweak: arguments::Tweak => told::WithText<Outcome<crate::ops::contracted::Contracted>>, Records, drafting::tweak, [Active], [Draft] if Changes,
        "Propose a change of the focused goal's contract, with an empty text or list where a field is to be empty; it is in force once the user confirms it.";
    note_progress: crate::ops::evaluate::Noting => told::WithText<crate::ops::transacted::Transacted>, Records, progress::note, [Active Resting],
        "Record what a later session must know about the focused goal, what comes next, and how far it is.";
    plan_goal: arguments::PlanGoal => told::WithText<Outcome<crate::ops::plan::Planned>>, Records, stepping::plan_goal, [Active] if Plans,
        "Have the focused goal or one of its tasks decomposed: by the procedure you name, else by the planner that the user configured.";
    perform_step: arguments::PerformStep => told::WithText<crate::ops::step::Stepped>, Records, stepping::perform_step, [Active] if Steps,
        "Perform the next task of the focused goal: run its tool, ask the user its question, or take it on yourself.";
    interpret_message: arguments::Interpret => told::WithText<Outcome<crate::ops::interpret::Interpreted>>, Records, stepping::interpret_message, [None Active] if Interpretation,
        "Have the user's message interpreted by the interpreter that the user configured: as evidence or a question of the focused goal, or as a new goal to propose.";
    ask_user: crate::ops::questions::Ask => told::WithText<crate::ops::transacted::Transacted>, Records, stepping::ask_user, [Active Resting],
        "Record a question about the focused goal that only the user can answer; it waits until they do.";
    withdraw_question: arguments::Withdraw => told::WithText<crate::ops::transacted::Transacted>, Records, stepping::withdraw, [Draft Active Resting] if Waiting,
        "Take back your own question or proposal that waits for the user.";
    list_questions: arguments::Nothing => told::WithText<crate::ops::questions::OpenQuestions>, Reads, stepping::list_questions, [],
        "List the questions that wait for the user, which only the user answers.";
    get_goal_tasks: arguments::Nothing => told::WithText<tasks::TasksShown>, Reads, tasks::get, [Active] if Tasks,
        "Read the focused goal's tasks: the tree with what became of each, the stack of open ones and what is next.";
    set_goal_tasks: arguments::SetTasks => told::WithText<Outcome<crate::ops::tasks::Tasked>>, Records, tasks::set, [Active],
        "Say which tasks the focused goal is made of, in place of those there; same ids or titles stay; `append` or `under` adds.";
    add_goal_tasks: arguments::AddTasks => told::WithText<Outcome<crate::ops::tasks::Tasked>>, Records, tasks::add, [],
        "Add tasks to the focused goal, at the end or below a task.";
    update_goal_task: arguments::UpdateTask => told::WithText<Outcome<crate::ops::tasks::Tasked>>, Records, tasks::update, [Active],
        "Say what became of one task, or give evidence under a key.";
    add_evidence: arguments::AddEvidence => told::WithText<Outcome<crate::ops::tasks::Tasked>>, Records, tasks::evidence, [],
        "Give evidence under a key, to a task or to the focused goal; a task is complete once all its conditions hold.";
    iterate_goal: arguments::Iterate => told::WithText<crate::ops::iterate::Iterated>, Records, iterating::iterate, [Active] if Iterations,
        "Work in a loop on a task or the focused goal until checks and promises say that it is done: start, then validate and next, then complete.";
    iteration_start: crate::ops::iterate::Start => told::WithText<crate::ops::iterate::Iterated>, Records, iterating::start, [],
        "Start an iteration loop on a task or the focused goal: how many iterations at most, and which checks and promises end it.";
    iteration_validate: arguments::IterationValidate => told::WithText<crate::ops::iterate::Iterated>, Records, iterating::validate, [],
        "Run the iteration's checks, read promises in your output, and learn whether to go on; blocked or at the maximum it ends.";
    iteration_next: crate::ops::iterate::Next => told::WithText<crate::ops::iterate::Iterated>, Records, iterating::next, [],
        "Begin the next iteration, with what the one before has taught.";
    iteration_complete: crate::ops::iterate::Complete => told::WithText<crate::ops::iterate::Iterated>, Records, iterating::complete, [],
        "End the iterations: success only where the latest validation says COMPLETE, else blocked or max_iterations, which block the task.";
    evaluate_progress: arguments::Evaluate => told::WithText<Outcome<crate::ops::evaluate::Evaluated>>, Records, progress::evaluate, [],
        "Record how far the focused goal is, from 0 to 1, and what is missing; it suggests what to do and completes nothing.";
    set_agenda: arguments::SetAgenda => told::WithText<Outcome<crate::ops::agenda::Agenda>>, Settles, progress::agenda, [],
        "Say which steps come next on the focused goal, in place of what is there, each with its mark; prompts show them.";
    delegate_goal: arguments::Delegation => told::WithText<Outcome<crate::ops::contracted::Contracted>>, Records, drafting::delegate, [Active] if Delegation,
        "Propose to hand a part of the focused goal on to an owner, as a goal of its own; only the user's confirmation creates it.";
    record_usage: arguments::Usage => told::WithText<Outcome<crate::ops::usage::Used>>, Records, working::usage, [],
        "Record what work on the focused goal cost: calls, tokens, money, seconds, or any other counter.";
    pause_goal: crate::ops::lifecycle::Pause => told::WithText<crate::ops::transacted::Transacted>, Settles, working::pause, [Active],
        "Stop working on the focused goal and say why: `blocked` when only the user can help; ends the turn.";
    update_goal: arguments::Update => told::WithText<crate::ops::complete::Completed>, Settles, completing::update, [Active],
        "Request completion of the focused goal: checks run and an independent auditor judges; only its approval completes.";
    abort_goal: arguments::Abort => told::WithText<crate::ops::transacted::Transacted>, Ends, working::abort, [Active],
        "Give the focused goal up for good, with the reason; ends the turn.";
    step_complete: arguments::Anything => told::Said, Reads, working::step_complete, [],
        "Does nothing, since nobody counts steps: record progress with note_progress.";
    create_goal: arguments::Anything => told::Said, Reads, drafting::create, [],
        "Always refused, since goals are the user's to create: propose one with propose_goal_draft.";
}

/// The tool of this name, or of this second name.
pub fn named(name: &str) -> Option<&'static Tool> {
    let name = acts::first_name(name);
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// Calls the tool. `arguments` are the model's, and may hold what the host says beside them.
    ///
    /// # Errors
    /// Arguments that are not the tool's, with the field named, and whatever its use case refuses.
    pub fn call(&self, mut call: Call, mut arguments: Value) -> Result<ToolAnswer, Failure> {
        host::take(&mut call, &mut arguments)?;
        let answer = (self.run)(&call, arguments).map_err(for_a_model)?;
        Ok(answer)
    }

    /// In which phases a model may be shown it.
    fn phases(&self) -> impl Iterator<Item = Phase> {
        self.places
            .iter()
            .flat_map(|place| place.phases.iter().copied())
    }

    /// Whether a model that stands there is shown it.
    fn is_shown(&self, stand: &SessionPhase) -> bool {
        let is_used = |with: &Use| stand.uses.contains(with);
        let is_there = |phase| {
            self.places.iter().any(|place| {
                place.phases.contains(&phase) && place.with.as_ref().is_none_or(is_used)
            })
        };
        stand.phase.is_some_and(is_there)
    }

    /// The schema of its `data`.
    pub fn result_schema(&self) -> Schema {
        (self.result)()
    }

    /// Whether it changes the goal that its caller was told of, so that another one, or another
    /// revision of it, is none that the caller decided about.
    pub(in crate::api) fn changes_the_focused_goal(&self) -> bool {
        self.effect != Effect::Reads && self.name != "propose_goal_draft"
    }

    /// Whether its outcome can be a proposal that waits for the user.
    pub(in crate::api) fn proposes(&self) -> bool {
        matches!(
            self.name,
            "propose_goal_draft" | "apply_goal_tweak" | "delegate_goal"
        )
    }

    /// Who may call it.
    pub fn callers(&self) -> &'static [Actor] {
        match self.effect {
            Effect::Reads => &[Actor::Agent, Actor::Auditor],
            Effect::Records | Effect::Settles | Effect::Ends => &[Actor::Agent],
        }
    }
}

/// The failure in the words of tools, but for what a model is to say to the user.
fn for_a_model(failure: Failure) -> Failure {
    if failure.code == "human_owned" {
        return failure;
    }
    Failure {
        message: Surface::Tools.words(&failure.message),
        hint: Surface::Tools.words(&failure.hint),
        ..failure
    }
}

/// What a call of a tool that does not exist comes to.
pub fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    Failure::new(
        "unknown_tool",
        format!("there is no tool `{}`", short(name, 100)),
        format!("the tools are {}", names.join(", ")),
    )
}

#[cfg(test)]
mod page;
#[cfg(test)]
mod tests;
