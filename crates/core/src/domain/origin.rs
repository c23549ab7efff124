//! Where an event comes from.

use crate::domain::actor::Actor;
use crate::domain::line::LineRef;

/// Who wrote an event, when, and where it stands.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::domain) struct Origin<'a> {
    pub at: &'a str,
    pub by: Option<Actor>,
    pub via: Option<&'a str>,
    pub session: Option<&'a str>,
    /// The line is one of ours.
    pub ours: bool,
    pub line: LineRef,
}
