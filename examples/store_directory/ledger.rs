//! The files of a ledger: its lines, their ids, how far both go, and who has the turn.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::{Failed, refused};

/// The files of a ledger.
pub struct Ledger {
    dir: PathBuf,
    name: String,
}

impl Ledger {
    /// The one that a request names. All verbs but `create` want it to be there.
    pub fn named(dir: &Path, request: &Value) -> Result<Ledger, Failed> {
        let name = request["ledger"].as_str().unwrap_or_default();
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
        if !(1..=200).contains(&name.len()) || !name.bytes().all(fits) {
            return refused("invalid", "this is no name of a ledger");
        }
        let ledger = Ledger {
            dir: dir.to_owned(),
            name: name.replace('/', "~"),
        };
        match ledger.path("lines").exists() || request["verb"] == "create" {
            true => Ok(ledger),
            false => refused("no_ledger", format!("there is no ledger `{name}`")),
        }
    }

    pub fn path(&self, kind: &str) -> PathBuf {
        self.dir.join(format!("{}.{kind}", self.name))
    }

    pub fn create(&self) -> io::Result<bool> {
        let made = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.path("lines"));
        match made {
            Ok(_) => File::open(&self.dir)?.sync_all().map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A lock that lasts no longer than one step of a helper.
    pub fn locked(&self) -> io::Result<File> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.path("lock"))?;
        fs2::FileExt::lock_exclusive(&file)?;
        Ok(file)
    }

    /// Takes the turn, where nobody has it or whoever has it has had it for too long.
    pub fn take_turn(&self, token: &str, limit: Duration) -> io::Result<bool> {
        let _lock = self.locked()?;
        let turn = fs::read_to_string(self.path("turn")).unwrap_or_default();
        let until = turn
            .split(' ')
            .nth(1)
            .and_then(|it| it.parse::<u128>().ok());
        if until.is_some_and(|until| millis() < until) {
            return Ok(false);
        }
        let until = millis() + limit.as_millis();
        fs::write(self.path("turn"), format!("{token} {until}"))?;
        // What was written and never acknowledged goes.
        let lines = OpenOptions::new().write(true).open(self.path("lines"))?;
        lines.set_len(self.end()?)?;
        Ok(true)
    }

    pub fn turn_is(&self, token: &str) -> io::Result<bool> {
        let turn = fs::read_to_string(self.path("turn"))?;
        Ok(turn.split(' ').next() == Some(token))
    }

    pub fn end_turn(&self, token: &str) -> io::Result<()> {
        let _lock = self.locked()?;
        match self.turn_is(token)? {
            true => fs::write(self.path("turn"), ""),
            false => Ok(()),
        }
    }

    /// How far the ledger goes: what is behind this is not there.
    pub fn end(&self) -> io::Result<u64> {
        Ok(self.ends()?.0)
    }

    /// How far the lines go, and how far their ids.
    pub fn ends(&self) -> io::Result<(u64, u64)> {
        let text = match fs::read_to_string(self.path("end")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((0, 0)),
            text => text?,
        };
        let numbers: Vec<u64> = text.split(' ').filter_map(|it| it.parse().ok()).collect();
        match numbers[..] {
            [end, ids] => Ok((end, ids)),
            _ => Err(io::Error::other("the end of the ledger is damaged")),
        }
    }

    /// The moment at which an append has happened.
    pub fn put_ends(&self, end: u64, ids: u64) -> io::Result<()> {
        let temporary = self.path("end.new");
        let mut file = File::create(&temporary)?;
        write!(file, "{end} {ids}")?;
        file.sync_all()?;
        fs::rename(temporary, self.path("end"))?;
        File::open(&self.dir)?.sync_all()
    }

    /// The ids of the lines, each on a line of its own.
    pub fn ids(&self) -> io::Result<BTreeSet<String>> {
        let (_, length) = self.ends()?;
        let mut text = String::new();
        if length > 0 {
            File::open(self.path("ids"))?
                .take(length)
                .read_to_string(&mut text)?;
        }
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Writes bytes at this place, in place of what may stand there and was never acknowledged.
    pub fn write(&self, kind: &str, bytes: &[u8], at: u64) -> io::Result<()> {
        let mut access = OpenOptions::new();
        let file = access
            .create(true)
            .write(true)
            .truncate(false)
            .open(self.path(kind))?;
        file.set_len(at)?;
        file.write_all_at(bytes, at)?;
        file.sync_data()
    }
}

/// When a file was last written.
pub fn written_at(path: &Path) -> Option<String> {
    let modified = path.metadata().ok()?.modified().ok()?;
    Some(jiff::Timestamp::try_from(modified).ok()?.to_string())
}

/// Milliseconds since 1970.
pub fn millis() -> u128 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |it| it.as_millis())
}
