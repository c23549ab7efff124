//! Rejections: why a command may not be carried out. Nothing is written after one.

use crate::domain::event::draft::DraftMode;
use crate::domain::goal::continuation::StopReason;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::run::liveness::Heard;
use crate::domain::select::Candidates;
use crate::domain::state::State;
use crate::domain::wire::TooLarge;

/// Which exit code a rejection has (docs/commands.md#exit-codes).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// 2: the request itself makes no sense.
    Usage,
    /// 3: not found, ambiguous, no focus.
    NotFound,
    /// 4: stale or conflicting.
    Conflict,
    /// 5: refused by policy.
    Policy,
}

/// Makes all that is known of rejections from the rows below.
macro_rules! rejections {
    ($(
        #[error($($message:tt)*)]
        $name:ident $({ $($(#[$attr:meta])* $field:ident: $ty:ty),* $(,)? })?
            $code:literal $class:ident => $hint:expr;
    )*) => {
        /// Why a command may not be carried out.
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        pub enum Rejection {
            $(
                #[error($($message)*)]
                $name $({ $($(#[$attr])* $field: $ty),* })?,
            )*
        }

        impl Rejection {
            /// Every code with its class, in the order of the rows; two rows may share one.
            pub const CODES: &'static [(&'static str, Class)] = &[$(($code, Class::$class)),*];

            /// The code that machines read; a published list.
            pub fn code(&self) -> &'static str {
                match self { $(Rejection::$name { .. } => $code),* }
            }

            /// Which exit code it has.
            pub fn class(&self) -> Class {
                match self { $(Rejection::$name { .. } => Class::$class),* }
            }

            /// What to do next.
            #[expect(unused_variables, reason = "few hints name every field")]
            pub fn hint(&self) -> String {
                match self { $(Rejection::$name $({ $($field),* })? => String::from($hint)),* }
            }
        }
    };
}

// A rejection: its message, its fields, its code, its class, and what helps against it.
rejections! {
    #[error("only the user may run `{act}`")]
    HumanOwned { act: &'static str, say: String }
        "human_owned" Policy => format!("say to the user: {say}");
    #[error("`{act}` came through {via}, but only the user in person may run it")]
    NotInPerson { act: &'static str, via: String }
        "human_owned" Policy =>
            "type it in a terminal of your own, where no agent's host has set a mark";
    #[error("an auditor, a check or a tool that `goal` started may only read this ledger")]
    AuditorReadOnly
        "auditor_read_only" Policy =>
            "report what you found (an auditor ends its report with one marker); here only \
             commands that read work";
    #[error("this turn has ended: the last act on the goal ended it")]
    TurnStopped
        "turn_stopped" Policy =>
            "end the turn now; until the next one you can only read";
    #[error("a merge was not finished: git left a conflict marker in line {line} of {ledger}")]
    UnfinishedMerge { ledger: String, line: u64 }
        "unfinished_merge" Conflict =>
            "in that file keep the lines of both sides, delete only the marker lines, and run the \
             command again (`goal init` sets merge=union, with which git leaves no markers)";
    #[error("goal {id} is contested: it was changed by writers that did not know of each other")]
    Contested { id: GoalId }
        "contested" Conflict => format!(
            "`goal settle {id}` shows the choices; the user takes one of them"
        );
    #[error("no contested line of goal {id} has the id {named}")]
    NoChoice { id: GoalId, named: String }
        "no_choice" Conflict => format!("`goal settle {id}` shows the choices");
    #[error("no goal is focused")]
    NoFocus { open: Candidates }
        "no_focus" NotFound => match open.is_empty() {
            true => "no goal is open; `goal set` or `goal draft` begins one (user only)".into(),
            false => format!(
                "`goal focus GOAL` focuses one (user only), `--goal` names one; open: {open}"
            ),
        };
    #[error("no goal matches `{selector}`")]
    UnknownGoal { selector: String }
        "unknown_goal" NotFound =>
            "a goal is named by its id, a beginning or end of it, or words of its title; `goal \
             list \
             --all` shows every goal";
    #[error("`{selector}` matches {} goals: {candidates}", candidates.len())]
    AmbiguousGoal { selector: String, candidates: Candidates }
        "ambiguous_goal" NotFound => "give more of the id or of the title";
    #[error("goal {named} is not the focused goal{}", match focused {
        Some(id) => format!(", which is {id}"),
        None => String::new(),
    })]
    NotFocused { named: GoalId, focused: Option<GoalId> }
        "not_focused" Conflict => "work on the focused goal, or ask the user to run `goal focus`";
    #[error(
        "goal {id} has changed: its revision is {}, not {expected}",
        shown(actual)
    )]
    Stale { id: GoalId, expected: EventId, actual: Option<EventId> }
        "stale" Conflict => format!("read it again with `goal show {id}`, then decide again");
    #[error("the contested acts of goal {id} have changed")]
    StaleContest { id: GoalId }
        "stale" Conflict => format!("`goal settle {id}` shows the present ones; decide on those");
    #[error("draft {draft} has changed: its revision is {actual}, not {expected}")]
    StaleDraft { draft: String, expected: EventId, actual: EventId }
        "stale" Conflict => "`goal draft --list` shows what is proposed now; decide on that";
    #[error("goal {id} is {}, which is final", status.name())]
    GoalClosed { id: GoalId, status: Status }
        "goal_closed" Policy => "create a new goal for what is left to do";
    #[error("goal {id} is already {}", status.name())]
    Already { id: GoalId, status: Status }
        "already" Conflict => match status {
            Status::Active => "it needs no `goal resume`; `goal next` shows what to do now".into(),
            _ => format!("`goal show {id}` says why and since when"),
        };
    #[error("the id {id}, made for the new goal, is already in use")]
    IdTaken { id: GoalId }
        "id_taken" Conflict =>
            "run the command again: it makes another id; with GOAL_TEST=1, give each process its \
             own GOAL_TEST_SEED";
    #[error("goal {id} is {heard}")]
    RunElsewhere { id: GoalId, heard: Heard }
        "run_elsewhere" Conflict => format!(
            "wait for the run's end, or work another goal; if you know that its runner is dead, \
             `goal run \
             {id} --take-over` continues it (user only)"
        );
    #[error("goal {id} is {}, so no work is done on it", status.name())]
    NotRunnable { id: GoalId, status: Status }
        "not_runnable" Policy => format!(
            "`goal show {id}` says why; `goal run {id}` goes on with it"
        );
    #[error("goal {id} is {}, and an agent may work only on an active goal: `{act}` has to wait", status.name())]
    Resting { id: GoalId, status: Status, act: &'static str }
        "resting" Policy => format!(
            "say to the user: run `goal resume --goal {id}` when I may go on; reading, notes and \
             questions still work"
        );
    #[error("goal {id} is kept by another tool")]
    NotAdopted { id: GoalId }
        "not_adopted" Policy => format!("ask the user to adopt it with `goal adopt {id}`");
    #[error("goal {id} is {} in the tool that keeps it{}", status.name(), match reason {
        Some(reason) => format!(": {reason}"),
        None => String::new(),
    })]
    StoppedElsewhere { id: GoalId, status: Status, reason: Option<String> }
        "stopped_elsewhere" Policy => match status.is_open() {
            true => format!(
                "once nothing is in the way, `goal resume --goal {id}` takes it over and \
                 continues it (user only)"
            ),
            false => "create a new goal for what is left to do".into(),
        };
    #[error("`{field}` is empty")]
    EmptyField { field: &'static str }
        "empty_field" Usage => format!("`{field}` needs a text");
    #[error("`{field}` {problem}")]
    InvalidField { field: &'static str, problem: String }
        "invalid_field" Usage => format!("correct `{field}` and run the command again");
    #[error("there is no agenda, so it has no step {step}")]
    NoAgenda { step: usize }
        "no_agenda" NotFound => "`goal progress agenda set FILE` sets one";
    #[error("there is nothing to settle")]
    NothingToSettle
        "nothing_to_settle" Conflict =>
            "`goal doctor` and `goal verify` list findings; `goal verify --strict` also lists \
             settled ones";
    #[error("nothing would change")]
    NothingChanges { id: GoalId }
        "nothing_changes" Conflict => format!("`goal show {id}` prints the goal as it is");
    #[error("{}", match draft {
        Some(id) => format!("no open draft is called `{id}`"),
        None => "there is no open draft".to_owned(),
    })]
    NoDraft { draft: Option<String> }
        "no_draft" NotFound => match draft {
            Some(_) => "`goal draft --list` lists the open ones",
            None => "`goal draft TOPIC` has an agent discuss one with you, `goal set OBJECTIVE` creates a \
                     goal at once",
        };
    #[error("no question and no draft with the id `{id}` waits")]
    NothingToWithdraw { id: String }
        "nothing_to_withdraw" NotFound => "`goal inbox` lists what waits for the user";
    #[error("{} drafts are open: {drafts}", drafts.len())]
    AmbiguousDraft { drafts: Candidates }
        "ambiguous_draft" NotFound =>
            "give the id of the one that you mean; `goal draft --list` shows what is proposed for each";
    #[error("name the draft that you confirm: {drafts} waits")]
    DraftRequired { drafts: Candidates }
        "draft_required" Usage =>
            "read the proposal with `goal draft --list`, then run `goal confirm DRAFT`; at a terminal \
             `goal confirm` shows it and asks";
    #[error("{proposals} proposals were made for draft {draft}: name the one that you confirm")]
    ExpectRequired { draft: String, proposals: u64 }
        "expect_required" Usage => format!(
            "`goal draft --list` shows what is proposed now, with the command that confirms just that: \
             `goal confirm {draft} --expect REV`"
        );
    #[error("draft {draft} has a proposal of another session, and the user has not decided on it")]
    ProposalWaits { draft: String }
        "proposal_waits" Conflict =>
            "propose without naming a draft: your proposal gets a draft of its own, and the user \
             decides on both";
    #[error("a change of goal {id} is already being discussed: draft {draft}")]
    TweakOpen { id: GoalId, draft: String }
        "tweak_open" Conflict => format!(
            "tell the agent what to change, or close it with `goal draft --cancel {draft}`"
        );
    #[error("nothing is proposed for draft {draft} yet")]
    NoProposal { draft: String }
        "no_proposal" NotFound => "tell the agent to propose its contract; `goal draft --list` lists \
         the open drafts";
    #[error("the draft is {}, the proposal is {}", draft.described(), proposal.described())]
    ModeMismatch { draft: DraftMode, proposal: DraftMode }
        "mode_mismatch" Policy =>
            "propose in the draft's mode; only the user can open a draft in another mode";
    #[error("{}", still_open(*open))]
    TasksOpen { id: GoalId, open: u64 }
        "tasks_open" Policy => format!("finish or skip them; `goal show {id}` lists them");
    #[error("completion waits for the user's decision: {asked}")]
    UserIsAsked { asked: String }
        "user_is_asked" Policy =>
            "ask the user to decide with `goal inbox`, and end the turn; or take back your own \
             question or proposal with `goal withdraw ID`";
    #[error("goal {id} has no task `{task}`")]
    UnknownTask { id: GoalId, task: String }
        "unknown_task" NotFound => "`goal task tree` shows the tasks with their ids";
    #[error("`{task}` names {} tasks of goal {id}: {candidates}", candidates.len())]
    AmbiguousTask { id: GoalId, task: String, candidates: Candidates }
        "ambiguous_task" NotFound =>
            "give words of its title with the id, as `2 parser`, or more of the title; `=2` is \
             the task with this id";
    #[error("task `{task}` is {how}")]
    TaskState { task: String, how: &'static str }
        "task_state" Conflict => format!(
            "`goal task reopen {task} --reason TEXT` opens a task that has ended, `goal task skip \
             {task} --reason TEXT` leaves it out; `goal next` says what can be done now"
        );
    #[error("task `{task}` is not proved: {missing}")]
    TaskUnproved { task: String, missing: String }
        "task_unproved" Policy => format!(
            "give evidence with `goal evidence add KEY VALUE --task {task}`, or with `goal task \
             complete {task} --evidence TEXT` where no key is asked for"
        );
    #[error("the definition of task `{task}` is invalid: {problem}")]
    InvalidTask { task: String, problem: String }
        "invalid_task" Usage => "correct it; nothing was written";
    #[error("that would make {found} {what}; the limit is {most}")]
    OverLimit { what: String, found: usize, most: usize }
        "over_limit" Policy =>
            "split the goal, or raise the limit in the configuration ([tasks]); nothing was \
             written";
    #[error("{what} already has a plan")]
    AlreadyPlanned { what: String }
        "already_planned" Conflict =>
            "plan one of its tasks with `goal plan TASK`, or make a new plan for what is not \
             complete with `goal plan --revise --reason WHY`";
    #[error("all {what} of the plan already exist")]
    AlreadyImported { what: &'static str }
        "already_imported" Conflict => match *what {
            "tasks" => {
                "`goal task set FILE` replaces the tasks with the changed plan; `goal task add` \
                 adds \
                 one task again"
            }
            _ => "`goal list --all` shows them; `goal set OBJECTIVE` creates one of them again",
        };
    #[error("`{question}` names {} questions: {candidates}", candidates.len())]
    AmbiguousQuestion { question: String, candidates: Candidates }
        "ambiguous_question" NotFound => "give the question's id, or more of its words";
    #[error("no question that is still open is called `{question}`")]
    UnknownQuestion { question: String }
        "unknown_question" NotFound => "`goal questions` lists the open ones with their ids";
    #[error("{}", match iteration {
        Some(id) => format!("no iteration is called `{id}`"),
        None => "no iteration is under way".to_owned(),
    })]
    NoIteration { iteration: Option<String> }
        "no_iteration" NotFound =>
            "start one with `goal progress iterate start`; `goal log` shows ended ones";
    #[error("{} iterations are under way: {}", iterations.len(), iterations.join(", "))]
    AmbiguousIteration { iterations: Vec<String> }
        "ambiguous_iteration" NotFound => "name the one you mean";
    #[error("iteration {iteration} is {how}")]
    IterationState { iteration: String, how: &'static str, hint: &'static str }
        "iteration_state" Conflict => *hint;
    #[error("the goal has a verification contract and no evidence was given for it")]
    NoEvidence { id: GoalId }
        "no_evidence" Policy => "record what proves it with `goal evidence add KEY VALUE`, or \
         pass `--evidence TEXT`";
    #[error("no auditor is configured")]
    NoAuditor
        "no_auditor" Policy =>
            "`goal init --auditor NAME` tries one and keeps it: pi, claude, codex, gemini, or \
             ./SCRIPT (user only)";
    #[error(
        "{owner} already has all {slots} active goals that are allowed, and priority {priority} \
         is not higher than {unbeaten}, that of goal {id}"
    )]
    NoSlot {
        owner: String,
        slots: usize,
        id: GoalId,
        /// The claimant's.
        priority: String,
        /// That of the goal, which keeps its place.
        unbeaten: String,
    }
        "no_slot" Policy => format!(
            "pause one of the goals (`goal pause --goal {id}`), give this one a higher --priority \
             or another owner, or allow more in the configuration ([owners] slots)"
        );
    #[error("goal {id} is over its budget: {over}")]
    OverBudget {
        id: GoalId,
        over: String,
        /// The options that raise what it went over.
        raise: String,
    }
        "over_budget" Policy => format!(
            "raise the limit with `goal budget --goal {id} {raise}`, or remove all limits with \
             `goal budget --goal {id} --clear`; `goal usage report --goal {id}` shows what was spent"
        );
    #[error("an audit of another revision of goal {id} is still running")]
    AuditRunning { id: GoalId }
        "audit_running" Conflict =>
            "wait until that audit ends, then ask again: its verdict does not count for this \
             revision";
    #[error("goal {id} is not continued: {rest}")]
    NotContinued { id: GoalId, rest: StopReason }
        "not_continued" Policy => match rest.is_given_up() {
            true => format!(
                "it continues after the user's next message; `goal show {id}` shows its state"
            ),
            false => format!("`goal show {id}` shows its state"),
        };
    #[error("goal {id} has no escalation left: {unproductive} of {allowed} did not help")]
    EscalationsSpent { id: GoalId, unproductive: u64, allowed: u64 }
        "escalations_spent" Policy => format!(
            "say to the user: run `goal abort --as abandoned --goal {id} --reason …` to end it, `goal \
             progress escalate` to continue anyway, or change its difficulty with `goal tweak`"
        );
    #[error("`{field}` holds what looks like a secret: {words}")]
    Secret {
        field: String,
        /// Which words, as they may be shown.
        words: String,
    }
        "secret" Policy =>
            "remove it, since what is recorded stays on record; if it is no secret, the user can \
             allow exactly this text in their own configuration: `[redact]` with `allow = \
             [\"TEXT\"]` (`goal config edit`)";
    #[error("{why}")]
    TooLarge { #[from] why: TooLarge }
        "too_large" Usage => "nothing was written";
}

