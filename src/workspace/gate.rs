//! What a completion needs in this project beside its chain: the signature of somebody whom the user
//! trusts, where that is required.
//!
//! The requirement and the list of signers count as the user last trusted them; both are kept in the
//! user's state directory. The files of today can only be stricter: a requirement that they name
//! counts at once, one that they leave out stays, and a signature has to be good by the list of today
//! as well.

use std::io;
use std::os::unix::fs::FileExt;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Workspace;
use super::accepted::Accepted;
use super::config::{GateTable, read_project, read_user};
use super::paths::is_inside;
use super::records::{self, RecordRead, RootRecord, write_record};
use super::tip::TipStamp;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::seal::Key;
use crate::ledger::open;
use crate::workspace::git;

/// A list of signers: its text, and where it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signers {
    pub path: Utf8PathBuf,
    pub text: String,
}

impl Signers {
    /// Reads a list.
    ///
    /// # Errors
    /// Why it cannot be read, with its path.
    pub fn read(path: Utf8PathBuf) -> Result<Signers, String> {
        let failed =
            |why: &dyn std::fmt::Display| format!("cannot read the signers `{path}`: {why}");
        let bytes = open::read_followed(&path).map_err(|error| failed(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
        // It would be a part of the first name, and nobody would see it there.
        match text.starts_with('\u{feff}') {
            true => Err(failed(&"it begins with a byte order mark: save it without")),
            false => Ok(Signers { path, text }),
        }
    }

    /// Whether it lies in the work tree that holds the project: then whoever may change the project
    /// may change it.
    pub fn is_inside(&self, root: &Utf8Path) -> bool {
        is_inside(git::top(root), &self.path)
    }

    /// Its lines, for whoever is to trust them, each with the end of its key in place of the key.
    fn entries(&self) -> Vec<String> {
        let shown = |word: &str| match word.strip_prefix("AAAA") {
            Some(key) => {
                let from = key.char_indices().rev().nth(11).map_or(0, |(at, _)| at);
                format!("…{}", &key[from..])
            }
            None => word.to_owned(),
        };
        let lines = self.text.lines().map(str::trim);
        let entries = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let words = entries.map(|line| line.split_whitespace().map(shown));
        words
            .map(|words| words.collect::<Vec<_>>().join(" "))
            .collect()
    }

    /// BLAKE3 of the text, 64 hex digits.
    pub fn digest(&self) -> String {
        blake3::hash(self.text.as_bytes()).to_hex().to_string()
    }
}

/// What the user trusted last in this project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    root: Utf8PathBuf,
    required: bool,
    signers: Option<Signers>,
}

/// What is required here, and whose signatures count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gate {
    /// A completion counts only with a signature.
    pub required: bool,
    /// The requirement as the files of today say it.
    pub asked: bool,
    /// The list that the user trusted.
    pub trusted: Option<Signers>,
    /// The list that the files of today name.
    pub named: Option<Result<Signers, String>>,
    /// The key that this user signs with.
    pub key: Option<Utf8PathBuf>,
    /// Nothing was trusted here, and this ledger comes from this project of the user's, where a
    /// signature is required.
    pub moved_from: Option<Utf8PathBuf>,
    /// What the user trusted here is not known: its record is gone, or was not made with this
    /// machine's key.
    pub is_unknown: bool,
}

/// How the gate's settings stand, for whoever is to trust them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GateStanding {
    /// A completion counts only with a signature.
    pub required: bool,
    /// The files of today require it; where they do not, it stays required until it is trusted so.
    pub asked: bool,
    /// The list of signers that the files of today name.
    pub signers: Option<String>,
    /// BLAKE3 of that list; null where it cannot be read.
    pub digest: Option<String>,
    /// Who may sign by that list: its lines, with the last characters of each key.
    pub may_sign: Vec<String>,
    /// That list lies in the project's work tree, where whoever works on the project can change it.
    pub inside: bool,
    /// The project that this ledger was moved or copied from, whose trust requires a signature.
    pub moved_from: Option<String>,
    /// The list, or the requirement, is not as the user last trusted it.
    pub changed: bool,
}

