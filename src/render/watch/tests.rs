//! The screen in six states at three sizes, and what keys do to it.

mod keys;
mod large;
mod middle;
mod narrow;
mod small;
mod states;

use insta::assert_snapshot;
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;

use super::*;
use states::Told;

/// The screen after these keys, on a terminal of this size, without styles.
fn shown(told: &Told, size: (u16, u16), presses: &[Press]) -> String {
    let mut screen = Screen::new(&told.scene);
    for press in presses {
        screen.press(*press, &told.scene);
    }
    drawn(told, size, &mut screen)
}

/// A wide screen in text, for tests that compare it with other texts.
pub(in crate::render) fn frame(scene: &Scene, detail: &Detail) -> String {
    let area = ratatui_core::layout::Rect::new(0, 0, 200, 50);
    let mut cells = ratatui_core::buffer::Buffer::empty(area);
    draw(&mut Screen::new(scene), scene, detail, area, &mut cells);
    anstream::adapter::strip_str(&text(&cells)).to_string()
}

fn drawn(told: &Told, (width, height): (u16, u16), screen: &mut Screen) -> String {
    let detail = told.detail(screen);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let frame = |frame: &mut ratatui_core::terminal::Frame<'_>| {
        draw(
            screen,
            &told.scene,
            &detail,
            frame.area(),
            frame.buffer_mut(),
        );
    };
    terminal.draw(frame).unwrap();
    let cells = terminal.backend().buffer();
    let text = anstream::adapter::strip_str(&text(cells)).to_string();
    text.lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

#[test]
fn colours_are_few_and_can_be_left_out() {
    let told = states::night();
    let mut screen = Screen::new(&told.scene);
    let area = ratatui_core::layout::Rect::new(0, 0, 60, 6);
    let mut cells = ratatui_core::buffer::Buffer::empty(area);
    draw(
        &mut screen,
        &told.scene,
        &Detail::default(),
        area,
        &mut cells,
    );
    let coloured = text(&cells);
    assert!(
        coloured.contains("\x1b[33m") || coloured.contains("\x1b[1m\x1b[33m"),
        "{coloured:?}"
    );
    colourless(&mut cells);
    let plain = text(&cells);
    assert!(!plain.contains("3m"), "{plain:?}");
    assert!(
        plain.contains("\x1b[7m"),
        "the cursor is seen without colours"
    );
    let strip = |text: &str| anstream::adapter::strip_str(text).to_string();
    assert_eq!(strip(&coloured), strip(&plain));
}

#[test]
fn no_size_is_too_small() {
    for told in states::all() {
        for width in [1, 2, 3, 7, 12, 20, 33, 56, 99, 100, 101] {
            for height in [1, 2, 3, 4, 5, 9, 13, 14, 15, 27] {
                shown(&told, (width, height), &[Press::Down, Press::Last]);
                shown(&told, (width, height), &[Press::Letter('?')]);
                shown(&told, (width, height), &[Press::Tab, Press::Last]);
            }
        }
    }
}

#[test]
fn a_size_of_nothing_draws_nothing() {
    let told = states::night();
    let mut screen = Screen::new(&told.scene);
    let area = ratatui_core::layout::Rect::new(0, 0, 0, 0);
    let mut cells = ratatui_core::buffer::Buffer::empty(area);
    draw(
        &mut screen,
        &told.scene,
        &Detail::default(),
        area,
        &mut cells,
    );
    assert_eq!(text(&cells), "");
}

#[test]
fn the_keys_are_explained() {
    let told = states::empty();
    assert_snapshot!(shown(&told, (80, 24), &[Press::Letter('?')]), @"
     goal watch   atlas-api  nothing needs you
    ── keys; any key goes back ─────────────────────────────────────────────────────
     j k  up down            move the cursor, or the right pane once Tab chose it
     PgUp PgDn               move by a page
     g  Home                 first row; from here on the newest order again
     G  End                  last row
     Enter                   answer, confirm, settle, resume: in a dialog that ask…
     /                       show only rows with these words; Esc shows all
     f                       show only what needs you, or all
     s                       sort: rows keep their places until you say so
     Tab                     choose the other pane; Esc goes back
     Ctrl-L                  draw anew
     Ctrl-Z                  stop; `fg` comes back
     q  Ctrl-C               quit

     ? question, + proposal  ■ blocked, $ over budget, □ run stopped
     ≠ ! to settle, ↻ stuck  ◆ audit, ▶ live, ● quiet, ○ resting
     ✓ ✗ !                   what audits came to: approved, disapproved, error





     q quit  ? keys  j k move  enter act  / filter  f needs me  s sort  tab pane
    ");
}
