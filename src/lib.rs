//! `goal`: an append-only ledger for the goals of coding agents.
//!
//! The modules below stand in reading order, and imports point one way: a module may use those
//! above it, never those below. `domain` and `render` are pure; a test holds both rules.

// Blank lines keep rustfmt from sorting what is in reading order.
mod domain;
mod render;

mod ledger;
mod workspace;

mod documents;
mod snapshot;

mod projection;
mod transaction;

mod process;
mod roles;

mod ops;

mod api;
mod cli;

pub use cli::main;

/// The modules, for this repository's own suites, fuzz targets and experiments: no other crate can
/// rely on what is in them.
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
