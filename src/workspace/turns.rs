//! What the turns of runs leave behind, beside the ledger: `runs/RUN/N/` in the home, with the prompt,
//! what the agent wrote, and how it went. For people: nothing is decided by it, and git ignores it.
//!
//! `N` is the number of the turn. A turn that is tried again, as behind a limit of the agent's host, has
//! another directory for each further try: `N.2`, `N.3`.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Paths;
use crate::domain::verdict::head_and_tail;
use crate::ledger::open::make_private;

/// How many runs are kept; the oldest go.
const RUNS: usize = 50;

/// Most bytes of each stream that are kept: its beginning and its end.
const STREAM: usize = 1024 * 1024;

/// How a turn went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnRecord {
    pub run_id: String,
    pub goal_id: String,
    /// The checkpoint that was worked; null for the goal as a whole.
    pub task_id: Option<String>,
    pub started_at: String,
    pub seconds: f64,
    /// How the agent's process ended.
    pub ending: String,
    /// Whether a file changed or a commit was made, where that can be seen.
    pub changed: Option<bool>,
    /// The commit before the turn and after it, in a git work tree.
    pub head_before: Option<String>,
    pub head_after: Option<String>,
    /// What the agent said of a limit of its host, where it was at one.
    pub limited: Option<String>,
    pub checks: Vec<CheckRecord>,
}

/// What a check came to after the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckRecord {
    pub name: String,
    pub pass: bool,
    pub seconds: f64,
    pub output: String,
}

/// The files of what an agent writes, which fill while it does: its stdout and its stderr.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Streams(pub [Utf8PathBuf; 2]);

impl Streams {
    fn of(turn: &Utf8Path) -> Streams {
        Streams(["stdout.txt", "stderr.txt"].map(|name| turn.join(name)))
    }

    /// The end of what it wrote so far, at most so many bytes: its stdout, or its stderr where that has
    /// no word.
    pub fn end(&self, most: u64) -> Option<String> {
        let end = |path: &Utf8PathBuf| {
            let end = end_of(path, most).ok()?;
            (!end.trim().is_empty()).then_some(end)
        };
        self.0.iter().find_map(end)
    }
}

/// The directory of one turn.
#[derive(Debug)]
pub struct TurnDir(Utf8PathBuf);

impl TurnDir {
    /// Begins this turn of a run, or one more try of it: keeps its prompt, and lets the oldest runs go.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn begin(paths: &Paths, run_id: &str, turn: u64, prompt: &str) -> io::Result<TurnDir> {
        let run = run_dir(paths, run_id)?;
        let before = tries(&run)?.into_iter().filter(|it| it.turn == turn).max();
        let attempt = before.map_or(1, |it| it.attempt + 1);
        let place = run.join(Try { turn, attempt }.to_string());
        make_private(&place)?;
        let dir = TurnDir(place);
        dir.put("prompt.md", prompt.as_bytes())?;
        Ok(dir)
    }

    /// The files of what the agent writes, to be filled as it does; [`TurnDir::wrote`] replaces them.
    pub fn streams(&self) -> Streams {
        Streams::of(&self.0)
    }

    /// Keeps what the agent wrote.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn wrote(&self, stdout: &[u8], stderr: &[u8]) -> io::Result<()> {
        let capped = |bytes: &[u8]| head_and_tail(&String::from_utf8_lossy(bytes), STREAM);
        self.put("stdout.txt", capped(stdout).as_bytes())?;
        self.put("stderr.txt", capped(stderr).as_bytes())
    }

    /// Keeps how the turn went.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn end(&self, record: &TurnRecord) -> io::Result<()> {
        let json = serde_json::to_string_pretty(record).map_err(io::Error::other)?;
        self.put("turn.json", format!("{json}\n").as_bytes())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.0.join(name), bytes)
    }
}

/// Keeps so much room on the disk of the ledger for the last line of a run: a full disk is no reason to
/// call the runner dead.
const ROOM: usize = 256 * 1024;

/// Takes the room.
///
/// # Errors
/// Those of the file system; the run may go on without it.
pub fn keep_room(paths: &Paths) -> io::Result<()> {
    let file = begun(paths)?.join(ROOM_FILE);
    let is_there = |found: fs::Metadata| found.is_file() && found.len() == ROOM as u64;
    if file.symlink_metadata().is_ok_and(is_there) {
        return Ok(());
    }
    // Nothing that a file system could compress, and never through a link that somebody put there.
    let mut bytes = vec![0; ROOM];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(&file)?.write_all(&bytes),
    }
}

/// Lets the room go. Whether there was any.
pub fn give_room(paths: &Paths) -> bool {
    fs::remove_file(paths.runs().join(ROOM_FILE)).is_ok()
}

const ROOM_FILE: &str = ".room";

/// What the command behind a run writes, in the directory of the run.
pub const AFTER: [&str; 2] = ["after.stdout", "after.stderr"];

/// The directory of a run; made if it is not there, and then the oldest runs go.
///
/// # Errors
/// Those of the file system.
pub fn run_dir(paths: &Paths, run_id: &str) -> io::Result<Utf8PathBuf> {
    let runs = begun(paths)?;
    let run = runs.join(run_id);
    if !is_ours(&run)? {
        forget_all_but(&runs, RUNS - 1)?;
        make_private(&run)?;
    }
    Ok(run)
}

/// The directory of all runs; made if it is not there.
fn begun(paths: &Paths) -> io::Result<Utf8PathBuf> {
    let runs = paths.runs();
    if !is_ours(&runs)? {
        make_private(&runs)?;
        fs::write(runs.join(".gitignore"), "*\n")?;
    }
    Ok(runs)
}

