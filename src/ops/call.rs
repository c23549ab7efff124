//! One call of the program: the project, who calls, and what every command takes.

use std::io::Read;
use std::time::Duration;

use camino::Utf8Path;
use memchr::memmem;
use serde_json::{Value, json};

use crate::domain::actor::{Actor, Caller};
use crate::domain::command::{Command, Outside};
use crate::domain::diagnostic::Diagnostic;
use crate::domain::id::{self, EventId, GoalId};
use crate::domain::losses::Losses;
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::ledger::open;
use crate::ops::failure::{Exit, Failure};
use crate::render::work::Onlooker;
use crate::snapshot::Snapshot;
use crate::transaction::{self, Asked, Receipt, Request, TransactionError, place};
use crate::workspace::Workspace;

/// What every use case gets.
#[derive(Debug)]
pub struct Call {
    pub workspace: Workspace,
    pub caller: Caller,
    /// `--goal`
    pub goal: Option<String>,
    /// `--expect`
    pub expect: Option<EventId>,
    /// `--expect-goal`
    pub expect_goal: Option<String>,
    /// `--key`
    pub key: Option<String>,
    /// `--lock-timeout`
    pub lock_timeout: Duration,
}

/// What there is to remark about the place of the project's ledger, once a call is done: what it
/// changed counts, so the project is opened anew. `ledger` is where it belongs.
pub fn remarks(ledger: &Utf8Path, open: impl FnOnce() -> Result<Call, Failure>) -> Vec<Diagnostic> {
    if ledger.symlink_metadata().is_ok() {
        return Vec::new();
    }
    let found = open().map(|call| place::remarks(&call.workspace));
    found.unwrap_or_default()
}

impl Call {
    /// The same call, of a caller that decided on this revision.
    #[must_use]
    pub fn expecting(self, revision: EventId) -> Call {
        Call {
            expect: Some(revision),
            ..self
        }
    }

    /// Runs a command as one transaction. `arguments` are what makes a request with the same key
    /// the same request: what the caller passed, without ids made here.
    ///
    /// # Errors
    /// See [`transaction::run`].
    pub fn transact(&self, command: Command, arguments: Value) -> Result<Receipt, Failure> {
        let request = self.request(command, arguments);
        Ok(transaction::run(&self.workspace, &request)?)
    }

    /// [`Call::transact`], and the project as it stands with what was recorded.
    ///
    /// # Errors
    /// See [`transaction::run`].
    pub fn transact_and_read(
        &self,
        command: Command,
        arguments: Value,
    ) -> Result<(Receipt, Snapshot), Failure> {
        let request = self.request(command, arguments);
        Ok(transaction::run_and_read(&self.workspace, &request)?)
    }

    /// Runs a command on this goal and no other, whatever is focused by now, that needs it to be
    /// ours; a goal of another tool is taken over first, in a transaction of its own, so that the
    /// command can name its revision.
    ///
    /// # Errors
    /// As [`Call::transact`]; a refused command takes nothing over.
    pub fn transact_on_ours(
        &self,
        goal: &GoalId,
        is_others: bool,
        command: Command,
        arguments: Value,
    ) -> Result<Receipt, Failure> {
        let mut request = self.request(command, arguments);
        request.expect_goal.get_or_insert_with(|| goal.to_string());
        if is_others {
            transaction::check(&self.workspace, &request)?;
            self.transact(Command::Adopt, json!({ "goal": self.goal }))?;
            // The caller decided on the revision that was just taken over.
            request.expect = None;
        }
        Ok(transaction::run(&self.workspace, &request)?)
    }

    fn request<C>(&self, command: C, arguments: Value) -> Request<C> {
        Request {
            command,
            caller: self.caller.clone(),
            goal: self.goal.clone(),
            expect: self.expect,
            expect_goal: self.expect_goal.clone(),
            key: self.key.clone().map(|key| (key, arguments)),
            lock_timeout: self.lock_timeout,
        }
    }

    /// The request of this call for one goal that was settled when it began, at this revision if
    /// one is given.
    pub fn request_on(
        &self,
        goal: &GoalId,
        expect: Option<EventId>,
        command: Command,
        arguments: Value,
    ) -> Request {
        Request {
            goal: Some(goal.to_string()),
            expect,
            ..self.request(command, arguments)
        }
    }

    /// Runs a first step of a longer act on one goal: it has no request key, which belongs to the
    /// last.
    ///
    /// # Errors
    /// As [`Call::transact`].
    pub fn transact_step(&self, goal: &GoalId, command: Command) -> Result<Receipt, Failure> {
        let request = Request {
            key: None,
            ..self.request_on(goal, self.expect, command, Value::Null)
        };
        Ok(transaction::run(&self.workspace, &request)?)
    }

    /// Whether [`Call::transact_step`] would accept the command on the project as it is now.
    ///
    /// # Errors
    /// As [`Call::transact`].
    pub fn check_on(&self, goal: &GoalId, command: Command) -> Result<(), Failure> {
        let request = self.request_on(goal, self.expect, command, Value::Null);
        Ok(transaction::check(&self.workspace, &request)?)
    }

