//! Goal documents: both header styles, Notes, replacing, archiving.
//!
//! Reading begins in [`header`], which tells the styles apart. [`legacy`] reads documents of the
//! older extension, which are never written; [`ours`], [`notes`] and [`sections`] read our own,
//! [`compose`] puts one together, [`merged`] tells what git put together. [`store`], and
//! [`procedures`] and [`agents`], which are no goal documents, are the only parts that touch the
//! disk.

pub mod agents;
pub mod compose;
pub mod error;
pub mod facts;
pub mod header;
pub mod legacy;
pub mod merged;
pub mod notes;
pub mod ours;
pub mod procedures;
pub mod sections;
pub mod store;
mod yaml;
