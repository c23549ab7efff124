//! The ledger's lines as they stand, from a place on, and those that are appended later; or in the
//! order of replay.

use std::collections::{BTreeMap, VecDeque};

use crate::domain::actor::Actor;
use crate::domain::event::Event;
use crate::domain::id::GoalId;
use crate::domain::line::RawLine;
use crate::domain::select;
use crate::domain::time::millis;
use crate::ledger::follow::{FollowError, Follower, Look};
use crate::ledger::frame;
use crate::ledger::open;
use crate::ledger::position::{Position, Seek};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::log::{Content, LogLine};

/// Which events are shown, whatever else is asked for. Lines that cannot be used are events of no type.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those of a type that begins with one of these; all when empty.
    pub types: Vec<String>,
    /// Only what these did; all when empty.
    pub by: Vec<Actor>,
    /// Only those that happened at this time or later, in milliseconds since 1970.
    pub from: Option<i64>,
}

impl Filter {
    /// Whether it lets everything through.
    fn is_open(&self) -> bool {
        self.types.is_empty() && self.by.is_empty() && self.from.is_none()
    }

    fn wants(&self, event: &Event) -> bool {
        let name = event.payload.name();
        (self.types.is_empty() || self.types.iter().any(|it| name.starts_with(it.as_str())))
            && (self.by.is_empty() || event.envelope.by.is_some_and(|by| self.by.contains(&by)))
            && self
                .from
                .is_none_or(|from| millis(&event.at).is_some_and(|at| at >= from))
    }
}

/// Which lines are asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct LogRequest {
    /// At most so many: the latest, or with `since` the first after it.
    pub limit: Option<usize>,
    /// After which place.
    pub since: Option<Position>,
}

/// The place that `--since` names.
///
/// # Errors
/// The text is neither an id nor a number.
pub fn place(text: &str) -> Result<Position, String> {
    let id = text.parse().map(Position::After);
    id.or_else(|_| text.parse().map(Position::Offset))
        .map_err(|_| "give an event's id (32 hex digits) or an offset in bytes".to_owned())
}

/// The log as it is read, which can be followed.
#[derive(Debug)]
pub struct Log {
    which: Which,
    follower: Follower,
}

/// Which events are shown.
#[derive(Debug)]
struct Which {
    goal: Option<GoalId>,
    filter: Filter,
}

impl Log {
    /// The log of the project, or of the goal that `--goal` names.
    ///
    /// # Errors
    /// No goal or more than one matches, or not what the caller expects.
    pub fn open(call: &Call, filter: Filter) -> Result<Log, Failure> {
        if call.expects() {
            call.look()?;
        }
        let goal = match &call.goal {
            None => None,
            Some(selector) => Some(select::named(&call.read()?.state, selector)?.id.clone()),
        };
        Ok(Log {
            which: Which { goal, filter },
            follower: Follower::new(call.workspace.paths.events()),
        })
    }

    /// The lines that are asked for, oldest first. A last line without its end is among them
    /// unless `since` is given: who reads in steps shall get every line whole, and once.
    ///
    /// # Errors
    /// No line has the id, or the ledger cannot be read.
    pub fn read(&self, asked: &LogRequest) -> Result<Vec<LogLine>, Failure> {
        let mut picked = Picked::new(asked, &self.which);
        if let Some(file) = open::read(self.follower.path())? {
            frame::scan(file, |raw| {
                if raw.terminated || asked.since.is_none() {
                    picked.take(raw);
                }
            })?;
        }
        picked.finish()
    }

    /// The latest lines in the order of replay, which is that of the file unless the ledger was
    /// merged; their numbers are those of the file.
    pub fn replayed(&self, call: &Call, limit: Option<usize>) -> Result<Vec<LogLine>, Failure> {
        let asked = LogRequest { limit, since: None };
        let mut picked = Picked::new(&asked, &self.which);
        let read = call.read()?;
        match read.each_line_where_merged(|raw| picked.take(*raw))? {
            true => picked.finish(),
            false => self.read(&asked),
        }
    }

    /// The whole lines that are asked for; [`Log::follow`] goes on after them.
    pub fn begin(&mut self, asked: &LogRequest) -> Result<Vec<LogLine>, Failure> {
        let mut picked = Picked::new(asked, &self.which);
        self.follower.look(|raw| picked.take(raw))?;
        picked.finish()
    }

    /// The whole lines that were not read before, in the order of the file, and whether that begins
    /// in another way than it did. All that [`Log::begin`] passed over counts as read.
    pub fn follow(&mut self) -> Result<(Vec<LogLine>, Look), Failure> {
        let mut picked = Picked::new(&LogRequest::default(), &self.which);
        let look = self.follower.look(|raw| picked.take(raw))?;
        Ok((picked.finish()?, look))
    }
}

/// The title of each goal.
///
/// # Errors
/// The system refuses to read the project.
pub fn titles(call: &Call) -> Result<BTreeMap<GoalId, String>, Failure> {
    let snapshot = call.read()?;
    let goals = snapshot.state.in_order().into_iter();
    Ok(goals
        .map(|goal| (goal.id.clone(), goal.contract.heading().to_owned()))
        .collect())
}

/// The lines picked so far. They are kept as bytes: most are dropped again before anybody looks.
struct Picked<'a> {
    which: &'a Which,
    seek: Seek,
    /// The first lines are wanted, and not the latest.
    from_place: bool,
    limit: Option<usize>,
    lines: VecDeque<KeptLine>,
}

struct KeptLine {
    raw: RawLine<'static>,
    bytes: Vec<u8>,
}

impl<'a> Picked<'a> {
    fn new(asked: &LogRequest, which: &'a Which) -> Picked<'a> {
        Picked {
            which,
            seek: Seek::new(asked.since.unwrap_or_default()),
            from_place: asked.since.is_some(),
            limit: asked.limit,
            lines: VecDeque::new(),
        }
    }

    fn take(&mut self, raw: RawLine<'_>) {
        if !self.seek.passes(&raw) || !self.wants(&raw) {
            return;
        }
        if self.limit == Some(self.lines.len()) {
            match self.from_place {
                true => return,
                false => self.lines.pop_front(),
            };
        }
        if self.limit != Some(0) {
            self.lines.push_back(KeptLine {
                bytes: raw.bytes.to_vec(),
                raw: RawLine { bytes: &[], ..raw },
            });
        }
    }

    fn wants(&self, raw: &RawLine<'_>) -> bool {
        let (goal, filter) = (self.which.goal.as_ref(), &self.which.filter);
        if goal.is_none() && filter.is_open() {
            return true;
        }
        let Some(Content::Event(event)) = LogLine::of(raw).map(|line| line.content) else {
            return false;
        };
        goal.is_none_or(|goal| event.goal_id.as_ref() == Some(goal)) && filter.wants(&event)
    }

    fn finish(self) -> Result<Vec<LogLine>, Failure> {
        if let Some(id) = self.seek.missing() {
            return Err(Failure::new(
                "event_not_found",
                format!("no line of the ledger has the id {id}"),
                "the ledger was rewound or replaced (`goal verify` knows more); start again \
                 without `--since`, or from an offset",
            ));
        }
        let lines = self.lines.iter().filter_map(|kept| {
            LogLine::of(&RawLine {
                bytes: &kept.bytes,
                ..kept.raw
            })
        });
        Ok(lines.collect())
    }
}

impl From<FollowError> for Failure {
    fn from(error: FollowError) -> Failure {
        match error {
            FollowError::Open(error) => error.into(),
            FollowError::Io { .. } => Failure::io(&error, "check its permissions"),
        }
    }
}

#[cfg(test)]
mod tests;
