//! The few styles of the screen. Each says something that a mark or a word says too.

use ratatui_core::style::{Color, Modifier, Style};

use crate::render::marks::Tone;

pub const PLAIN: Style = Style::new();
pub const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub const DIM: Style = Style::new().add_modifier(Modifier::DIM);
pub const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
pub const ASKS: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
pub const BAD: Style = Style::new().fg(Color::Red);
pub const GOOD: Style = Style::new().fg(Color::Green);
pub const CALM: Style = Style::new().fg(Color::Blue);

/// The style of a tone.
pub fn of(tone: Tone) -> Style {
    match tone {
        Tone::Good => GOOD,
        Tone::Calm => CALM,
        Tone::Asks => ASKS,
        Tone::Bad => BAD,
        Tone::Rests => DIM,
    }
}
