//! An append-only ledger for the goals of coding agents.
//!
//! This is the library of the program `goal`. A [`Project`] is a directory with goals. It is read
//! through a [`Reader`], and changed through a [`Transaction`], which records one [`Command`] by the
//! same rules as the program: who may do what, which status allows it, one writer at a time.
//!
//! # Read a ledger
//!
//! ```
//! use goal_ledger::{Actor, Project, Status};
//!
//! # let dir = tempfile::tempdir()?;
//! # let root = dir.path().join("project");
//! # std::fs::create_dir_all(root.join(".pi/goals"))?;
//! # let line = r#"{"type":"goal_created","goalId":"g1","objective":"Write it","sisyphus":false,"autoContinue":true,"at":"2026-01-01T00:00:00Z"}"#;
//! # std::fs::write(root.join(".pi/goals/goal_events.jsonl"), format!("{line}\n"))?;
//! let project = Project::open(&root, Actor::User)?;
//! # let project = project.with_user_dirs(dir.path().join("user"))?;
//! let reader = project.read()?;
//! for goal in reader.goals()? {
//!     println!("{} {}: {:?}", goal.id, goal.status.name(), goal.contract.objective);
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
//! use goal_ledger::{Actor, Command, Contract, ErrorKind, Project, Status};
//!
//! # let dir = tempfile::tempdir()?;
//! # let root = dir.path().join("project");
//! # std::fs::create_dir_all(&root)?;
//! let user = Project::open(&root, Actor::User)?.in_session("session-1")?;
//! # let user = user.with_user_dirs(dir.path().join("user"))?;
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
//! let agent = Project::open(&root, Actor::Agent)?;
//! # let agent = agent.with_user_dirs(dir.path().join("user"))?;
//! let resume = Command::Resume { reason: "the runner is there".into() };
//! let refused = agent.transaction().on(&goal).run(resume).unwrap_err();
//! assert_eq!(refused.kind(), ErrorKind::Refused);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is stable
//!
//! - The ledger's format: lines and documents of every earlier version are read, and events and
//!   fields are only added (`docs/ledger-format.md`).
//! - This library is 0.x: a minor version may change it. `CHANGELOG.md` says what changed. Structs
//!   and enums that can grow are `#[non_exhaustive]`.
//! - The feature `internals` and all that it opens is for this repository's own fuzz targets and
//!   manual pages.
//! - It builds with the Rust version that `Cargo.toml` names as `rust-version`. A minor version may
//!   raise it.
//!
//! # What is not there yet
//!
//! - A [`Reader`] is not `Send`; what it gives out is.
//! - A transaction records one command. Completing a goal, planning and runs are the program's:
//!   they start other programs, and the program starts itself for them.

#![cfg_attr(not(feature = "internals"), warn(missing_docs))]

// The modules stand in reading order, and imports point one way: a module may use those above it,
// never those below. `domain` and `render` are pure; a test holds both rules.
// Blank lines keep rustfmt from sorting what is in reading order.
mod domain;
mod render;

mod ledger;
mod workspace;

mod documents;
mod snapshot;

mod process;
mod store;

mod projection;
mod transaction;

mod roles;

mod ops;

mod facade;

mod api;
mod cli;

pub use cli::main;
#[doc(hidden)] // for the manual pages of packages
pub use cli::manual;
pub use domain::actor::Actor;
pub use domain::goal::state::Status;
pub use domain::id::{EventId, GoalId, InvalidEventId, InvalidId};
pub use domain::task::state::TaskStatus;
pub use facade::{
    Command, Contract, Error, ErrorKind, Event, Goal, Project, Reader, Receipt, Task, Transaction,
};

/// The modules, for this repository's own fuzz targets: no other crate can rely on
/// what is in them.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    macro_rules! open {
        ($($module:ident)+) => {
            $(pub mod $module {
                pub use crate::$module::*;
            })+
        };
    }
    open!(domain render ledger workspace documents snapshot projection roles ops api cli);
}