/// The turns that are kept of a run, each with its directory; of one under way only that.
pub fn kept(paths: &Paths, run_id: &str) -> Vec<(Utf8PathBuf, Option<TurnRecord>)> {
    let is_name = is_name(run_id);
    let run = paths.runs().join(run_id);
    let mut turns = tries(&run).unwrap_or_default();
    turns.retain(|_| is_name);
    turns.sort_unstable();
    let turns = turns.into_iter().map(|turn| {
        let dir = run.join(turn.to_string());
        let record = fs::read(dir.join("turn.json")).ok();
        let record = record.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        (dir, record)
    });
    turns.collect()
}

/// Where the agent of a run's latest turn writes.
pub fn latest_streams(paths: &Paths, run_id: &str) -> Option<Streams> {
    let is_name = is_name(run_id);
    let run = paths.runs().join(run_id);
    let latest = tries(&run).ok().filter(|_| is_name)?.into_iter().max()?;
    Some(Streams::of(&run.join(latest.to_string())))
}

/// The last bytes of a file, without the line that they begin in the middle of.
fn end_of(path: &Utf8Path, most: u64) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let from = file.metadata()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = match text.split_once('\n') {
        Some((_, rest)) if from > 0 && !rest.is_empty() => rest,
        _ => &text,
    };
    Ok(whole.to_owned())
}

/// An id of our own names one directory; another program's could lead elsewhere.
fn is_name(run_id: &str) -> bool {
    let mut letters = run_id.chars();
    letters.all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// One try of a turn. Those of one turn come in the order in which they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Try {
    turn: u64,
    /// From 1.
    attempt: u64,
}

impl Try {
    /// The try that a directory of this name keeps.
    fn of(name: &str) -> Option<Try> {
        let (turn, attempt) = name.split_once('.').unwrap_or((name, "1"));
        let (turn, attempt) = (turn.parse().ok()?, attempt.parse().ok()?);
        Some(Try { turn, attempt })
    }
}

impl fmt::Display for Try {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attempt {
            1 => write!(f, "{}", self.turn),
            more => write!(f, "{}.{more}", self.turn),
        }
    }
}

fn tries(run: &Utf8Path) -> io::Result<Vec<Try>> {
    let mut tries = Vec::new();
    for entry in run.read_dir_utf8()? {
        tries.extend(Try::of(entry?.file_name()));
    }
    Ok(tries)
}

/// Whether a directory is there. What else stands in its place came with the project and leads
/// elsewhere: nothing is written or removed behind it.
fn is_ours(path: &Utf8Path) -> io::Result<bool> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(_) => {
            let problem = format!("`{path}` is a link or a file, where a directory belongs");
            Err(io::Error::new(io::ErrorKind::NotADirectory, problem))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes the runs that were changed longest ago. Only what has nothing but numbered turns is a run.
fn forget_all_but(runs: &Utf8Path, most: usize) -> io::Result<()> {
    let mut found: Vec<(SystemTime, Utf8PathBuf)> = Vec::new();
    for entry in runs.read_dir_utf8()? {
        let entry = entry?;
        let mut inside = entry.path().read_dir_utf8().into_iter().flatten().flatten();
        let is_kept = |name: &str| Try::of(name).is_some() || AFTER.contains(&name);
        let is_run = inside.all(|it| is_kept(it.file_name()));
        if entry.file_type()?.is_dir() && is_run {
            let changed = entry.metadata()?.modified()?;
            found.push((changed, entry.into_path()));
        }
    }
    found.sort_unstable();
    let over = found.len().saturating_sub(most);
    found
        .iter()
        .take(over)
        .try_for_each(|(_, run)| fs::remove_dir_all(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_numbered_and_the_oldest_runs_go() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let paths = Paths::new(root);
        for run in 0..RUNS + 3 {
            TurnDir::begin(&paths, &format!("r-{run}"), 9, "p").unwrap();
        }
        let runs = paths.runs().read_dir().unwrap().count();
        assert_eq!(runs, RUNS + 1, "with .gitignore");
        let last = format!("r-{}", RUNS + 2);
        let begin = |turn| TurnDir::begin(&paths, &last, turn, "again").unwrap();
        begin(10);
        begin(10).wrote(&vec![b'x'; 3 * STREAM], b"e").unwrap();
        begin(11);
        let kept = kept(&paths, &last);
        let names = kept.iter().map(|(dir, _)| dir.file_name().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["9", "10", "10.2", "11"]);
        assert!(kept[2].1.is_none());
        let stdout = fs::metadata(kept[2].0.join("stdout.txt")).unwrap().len();
        assert!(stdout < 2 * STREAM as u64, "{stdout}");
        assert!(super::kept(&paths, "../archived").is_empty());
    }

    #[test]
    fn nothing_is_written_or_removed_behind_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let paths = Paths::new(root);
        let elsewhere = root.join("elsewhere");
        for project in 0..RUNS + 5 {
            fs::create_dir_all(elsewhere.join(project.to_string())).unwrap();
        }
        fs::create_dir_all(paths.home()).unwrap();
        std::os::unix::fs::symlink(&elsewhere, paths.runs()).unwrap();
        let refused = TurnDir::begin(&paths, "r-1", 1, "p").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::NotADirectory);
        assert_eq!(elsewhere.read_dir().unwrap().count(), RUNS + 5);
        fs::remove_file(paths.runs()).unwrap();
        // Somebody's own directory among the runs stays, too.
        fs::create_dir_all(paths.runs().join("mine/src")).unwrap();
        for run in 0..RUNS + 5 {
            TurnDir::begin(&paths, &format!("r-{run}"), 1, "p").unwrap();
        }
        assert!(paths.runs().join("mine/src").exists());
    }
}
