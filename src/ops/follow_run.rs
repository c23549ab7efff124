//! Following a run: what its agent writes, turn by turn, as it comes, until the run is over.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::history::RunReport;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::runs::{one, runs};
use crate::render::agent_output::lines_of;
use crate::workspace::turns::{TurnRecord, kept};

/// Bytes that are read of an agent's output at once.
const CHUNK: u64 = 1024 * 1024;

/// After so many looks the run is read again though nothing was recorded.
const LOOKS: u32 = 10;

/// A run that is followed.
pub struct FollowedRun<'a> {
    call: &'a Call,
    /// The run as it was read last.
    run: RunReport,
    /// How long the ledger was then, in bytes, and how many looks ago that is.
    read_at: (u64, u32),
    /// The turn whose output is read, by its directory.
    turn: Option<Utf8PathBuf>,
    /// How many bytes of it were read; nothing once its end was told.
    read: Option<u64>,
    /// The beginning of a line of which the end has not come yet.
    begun: Vec<u8>,
}

/// What is new.
#[derive(Debug)]
pub enum FollowedNews {
    /// A turn, by the name of its directory.
    Turn(String),
    /// A line that its agent wrote.
    Line(String),
    /// The turn is over.
    Ended(Box<TurnRecord>),
    /// The run is over.
    Over(Box<RunReport>),
}

impl<'a> FollowedRun<'a> {
    /// The run that is named, or else the latest that is under way, from its latest turn on.
    ///
    /// # Errors
    /// No run is meant; the ledger cannot be read.
    pub fn begin(call: &'a Call, named: Option<&str>) -> Result<FollowedRun<'a>, Failure> {
        let run = match named {
            Some(named) => one(call, named)?.0,
            None => runs(call, true)?.runs.pop().ok_or_else(|| {
                let hint = "`goal run` starts one; `goal runs last --follow` shows the latest turn";
                Failure::usage("no run is under way", hint)
            })?,
        };
        let turns = kept(&call.workspace.paths, &run.run_id);
        // What comes after this one is the latest.
        let latest = turns.len().checked_sub(2).and_then(|at| turns.get(at));
        Ok(FollowedRun {
            call,
            run,
            read_at: (0, 0),
            turn: latest.map(|(dir, _)| dir.clone()),
            read: None,
            begun: Vec::new(),
        })
    }

    /// What is new since the last look. The last of it says whether the run is over.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn look(&mut self) -> Result<Vec<FollowedNews>, Failure> {
        // Asked before what is left is read: a run that is over writes nothing more.
        self.read_run()?;
        let is_over = !self.run.live && self.run.running_on.is_none();
        let turns = kept(&self.call.workspace.paths, &self.run.run_id);
        let at = self.turn.as_ref();
        let from = at.and_then(|at| turns.iter().position(|(dir, _)| dir == at));
        let mut news = Vec::new();
        for (dir, record) in turns.into_iter().skip(from.unwrap_or(0)) {
            if self.turn.as_ref() != Some(&dir) {
                news.push(FollowedNews::Turn(
                    dir.file_name().unwrap_or_default().to_owned(),
                ));
                self.turn = Some(dir.clone());
                self.read = Some(0);
                self.begun.clear();
            }
            let Some(read) = self.read else { continue };
            self.lines(&dir, read, &mut news);
            if let Some(record) = record {
                self.rest(&mut news);
                self.read = None;
                news.push(FollowedNews::Ended(Box::new(record)));
            }
        }
        if is_over {
            self.rest(&mut news);
            news.push(FollowedNews::Over(Box::new(self.run.clone())));
        }
        Ok(news)
    }

    /// Reads how the run stands, where the ledger has grown, and now and then besides: a runner that dies
    /// records nothing.
    fn read_run(&mut self) -> Result<(), Failure> {
        let len = self.call.workspace.paths.events().metadata();
        let len = len.map_or(0, |found| found.len());
        let (before, looks) = self.read_at;
        if len == before && looks < LOOKS {
            self.read_at.1 += 1;
            return Ok(());
        }
        self.run = one(self.call, &self.run.run_id)?.0;
        self.read_at = (len, 0);
        Ok(())
    }

    /// The whole lines that came.
    fn lines(&mut self, dir: &Utf8Path, mut read: u64, news: &mut Vec<FollowedNews>) {
        let path = dir.join("stdout.txt");
        while let Some(bytes) = read_from(&path, read) {
            read += bytes.len() as u64;
            self.begun.extend(bytes);
        }
        self.read = Some(read);
        let Some(end) = memchr::memrchr(b'\n', &self.begun) else {
            return;
        };
        let rest = self.begun.split_off(end + 1);
        let whole = std::mem::replace(&mut self.begun, rest);
        let text = String::from_utf8_lossy(&whole);
        news.extend(text.lines().flat_map(lines_of).map(FollowedNews::Line));
    }

    /// A last line without an end.
    fn rest(&mut self, news: &mut Vec<FollowedNews>) {
        let rest = std::mem::take(&mut self.begun);
        let text = String::from_utf8_lossy(&rest);
        news.extend(text.lines().flat_map(lines_of).map(FollowedNews::Line));
    }
}

/// What a file has behind so many bytes; nothing where there is no more, or it cannot be read.
fn read_from(path: &Utf8Path, from: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(CHUNK).read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty()).then_some(bytes)
}
