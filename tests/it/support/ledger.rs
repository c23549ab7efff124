//! The ledger as a test looks at it: bytes, lines, events, and whether its links hold.

use std::fs;
use std::io::Write;

use camino::Utf8PathBuf;
use goal_ledger::internals::ledger::chain::ChainReport;
use goal_ledger::internals::snapshot::Snapshot;
use goal_ledger::internals::workspace::Paths;
use serde_json::Value;

use super::Project;

impl Project {
    pub fn ledger_path(&self) -> Utf8PathBuf {
        self.goals("goal_events.jsonl")
    }

    /// The ledger's bytes; none when it does not exist.
    pub fn ledger(&self) -> Vec<u8> {
        fs::read(self.ledger_path()).unwrap_or_default()
    }

    /// Puts these bytes in the ledger's place.
    pub fn put_ledger(&self, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.goals("")).unwrap();
        fs::write(self.ledger_path(), bytes).unwrap();
    }

    /// Puts an earlier ledger back, as if nothing had been appended to it here since.
    pub fn begin_again_from(&self, bytes: impl AsRef<[u8]>) {
        self.put_ledger(bytes);
        let state = fs::read_dir(self.state()).unwrap();
        let stamps = state.map(|entry| entry.unwrap().path());
        for stamp in stamps.filter(|path| path.extension().is_some_and(|it| it == "json")) {
            fs::remove_file(stamp).unwrap();
        }
    }

    /// Every line of the ledger, which must all be JSON.
    pub fn events(&self) -> Vec<Value> {
        let text = String::from_utf8(self.ledger()).unwrap();
        let parse = |line| serde_json::from_str(line).unwrap();
        text.lines().map(parse).collect()
    }

    /// Every event but what calls of roles cost, which stands behind what came of them.
    fn acts(&self) -> Vec<Value> {
        let mut events = self.events();
        events.retain(|event| event["type"] != "usage_recorded" || event["role"].is_null());
        events
    }

    /// The types of all events, in order, without what calls of roles cost.
    pub fn event_types(&self) -> Vec<String> {
        let name = |event: &Value| event["type"].as_str().unwrap().to_owned();
        self.acts().iter().map(name).collect()
    }

    /// Appends another program's line.
    pub fn append_line(&self, line: &str) {
        fs::create_dir_all(self.goals("")).unwrap();
        let mut options = fs::File::options();
        let ledger = options.append(true).create(true).open(self.ledger_path());
        // In one write: who reads meanwhile sees the whole line or nothing of it.
        ledger
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
            .unwrap();
    }

    /// The events of one type, in order.
    pub fn events_of_type(&self, name: &str) -> Vec<Value> {
        let mut events = self.events();
        events.retain(|event| event["type"] == name);
        events
    }

    /// The last event that is not what the call of a role cost, which must be there.
    pub fn last_event(&self) -> Value {
        self.acts().pop().unwrap()
    }

    /// A goal's status as it is replayed.
    pub fn status(&self, id: &str) -> String {
        let snapshot = self.snapshot();
        let goal = &snapshot.state.goals[&id.parse().unwrap()];
        goal.status.name().to_owned()
    }

    /// The project as the library reads it.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::read(&Paths::new(&self.root)).unwrap()
    }

    /// Lets two writers act that do not know of each other, and leaves the lines of both: `one`'s
    /// first. Gives back the ledger with those of `other` first.
    pub fn beside(&self, one: impl Fn(&Project), other: impl Fn(&Project)) -> Vec<u8> {
        let base = self.ledger();
        one(self);
        let first = self.ledger();
        self.begin_again_from(&base);
        other(self);
        let second = self.ledger();
        self.begin_again_from([&first[..], &second[base.len()..]].concat());
        [&second[..], &first[base.len()..]].concat()
    }

    /// What the links of the ledger show.
    pub fn chain(&self) -> ChainReport {
        self.snapshot().chain().unwrap().report()
    }
}
