//! What every suite uses: a temporary project, the program run in it, scripted auditors, and
//! ways to look at what is left behind.

pub mod auditor;
pub mod ledger;
pub mod project;
pub mod ran;
pub mod tree;
pub mod wait;

pub use project::Project;
pub use ran::Ran;
