//! What a terminal sends, as the screen knows keys.

use ratatui_crossterm::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::render::watch::Press;

/// What the terminal said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    Press(Press),
    /// Ctrl-C.
    Quit,
    /// Ctrl-Z.
    Pause,
    /// Ctrl-L, or another size.
    Anew,
    Nothing,
}

pub fn heard(event: &Event) -> Heard {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => of_key(key),
        Event::Resize(..) => Heard::Anew,
        _ => Heard::Nothing,
    }
}

fn of_key(key: &KeyEvent) -> Heard {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let press = match key.code {
        KeyCode::Char('c') if ctrl => return Heard::Quit,
        KeyCode::Char('z') if ctrl => return Heard::Pause,
        KeyCode::Char('l') if ctrl => return Heard::Anew,
        KeyCode::Char('d' | 'f') if ctrl => Press::PageDown,
        KeyCode::Char('u' | 'b') if ctrl => Press::PageUp,
        KeyCode::Char('n') if ctrl => Press::Down,
        KeyCode::Char('p') if ctrl => Press::Up,
        KeyCode::Char(_) if ctrl || key.modifiers.contains(KeyModifiers::ALT) => {
            return Heard::Nothing;
        }
        KeyCode::Char(letter) => Press::Letter(letter),
        KeyCode::Up => Press::Up,
        KeyCode::Down => Press::Down,
        KeyCode::PageUp => Press::PageUp,
        KeyCode::PageDown => Press::PageDown,
        KeyCode::Home => Press::First,
        KeyCode::End => Press::Last,
        KeyCode::Enter => Press::Enter,
        KeyCode::Tab | KeyCode::BackTab => Press::Tab,
        KeyCode::Esc => Press::Escape,
        KeyCode::Backspace => Press::Backspace,
        _ => return Heard::Nothing,
    };
    Heard::Press(press)
}
