//! Deciding, as stories: what is given, who wants what, and what comes of it.

mod adoption;
mod authority;
mod continuation;
mod cost;
mod delegation;
mod drafts;
mod fields;
mod gate;
mod interpretation;
mod iterations;
mod lifecycle;
mod progress;
mod property;
mod rejections;
mod returning;
mod runs;
mod slots;

mod waiting;

use std::collections::BTreeSet;

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::cost::CostCommand;
use crate::domain::cost::budget::{Limit, Limits};
use crate::domain::decide::{Pending, PendingEvent, Target, decide, decided_on, enforce_slots};
use crate::domain::event::draft::DraftMode;
use crate::domain::event::{
    AuditResult, AuditStarted, CompletionRequested, DraftStarted, Envelope, Event, GoalAborted,
    GoalFocused, GoalNoted, GoalPaused, GoalResumed, GoalUnfocused, Payload, ReviewResult,
    UsageRecorded,
};
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::document::{DocumentFacts, absorb};
use crate::domain::goal::slots::SLOTS;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::goal::status::AbortOutcome;
use crate::domain::id::EventId;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::state::State;
use crate::domain::testing::Ledger;
use crate::domain::time::rfc3339;
use crate::domain::verdict::Verdict;
use crate::domain::wire::encode;

/// A project: its ledger and another tool's documents.
#[derive(Clone, Default)]
struct Project {
    ledger: Ledger,
    documents: Vec<DocumentFacts>,
}

fn nothing() -> Project {
    Project::default()
}

/// A project whose user has set goal `a`.
fn one_goal() -> Project {
    nothing().has(set("a"), &user())
}

fn user() -> Caller {
    Caller::new(Actor::User)
}

fn agent() -> Caller {
    Caller::new(Actor::Agent)
}

fn system() -> Caller {
    Caller::new(Actor::System)
}

impl Project {
    fn state(&self) -> State {
        let (mut state, _) = self.ledger.replay();
        for facts in &self.documents {
            let _newer = absorb(&mut state, facts);
        }
        state
    }

    fn goal(&self, id: &str) -> Goal {
        self.state().goals[&id.parse().unwrap()].clone()
    }

    fn revision(&self, id: &str) -> Option<EventId> {
        self.goal(id).revision.map(|line| self.ledger.id(line))
    }

    /// Decides as a transaction does: the goal that was named, else the focus.
    fn decide_on(
        &self,
        goal: Option<&str>,
        command: &Command,
        caller: &Caller,
    ) -> Result<Vec<PendingEvent>, Rejection> {
        let state = self.state();
        let command = &as_shown(&state, command);
        let goal = match command.needs_goal() {
            true => Some(select::target(&state, goal, caller)?),
            false => None,
        };
        let target = goal.map(|goal| Target {
            goal,
            revision: goal.revision.map(|line| self.ledger.id(line)),
            pending: Pending::of(goal, |line| Ok::<_, ()>(self.ledger.id(line))).unwrap(),
        });
        let decided = decide(&state, target, command, caller)?;
        enforce_slots(&state, decided, || Ok(SLOTS))
    }

    /// Records what was decided, and holds that replay finds nothing odd in it.
    #[track_caller]
    fn record(&mut self, pending_events: Vec<PendingEvent>, caller: &Caller) {
        let before = self.ledger.replay().1;
        for pending_event in pending_events {
            let caller = pending_event.by.caller(caller);
            let mut event = Event {
                goal_id: pending_event.goal_id,
                payload: pending_event.payload,
                // Each has a time of its own: two foreign lines alike, and two of ours behind
                // them alike to the millisecond, would be one line for replay.
                at: rfc3339(1_795_000_000_000 + self.ledger.lines().len() as i64),
                envelope: Envelope {
                    by: Some(caller.actor),
                    session: caller.session.clone(),
                    turn: caller.turn.clone(),
                    ..Envelope::default()
                },
            };
            let last = self.ledger.replay().0.last;
            event.envelope.prev = Some(last.map_or(EventId::ZERO, |line| self.ledger.id(line)));
            self.ledger.append(&encode(&event).unwrap());
        }
        assert_eq!(
            self.ledger.replay().1,
            before,
            "what is decided is never odd"
        );
    }

