//! Reading: a ledger as it was at one moment, and what it says as plain values.

use crate::domain::actor::Actor;
use crate::domain::event;
use crate::domain::focus::focused;
use crate::domain::goal::contract::ContractChange as Contract;
use crate::domain::goal::state::{self, Status};
use crate::domain::id::{EventId, GoalId};
use crate::domain::task::state::TaskStatus;
use crate::domain::task::statuses::TaskStatuses;
use crate::ledger::open;
use crate::library::{Error, Ledger};
use crate::reading::Reading;

/// A ledger as it was when [`Ledger::read`] was called.
///
/// It can be sent to another thread. What it gives out are plain values, which several threads can
/// share.
#[derive(Debug)]
pub struct Reader {
    reading: Reading,
    session: Option<String>,
}

/// A goal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Goal {
    /// Its id.
    pub id: GoalId,
    /// How it stands.
    pub status: Status,
    /// What the user confirmed; fields that are not set are absent.
    pub contract: Contract,
    /// Its tasks, each before those below it.
    pub tasks: Vec<Task>,
    /// Id of the latest event that changed contract, task definitions or status; `None` for a goal
    /// that only a document tells of.
    pub revision: Option<EventId>,
}

/// A task of a goal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Task {
    /// Its id, which is unique within the goal.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// How many tasks are above it: 0 at the top level.
    pub depth: usize,
    /// How it stands, as follows from its events and from the tasks below and above it.
    pub status: TaskStatus,
}

/// An event: one line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// A hash of the line.
    pub id: EventId,
    /// Its `type`, as `goal_created`.
    pub name: String,
    /// When it was recorded: RFC 3339 as a rule.
    pub at: String,
    /// Who recorded it; `None` in lines of other programs.
    pub by: Option<Actor>,
    /// The session in which it was recorded.
    pub session: Option<String>,
    /// The whole line, a JSON object. `docs/ledger-format.md` describes its fields.
    pub line: String,
}

impl Reader {
    pub(super) fn of(ledger: &Ledger) -> Result<Reader, Error> {
        Ok(Reader {
            reading: ledger.reading(open::read(&ledger.path())?)?,
            session: ledger.caller.session.clone(),
        })
    }

    /// The goal with this id; `None` where there is none.
    ///
    /// # Errors
    /// What is recorded of it cannot be read: a line is not there any more, or the system refuses.
    pub fn get(&self, id: &GoalId) -> Result<Option<Goal>, Error> {
        let goal = self.reading.state.goals.get(id);
        goal.map(|goal| self.goal(goal)).transpose()
    }

    /// All goals, in the order in which the ledger first names them.
    ///
    /// # Errors
    /// Those of [`Reader::get`].
    pub fn goals(&self) -> Result<Vec<Goal>, Error> {
        let goals = self.reading.state.goals.in_turn(|_| true);
        goals.map(|goal| self.goal(&goal)).collect()
    }

    /// The goal that the session works on, or without a session the project; `None` where nothing is
    /// focused.
    ///
    /// # Errors
    /// Those of [`Reader::get`].
    pub fn focused(&self) -> Result<Option<Goal>, Error> {
        match focused(&self.reading.state, self.session.as_deref()) {
            Some(id) => self.get(id),
            None => Ok(None),
        }
    }

    /// The events of a goal, in the order of replay. Reads the whole ledger again; lines that are too long
    /// to be read are left out.
    ///
    /// # Errors
    /// The system refuses to read it, or it is shorter than it was.
    pub fn events(&self, goal: &GoalId) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        self.reading.each_event(|raw, event| {
            if event.goal_id.as_ref() == Some(goal) {
                events.push(Event::of(raw.bytes, event));
            }
        })?;
        Ok(events)
    }

    fn goal(&self, goal: &state::Goal) -> Result<Goal, Error> {
        let statuses = TaskStatuses::of(&goal.tasks);
        let tasks = goal.tasks.flat().into_iter().map(|(depth, task)| Task {
            id: task.id.clone(),
            title: task.title.clone(),
            depth,
            status: statuses.status(&task.id),
        });
        Ok(Goal {
            id: goal.id.clone(),
            status: goal.status,
            contract: Contract::of(&goal.contract),
            tasks: tasks.collect(),
            revision: self.reading.revision(goal)?,
        })
    }
}

impl Event {
    fn of(line: &[u8], event: event::Event) -> Event {
        Event {
            id: EventId::of_line(line),
            name: event.payload.name().to_owned(),
            at: event.at,
            by: event.envelope.by,
            session: event.envelope.session,
            line: String::from_utf8_lossy(line).trim_end().to_owned(),
        }
    }
}
