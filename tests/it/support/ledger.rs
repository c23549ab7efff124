//! The ledger as a test looks at it: bytes, lines, events, and whether its links hold.

use std::fs;
use std::io::Write;

use camino::Utf8PathBuf;
use serde_json::Value;

use super::Project;

/// What `goal verify` finds by reading line after line.
const OF_LINES: [&str; 12] = [
    "malformed_event",
    "unknown_event",
    "malformed_line",
    "torn_tail",
    "untidy_line",
    "conflict_marker",
    "duplicate_line",
    "repeated_request",
    "event_after_terminal",
    "foreign_line",
    "duplicate_creation",
    "missing_creation",
];

/// What `goal verify` says of a ledger.
#[derive(Debug)]
pub struct Verified(pub Value);

impl Verified {
    /// What is wrong with lines by themselves: no seal, link or audit is looked at. Of a kind with
    /// more than a hundred, one more says how many more.
    pub fn findings(&self) -> Vec<&Value> {
        let mut found = self.all();
        found.retain(|it| OF_LINES.iter().any(|code| it["code"] == *code));
        found
    }

    /// Whether every link leads to an earlier line.
    pub fn is_linked(&self) -> bool {
        !self.all().iter().any(|it| it["code"] == "broken_link")
    }

    /// Whether every link leads to the line right before.
    pub fn is_unbroken(&self) -> bool {
        self.is_linked() && self.0["jumps"] == 0
    }

    fn all(&self) -> Vec<&Value> {
        let lists = [&self.0["findings"], &self.0["notListed"]];
        let lists = lists.into_iter().filter_map(Value::as_array);
        lists.flatten().collect()
    }
}

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
        let state = self.state().read_dir_utf8().unwrap();
        let paths = state.map(|entry| entry.unwrap().into_path());
        for stamp in paths.filter(|path| path.extension() == Some("json")) {
            let text = fs::read_to_string(&stamp).unwrap();
            let record: Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
            let none = serde_json::json!({
                "root": record["root"], "tip": "0".repeat(32), "offset": 0, "length": 1, "lines": 0,
                "heads": [],
            });
            fs::write(stamp, self.record("heads", &none)).unwrap();
        }
    }

    /// A record of the machine's own: this JSON behind the code that only the machine's key makes.
    fn record(&self, kind: &str, record: &Value) -> String {
        let secret = fs::read(self.state().join("key")).unwrap();
        let key = blake3::derive_key("goal-ledger record of a machine 1", &secret);
        let mut hasher = blake3::Hasher::new_keyed(&key);
        hasher.update(&(kind.len() as u64).to_le_bytes());
        hasher.update(kind.as_bytes());
        let record = record.to_string();
        hasher.update(record.as_bytes());
        format!("{}\n{record}\n", hasher.finalize().to_hex())
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

    /// A goal as `goal show` shows it.
    #[track_caller]
    pub fn goal(&self, id: &str) -> Value {
        self.look(&["show", id])["goal"].clone()
    }

    /// A goal's status as it is replayed.
    #[track_caller]
    pub fn status(&self, id: &str) -> String {
        self.goal(id)["status"].as_str().unwrap().to_owned()
    }

    /// Every goal, whatever its status, as `goal list` lists it.
    pub fn goals_listed(&self) -> Vec<Value> {
        self.look(&["list", "--all"])["goals"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// What `goal verify` says.
    pub fn verified(&self) -> Verified {
        Verified(self.look(&["verify"]))
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
}