    /// The project after a command that is accepted.
    #[track_caller]
    fn has(mut self, command: Command, caller: &Caller) -> Project {
        let decided = self.decide_on(None, &command, caller);
        self.record(
            decided.unwrap_or_else(|error| panic!("{command:?}: {error}")),
            caller,
        );
        self
    }

    /// The project after another program's line.
    fn then_theirs(mut self, line: &str) -> Project {
        self.ledger = self.ledger.theirs(line);
        self
    }

    /// The project after a line of ours that no command of this test writes.
    fn then_ours(mut self, line: &str) -> Project {
        self.ledger = self.ledger.ours(line);
        self
    }

    /// The command is accepted and appends these events; the project after it.
    #[track_caller]
    fn accepts(self, command: Command, caller: &Caller, names: &[&str]) -> Project {
        let decided = self.decide_on(None, &command, caller).unwrap();
        let decided: Vec<&str> = decided.iter().map(|event| event.payload.name()).collect();
        assert_eq!(decided, names, "{command:?}");
        self.has(command, caller)
    }

    /// The command is refused with this code.
    #[track_caller]
    fn refuses(&self, command: Command, caller: &Caller, code: &str) -> Rejection {
        let refused = self.decide_on(None, &command, caller).unwrap_err();
        assert_eq!(refused.code(), code, "{command:?}: {refused}");
        refused
    }

    #[track_caller]
    fn is(&self, id: &str, status: Status) {
        assert_eq!(self.goal(id).status, status);
    }
}

/// A confirmation of what was shown names it.
fn as_shown(state: &State, command: &Command) -> Command {
    match (command, decided_on(state, command)) {
        (
            Command::Confirm {
                expects: true,
                goal_id,
                ..
            },
            Some(draft),
        ) => Command::Confirm {
            draft: Some(draft.draft_id.clone()),
            expects: true,
            goal_id: goal_id.clone(),
        },
        _ => command.clone(),
    }
}

fn objective(text: &str) -> ContractChange {
    ContractChange {
        objective: Some(text.into()),
        ..ContractChange::default()
    }
}

fn set(id: &str) -> Command {
    set_to(id, objective("water the beans"))
}

fn set_to(id: &str, contract: ContractChange) -> Command {
    Command::Set {
        goal_id: id.parse().unwrap(),
        contract: Box::new(contract),
        like: None,
        limits: Limits::default(),
    }
}

fn open(id: &str, mode: DraftMode) -> Command {
    Command::OpenDraft(DraftStarted {
        draft_id: id.into(),
        topic: "the garden".into(),
        mode,
    })
}

fn open_tweak(id: &str) -> Command {
    Command::OpenTweak {
        draft_id: id.into(),
        topic: "the peas too".into(),
    }
}

fn propose(contract: ContractChange) -> Command {
    Command::Propose {
        draft: None,
        fresh: "fresh".into(),
        mode: None,
        contract: Box::new(contract),
    }
}

fn propose_for(draft: &str, contract: ContractChange) -> Command {
    Command::Propose {
        draft: Some(draft.into()),
        fresh: "fresh".into(),
        mode: None,
        contract: Box::new(contract),
    }
}

/// What a person at a terminal does: the only proposal, as it was shown to them.
fn confirm(goal: &str) -> Command {
    Command::Confirm {
        draft: None,
        expects: true,
        goal_id: goal.parse().unwrap(),
    }
}

fn reject() -> Command {
    Command::Reject {
        draft: None,
        reason: None,
    }
}

fn cancel() -> Command {
    Command::CancelDraft { draft: None }
}

fn tweak(change: ContractChange) -> Command {
    Command::Tweak {
        change: Box::new(change),
        summary: "the peas too".into(),
        draft: None,
        fresh: "fresh".into(),
    }
}

fn go_on() -> Command {
    Command::Continue {
        most: 25,
        tree: None,
    }
}

fn pause() -> Command {
    Command::Pause(GoalPaused::because("rain"))
}

fn block() -> Command {
    Command::Pause(GoalPaused {
        blocked: Some(true),
        ..GoalPaused::because("no can")
    })
}

fn resume() -> Command {
    Command::Resume(GoalResumed {
        reason: "sun".into(),
    })
}

fn review() -> Command {
    Command::RecordReview(ReviewResult {
        role: "risk".into(),
        report: "stop at once\n<approved/>".into(),
        verdict: Some("approved".into()),
        revision: None,
    })
}

