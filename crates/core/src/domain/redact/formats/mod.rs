//! The table of formats of secrets: who issues them, how they are recognised, where that is
//! documented, and an example. A new format is a row in one of the tables below this module; the tests and SECURITY.md take it from
//! there.

mod clouds;
mod code;
mod common;
mod models;
mod services;

use super::format::Format;

/// In order: where two formats match the same, the first one counts. So the names of the common
/// forms, which know nothing of what they hold, stand last.
pub(super) static TABLES: [&[Format]; 6] = [
    common::KEYS,
    models::FORMATS,
    code::FORMATS,
    clouds::FORMATS,
    services::FORMATS,
    common::NAMED,
];
