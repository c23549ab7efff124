//! What helps against each rejection: the next step, in a sentence.

use crate::domain::goal::state::Status;
use crate::domain::rejection::Rejection;

impl Rejection {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Rejection::HumanOwned { say, .. } => format!("say to the user: {say}"),
            Rejection::AuditorReadOnly => {
                "report what you found (an auditor ends its report with one marker); here only \
                 commands that read work"
                    .into()
            }
            Rejection::TurnStopped => {
                "end the turn: until the next one you can read, and change nothing".into()
            }
            Rejection::NoFocus { open } if open.is_empty() => {
                "no goal is open; `goal set` or `goal draft` begins one (the user's to do)".into()
            }
            Rejection::NoFocus { open } => format!(
                "`goal focus GOAL` focuses one (the user's to do), `--goal` names one; open: {open}"
            ),
            Rejection::UnknownGoal { .. } => {
                "a goal is named by its id, or a beginning or end of it, and not by its title; \
                 `goal list --all` shows every goal"
                    .into()
            }
            Rejection::AmbiguousGoal { .. } => "give more of the id".into(),
            Rejection::NotFocused { .. } => {
                "work on the focused goal, or ask the user to run `goal focus`".into()
            }
            Rejection::Stale { id, .. } => {
                format!("read it again with `goal show {id}` and decide anew")
            }
            Rejection::StaleDraft { .. } => {
                "`goal drafts` shows what is proposed now; decide on that".into()
            }
            Rejection::GoalClosed { .. } => "create a new goal for what is left to do".into(),
            Rejection::Already {
                status: Status::Active,
                ..
            } => "nothing holds it up: `goal next` says what is to be done".into(),
            Rejection::Already { id, .. } => format!("`goal show {id}` says why and since when"),
            Rejection::IdTaken { .. } => {
                "run the command again, which makes another id; with GOAL_TEST=1, give each \
                 process a GOAL_TEST_SEED of its own"
                    .into()
            }
            Rejection::NotRunnable { id, .. } => {
                format!(
                    "`goal show {id}` says why; `goal resume --run --goal {id}` goes on with it"
                )
            }
            Rejection::Resting { id, .. } => format!(
                "say to the user: run `goal resume --goal {id}` when I may go on; reading, notes and \
                 questions work meanwhile"
            ),
            Rejection::NotAdopted { id } => {
                format!("ask the user to adopt it with `goal adopt {id}`")
            }
            Rejection::StoppedElsewhere { id, status, .. } if status.is_open() => format!(
                "once nothing is in the way, `goal resume --goal {id}` takes it over and goes on with \
                 it (the user's to do)"
            ),
            Rejection::StoppedElsewhere { .. } => "create a new goal for what is left to do".into(),
            Rejection::EmptyField { field } => format!("say something for `{field}`"),
            Rejection::InvalidField { field, .. } => format!("give another value for `{field}`"),
            Rejection::NothingToSettle => {
                "`goal doctor` and `goal verify` list what is found; `goal verify --strict` lists what \
                 is settled too"
                    .into()
            }
            Rejection::NothingChanges { id } => {
                format!("`goal show {id}` prints the goal as it stands")
            }
            Rejection::NoDraft { draft: Some(_) } => "`goal drafts` lists the open ones".into(),
            Rejection::NoDraft { draft: None } => {
                "`goal draft TOPIC` opens one, `goal propose OBJECTIVE` proposes without one".into()
            }
            Rejection::AmbiguousDraft { .. } => {
                "give the id of the one that you mean; `goal drafts` shows what is proposed for each"
                    .into()
            }
            Rejection::DraftRequired { .. } => {
                "read the proposal with `goal drafts`, then run `goal confirm DRAFT`; at a \
                 terminal `goal confirm` shows it and asks"
                    .into()
            }
            Rejection::ExpectRequired { draft, .. } => format!(
                "`goal drafts` shows what is proposed now, with the command that confirms just that: \
                 `goal confirm {draft} --expect REV`"
            ),
            Rejection::ProposalWaits { .. } => {
                "propose without naming a draft: your proposal gets a draft of its own, and the user \
                 decides on both"
                    .into()
            }
            Rejection::TweakOpen { draft, .. } => format!(
                "say to the agent what is to change, or close it with `goal draft --cancel {draft}`"
            ),
            Rejection::NoProposal { .. } => "propose a contract with `goal propose`".into(),
            Rejection::ModeMismatch { .. } => {
                "propose in the draft's mode; only the user can open a draft in another".into()
            }
            Rejection::TasksOpen { id, .. } => {
                format!("finish or skip them; `goal show {id}` lists them")
            }
            Rejection::UnknownTask { .. } => {
                "`goal task tree` shows the tasks with their ids".into()
            }
            Rejection::TaskState { .. } => "`goal next` says what can be done now".into(),
            Rejection::TaskUnproved { task, .. } => format!(
                "give evidence with `goal evidence add KEY VALUE --task {task}`, or with `goal task \
                 complete {task} --evidence TEXT` where no key is asked for"
            ),
            Rejection::InvalidTask { .. } => "correct the definition; nothing was written".into(),
            Rejection::OverLimit { .. } => {
                "split the goal, or raise the limit in the configuration ([tasks]); nothing was \
                 written"
                    .into()
            }
            Rejection::AlreadyPlanned { .. } => {
                "plan one of its tasks with `goal plan TASK`, or what is not complete anew with \
                 `goal plan --revise --reason WHY`"
                    .into()
            }
            Rejection::AlreadyImported { what: "tasks" } => {
                "`goal task set FILE` takes a changed plan over; `goal task add` adds one task again"
                    .into()
            }
            Rejection::AlreadyImported { .. } => {
                "`goal list --all` shows them; `goal set OBJECTIVE` creates one of them again".into()
            }
            Rejection::UnknownQuestion { .. } => {
                "`goal questions` lists the open ones with their ids".into()
            }
            Rejection::NoIteration { .. } => {
                "start one with `goal iterate start`; `goal log` has those that are over".into()
            }
            Rejection::AmbiguousIteration { .. } => "name the one you mean".into(),
            Rejection::IterationState { hint, .. } => (*hint).to_owned(),
            Rejection::NoEvidence { .. } => "say what proves it with `--evidence TEXT`".into(),
            Rejection::NoAuditor => {
                "set `[auditor]` in the configuration (`goal init` shows how) or pass `--auditor` to \
                 `goal complete`, both the user's to do; `goal auditor test` tries it"
                    .into()
            }
            Rejection::NoSlot { id, .. } => format!(
                "pause one of the goals (`goal pause --goal {id}`), give this one a higher --priority \
                 or another owner, or allow more in the configuration ([owners] slots)"
            ),
            Rejection::OverBudget { id, .. } => format!(
                "raise the limit with `goal budget --goal {id}` and --max-llm-calls, --max-seconds or \
                 --cost-usd, or take all away with --clear; `goal usage report --goal {id}` shows \
                 what was spent"
            ),
            Rejection::AuditRunning { .. } => {
                "wait until that audit ends, then ask again: its verdict does not count for this revision".into()
            }
            Rejection::NotContinued { id, rest } if rest.is_given_up() => {
                format!(
                    "it goes on once the user says something; `goal show {id}` tells how it stands"
                )
            }
            Rejection::NotContinued { id, .. } => format!("`goal show {id}` tells how it stands"),
            Rejection::EscalationsSpent { id, .. } => format!(
                "say to the user: run `goal abandon --goal {id} --reason …` to give it up, `goal escalate` to go on \
                 all the same, or give it another difficulty with `goal tweak`"
            ),
            Rejection::Secret { .. } => {
                "take it out: a text that is confirmed is recorded as it stands and stays on record".into()
            }
            Rejection::TooLarge(_) => "nothing was written".into(),
        }
    }
}
