//! What a copy of the ledger has beside it: which of its lines count although the home has not taken them
//! in yet, and which stay where they are (docs/machines.md). Reading changes nothing; a writer takes in
//! what counts.
//!
//! A line counts where this machine left it, or a program of this machine appended it since; where it has a
//! valid signature of the own or an accepted key; and, of another program, where such a line closes it.
//! So a look at a branch of somebody else changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, Seek, Write};

use camino::Utf8Path;

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::exchange::{self, Cut, Piece, Which};
use crate::domain::id::EventId;
use crate::domain::proof::AcceptedKeys;
use crate::domain::seal::{KeyId, key_of};
use crate::domain::wire::is_conflict_marker;
use crate::ledger::frame;
use crate::ledger::lines::Lines;
use crate::ledger::open;
use crate::render::text::count;
use crate::workspace::Paths;
use crate::workspace::accepted::Accepted;
use crate::workspace::keys;
use crate::workspace::last_left::LastLeft;
use crate::workspace::records::RootRecord;

/// Whose lines of a copy count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trusted<'a> {
    /// All of them but these: nobody but this machine writes it, or it is all that is left.
    AllBut(&'a BTreeSet<EventId>),
    /// Those that this machine left, by this record, or that are signed.
    Left(Option<&'a LastLeft>),
}

/// What a copy has that the ledger lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// The lines that count, in an order in which each follows what it names.
    pub lines: Vec<String>,
    /// The lines that stay where they are.
    pub left: BTreeSet<EventId>,
    /// The keys with which those are signed.
    pub keys: BTreeSet<KeyId>,
    /// The copy is one of another ledger.
    pub is_of_another: bool,
    /// Git has not finished a merge in it.
    pub is_merging: bool,
}

/// A line of a copy.
struct CopiedLine {
    offset: u64,
    id: EventId,
    text: String,
}

