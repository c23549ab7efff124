//! What a run left: its output and status, shown as one text for inline snapshots.

use std::borrow::Cow;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::Output;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::Project;

/// A program's run. Shown, it is stdout, then stderr and the exit status unless both are as they
/// should be; paths of the sandbox are `$ROOT` and `$ASIDE`, and ids of events, which change with
/// every byte of their line, are `[id]`. Ids of goals stay, since clock and seed are pinned.
#[derive(Debug, Clone)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// The exit status; `None` when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    places: [(String, &'static str); 2],
}

impl Ran {
    pub fn new(project: &Project, output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Ran {
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
            code: output.status.code(),
            signal: output.status.signal(),
            places: [
                (project.root.to_string(), "$ROOT"),
                (project.aside.to_string(), "$ASIDE"),
            ],
        }
    }

    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// Whether it did what it was asked for: also where a check failed, which the exit code says.
    pub fn did(&self) -> bool {
        matches!(self.code, Some(0 | 7))
    }

    /// The run itself, which must have succeeded.
    #[track_caller]
    pub fn ok(self) -> Ran {
        assert!(self.success(), "{self}");
        self
    }

    /// The run itself, which must have ended with this status.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// The one JSON document, on one line, that stdout must be.
    #[track_caller]
    pub fn json(&self) -> Value {
        let one_line = self.stdout.ends_with('\n') && self.stdout.lines().count() == 1;
        assert!(one_line, "not one line of JSON:\n{self}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The `data` of a `--json` run.
    #[track_caller]
    pub fn data(&self) -> Value {
        self.json()["data"].clone()
    }

    /// The `error.code` of a `--json` run.
    #[track_caller]
    pub fn error_code(&self) -> String {
        let document = self.json();
        assert_eq!(document["ok"], false, "{self}");
        document["error"]["code"].as_str().unwrap().to_owned()
    }
}

static LONG_ID: LazyLock<Regex> = LazyLock::new(|| Regex::new("[0-9a-f]{32}").unwrap());
static SHORT_ID: LazyLock<Regex> = LazyLock::new(|| Regex::new("[0-9a-f]{8}…").unwrap());

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| {
            let mut text = text.to_owned();
            for (place, name) in &self.places {
                text = text.replace(place, name);
            }
            let zeros = "0".repeat(32);
            let hidden = LONG_ID.replace_all(&text, |found: &regex::Captures<'_>| {
                // Where the links of a ledger begin is worth seeing.
                let id = found[0].to_owned();
                if id == zeros {
                    Cow::Owned(id)
                } else {
                    "[id]".into()
                }
            });
            SHORT_ID.replace_all(&hidden, "[id]…").into_owned()
        };
        write!(f, "{}", shown(&self.stdout))?;
        if !self.stderr.is_empty() {
            write!(f, "------- stderr -------\n{}", shown(&self.stderr))?;
        }
        match (self.code, self.signal) {
            (Some(0), _) => Ok(()),
            (Some(code), _) => write!(f, "[exit status: {code}]"),
            (None, signal) => write!(f, "[killed by signal: {}]", signal.unwrap_or_default()),
        }
    }
}
