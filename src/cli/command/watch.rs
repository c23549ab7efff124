//! `goal watch`: the project on one screen, which follows the ledger; or one frame of it.

mod act;
mod follow;
mod keys;
mod signals;
mod terminal;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::{Call, Done, Failure, Globals, Reply};
use crate::cli::person::can_choose;
use crate::ops::watch::{Reading, WatchRequest};
use crate::render::watch::{RowId, Screen, draw, text};

/// Watch goals, runs and what needs you on one screen
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What needs you comes first, oldest first, then the open goals by standing. Enter opens the dialog \
of `goal inbox`, in which you answer, confirm and settle; then it returns to the screen. Watching \
writes nothing. After you move the cursor, rows keep their places until `s` sorts them; `?` shows \
all keys.

Examples:
  goal watch
  goal watch --owner claude-1
  goal watch --once 120x40")]
pub struct Args {
    /// Print one frame of this many columns and lines, and exit
    #[arg(long, value_name = "WxH", value_parser = size)]
    once: Option<Rect>,
    /// Only goals of this owner
    #[arg(long, value_name = "OWNER")]
    owner: Option<String>,
}

/// The most columns and lines of a frame that is printed.
const MOST: u16 = 1000;

/// A size as an option's value.
fn size(text: &str) -> Result<Rect, String> {
    let (width, height) = text.split_once('x').unwrap_or_default();
    let number = |text: &str| text.parse().ok().filter(|it| (1..=MOST).contains(it));
    match (number(width), number(height)) {
        (Some(width), Some(height)) => Ok(Rect::new(0, 0, width, height)),
        _ => Err(format!(
            "give columns and lines, from 1 to {MOST} each, such as 80x24"
        )),
    }
}

pub fn run(args: &Args, call: Call, globals: &Globals) -> Result<Done, Failure> {
    if globals.json {
        let hint =
            "what it shows is in `goal inbox --json`, `goal list --json` and `goal report --json`";
        return Err(Failure::usage(
            "`goal watch` is a screen, not a document",
            hint,
        ));
    }
    let asked = WatchRequest {
        owner: args.owner.clone(),
    };
    if args.once.is_none() && !can_choose(&call, globals) {
        let hint = "`goal watch --once 80x24` prints one frame; `goal status` needs no terminal";
        let message = "`goal watch` needs a terminal that it can draw on";
        return Err(Failure::usage(message, hint));
    }
    let reading = Reading::of(&call, &asked)?;
    match args.once {
        Some(area) => frame(&call, &reading, area),
        None => follow::follow(&call, globals, &asked, reading),
    }
}

/// One frame as text.
fn frame(call: &Call, reading: &Reading, area: Rect) -> Result<Done, Failure> {
    let mut screen = Screen::new(&reading.scene);
    let (goal, draft) = about(&screen);
    let detail = reading.detail(call, goal.as_ref(), draft.as_deref())?;
    let mut cells = Buffer::empty(area);
    draw(&mut screen, &reading.scene, &detail, area, &mut cells);
    Reply::read(text(&cells), ())
}

/// The goal and the draft that the chosen row is about.
fn about(screen: &Screen) -> (Option<crate::domain::id::GoalId>, Option<String>) {
    let Some(row) = screen.chosen() else {
        return (None, None);
    };
    let draft = match &row.id {
        RowId::Need { kind, of, .. } if matches!(*kind, "draft" | "tweak") => Some(of.clone()),
        _ => None,
    };
    (row.goal.clone(), draft)
}