/// Compares a copy with the ledger.
///
/// # Errors
/// One of them cannot be read.
pub fn compare(
    paths: &Paths,
    ledger: &Lines,
    copy: &File,
    trusted: Trusted<'_>,
) -> io::Result<Difference> {
    let copied = Lines::new(Some(copy.try_clone()?));
    let (known, all_but) = match trusted {
        Trusted::AllBut(aside) => (None, Some(aside)),
        Trusted::Left(left) => (left.and_then(|left| left.known(copy)), None),
    };
    let (mut cut, mut ends, mut all) = (Cut::default(), Vec::new(), Vec::new());
    let mut difference = Difference::default();
    if let Some(reader) = copied.reader() {
        frame::scan(reader, |raw| {
            difference.is_merging |= is_conflict_marker(raw.bytes);
            cut.push(raw.bytes);
            ends.resize(cut.pieces.len(), raw.offset);
            let text = std::str::from_utf8(raw.bytes).unwrap_or_default();
            if !text.trim().is_empty() && !raw.oversized {
                all.push(CopiedLine {
                    offset: raw.offset,
                    id: EventId::of_line(raw.bytes),
                    text: text.to_owned(),
                });
            }
        })?;
    }
    if difference.is_merging {
        return Ok(difference);
    }
    let pieces = cut.pieces;
    let mut ids = exchange::ids(&pieces);
    ids.extend(all.iter().map(|line| line.id));
    let missing = missing(ledger, ids)?;
    let lacking: Vec<&Piece> = pieces
        .iter()
        .filter(|it| missing.contains(&it.id()))
        .collect();
    // What is left of this ledger where the home is empty is still of it, unless it was given up.
    let is_empty = !has_a_line(ledger)?;
    let first = all.first().map(|line| line.id);
    let is_given_up = is_empty && was_given_up(paths, first)?;
    let is_related = pieces.is_empty()
        || lacking.len() < pieces.len()
        || is_empty && known.is_some() && !is_given_up;
    if is_given_up || !is_related && all_but.is_none() {
        return Ok(Difference {
            is_of_another: true,
            left: lacking.iter().map(|it| it.id()).collect(),
            ..difference
        });
    }
    let offsets: BTreeMap<EventId, u64> = pieces.iter().map(Piece::id).zip(ends).collect();
    let was_left = |id: EventId| {
        let offset = offsets.get(&id).copied();
        match all_but {
            Some(aside) => !aside.contains(&id),
            None => known.is_some_and(|known| offset.is_some_and(|it| it < known)),
        }
    };
    let ring = match all_but.is_some() || lacking.iter().all(|it| was_left(it.id())) {
        true => None,
        false => Some(ring(paths, ledger)?),
    };
    let verified = std::cell::RefCell::new(BTreeSet::new());
    let is_signed = |line: &str| {
        let proof = ring
            .as_ref()
            .map(|ring| ring.prove(line.as_bytes(), &mut verified.borrow_mut()));
        proof.is_some_and(|proof| proof.is_proven())
    };
    let admits = |piece: &Piece| {
        let last = piece.lines.last().map_or("", |(_, text)| text);
        was_left(piece.id()) || is_signed(last)
    };
    let which = Which {
        gaps: known.is_some() || all_but.is_some(),
        beginnings: known.is_some() || all_but.is_some(),
        admits: &admits,
    };
    let texts: BTreeSet<EventId> = lacking.iter().map(|it| it.id()).collect();
    let keys = lacking
        .iter()
        .filter_map(|it| key_of(it.lines.last()?.1.as_bytes()))
        .collect();
    let taken = exchange::taken(pieces, &missing, which);
    let mut lines = taken.lines;
    let mut here: BTreeSet<EventId> = lines
        .iter()
        .map(|line| EventId::of_line(line.as_bytes()))
        .collect();
    difference.left = texts.difference(&here).copied().collect();
    if !difference.left.is_empty() {
        difference.keys = keys;
    }
    // What another program of this machine wrote since, and no line of ours has closed yet.
    let is_local =
        |line: &CopiedLine| all_but.is_some() || known.is_some_and(|known| line.offset >= known);
    for line in &all {
        let is_new = missing.contains(&line.id) && !texts.contains(&line.id);
        let is_aside = all_but.is_some_and(|aside| aside.contains(&line.id));
        if is_new && (is_aside || !is_local(line)) && !here.contains(&line.id) {
            difference.left.insert(line.id);
        } else if is_new && here.insert(line.id) {
            lines.push(line.text.clone());
        }
    }
    difference.lines = lines;
    Ok(difference)
}

/// Whether there is one whole line.
///
/// # Errors
/// It cannot be read.
pub fn has_a_line(ledger: &Lines) -> io::Result<bool> {
    let Some(reader) = ledger.reader() else {
        return Ok(false);
    };
    let mut reader = io::BufReader::new(reader);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() || bytes.contains(&b'\n') {
            return Ok(!bytes.is_empty());
        }
        let len = bytes.len();
        reader.consume(len);
    }
}

