//! One call of the program: the project, who calls, and what every command takes.

use std::io::Read;
use std::time::Duration;

use camino::Utf8Path;
use memchr::memmem;
use serde_json::Value;

use crate::domain::actor::{self, Actor, Caller};
use crate::domain::command::Outside;
use crate::domain::diagnostic::Diagnostic;
use crate::domain::focus::focused;
use crate::domain::goal::state::Goal;
use crate::domain::id::{self, EventId, GoalId};
use crate::domain::rejection::Rejection;
use crate::domain::select;
use crate::domain::state::State;
use crate::ledger::open;
use crate::ops::failure::Failure;
use crate::ops::under_way::StatusLine;
use crate::render::work::Onlooker;
use crate::roles::command::{Choosing, CommandOptions, choose};
use crate::snapshot::Snapshot;
use crate::transaction::{self, Recorded, RepeatedRequest, Request, copies, pending, place};
use crate::workspace::config::Role;
use crate::workspace::uses::Another;
use crate::workspace::{Paths, Workspace};

/// What every use case gets.
#[derive(Debug, Clone)]
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
    /// Where a person sees what is under way.
    pub status_line: StatusLine,
}

/// What there is to remark about the place of the project's ledger, once a call is done: what it
/// changed counts, so the project is opened anew.
pub fn remarks(paths: &Paths, open: impl FnOnce() -> Result<Call, Failure>) -> Vec<Diagnostic> {
    let is_alone = paths.shared().is_none() || paths.file().symlink_metadata().is_err();
    let is_there = || paths.to_read().symlink_metadata().is_ok();
    if is_alone && !pending::waits(paths) && is_there() {
        return Vec::new();
    }
    let found = open().map(|call| place::remarks(&call.workspace));
    found.unwrap_or_default()
}

impl Call {
    /// Refuses where nobody knows the home of the ledger.
    ///
    /// # Errors
    /// `home_unresolved`.
    pub fn must_resolve(&self) -> Result<(), Failure> {
        Ok(place::must_resolve(&self.workspace)?)
    }

