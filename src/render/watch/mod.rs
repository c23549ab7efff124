//! The screen of `goal watch`, as far as it is pure: what is known, the rows and where the cursor
//! is among them, what a key does to that, and drawing all of it into cells. Time and data are
//! passed in; the terminal is the command's.

mod detail;
mod draw;
mod foot;
mod list;
mod live;
mod pane;
mod plain;
mod rows;
mod scene;
mod screen;
mod style;
mod words;

pub use draw::draw;
pub use plain::{colourless, text};
pub use rows::RowId;
pub use scene::{Detail, Happened, LiveRun, Scene};
pub use screen::{Act, Press, Screen};

#[cfg(test)]
pub(super) mod tests;