impl Gate {
    /// What is in force. A file that cannot be used says nothing here; whoever acts on it says so.
    pub fn of(workspace: &Workspace) -> Gate {
        let dirs = workspace.environment.dirs.as_ref();
        let project = read_project(&workspace.paths.config()).ok().flatten();
        let user = dirs.and_then(|dirs| read_user(&dirs.config_file()).ok().flatten());
        let table = |parsed: Option<super::config::Parsed>| {
            parsed.map(|parsed| parsed.file.gate).unwrap_or_default()
        };
        let (project, user) = (table(project), table(user));
        let root = &workspace.root.path;
        let own = workspace.own_key();
        let kept = workspace.kept::<Record>(own.as_ref());
        let is_unknown = match &kept {
            RecordRead::NotOurs => true,
            RecordRead::Absent => {
                let accepted = workspace.kept::<Accepted>(own.as_ref()).valid();
                accepted.is_some_and(|it| it.gate)
            }
            RecordRead::Valid(_) => false,
        };
        let record = kept.valid();
        let moved_from = match (&record, dirs) {
            (None, Some(dirs)) => {
                Record::of_another_root(&dirs.state, &workspace.paths.to_read(), own.as_ref())
            }
            _ => None,
        };
        let gate = Gate::made_of(&project, &user, record, |place| {
            place.path(root, workspace.environment.home.as_deref())
        });
        Gate {
            required: gate.required || moved_from.is_some() || is_unknown,
            moved_from,
            is_unknown,
            ..gate
        }
    }

    /// The same with what was read. The project's list goes before the user's own.
    fn made_of(
        project: &GateTable,
        user: &GateTable,
        record: Option<Record>,
        path: impl Fn(&super::config::ConfiguredPath) -> Utf8PathBuf,
    ) -> Gate {
        let record = record.unwrap_or_default();
        let asked = project.require.or(user.require).is_some();
        let named = project.signers.as_ref().or(user.signers.as_ref());
        Gate {
            required: asked || record.required,
            asked,
            trusted: record.signers,
            named: named.map(|place| Signers::read(path(place))),
            key: user.key.as_ref().map(path),
            moved_from: None,
            is_unknown: false,
        }
    }

    /// What somebody names who trusts nothing of the project: this list, and nothing else.
    pub fn named_by_caller(signers: Signers, required: bool) -> Gate {
        Gate {
            required,
            asked: required,
            trusted: Some(signers),
            ..Gate::default()
        }
    }

    /// The lists by which a signature has to be good, all of them.
    ///
    /// # Errors
    /// Why no signature can count now.
    pub fn lists(&self) -> Result<Vec<&str>, String> {
        if let Some(why) = self.moved() {
            return Err(format!("{why}: `goal trust`"));
        }
        let trusted = match (&self.trusted, &self.named) {
            (Some(trusted), _) => trusted,
            (None, Some(_)) => {
                return Err("the user has not trusted the list of signers: `goal trust`".into());
            }
            (None, None) => {
                return Err("no list of signers is configured: `[gate] signers`".into());
            }
        };
        let mut lists = vec![trusted.text.as_str()];
        match &self.named {
            Some(Ok(named)) if named.text != trusted.text => lists.push(&named.text),
            Some(Err(why)) => return Err(why.clone()),
            Some(Ok(_)) | None => {}
        }
        Ok(lists)
    }

    /// Whether the files of today say something else than what the user trusted.
    pub fn is_changed(&self) -> bool {
        let signers = match &self.named {
            Some(Ok(named)) => self.trusted.as_ref().map(|it| &it.text) != Some(&named.text),
            Some(Err(_)) => true,
            None => self.trusted.is_some(),
        };
        signers || self.asked != self.required || self.moved_from.is_some() || self.is_unknown
    }

    /// What is to be said of a ledger that came from elsewhere.
    fn moved(&self) -> Option<String> {
        if self.is_unknown {
            return Some(
                "the record of whose signatures the user trusts here is gone, or was not made with \
                 this machine's key"
                    .to_owned(),
            );
        }
        let from = self.moved_from.as_ref()?;
        Some(format!(
            "this ledger was at `{from}`, where verdicts must be signed, and the user has trusted \
             nothing here yet"
        ))
    }