    /// Makes the home of a ledger that has none yet, before a lock or a lease is taken in it.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn settle_home(&self) -> Result<(), Failure> {
        Ok(copies::settle_home(&self.workspace, self.lock_timeout)?)
    }

    /// The same call, of a caller that decided on this revision.
    #[must_use]
    pub fn expecting(self, revision: EventId) -> Call {
        Call {
            expect: Some(revision),
            ..self
        }
    }

    /// A request for this command or act, with everything that was passed but the key.
    pub(super) fn asking<C>(&self, command: C) -> Request<C> {
        Request {
            command,
            caller: self.caller.clone(),
            goal: self.goal.clone(),
            expect: self.expect,
            expect_goal: self.expect_goal.clone(),
            cost: None,
            key: None,
            tree: None,
            lock_timeout: self.lock_timeout,
        }
    }

    /// The project as it is now, where the caller may do this; asked before the program is started
    /// that does it.
    pub fn may(&self, act: Outside) -> Result<Snapshot, Failure> {
        Ok(transaction::may(&self.workspace, &self.asking(act))?)
    }

    /// What is told in place of goals where none can be read, since the ledger is missing.
    pub(super) fn lost(&self, snapshot: &Snapshot) -> Option<String> {
        let has_goals = snapshot.state.open_count() > 0 || snapshot.extent.lines > 0;
        (!has_goals).then(|| place::lost(&self.workspace)).flatten()
    }

    /// The receipt of a request with this call's key, if it was answered before; nothing without a
    /// key. `command` is the name of its command. It decides nothing, so nothing is recorded.
    pub fn answer_again(
        &self,
        command: &'static str,
        arguments: &Value,
    ) -> Result<Option<Recorded>, Failure> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let asked = RepeatedRequest {
            caller: &self.caller,
            key,
            command,
            arguments,
            lock_timeout: self.lock_timeout,
        };
        Ok(transaction::answer_again(&self.workspace, &asked)?)
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

    /// Refuses everybody but the user; `say` is what the user would say to the caller instead.
    ///
    /// # Errors
    /// [`Rejection::AuditorReadOnly`], [`Rejection::HumanOwned`].
    pub fn refuse_all_but_the_user(&self, act: &'static str, say: &str) -> Result<(), Rejection> {
        match self.caller.actor {
            Actor::User => Ok(()),
            Actor::Auditor => Err(Rejection::AuditorReadOnly),
            Actor::Agent | Actor::System => Err(Rejection::HumanOwned {
                act,
                say: say.to_owned(),
            }),
        }
    }

    /// Refuses what came as the user's act beside the mark of an agent's host, whatever `GOAL_ACTOR`
    /// says: whom this machine believes is said at a terminal of the user's own, or by a script of
    /// theirs, which has no mark.
    ///
    /// # Errors
    /// [`Rejection::NotInPerson`].
    pub fn refuse_what_a_host_passes_on(&self, act: &'static str) -> Result<(), Rejection> {
        match (self.caller.actor, &self.caller.via) {
            (Actor::User, Some(via)) => Err(Rejection::NotInPerson {
                act,
                via: via.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Refuses everybody but the user, and what a host passes on as theirs.
    ///
    /// # Errors
    /// [`Rejection::AuditorReadOnly`], [`Rejection::HumanOwned`], [`Rejection::NotInPerson`].
    pub fn refuse_all_but_the_user_in_person(
        &self,
        act: &'static str,
        say: &str,
    ) -> Result<(), Rejection> {
        self.refuse_all_but_the_user(act, say)?;
        self.refuse_what_a_host_passes_on(act)
    }

    /// Notes what the user's own environment makes of their auditor, which holds for the calls of
    /// agents. Where it is another one than was noted, nothing is noted, and it comes back. A call in
    /// which an agent's mark is found may be the agent's own.
    pub fn note_use(&self) -> Option<Another> {
        match (self.is_own(), self.workspace.config_files()) {
            // Without it an agent's call is compared with an earlier one.
            (true, Ok(loaded)) => self.workspace.note_use(&loaded).ok().flatten(),
            _ => None,
        }
    }

    /// Notes the auditor that the configuration of now names, which the user's call has changed.
    pub fn take_over_use(&self) {
        if let (true, Ok(loaded)) = (self.is_own(), self.workspace.config_files()) {
            let _best_effort = self.workspace.take_over(&self.workspace.this_use(&loaded));
        }
    }

    fn is_own(&self) -> bool {
        self.caller.actor == Actor::User && self.workspace.environment.marks.first().is_none()
    }

    /// Reads the project as it is now.
    pub fn read(&self) -> Result<Snapshot, Failure> {
        Ok(Snapshot::read(&self.workspace.paths)?)
    }

    /// Reads the project as it is now, every line of it: what the gate judges by is never what was
    /// saved of an earlier look.
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

    /// The goal that the call is about.
    pub fn target<'a>(&self, now: &'a Snapshot) -> Result<&'a Goal, Rejection> {
        select::target(&now.state, self.goal.as_deref(), &self.caller)
    }

    /// The goal that the call names, if it names one: any, since naming it only says what is read.
    pub fn named<'a>(&self, now: &'a Snapshot) -> Result<Option<&'a Goal>, Rejection> {
        let named = self.goal.as_deref();
        let goal = named.map(|named| select::named(&now.state, named));
        goal.transpose()
    }

    /// The goal that the caller's session works on.
    pub fn focus<'a>(&self, state: &'a State) -> Option<&'a Goal> {
        state
            .goals
            .get(focused(state, self.caller.session.as_deref())?)
    }

    /// The command of a role in this call ([`choose`]).
    pub fn choose(
        &self,
        role: Role,
        wanted: &CommandOptions,
    ) -> Result<Option<Choosing>, Rejection> {
        choose(&self.workspace, self.caller.actor, role, wanted)
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
        let goal = self.target(snapshot);
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

/// An id that a host gave under this name, where it gave one.
///
/// # Errors
/// It is none that can be recorded as it stands.
pub fn host_id(name: &str, text: Option<&str>) -> Result<Option<String>, Failure> {
    let id = text.map(|text| actor::host_id(name, text)).transpose();
    id.map_err(|error| Failure::usage(error.message, error.hint))
}
