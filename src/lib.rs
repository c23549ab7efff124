//! The program `goal`: its command line, its tools for agents and hosts, and what they do with a project.
//! What another program can build on is the library `goal-core`, in `crates/core`.

// The modules stand in reading order, and imports point one way: a module may use those above it,
// never those below. `acts` and `render` are pure; a test holds both rules.
// Blank lines keep rustfmt from sorting what is in reading order.
use goal_core::{domain, ledger, reading, writing};

mod acts;

mod render;

mod workspace;

mod documents;
mod snapshot;

mod process;
mod store;

mod projection;
mod transaction;

mod roles;

mod ops;

mod api;
mod cli;

pub use cli::main;
#[doc(hidden)] // for the manual pages of packages
pub use cli::{manual, subject};

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
    open!(render workspace documents snapshot projection roles ops api cli);
}
