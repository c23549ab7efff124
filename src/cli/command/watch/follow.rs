//! The loop: draw, wait for a key or a changed ledger, and again. Nothing is drawn or read while
//! nothing happens.

use std::io;
use std::time::{Duration, Instant};

use ratatui_crossterm::crossterm::event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::keys::{Heard, heard};
use super::signals::Signals;
use super::terminal::OnScreen;
use super::{about, act};
use crate::cli::command::{Call, Done, Failure, Globals};
use crate::domain::id::GoalId;
use crate::domain::time::MINUTE;
use crate::ops::failure::Exit;
use crate::ops::watch::{Reading, WatchRequest};
use crate::render::watch::{Act, Detail, Screen};

/// How often it is looked whether the ledger or an output grew.
const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 150_000_000,
};

/// Without a change all is read again after this time, since leases lapse and goals become quiet;
/// later where reading takes long.
const REREAD: Duration = Duration::from_secs(5);
const REREAD_FACTOR: u32 = 400;

/// Shows the screen until the person leaves it.
///
/// # Errors
/// The terminal fails, or the project cannot be read at all.
pub fn follow(
    call: &Call,
    globals: &Globals,
    asked: &WatchRequest,
    reading: Reading,
) -> Result<Done, Failure> {
    let signals = Signals::listen()?;
    let mut watch = Watch {
        screen: Screen::new(&reading.scene),
        detail: Detail::default(),
        of: None,
        read_at: Instant::now(),
        took: Duration::ZERO,
        reading,
        call,
        asked,
    };
    watch.look_up();
    let mut on_screen = OnScreen::begin()?;
    // Only from here on another size is noticed, so it comes before the first frame.
    event::poll(Duration::ZERO)?;
    let mut stale = true;
    let ended = loop {
        if signals.is_ending() {
            break None;
        }
        if signals.is_pausing() {
            on_screen.away(|| signals.pause())??;
            stale = true;
        }
        if stale {
            on_screen.draw(&mut watch.screen, &watch.reading.scene, &watch.detail)?;
            stale = false;
        }
        let mut left = TICK;
        // Everything that was typed is taken before anything is drawn.
        while let Some(heard) = next(&mut left)? {
            stale = true;
            match watch.hear(heard) {
                Next::Go => {}
                Next::Quit => return Ok(Done::Printed(Exit::Done)),
                Next::Anew => on_screen.forget()?,
                Next::Pause => on_screen.away(|| signals.pause())??,
                Next::Open => {
                    let dialog = || act::about_chosen(call, globals, &watch.reading, &watch.screen);
                    on_screen.away(|| signals.away(dialog))??;
                    watch.read();
                }
            }
        }
        if !is_there()? {
            break Some(Exit::Done);
        }
        stale |= watch.look();
    };
    drop(on_screen);
    signals.end();
    Ok(Done::Printed(ended.unwrap_or(Exit::Done)))
}

/// What the loop does next.
enum Next {
    Go,
    Open,
    Anew,
    Pause,
    Quit,
}

struct Watch<'a> {
    call: &'a Call,
    asked: &'a WatchRequest,
    reading: Reading,
    screen: Screen,
    detail: Detail,
    /// What the detail is about.
    of: Option<(Option<GoalId>, Option<String>)>,
    read_at: Instant,
    took: Duration,
}

impl Watch<'_> {
    fn hear(&mut self, heard: Heard) -> Next {
        let press = match heard {
            Heard::Press(press) => press,
            Heard::Quit => return Next::Quit,
            Heard::Pause => return Next::Pause,
            Heard::Anew => return Next::Anew,
            Heard::Nothing => return Next::Go,
        };
        let act = self.screen.press(press, &self.reading.scene);
        self.look_up();
        match act {
            Act::Draw => Next::Go,
            Act::Open => Next::Open,
            Act::Quit => Next::Quit,
        }
    }

    /// Looks whether something changed, and takes it in; says whether something has to be drawn.
    fn look(&mut self) -> bool {
        let rest = REREAD.max(self.took * REREAD_FACTOR);
        if !self.reading.is_current(self.call) || self.read_at.elapsed() >= rest {
            self.read();
            return true;
        }
        let now = self.call.workspace.environment.now_millis();
        let minute_passed = now / MINUTE != self.reading.scene.now / MINUTE;
        if minute_passed {
            self.reading.scene.now = now;
        }
        self.reading.listen(self.call) || minute_passed
    }

    /// Reads the project anew. Where that fails for a moment, as during a checkout, what was read
    /// stays, and the screen says so.
    fn read(&mut self) {
        let begun = Instant::now();
        match Reading::of(self.call, self.asked) {
            Ok(reading) => {
                self.reading = reading;
                self.screen.trouble = None;
                self.screen.update(&self.reading.scene);
                self.of = None;
                self.look_up();
            }
            Err(failure) => self.screen.trouble = Some(failure.message),
        }
        self.read_at = Instant::now();
        self.took = begun.elapsed();
    }

    /// Looks up what the chosen row is about, where that is another.
    fn look_up(&mut self) {
        let about = about(&self.screen);
        if self.of.as_ref() == Some(&about) {
            return;
        }
        let found = self
            .reading
            .detail(self.call, about.0.as_ref(), about.1.as_deref());
        match found {
            Ok(detail) => self.detail = detail,
            Err(failure) => {
                self.detail = Detail::default();
                self.screen.trouble = Some(failure.message);
            }
        }
        self.of = Some(about);
    }
}

/// What the terminal says next, within the time that is left; afterwards only what is there already.
fn next(left: &mut Timespec) -> io::Result<Option<Heard>> {
    let wait = std::mem::replace(
        left,
        Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        },
    );
    let asked = asked(&wait)?;
    // Without a terminal, what is under it would read without end.
    if asked.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Ok(None);
    }
    // Also without input: another size comes as a signal.
    if !event::poll(Duration::ZERO)? {
        return Ok(None);
    }
    Ok(Some(heard(&event::read()?)))
}

/// Whether the terminal is still there.
fn is_there() -> io::Result<bool> {
    let asked = asked(&Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    })?;
    Ok(!asked.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL))
}

/// What the system says of stdin within the time; a signal ends the wait.
fn asked(wait: &Timespec) -> io::Result<PollFlags> {
    let stdin = io::stdin();
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut waited, Some(wait)) {
        Ok(_) => Ok(waited[0].revents()),
        Err(rustix::io::Errno::INTR) => Ok(PollFlags::empty()),
        Err(error) => Err(error.into()),
    }
}