/// Whether the ledger that begins with this line was set aside for a new one.
fn was_given_up(paths: &Paths, first: Option<EventId>) -> io::Result<bool> {
    let Ok(entries) = paths.home().read_dir_utf8() else {
        return Ok(false);
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name().starts_with("goal_events.jsonl.left-") {
            let lines = Lines::new(open::read(entry.path()).map_err(io::Error::other)?);
            if lines.len()?.unwrap_or_default() > 0 && Some(lines.id_at(0)?) == first {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Those of these ids that no line of the ledger has.
fn missing(ledger: &Lines, mut ids: BTreeSet<EventId>) -> io::Result<BTreeSet<EventId>> {
    if let Some(reader) = ledger.reader() {
        frame::scan(reader, |raw| {
            ids.remove(&EventId::of_line(raw.bytes));
        })?;
    }
    Ok(ids)
}

/// The keys whose lines count here.
fn ring(paths: &Paths, ledger: &Lines) -> io::Result<AcceptedKeys> {
    let own = paths.state().and_then(|state| keys::read(state).ok()?);
    let accepted = paths
        .state()
        .and_then(|state| Accepted::read(state, paths.known_as(), own.as_ref()).valid());
    let accepted = accepted.unwrap_or_else(|| Accepted::none(paths.known_as()));
    let mut beginnings: BTreeSet<EventId> = accepted.beginnings.into_iter().collect();
    if let Some(len) = ledger.len()?
        && len > 0
    {
        beginnings.insert(ledger.id_at(0)?);
    }
    Ok(AcceptedKeys {
        own,
        accepted: accepted.keys,
        beginnings,
        // What the lines prove is another question than whether they may come in.
        knows_ledger: true,
    })
}

/// The ledger as a reader sees it: the home's, with what counts of the file in the work tree.
#[derive(Debug)]
pub struct United {
    pub file: Option<File>,
    /// The file is the ledger itself, so what is saved of it can be used.
    pub is_ledger: bool,
    /// What there is to say of the file in the work tree.
    pub found: Option<Diagnostic>,
}

/// Reads the copies together. Changes nothing.
///
/// # Errors
/// A file cannot be read.
pub fn united(paths: &Paths) -> Result<United, open::OpenError> {
    let ledger = open::read(&paths.to_read())?;
    let alone = |file| United {
        file,
        is_ledger: true,
        found: None,
    };
    if paths.only().is_some() {
        return Ok(alone(ledger));
    }
    if paths.shared().is_none() || paths.to_read() != paths.events() {
        // The home is lost, or was never made.
        let aside = aside_in(paths, &paths.to_read());
        return match ledger {
            Some(ledger) if !aside.is_empty() => {
                let path = paths.to_read();
                let without = without(&ledger, &aside);
                let failed = |source| open::OpenError::Io { path, source };
                Ok(United {
                    file: Some(without.map_err(failed)?),
                    is_ledger: false,
                    found: None,
                })
            }
            ledger => Ok(alone(ledger)),
        };
    }
    let failed = |path: &Utf8Path| {
        let path = path.to_owned();
        move |source| open::OpenError::Io { path, source }
    };
    let lines = ledger.as_ref().map(File::try_clone).transpose();
    let lines = Lines::new(lines.map_err(failed(&paths.events()))?);
    if !has_a_line(&lines).map_err(failed(&paths.events()))? {
        // What is in the home is lost; the files of work trees have it.
        for path in paths.files() {
            let Some(copy) = open::read(&path)? else {
                continue;
            };
            let aside = aside_in(paths, &path);
            let difference = compare(paths, &lines, &copy, Trusted::AllBut(&aside));
            let difference = difference.map_err(failed(&path))?;
            if !difference.lines.is_empty() {
                let file = joined(ledger, &difference.lines).map_err(failed(&path))?;
                return Ok(United {
                    file: Some(file),
                    is_ledger: false,
                    found: None,
                });
            }
        }
    }
    let left = paths
        .state()
        .and_then(|state| LastLeft::read(state, paths.tree()));
    if left
        .as_ref()
        .is_some_and(|left| follows(left, paths, ledger.as_ref()))
    {
        return Ok(alone(ledger));
    }
    let Some(copy) = open::read(&paths.file())? else {
        return Ok(alone(ledger));
    };
    let trusted = Trusted::Left(left.as_ref());
    let difference = compare(paths, &lines, &copy, trusted).map_err(failed(&paths.file()))?;
    let found = difference.finding(paths);
    let file = match difference.lines.is_empty() {
        true => {
            return Ok(United {
                found,
                ..alone(ledger)
            });
        }
        false => joined(ledger, &difference.lines).map_err(failed(&paths.events()))?,
    };
    Ok(United {
        file: Some(file),
        is_ledger: false,
        found,
    })
}

/// Whether the file in the tree was left with the same lines as the ledger has, and nobody changed it
/// since.
pub fn follows(left: &LastLeft, paths: &Paths, ledger: Option<&File>) -> bool {
    let stands = || {
        let lines = Lines::new(ledger.and_then(|it| it.try_clone().ok()));
        lines.id(left.last).is_ok_and(|id| id == left.id)
    };
    left.same && left.is_untouched(&paths.file()) && stands()
}

/// The lines that did not count in the file of a work tree, as this machine left it.
pub fn aside_in(paths: &Paths, file: &Utf8Path) -> BTreeSet<EventId> {
    let tree = file.ancestors().nth(3);
    let left = paths.state().zip(tree);
    let left = left.and_then(|(state, tree)| LastLeft::read(state, tree));
    left.map_or_else(BTreeSet::new, |left| left.aside)
}

/// A file with the lines of this one but for these, that no other process sees.
///
/// # Errors
/// One of them cannot be read or written.
pub fn without(file: &File, aside: &BTreeSet<EventId>) -> io::Result<File> {
    let mut rest = tempfile::tempfile()?;
    let lines = Lines::new(Some(file.try_clone()?));
    let mut written = Ok(());
    if let Some(reader) = lines.reader() {
        frame::scan(reader, |raw| {
            if written.is_ok() && !aside.contains(&EventId::of_line(raw.bytes)) {
                written = rest
                    .write_all(raw.bytes)
                    .and_then(|()| rest.write_all(b"\n"));
            }
        })?;
    }
    written?;
    rest.rewind()?;
    Ok(rest)
}

/// A file with these lines behind those of the ledger, that no other process sees.
fn joined(ledger: Option<File>, lines: &[String]) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    if let Some(mut ledger) = ledger {
        ledger.rewind()?;
        io::copy(&mut ledger, &mut file)?;
        if !ends_a_line(&ledger)? {
            file.write_all(b"\n")?;
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// Whether the last byte of a file is a line end. That of an empty one is none that is missing.
///
/// # Errors
/// It cannot be read.
pub fn ends_a_line(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let len = file.metadata()?.len();
    let mut last = [b'\n'];
    if len > 0 {
        file.read_exact_at(&mut last, len - 1)?;
    }
    Ok(last == *b"\n")
}

impl Difference {
    /// What there is to say of the lines that stay where they are.
    pub fn finding(&self, paths: &Paths) -> Option<Diagnostic> {
        let file = paths.file();
        let file = paths.relative(&file);
        if self.is_merging {
            let what = format!(
                "git has not finished a merge in {file}: what it has there does not count, and \
                 nothing is written there until it is finished"
            );
            let hint = "finish or abort git's merge";
            let found = Diagnostic::new(Code::OnThisBranch, what, hint);
            return Some(found.weighing(Severity::Information));
        }
        if self.left.is_empty() {
            return None;
        }
        let lines = count(self.left.len() as u64, "line");
        let (what, hint) = match self.is_of_another {
            true => (
                format!("{file} is of another ledger: it is neither read nor changed"),
                "move one of them away: that file, or with `goal init --new` the ledger of this \
                 repository (user only)"
                    .to_owned(),
            ),
            false => (
                format!(
                    "on this branch only, and without effect: {lines} in {file}, signed neither \
                     with your key nor with one that you accepted"
                ),
                match self.keys.first() {
                    Some(key) if self.keys.len() == 1 => format!(
                        "where you know who wrote them, `goal trust --accept-key {key} --as NAME` \
                         takes them in (user only)"
                    ),
                    _ => {
                        "those that are signed come in where you accept their keys with `goal trust \
                          --accept-key KEY --as NAME` (user only); `goal verify \
                          --file PATH` names the keys"
                            .to_owned()
                    }
                },
            ),
        };
        let found = Diagnostic::new(Code::OnThisBranch, what, hint);
        Some(found.weighing(Severity::Information))
    }
}
