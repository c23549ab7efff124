//! The few styles of the screen. Each says something that a mark or a word says too.

use ratatui::style::{Color, Modifier, Style};

use crate::domain::attention::{NeedKind, Standing};

pub const PLAIN: Style = Style::new();
pub const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
pub const ASKS: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
pub const BAD: Style = Style::new().fg(Color::Red);
pub const GOOD: Style = Style::new().fg(Color::Green);
pub const CALM: Style = Style::new().fg(Color::Blue);

/// The mark of what waits, and its style.
pub fn of_need(kind: NeedKind) -> (&'static str, Style) {
    match kind {
        NeedKind::Question | NeedKind::Approval => ("?", ASKS),
        NeedKind::Draft | NeedKind::Tweak => ("+", ASKS),
        NeedKind::Signature => ("§", ASKS),
        NeedKind::Blocked => ("■", BAD),
        NeedKind::Budget => ("$", BAD),
        NeedKind::AuditInterrupted => ("◇", BAD),
        NeedKind::RunStopped => ("□", BAD),
        NeedKind::Stuck => ("↻", BAD),
        NeedKind::Contested
        | NeedKind::Unproven
        | NeedKind::Foreign
        | NeedKind::OutsideGate
        | NeedKind::NotCommitted
        | NeedKind::Untrusted
        | NeedKind::Unsynced => ("!", BAD),
    }
}

/// The mark of a standing, and its style.
pub fn of_standing(standing: Standing) -> (&'static str, Style) {
    match standing {
        Standing::Waiting => ("?", ASKS),
        Standing::Contested => ("!", BAD),
        Standing::Blocked => ("■", BAD),
        Standing::Auditing => ("◆", GOOD),
        Standing::Live => ("▶", GOOD),
        Standing::Stuck => ("↻", BAD),
        Standing::Quiet => ("●", CALM),
        Standing::Resting => ("○", DIM),
        Standing::Ended => ("✓", DIM),
    }
}