impl Rejection {
    /// There is no focus, and this is what could be focused.
    pub(in crate::domain) fn no_focus(state: &State) -> Rejection {
        let open = Candidates::goals(state, &state.open_ids());
        Rejection::NoFocus { open }
    }

    /// The field holds what it may not.
    pub fn invalid(field: &'static str, problem: impl Into<String>) -> Rejection {
        let problem = problem.into();
        Rejection::InvalidField { field, problem }
    }

    /// Refuses more of something than there may be.
    pub(in crate::domain) fn at_most(
        what: &str,
        found: usize,
        most: usize,
    ) -> Result<(), Rejection> {
        let what = what.to_owned();
        match found > most {
            true => Err(Rejection::OverLimit { what, found, most }),
            false => Ok(()),
        }
    }

    /// The goal is as the command would make it.
    pub(in crate::domain) fn nothing_changes(goal: &Goal) -> Rejection {
        let id = goal.id.clone();
        Rejection::NothingChanges { id }
    }

    /// Whether the same request can succeed later without anybody changing it.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Rejection::AuditRunning { .. })
    }
}

fn still_open(tasks: u64) -> String {
    match tasks {
        1 => "1 task is still open, and completion waits for it".to_owned(),
        _ => format!("{tasks} tasks are still open, and completion waits for them"),
    }
}

fn shown(id: &Option<EventId>) -> String {
    id.map_or_else(|| "not recorded".to_owned(), |id| id.to_string())
}
