//! Reading: a ledger as it was at one moment, and what it says as plain values.

use serde::{Serialize, Serializer};

use crate::domain::focus::focused;
use crate::domain::goal::contract::ContractChange as Contract;
use crate::domain::goal::state;
use crate::domain::id::{EventId, GoalId};
use crate::domain::task::statuses::TaskStatuses;
use crate::ledger::open;
use crate::library::{Error, Event, Ledger, Status, TaskStatus};
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
///
/// As JSON it is a part of what `goal show --json` prints as `goal`, with the same names: `goalId`,
/// `status`, `revision`, the fields of the contract that are set, and `tasks`, an object that has the tree of
/// tasks in `list`.
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

/// A task of a goal. As JSON it is one of `goal show --json`, with the tasks below it as `tasks` where it is
/// part of a goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Task {
    /// Its id, which is unique within the goal.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// How many tasks are above it: 0 at the top level.
    #[serde(skip)]
    pub depth: usize,
    /// How it stands, as follows from its events and from the tasks below and above it.
    pub status: TaskStatus,
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

    /// The events of a goal, in the order in which they count, each once. Reads the whole ledger again; to
    /// look at the events of all goals, use [`Ledger::events`]. Lines that are too long to be read are left
    /// out.
    ///
    /// # Errors
    /// The system refuses to read it, or it is shorter than it was.
    pub fn events_of(&self, goal: &GoalId) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        self.reading.each_event(|raw, event| {
            if event.goal_id.as_ref() == Some(goal) {
                events.push(Event::of(raw, event));
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
            status: statuses.status(&task.id).into(),
        });
        Ok(Goal {
            id: goal.id.clone(),
            status: goal.status.into(),
            contract: Contract::of(&goal.contract),
            tasks: tasks.collect(),
            revision: self.reading.revision(goal)?,
        })
    }
}

/// A goal as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GoalJson<'a> {
    goal_id: &'a GoalId,
    status: Status,
    revision: Option<EventId>,
    #[serde(flatten)]
    contract: &'a Contract,
    tasks: Tree<'a>,
}

#[derive(Serialize)]
struct Tree<'a> {
    list: Vec<Branch<'a>>,
}

/// A task with those below it.
#[derive(Serialize)]
struct Branch<'a> {
    #[serde(flatten)]
    task: &'a Task,
    tasks: Vec<Branch<'a>>,
}

impl<'a> Branch<'a> {
    /// The tasks at this depth that come next, each with those below it.
    fn at(
        depth: usize,
        rest: &mut std::iter::Peekable<std::slice::Iter<'a, Task>>,
    ) -> Vec<Branch<'a>> {
        let mut list = Vec::new();
        while let Some(task) = rest.next_if(|task| task.depth >= depth) {
            let tasks = Branch::at(depth + 1, rest);
            list.push(Branch { task, tasks });
        }
        list
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let list = Branch::at(0, &mut self.tasks.iter().peekable());
        let shown = GoalJson {
            goal_id: &self.id,
            status: self.status,
            revision: self.revision,
            contract: &self.contract,
            tasks: Tree { list },
        };
        shown.serialize(serializer)
    }
}
