//! Appends to a project's ledger: the user creates a goal, an agent takes a task of it, notes what it
//! found, and is refused what is the user's. A beginning for agents and for importers of plans.
//!
//! `cargo run -p goal-core --example append -- PROJECT`

use std::error::Error;
use std::io::{self, Write};

use goal_core::{Actor, Command, Contract, ErrorKind, Ledger};

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args().nth(1).ok_or("name a project")?;
    let user = Ledger::of_project(&root, Actor::User)?;
    let agent = Ledger::of_project(&root, Actor::Agent)?;
    work(&user, &agent, &mut io::stdout())
}

pub fn work(user: &Ledger, agent: &Ledger, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let contract = Contract {
        objective: Some("The build is green".into()),
        success_criteria: Some(vec!["all tests pass".into()]),
        ..Contract::default()
    };
    let created = user.transaction().run(Command::Create(contract))?;
    let goal = created.goal.ok_or("a creation is about a goal")?;

    let (title, under) = ("Mend the flaky test".into(), None);
    agent
        .transaction()
        .on(&goal)
        .run(Command::AddTask { title, under })?;
    let task = "1".into();
    agent
        .transaction()
        .on(&goal)
        .run(Command::StartTask { task })?;

    // With a key the same request is recorded once, however often it is sent.
    for _ in 0..2 {
        let (note, next) = (
            "it fails on slow machines".into(),
            Some("raise the wait".into()),
        );
        let request = agent.transaction().on(&goal).key("note-1");
        let receipt = request.run(Command::Note { note, next })?;
        writeln!(out, "{}", serde_json::to_string(&receipt)?)?;
    }

    let reason = "somebody else asked for it".into();
    let refused = agent
        .transaction()
        .on(&goal)
        .run(Command::Unfocus { reason });
    let refused = refused.err().filter(|it| it.kind() == ErrorKind::Refused);
    let refused = refused.ok_or("an agent did what is the user's")?;
    writeln!(out, "refused: {refused}: {}", refused.hint())?;
    Ok(())
}
