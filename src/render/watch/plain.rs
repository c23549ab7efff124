//! Cells as text: one frame for a pipe, a test or a page.

use anstyle::{AnsiColor, Effects, Style};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};

use crate::render::columns::styled;

/// The cells line by line, with styles, which vanish where the output is no terminal.
pub fn text(cells: &Buffer) -> String {
    let area = cells.area;
    let mut text = String::new();
    for y in area.top()..area.bottom() {
        let mut line: Vec<(Style, String)> = Vec::new();
        let mut x = area.left();
        while x < area.right() {
            let cell = &cells[(x, y)];
            let style = style(cell);
            match line.last_mut() {
                Some((last, part)) if *last == style => part.push_str(cell.symbol()),
                _ => line.push((style, cell.symbol().to_owned())),
            }
            // What is two columns wide hides the cell behind it.
            x += u16::try_from(crate::render::columns::width(cell.symbol()).max(1)).unwrap_or(1);
        }
        if let Some((style, part)) = line.last_mut()
            && *style == Style::new()
        {
            part.truncate(part.trim_end().len());
        }
        for (style, part) in line {
            text += &match style == Style::new() {
                true => part,
                false => styled(&part, style),
            };
        }
        text.push('\n');
    }
    text
}

fn style(cell: &Cell) -> Style {
    let colour = match cell.fg {
        Color::Red => Some(AnsiColor::Red),
        Color::Green => Some(AnsiColor::Green),
        Color::Yellow => Some(AnsiColor::Yellow),
        Color::Blue => Some(AnsiColor::Blue),
        _ => None,
    };
    let effects = [
        (Modifier::BOLD, Effects::BOLD),
        (Modifier::DIM, Effects::DIMMED),
        (Modifier::REVERSED, Effects::INVERT),
    ];
    let set = effects.iter().filter(|(it, _)| cell.modifier.contains(*it));
    let effects = set.fold(Effects::new(), |all, (_, it)| all | *it);
    Style::new()
        .fg_color(colour.map(Into::into))
        .effects(effects)
}

/// Takes the colours away; bold, dim and reversed stay.
pub fn colourless(cells: &mut Buffer) {
    for cell in &mut cells.content {
        cell.fg = Color::Reset;
        cell.bg = Color::Reset;
    }
}
