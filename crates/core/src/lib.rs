//! The core of `goal`, an append-only ledger for the goals of coding agents: its events, how they fold
//! into the state of each goal, who may do what, and how a line is appended so that nothing is lost.
//!
//! A [`Ledger`] is the file of a project's events. It is read through a [`Reader`], and changed through a
//! [`Transaction`], which records one [`Command`] by the same rules as the program: who may do what, which
//! status allows it, one writer at a time.
//!
//! # Read a ledger
//!
//! ```
//! use goal_core::{Actor, Ledger, Status};
//!
//! # let dir = tempfile::tempdir()?;
//! # let root = dir.path();
//! # std::fs::create_dir_all(root.join(".pi/goals"))?;
//! # let line = r#"{"type":"goal_created","goalId":"g1","objective":"Write it","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00Z"}"#;
//! # std::fs::write(root.join(".pi/goals/goal_events.jsonl"), format!("{line}\n"))?;
//! let reader = Ledger::of_project(root, Actor::User)?.read()?;
//! for goal in reader.goals()? {
//!     println!("{} {}: {:?}", goal.id, goal.status, goal.contract.objective);
//! }
//! let goal = reader.get(&"g1".parse()?)?.ok_or("there is no goal g1")?;
//! assert_eq!(goal.status, Status::Active);
//! assert_eq!(reader.events(&goal.id)?[0].name, "goal_created");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Append through a transaction
//!
//! ```
//! use goal_core::{Actor, Command, Contract, ErrorKind, Ledger, Status};
//!
//! # let dir = tempfile::tempdir()?;
//! # let root = dir.path();
//! let user = Ledger::of_project(root, Actor::User)?.in_session("session-1")?;
//! let contract = Contract {
//!     objective: Some("The build is green".into()),
//!     ..Contract::default()
//! };
//! let created = user.transaction().run(Command::Create(contract))?;
//! let (goal, revision) = created.goal.zip(created.revision).ok_or("it is about a goal")?;
//!
//! let pause = Command::Pause { reason: "waiting for a runner".into() };
//! let receipt = user.transaction().on(&goal).expecting(revision).run(pause)?;
//! assert_eq!(receipt.status, Some(Status::Paused));
//!
//! // Only the user may let work go on.
//! let agent = Ledger::of_project(root, Actor::Agent)?;
//! let resume = Command::Resume { reason: "the runner is there".into() };
//! let refused = agent.transaction().on(&goal).run(resume).unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::Refused);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the library leaves to the program
//!
//! - **Completion.** A goal becomes complete only past an auditor, which the program starts. No command here
//!   completes one.
//! - **Proof.** A line that the library writes has no seal, so the program takes it for what it says and not
//!   for proven: before it completes a goal that rests on such a line, it asks the user to confirm.
//! - **Everything outside the ledger's file**: documents, which the program's next write brings up to date;
//!   configuration with its limits; the wait for a git checkout that runs; stores, and ledgers that work
//!   trees share, which are refused here.
//!
//! # What is stable
//!
//! - The ledger's format: lines of every earlier version are read, and events and fields are only added
//!   (`docs/ledger-format.md`).
//! - This library is 0.x: a minor version may change it. `CHANGELOG.md` says what changed. Structs and enums
//!   that can grow are `#[non_exhaustive]`.
//! - The modules that these pages do not show are the program's: any of it may change at any time.
//! - It builds with the Rust version that `Cargo.toml` names as `rust-version`. A minor version may raise it.

#![warn(missing_docs)]

// The modules stand in reading order, and imports point one way: a module may use those above it,
// never those below. `domain` is pure; a test holds both rules.
// Blank lines keep rustfmt from sorting what is in reading order.
#[doc(hidden)]
pub mod domain;

#[doc(hidden)]
pub mod ledger;

#[doc(hidden)]
pub mod reading;

#[doc(hidden)]
pub mod writing;

mod library;

pub use domain::actor::Actor;
pub use domain::goal::contract::ContractChange as Contract;
pub use domain::goal::state::Status;
pub use domain::id::{EventId, GoalId, InvalidEventId, InvalidId};
pub use domain::task::state::TaskStatus;
pub use library::{
    Command, Error, ErrorKind, Event, Goal, Ledger, Reader, Receipt, Task, Transaction,
};
