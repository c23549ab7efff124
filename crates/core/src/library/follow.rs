//! Following a ledger: the events that are appended to it, as they come, until somebody says stop.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;

use crate::domain::event::ledger::says_that_it_moved;
use crate::ledger::follow::{Follower, INTERVAL};
use crate::ledger::position::{Position, Seek};
use crate::library::{Error, Event};

/// How much of the ledger is read in one go, in bytes: what is held of lines that nobody asked for yet.
const PART: u64 = 256 * 1024;

/// The events that are appended to a ledger, as they come: see
/// [`Ledger::follow`](crate::Ledger::follow).
///
/// `next` waits for an event, and ends only where a [`StopHandle`] was told to stop. A wait is not busy:
/// five times in a second it asks the system how long the file is. After an error the next call tries
/// again.
///
/// Each line is given out once. Where git replaces the file, as by a merge or a checkout, the lines
/// that were never given out come next, in the order of the file; [`Follow::missing`] tells how many others
/// are not there any more.
#[derive(Debug)]
pub struct Follow {
    follower: Follower,
    seek: Seek,
    /// What was read and not given out yet.
    events: VecDeque<Event>,
    /// The last line says that the ledger goes on elsewhere, and nobody was told so yet.
    moved: bool,
    /// The last look had nothing new, or failed.
    waits: bool,
    stop: StopHandle,
}

/// Stops a [`Follow`], from any thread.
#[derive(Debug, Clone, Default)]
pub struct StopHandle(Arc<Stop>);

#[derive(Debug, Default)]
struct Stop {
    stopped: Mutex<bool>,
    told: Condvar,
}

impl StopHandle {
    /// Ends the iteration, at once where it waits. It stays ended.
    pub fn stop(&self) {
        let stopped = self.0.stopped.lock();
        *stopped.unwrap_or_else(PoisonError::into_inner) = true;
        self.0.told.notify_all();
    }

    /// Waits so long, or until somebody says stop. Says whether somebody did.
    fn wait(&self, most: Duration) -> bool {
        let stopped = self
            .0
            .stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .0
            .told
            .wait_timeout_while(stopped, most, |stopped| !*stopped);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Follow {
    /// Follows the ledger at this path from a position on.
    ///
    /// # Errors
    /// No event has the id of the position, or the ledger cannot be read.
    pub(super) fn of(path: Utf8PathBuf, from: Position) -> Result<Follow, Error> {
        let mut follow = Follow {
            follower: Follower::new(path),
            seek: Seek::new(from),
            events: VecDeque::new(),
            moved: false,
            waits: false,
            stop: StopHandle::default(),
        };
        follow.look()?;
        while !follow.seek.is_reached() && follow.follower.is_behind() {
            follow.look()?;
        }
        if let Some(id) = follow.seek.missing() {
            return Err(Error::no_event(id));
        }
        // What comes from now on is behind every position.
        follow.seek = Seek::new(Position::Start);
        Ok(follow)
    }

    /// What stops this.
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// How many lines that were there before are not in the file any more: git can take lines back, as by
    /// a checkout of another branch. What followed from their events is not so there. It is found out at
    /// the end of the file.
    pub fn missing(&self) -> u64 {
        self.follower.gone()
    }

    /// The next event, for which it waits so long at most; `None` where none came, or where a
    /// [`StopHandle`] was told to stop. What is there already is read first, however long that takes.
    pub fn next_within(&mut self, most: Duration) -> Option<Result<Event, Error>> {
        self.next_until(Instant::now().checked_add(most))
    }

    fn next_until(&mut self, end: Option<Instant>) -> Option<Result<Event, Error>> {
        loop {
            if self.stop.wait(Duration::ZERO) {
                return None;
            }
            if let Some(event) = self.events.pop_front() {
                return Some(Ok(event));
            }
            if self.moved && !self.follower.is_behind() {
                self.moved = false;
                return Some(Err(Error::elsewhere()));
            }
            if self.waits {
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                let pause = left.map_or(INTERVAL, |left| left.min(INTERVAL));
                if self.stop.wait(pause) {
                    return None;
                }
            }
            let is_last = end.is_some_and(|end| end <= Instant::now());
            if let Err(error) = self.look() {
                return Some(Err(error));
            }
            let is_over = self.events.is_empty() && !self.moved && !self.follower.is_behind();
            if is_last && is_over {
                return None;
            }
        }
    }

    /// Reads what was appended since the last look, or the next part of it.
    fn look(&mut self) -> Result<(), Error> {
        self.waits = true;
        let (seek, events, moved) = (&mut self.seek, &mut self.events, &mut self.moved);
        self.follower.look_at_most(PART, |raw| {
            *moved = says_that_it_moved(raw.bytes);
            if seek.passes(&raw) {
                events.extend(Event::of_line(&raw));
            }
        })?;
        self.waits = !self.follower.is_behind();
        Ok(())
    }
}

impl Iterator for Follow {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Result<Event, Error>> {
        self.next_until(None)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::domain::id::EventId;

    fn line(note: &str) -> String {
        format!(
            r#"{{"type":"goal_noted","goalId":"g","note":"{note}","at":"2026-01-01T00:00:00Z"}}"#
        ) + "\n"
    }

    fn followed(text: &str, from: Position) -> (tempfile::TempDir, Follow) {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(dir.path().join("events")).unwrap();
        fs::write(&path, text).unwrap();
        let follow = Follow::of(path, from).unwrap();
        (dir, follow)
    }

    #[test]
    fn of_a_long_ledger_no_more_than_a_part_is_held() {
        let lines: Vec<String> = (0..16_000).map(|at| line(&format!("{at:05}"))).collect();
        let (one, text) = (lines[0].len() as u64, lines.concat());
        assert!(text.len() as u64 > 4 * PART);
        for (from, first) in [
            (Position::Start, 0),
            (Position::Offset(15_000 * one), 15_000),
            (
                Position::After(EventId::of_line(lines[14_999].as_bytes())),
                15_000,
            ),
        ] {
            let (_dir, mut follow) = followed(&text, from);
            for (at, line) in lines.iter().enumerate().skip(first) {
                assert!(follow.events.len() as u64 <= PART / one + 1);
                let event = follow.next_within(Duration::ZERO).unwrap().unwrap();
                assert_eq!(event.text, line.trim_end());
                assert_eq!((event.line, event.offset), (at as u64 + 1, at as u64 * one));
            }
            assert_eq!(follow.next_within(Duration::ZERO), None);
        }
        let (_dir, mut follow) = followed(&text, Position::End);
        assert_eq!(follow.next_within(Duration::ZERO), None);
        assert_eq!(follow.missing(), 0);
    }

    /// The ledger came back, and the line that says that it went is the last of a part.
    #[test]
    fn where_the_ledger_goes_on_is_said_at_its_end() {
        let mut text = line("here");
        while (text.len() + line("here").len()) < PART as usize {
            text += &line("here");
        }
        text +=
            "{\"type\":\"ledger_moved\",\"to\":\"repository\",\"at\":\"2026-01-01T00:00:00Z\"}\n";
        text += &line(&"back".repeat(50));
        let (_dir, mut follow) = followed(&text, Position::Start);
        let mut last = None;
        while let Some(event) = follow.next_within(Duration::ZERO) {
            last = Some(event.unwrap().text);
        }
        assert!(last.unwrap().contains("backback"));
    }
}
