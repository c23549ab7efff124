//! Where each task stands in its tree, so that an event finds the one it names without a look at
//! all of them.

use std::collections::{BTreeSet, HashMap};

use crate::domain::task::spec::TaskSpec;

/// The positions from the top level down to a task. In their order tasks are shown.
pub type Position = Vec<usize>;

/// The places of all tasks of a tree, by id; an id that stands twice has two.
#[derive(Debug, Default)]
pub struct TaskPositions {
    of: HashMap<String, BTreeSet<Position>>,
    count: u64,
}

impl TaskPositions {
    /// The places in this tree.
    pub fn of(specs: &[TaskSpec]) -> TaskPositions {
        let mut places = TaskPositions::default();
        places.add(specs, &[], 0);
        places
    }

    /// How many tasks the tree has.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Where the task with this id stands; the first, should a stranger have used it twice.
    pub fn first(&self, id: &str) -> Option<&Position> {
        self.of.get(id)?.first()
    }

    /// Adds tasks, with all below them, which stand below `parent` from the position `from` on.
    pub fn add(&mut self, specs: &[TaskSpec], parent: &[usize], from: usize) {
        self.each(specs, parent, from, &mut |places, id, place| {
            places.count += 1;
            let of = places.of.entry(id.to_owned()).or_default();
            of.insert(place);
        });
    }

    /// Takes those tasks away.
    pub fn remove(&mut self, specs: &[TaskSpec], parent: &[usize], from: usize) {
        self.each(specs, parent, from, &mut |places, id, place| {
            places.count -= 1;
            if let Some(of) = places.of.get_mut(id) {
                of.remove(&place);
            }
        });
    }

    fn each(
        &mut self,
        specs: &[TaskSpec],
        parent: &[usize],
        from: usize,
        on_task: &mut impl FnMut(&mut TaskPositions, &str, Position),
    ) {
        for (at, spec) in specs.iter().enumerate() {
            let place = [parent, &[from + at]].concat();
            self.each(&spec.tasks, &place, 0, on_task);
            on_task(self, &spec.id, place);
        }
    }
}

/// The tasks from the top level down to this place.
pub fn along<'a>(specs: &'a [TaskSpec], place: &[usize]) -> Vec<&'a TaskSpec> {
    let mut below = specs;
    let mut tasks = Vec::new();
    for at in place {
        let Some(task) = below.get(*at) else {
            break;
        };
        tasks.push(task);
        below = &task.tasks;
    }
    tasks
}