    /// Why the user should look at it, a sentence without its end; nothing where it is as they
    /// trusted it.
    pub fn objection(&self) -> Option<String> {
        let changed = "the requirement of signed verdicts, or the list of signers, is not what the \
                       user trusted last; until they trust it the stricter counts";
        self.moved()
            .or_else(|| self.is_changed().then(|| changed.to_owned()))
    }

    /// Whether there is anything to say of it.
    pub fn is_set(&self) -> bool {
        self.required || self.trusted.is_some() || self.named.is_some()
    }

    /// How it stands in the project with this root, where there is anything to say.
    pub fn standing(&self, root: &Utf8Path) -> Option<GateStanding> {
        let named = self.named.as_ref();
        let list = named.and_then(|named| named.as_ref().ok());
        self.is_set().then(|| GateStanding {
            required: self.required,
            asked: self.asked,
            signers: named.map(|named| match named {
                Ok(signers) => signers.path.to_string(),
                Err(why) => why.clone(),
            }),
            digest: list.map(Signers::digest),
            may_sign: list.map(Signers::entries).unwrap_or_default(),
            inside: list.is_some_and(|list| list.is_inside(root)),
            moved_from: self.moved_from.as_ref().map(ToString::to_string),
            changed: self.is_changed(),
        })
    }

    /// Remembers that the user trusts what the files of today say. Only the user's act: the caller
    /// sees to it.
    ///
    /// # Errors
    /// The list cannot be read, or the record cannot be written.
    pub fn record(&mut self, state: &Utf8Path, root: &Utf8Path, own: &Key) -> Result<(), String> {
        let signers = self.named.clone().transpose()?;
        let record = Record {
            root: root.to_owned(),
            required: self.asked,
            signers: signers.clone(),
        };
        let written = record.write(state, own);
        written.map_err(|error| format!("cannot write what the user trusts: {error}"))?;
        self.required = self.asked;
        self.trusted = signers;
        self.moved_from = None;
        self.is_unknown = false;
        Ok(())
    }
}

impl Record {
    /// The root of another project where the user trusted that verdicts must be signed, and of which
    /// this ledger has the first line that was appended there by them, or the last one, where it
    /// stood there.
    fn of_another_root(
        state: &Utf8Path,
        ledger: &Utf8Path,
        own: Option<&Key>,
    ) -> Option<Utf8PathBuf> {
        let records = state.join(Self::KIND).read_dir_utf8().ok()?;
        let ledger = open::read(ledger).ok()??;
        let holds = |(line, id): (LineRef, EventId)| {
            let mut bytes = vec![0; line.len as usize];
            let read = ledger.read_exact_at(&mut bytes, line.offset);
            read.is_ok() && EventId::of_line(&bytes) == id
        };
        records.flatten().find_map(|entry| {
            let record: Record = records::read_record(entry.path(), Self::KIND, own).valid()?;
            let stamp = TipStamp::read(state, &record.root, own).valid()?;
            let last = stamp.line().map(|line| (line, stamp.tip));
            let is_from_there = [stamp.first(), last].into_iter().flatten().any(holds);
            (record.required && is_from_there).then_some(record.root)
        })
    }
}

impl RootRecord for Record {
    const KIND: &'static str = "gate";

    fn root_mut(&mut self) -> &mut Utf8PathBuf {
        &mut self.root
    }

    /// What the user accepted of the ledger says from then on that there is one.
    fn write(&self, state: &Utf8Path, own: &Key) -> io::Result<()> {
        write_record(&Self::path(state, &self.root), Self::KIND, self, own)?;
        match Accepted::read(state, &self.root, Some(own)) {
            // That the key is another one is for the user to settle.
            RecordRead::NotOurs => Ok(()),
            kept => Accepted {
                gate: true,
                ..kept.valid().unwrap_or(Accepted::none(&self.root))
            }
            .write(state, own),
        }
    }
}

/// Keeps what the user trusted of one root for another one, to which the ledger moves.
///
/// # Errors
/// Those of the file system.
pub fn carry(state: &Utf8Path, from: &Utf8Path, to: &Utf8Path, own: &Key) -> io::Result<()> {
    Record::copy_to_root(state, from, to, own)
}

#[cfg(test)]
mod tests;
