//! Reads a project's ledger: a line for each goal, then how often each kind of event was recorded. A
//! beginning for dashboards, reports and status lines.
//!
//! `cargo run -p goal-core --example read -- PROJECT`

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};

use goal_core::{Actor, Ledger, Status, TaskStatus};

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    // Reading takes no lock and writes nothing, so it does not matter who reads.
    let ledger = Ledger::of_project(root, Actor::Agent)?;
    overview(&ledger, &mut io::stdout())
}

pub fn overview(ledger: &Ledger, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let reader = ledger.read()?;
    let focused = reader.focused()?.map(|goal| goal.id);
    for goal in reader.goals()? {
        let done = goal
            .tasks
            .iter()
            .filter(|it| it.status == TaskStatus::Complete);
        let mark = match goal.status {
            _ if focused.as_ref() == Some(&goal.id) => '>',
            Status::Complete => '+',
            // Later versions may have more of them.
            _ => ' ',
        };
        let objective = goal.contract.objective.as_deref().unwrap_or_default();
        let (done, all) = (done.count(), goal.tasks.len());
        writeln!(out, "{mark} {} {done}/{all} {objective}", goal.status)?;
    }
    // One pass over all events, one in memory at a time.
    let mut counts = BTreeMap::<String, u64>::new();
    for event in ledger.events()? {
        *counts.entry(event?.name).or_default() += 1;
    }
    for (name, count) in counts {
        writeln!(out, "{count:>6} {name}")?;
    }
    Ok(())
}