    /// Whether [`Call::transact`] would accept the command on the project as it is now.
    ///
    /// # Errors
    /// As [`Call::transact`].
    pub fn check(&self, command: Command) -> Result<(), Failure> {
        let request = self.request(command, Value::Null);
        Ok(transaction::check(&self.workspace, &request)?)
    }

    /// Whether the caller may do this on the project as it is now, asked before the program is
    /// started that does it.
    ///
    /// # Errors
    /// As [`Call::transact`].
    pub fn may(&self, act: Outside) -> Result<(), Failure> {
        let request = self.request(act, Value::Null);
        Ok(transaction::may(&self.workspace, &request)?)
    }

    /// Runs a command on the goal that was settled when the call began: the focus may have moved
    /// since, and so may the revision that the caller expected and that stood then.
    ///
    /// # Errors
    /// As [`Call::transact`].
    pub fn transact_on(
        &self,
        goal: &GoalId,
        command: Command,
        arguments: Value,
    ) -> Result<Receipt, Failure> {
        Ok(self.settle(goal, command, arguments)?)
    }

    /// [`Call::transact_on`], for callers that must tell one error from another.
    ///
    /// # Errors
    /// See [`transaction::run`].
    pub fn settle(
        &self,
        goal: &GoalId,
        command: Command,
        arguments: Value,
    ) -> Result<Receipt, TransactionError> {
        let request = Request {
            goal: Some(goal.to_string()),
            expect: None,
            expect_goal: None,
            ..self.request(command, arguments)
        };
        transaction::run(&self.workspace, &request)
    }

    /// Records on that goal what comes before the request's answer, which its key goes with.
    ///
    /// # Errors
    /// As [`Call::transact`].
    pub fn transact_before(&self, goal: &GoalId, command: Command) -> Result<Receipt, Failure> {
        let request = Request {
            goal: Some(goal.to_string()),
            expect: None,
            expect_goal: None,
            key: None,
            ..self.request(command, Value::Null)
        };
        Ok(transaction::run(&self.workspace, &request)?)
    }

