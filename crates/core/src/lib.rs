//! The core of `goal`, an append-only ledger for the goals of coding agents: its events, how they fold
//! into the state of each goal, who may do what, and how a line is appended so that nothing is lost.
//!
//! A [`Ledger`] is the file of a project's events. Its goals are read through a [`Reader`], its events one
//! after the other ([`Ledger::events`]) or as they come ([`Ledger::follow`]). It is changed through a
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
//! assert_eq!(reader.events_of(&goal.id)?[0].name, "goal_created");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Follow a ledger
//!
//! ```no_run
//! use goal_core::{Actor, Ledger, Position};
//!
//! let ledger = Ledger::of_project("/path/to/project", Actor::Agent)?;
//! for event in ledger.follow(Position::End)? {
//!     println!("{}", event?.text);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For whoever looks now and then, [`Ledger::events_since`] gives out what stands behind a [`Position`], and
//! ends.
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
//! # Examples
//!
//! Three programs are in the crate's `examples`: [`read`], [`append`] and [`follow`]. Its tests run them.
//!
//! [`read`]: https://docs.rs/crate/goal-core/latest/source/examples/read.rs
//! [`append`]: https://docs.rs/crate/goal-core/latest/source/examples/append.rs
//! [`follow`]: https://docs.rs/crate/goal-core/latest/source/examples/follow.rs
//!
//! # JSON
//!
//! [`Event`], [`Goal`], [`Task`], [`Receipt`], [`Error`] and the words of [`Status`], [`TaskStatus`] and
//! [`Actor`] are `Serialize`. Their JSON has the names and values of the program's `--json`, and the pages
//! of the types say of which command.
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
//! - **The ledger's format**: lines of every earlier version are read, and events and fields are only added
//!   (`docs/ledger-format.md`).
//! - **What these pages show**, within a minor version: this library is 0.x, so a patch version changes
//!   nothing of it, and a minor version may. `CHANGELOG.md` says what changed.
//! - **What can grow** does so in any version. The enums are `#[non_exhaustive]` (a `match` needs a last arm
//!   `_`), and so are the structs that the library gives out. [`Event::name`] and [`Error::code`] have more
//!   values in later versions, and JSON has more fields. Messages and hints are for people: they change at any
//!   time. A [`Contract`] is made by the caller, so it is not `#[non_exhaustive]`: end it with
//!   `..Contract::default()`, since it gets more fields.
//! - **Hidden**: the modules that these pages do not show are public only because the program needs them. Any
//!   of it may change or go at any time.
//! - **Rust**: it builds with the version that `Cargo.toml` names as `rust-version`. A minor version may
//!   raise it.

#![deny(missing_docs)]

// The examples are tests too.
#[cfg(test)]
extern crate self as goal_core;

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

pub use domain::goal::contract::{ContractChange as Contract, Difficulty};
pub use domain::id::{EventId, GoalId, InvalidEventId, InvalidId};
pub use library::{
    Actor, Command, Error, ErrorKind, Event, Events, Follow, Goal, Ledger, Position, Reader,
    Receipt, Status, StopHandle, Task, TaskStatus, Transaction, UnknownWord,
};