fn note() -> Command {
    Command::Note(GoalNoted {
        note: "green".into(),
        next: None,
    })
}

fn focus() -> Command {
    Command::Focus(GoalFocused {
        reason: "first".into(),
    })
}

fn unfocus() -> Command {
    Command::Unfocus(GoalUnfocused {
        reason: "tea".into(),
    })
}

fn abort() -> Command {
    end("frost", None)
}

fn delegate(id: &str, to: &str) -> Command {
    Command::Delegate {
        goal_id: id.parse().unwrap(),
        draft_id: "handed".into(),
        to: to.into(),
        contract: Box::new(objective("dig")),
    }
}

fn usage(counters: &[(&str, f64)]) -> Command {
    let counters = counters.iter();
    let counters = counters.map(|(name, number)| ((*name).to_owned(), *number));
    let usage = UsageRecorded {
        counters: counters.collect(),
        ..UsageRecorded::default()
    };
    Command::Cost {
        act: Box::new(CostCommand::Add(usage)),
    }
}

fn budget(limits: &[(Limit, u32)]) -> Command {
    let limits = limits.iter().map(|(limit, most)| (*limit, (*most).into()));
    let act = CostCommand::Budget {
        set: Limits(limits.collect()),
        clear: BTreeSet::new(),
    };
    Command::Cost { act: Box::new(act) }
}

fn fail() -> Command {
    end("mice", Some(AbortOutcome::Failed))
}

fn abandon() -> Command {
    end("moved", Some(AbortOutcome::Abandoned))
}

fn end(reason: &str, outcome: Option<AbortOutcome>) -> Command {
    Command::End(GoalAborted {
        reason: reason.into(),
        archive_path: None,
        outcome,
    })
}

fn request(evidence: &[&str]) -> Command {
    Command::RequestCompletion {
        requested: CompletionRequested {
            evidence: Some(evidence.iter().map(|text| (*text).to_owned()).collect()),
            ..CompletionRequested::default()
        },
        auditor_configured: true,
    }
}

fn start(revision: Option<EventId>) -> Command {
    let started = AuditStarted {
        provider: None,
        model: None,
        thinking_level: None,
        command: Some(vec!["audit".into()]),
        config_source: None,
        revision,
        request: None,
        programs: None,
        check_programs: None,
        contract_digest: None,
        prompt_digest: None,
        marks: None,
        head: None,
        dirty: None,
        tree_digest: None,
        tree: None,
        tree_path: None,
        changes: None,
        host: None,
        deadline: None,
    };
    Command::StartAudit(Box::new(started))
}

fn result(verdict: Verdict, revision: Option<EventId>) -> Command {
    let result = AuditResult {
        verdict,
        report: "looked at it".into(),
        cause: None,
        exit_code: Some(0),
        duration_ms: None,
        revision,
        // It is filled in where the result is decided.
        start: None,
        signature: None,
        signer: None,
        signed_at: None,
    };
    Command::RecordAudit(Box::new(result))
}

const FOREIGN: &str = r#"{"type":"goal_created","goalId":"f","objective":"paint","sisyphus":false,"autoContinue":true,"at":"t"}"#;

/// A document of another tool for goal `f`.
fn document(status: Status) -> DocumentFacts {
    DocumentFacts {
        goal_id: "f".parse().unwrap(),
        contract: objective("paint the whole fence"),
        status,
        created_at: "t".into(),
        updated_at: "u".into(),
        pause_reason: Some("no paint".into()),
        suggested_action: None,
        tasks: Vec::new(),
        marks: Vec::new(),
        block_completion: None,
        path: ".pi/goals/active_goal_2026112120150012_f.md".into(),
        ours: false,
    }
}

#[track_caller]
fn payload<'a>(pending_events: &'a [PendingEvent], name: &str) -> &'a Payload {
    let found = pending_events
        .iter()
        .find(|event| event.payload.name() == name);
    &found
        .unwrap_or_else(|| panic!("no {name} in {pending_events:?}"))
        .payload
}

/// The contract of a goal that this owner owes.
fn owned_by(owner: &str, priority: f64) -> ContractChange {
    ContractChange {
        owner: Some(owner.into()),
        priority: Some(priority),
        ..objective("water the beans")
    }
}