    /// The receipt of a request with this call's key, if it was answered before; nothing without a
    /// key. `command` is its [`Command::name`]. It decides nothing, so nothing is recorded.
    ///
    /// # Errors
    /// See [`transaction::answer_again`].
    pub fn answer_again(
        &self,
        command: &'static str,
        arguments: &Value,
    ) -> Result<Option<Receipt>, Failure> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let asked = Asked {
            caller: &self.caller,
            key,
            command,
            arguments,
            lock_timeout: self.lock_timeout,
        };
        Ok(transaction::answer_again(&self.workspace, &asked)?)
    }

    /// Runs a step of our own processes on one goal, in the caller's session and turn.
    ///
    /// # Errors
    /// See [`transaction::run`].
    pub fn transact_as_system(
        &self,
        goal: &GoalId,
        command: Command,
    ) -> Result<Receipt, TransactionError> {
        let request = Request {
            goal: Some(goal.to_string()),
            ..self.bare(Actor::System, command)
        };
        transaction::run(&self.workspace, &request)
    }

    /// Records what a host reports, as `actor`, on the focused goal if it is still this one. `key`
    /// makes the same report twice one report.
    ///
    /// # Errors
    /// See [`transaction::run`].
    pub fn report(
        &self,
        actor: Actor,
        goal: &GoalId,
        command: Command,
        key: Option<(String, Value)>,
    ) -> Result<Receipt, TransactionError> {
        let request = Request {
            expect_goal: Some(goal.to_string()),
            key,
            ..self.bare(actor, command)
        };
        transaction::run(&self.workspace, &request)
    }

    /// A command in the caller's session and turn that nothing which was passed narrows.
    fn bare(&self, actor: Actor, command: Command) -> Request {
        Request {
            command,
            caller: Caller {
                actor,
                ..self.caller.clone()
            },
            goal: None,
            expect: None,
            expect_goal: None,
            key: None,
            lock_timeout: self.lock_timeout,
        }
    }

    /// Refuses an auditor what writes or runs something besides a transaction, which sees to it
    /// itself.
    ///
    /// # Errors
    /// [`Rejection::AuditorReadOnly`].
    pub fn refuse_auditor(&self) -> Result<(), Rejection> {
        match self.caller.actor {
            _ if self.workspace.read_only => Err(Rejection::AuditorReadOnly),
            Actor::Auditor => Err(Rejection::AuditorReadOnly),
            Actor::User | Actor::Agent | Actor::System => Ok(()),
        }
    }

    /// Notes what the user's own environment makes of their auditor, which holds for the calls of
    /// agents. A call in which an agent's mark is found may be the agent's own.
    pub fn note_use(&self) {
        let is_own = self.caller.actor == Actor::User
            && !self.workspace.read_only
            && self.workspace.environment.marks.first().is_none();
        if let (true, Ok(loaded)) = (is_own, self.workspace.config_files()) {
            // Without it an agent's call is compared with an earlier one.
            let _best_effort = self.workspace.note_use(&loaded);
        }
    }

    /// Reads the project as it is now.
    ///
    /// # Errors
    /// The system refuses to read it.
    pub fn read(&self) -> Result<Snapshot, Failure> {
        Ok(Snapshot::read(&self.workspace.paths)?)
    }

    /// Reads the project as it is now, every line of it: what the gate judges by is never what was
    /// saved of an earlier look.
    ///
    /// # Errors
    /// The system refuses to read it.
    pub fn read_whole(&self) -> Result<Snapshot, Failure> {
        Ok(Snapshot::read(&self.workspace.paths.uncached())?)
    }

    /// Reads the project for a caller that only looks. What it expects of goal and revision holds
    /// here too, and an agent's `--goal` asserts its focus, as where something is changed.
    ///
    /// # Errors
    /// It is another goal or another revision, or the system refuses to read the project.
    pub fn look(&self) -> Result<Snapshot, Failure> {
        let snapshot = self.read()?;
        self.expects_what_is(&snapshot)?;
        Ok(snapshot)
    }

    /// Whether the caller expects a certain goal or revision.
    pub fn expects(&self) -> bool {
        self.expect.is_some() || self.expect_goal.is_some()
    }

    /// Whether what was read is what the caller expects.
    ///
    /// # Errors
    /// It is another goal, or another revision of it.
    pub fn expects_what_is(&self, snapshot: &Snapshot) -> Result<(), Failure> {
        let asserts = self.goal.is_some() && self.caller.actor == Actor::Agent;
        if !asserts && !self.expects() {
            return Ok(());
        }
        let state = &snapshot.state;
        let goal = select::target(state, self.goal.as_deref(), &self.caller);
        if let Some(named) = &self.expect_goal {
            let named = &select::by_text(state, named)?.id;
            let focused = goal.as_ref().ok().map(|goal| &goal.id);
            if focused != Some(named) {
                return Err(Rejection::NotFocused {
                    named: named.clone(),
                    focused: focused.cloned(),
                }
                .into());
            }
        }
        let goal = goal?;
        let actual = snapshot.revision(goal)?;
        match self.expect.filter(|expected| actual != Some(*expected)) {
            Some(expected) => Err(Rejection::Stale {
                id: goal.id.clone(),
                expected,
                actual,
            }
            .into()),
            None => Ok(()),
        }
    }

    /// Refuses an answer that was made from half a goal: a line that was replayed could not be read
    /// again when its goal was looked at.
    ///
    /// # Errors
    /// `ledger_moved`, which the same call again is rid of.
    pub fn whole(&self) -> Result<(), Failure> {
        unless_lost(self.workspace.paths.losses())
    }

    /// Who looks at what is shown, and when.
    pub fn onlooker(&self) -> Onlooker<'_> {
        Onlooker {
            session: self.caller.session.as_deref(),
            now: self.workspace.environment.now_millis(),
        }
    }

    /// A new goal's id.
    pub fn fresh_goal_id(&self) -> GoalId {
        let (millis, entropy) = self.fresh();
        GoalId::generate(millis, entropy)
    }

    /// A new id of anything else.
    pub fn fresh_id(&self) -> String {
        let (millis, entropy) = self.fresh();
        id::generate(millis, entropy)
    }

    /// What a new id is made of. With a pinned seed, what an earlier process with the same pins
    /// has already written into the ledger is passed over: drawn again, from the next seed.
    fn fresh(&self) -> (i64, u64) {
        let environment = &self.workspace.environment;
        let millis = environment.now_millis();
        let mut entropy = environment.entropy();
        if environment.is_seeded() {
            // A ledger that cannot be read is refused where it is read to decide.
            let ledger = read_whole(&self.workspace.paths.events()).unwrap_or_default();
            let is_taken = |id: String| memmem::find(&ledger, id.as_bytes()).is_some();
            while is_taken(id::generate(millis, entropy)) {
                entropy = environment.entropy();
            }
        }
        (millis, entropy)
    }
}

fn read_whole(path: &Utf8Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open::read(path).ok()??.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// As [`Call::whole`], for whoever has given the call away.
///
/// # Errors
/// As there.
pub fn unless_lost(losses: &Losses) -> Result<(), Failure> {
    if !losses.any() {
        return Ok(());
    }
    Err(Failure {
        retryable: true,
        ..Failure::new(
            "ledger_moved",
            Exit::Io,
            "another program changed the ledger while it was read, so the answer would be made \
             from half a goal",
            "run it again once that program has finished; `goal verify` says what it did",
        )
    })
}

/// An id that a host gave under this name. Such ids go into the ledger as they are, so they must
/// be short and printable.
///
/// # Errors
/// It is not.
pub fn host_id(name: &str, text: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(text) = text else { return Ok(None) };
    if text.is_empty() || text.len() > 256 || text.chars().any(char::is_control) {
        let message = format!("{name} must have 1 to 256 bytes and no control characters");
        return Err(Failure::usage(message, "pass the host's own id"));
    }
    Ok(Some(text.to_owned()))
}
