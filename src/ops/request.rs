//! A request of a call: a command, told step by step what narrows it, and then run as one
//! transaction.

use serde_json::Value;

use crate::domain::actor::Actor;
use crate::domain::command::Command;
use crate::domain::cost::CostCommand;
use crate::domain::decide::PendingEvent;
use crate::domain::event::UsageRecorded;
use crate::domain::id::{EventId, GoalId};
use crate::ops::call::Call;
use crate::ops::notify::notify;
use crate::snapshot::Snapshot;
use crate::transaction::{self, Recorded, Request, TransactionError};
use crate::workspace::worktree::WorkTree;

/// A command that is to be run for a call. Unless it is told otherwise it acts on the goal that
/// the call names, expects what the call expects, and has no request key.
#[derive(Debug)]
#[must_use = "nothing is asked before `run` or `check`"]
pub struct CallRequest<'a> {
    call: &'a Call,
    request: Request,
}

impl Call {
    /// Begins a request for this command.
    pub fn request(&self, command: impl Into<Command>) -> CallRequest<'_> {
        CallRequest {
            call: self,
            request: self.asking(command.into()),
        }
    }
}

impl CallRequest<'_> {
    /// The call's request key goes with it. `arguments` are what makes a request with the same key
    /// the same request: what the caller passed, without ids made here.
    pub fn key(self, arguments: Value) -> Self {
        let key = self.call.key.clone().map(|key| (key, arguments));
        self.key_of_host(key)
    }

    /// As [`CallRequest::key`], with a key that is not the call's.
    pub fn key_of_host(mut self, key: Option<(String, Value)>) -> Self {
        self.request.key = key;
        self
    }

    /// Acts on this goal as if the call named it: what the call expects of revision and focus
    /// still holds.
    pub fn naming(mut self, goal: &GoalId) -> Self {
        self.request.goal = Some(goal.to_string());
        self
    }

    /// Acts on this goal, which was settled when the call began: the focus may have moved since,
    /// and so may the revision that the caller expected and that stood then.
    pub fn on(mut self, goal: &GoalId) -> Self {
        self.request.expect = None;
        self.request.expect_goal = None;
        self.naming(goal)
    }

    /// Acts on the focused goal, if that is still this one.
    pub fn while_focused(mut self, goal: &GoalId) -> Self {
        self.request.goal = None;
        self.request.expect = None;
        self.request.expect_goal = Some(goal.to_string());
        self
    }

    /// Acts on what the call names, if the focus is still on this goal; what the call itself
    /// expects comes first.
    pub fn expecting_goal(mut self, goal: &GoalId) -> Self {
        let expected = &mut self.request.expect_goal;
        expected.get_or_insert_with(|| goal.to_string());
        self
    }

    /// Acts only if the goal still has this revision, or whatever revision it has.
    pub fn expecting(mut self, revision: Option<EventId>) -> Self {
        self.request.expect = revision;
        self
    }

    /// Says how the work tree stands, which git is asked otherwise.
    pub fn tree(mut self, tree: Option<WorkTree>) -> Self {
        self.request.tree = tree;
        self
    }

    /// Acts as somebody else, in the caller's session and turn.
    pub fn by(mut self, actor: Actor) -> Self {
        self.request.caller.actor = actor;
        self
    }

    /// Records in the same write what it cost to ask a program; alone, where this is refused.
    pub fn costing(mut self, usage: Option<UsageRecorded>) -> Self {
        self.request.cost = usage;
        self
    }

    /// Runs it as one transaction; the snapshot is the project as it stood right after. The person is
    /// told of what began to wait with it, where they asked for that.
    pub fn run(&self) -> Result<Recorded, TransactionError> {
        let ran = transaction::run(&self.call.workspace, &self.request);
        if let (Err(TransactionError::Rejected(_)), Some(cost)) = (&ran, &self.request.cost) {
            // The refusal is what the caller has to be told.
            let _recorded = self.cost_alone(cost.clone());
        }
        if let Ok((receipt, now)) = &ran {
            notify(self.call, receipt, now);
        }
        ran
    }

    /// Records what it cost to ask a program whose answer is refused: the goal may have changed or ended
    /// since.
    fn cost_alone(&self, cost: UsageRecorded) -> Result<Recorded, TransactionError> {
        let mut request = Request {
            command: CostCommand::Add(cost).into(),
            expect: None,
            expect_goal: None,
            cost: None,
            key: None,
            ..self.request.clone()
        };
        request.caller.actor = Actor::System;
        transaction::run(&self.call.workspace, &request)
    }

    /// Whether [`CallRequest::run`] would accept it on the project as it is now. Writes nothing.
    ///
    /// # Errors
    /// See [`transaction::rehearse`].
    pub fn check(&self) -> Result<(), TransactionError> {
        self.rehearse().map(drop)
    }

    /// As [`CallRequest::check`], on the project as it was read.
    ///
    /// # Errors
    /// See [`transaction::rehearse_on`].
    pub fn check_on(&self, now: &Snapshot) -> Result<(), TransactionError> {
        transaction::rehearse_on(&self.call.workspace, now, &self.request).map(drop)
    }

    /// What [`CallRequest::run`] would record. Writes nothing.
    ///
    /// # Errors
    /// See [`transaction::rehearse`].
    pub fn rehearse(&self) -> Result<Vec<PendingEvent>, TransactionError> {
        transaction::rehearse(&self.call.workspace, &self.request)
    }
}
