//! Ledgers that belong to a store (docs/stores.md): our turn there, and bringing file and store
//! together.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::time::Duration;

use super::TransactionError;
use super::documents::update_documents;
use super::kept::LinesHome;
use crate::domain::actor::Actor;
use crate::domain::event::{Event, Payload};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::time::rfc3339;
use crate::domain::wire::event_of_line;
use crate::ledger::append::Writer;
use crate::ledger::lock::DirLock;
use crate::snapshot::Snapshot;
use crate::store::helper::{Access, Helper};
use crate::store::protocol::{Line, Warning};
use crate::store::replica::Incoming;
use crate::store::{
    AppendTurn, Replica, StoreError, StoreTurn, StoredLedger, confirmed, is_unknown,
};
use crate::workspace::config::resolve;
use crate::workspace::contact::Contact;
use crate::workspace::{Paths, Workspace};

/// How many bytes of lines are sent at once.
const AT_ONCE: usize = 1024 * 1024;

/// What went between file and store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Carried {
    pub lines: u64,
    /// The store's end.
    pub end: u64,
    pub warnings: Vec<Warning>,
    /// What the helper calls itself.
    pub helper: String,
}

/// The helper of the user's configuration, for a ledger of this name.
///
/// # Errors
/// None is configured, or it lies in the project.
pub fn place(
    workspace: &Workspace,
    ledger: &str,
    wait: Duration,
) -> Result<StoredLedger, TransactionError> {
    let Some(access) = access(workspace)? else {
        return Err(StoreError::NoHelper {
            ledger: ledger.to_owned(),
        }
        .into());
    };
    Ok(StoredLedger {
        access,
        ledger: ledger.to_owned(),
        wait,
        claim: workspace.environment.claim.clone(),
    })
}

/// The helper of the user's configuration, if there is one.
///
/// # Errors
/// It lies in the project.
pub fn access(workspace: &Workspace) -> Result<Option<Access>, TransactionError> {
    let keys = resolve(&workspace.config_files()?).keys;
    let Some(command) = keys.store.command.map(|it| it.value.0) else {
        return Ok(None);
    };
    if workspace.has_own_file(&command) {
        let program = command.into_iter().next().unwrap_or_default();
        return Err(StoreError::InProject { program }.into());
    }
    Ok(Some(Access {
        command,
        cwd: workspace.root.path.clone(),
    }))
}

/// Starts the helper for the turn that comes soon, where the ledger was in a store the last time, so that
/// it connects while others have the lock. A project without a store looks for that note and no more.
pub(super) fn prepare(workspace: &Workspace) {
    if Contact::any(&workspace.paths).is_some()
        && let Ok(Some(access)) = access(workspace)
    {
        access.prepare();
    }
}

/// Takes our turn, with the project as it stands once the file is up to date.
pub(super) fn begin<'lock>(
    workspace: &Workspace,
    paths: &Paths,
    place: StoredLedger,
    kept: LinesHome<'_>,
    lock: &'lock DirLock,
    (writer, before): (Writer<'lock>, Snapshot),
) -> Result<(AppendTurn<'lock>, Snapshot), TransactionError> {
    let ledger = place.ledger.clone();
    let replica = Replica {
        lock,
        path: paths.events(),
        writer,
        extent: before.extent,
    };
    let may_come_in = |bytes: &[u8]| match kept {
        LinesHome::AsItSays => refuse_left(&ledger, bytes),
        _ => Ok(()),
    };
    let (turn, came_in) = StoreTurn::begin(place, replica, may_come_in)?;
    note_contact(workspace, &ledger);
    let before = match came_in {
        false => before,
        true => Snapshot::of_open(turn.file(), paths)?,
    };
    match &before.state.store {
        Some(now) if *now != ledger => {
            let why = "the ledger has another name in the store now".to_owned();
            Err(StoreError::Moved { ledger, why }.into())
        }
        // Somebody took it out of the store, as the lines say that came in.
        None if kept == LinesHome::Leaving => Ok((AppendTurn::File(turn.leave()), before)),
        _ => Ok((AppendTurn::Store(Box::new(turn)), before)),
    }
}

/// Refuses lines of a store that end with the ledger outside it: whoever has not followed would write
/// where the others do not look.
///
/// # Errors
/// [`StoreError::Left`]
pub fn refuse_left(ledger: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let Some((line, event)) = last_said(bytes) else {
        return Ok(());
    };
    if !matches!(event.payload, Payload::StoreLeft(_)) {
        return Ok(());
    }
    let by = event.envelope.by.map_or("unknown actor", Actor::name);
    let session = event.envelope.session.as_ref();
    let in_session = session.map(|it| format!(", session {it},"));
    Err(StoreError::Left {
        ledger: ledger.to_owned(),
        by: format!("the {by}{}", in_session.unwrap_or_default()),
        at: event.at,
        line,
    })
}

/// Notes that lines were read from the store just now.
pub(super) fn note_contact(workspace: &Workspace, ledger: &str) {
    let contact = Contact {
        ledger: ledger.to_owned(),
        at: rfc3339(workspace.environment.now_millis()),
        unsettled: false,
    };
    // Without it nobody is told how old the file is.
    let _best_effort = contact.keep(&workspace.paths);
}

/// Brings the file up to what the store has. `begins` says that there is no ledger yet, and that this
/// one is to be it.
pub fn pull(
    workspace: &Workspace,
    place: &StoredLedger,
    begins: bool,
) -> Result<Carried, TransactionError> {
    let paths = &workspace.paths.uncached();
    let lock = DirLock::acquire(paths.home(), place.wait)?;
    let writer = Writer::open(&lock, &paths.events())?;
    let before = Snapshot::of_open(writer.file(), paths)?;
    let is_unsettled = Contact::read(paths, &place.ledger).is_some_and(|it| it.unsettled);
    let (helper, (bytes, tip)) = place.access.ask(|helper| {
        let mut incoming =
            Incoming::behind(writer.file(), before.extent).map_err(StoreError::Read)?;
        let (ledger, from) = (&place.ledger, incoming.from());
        let mut take = |line: &str| incoming.take(ledger, line);
        let tip = match is_unsettled {
            false => helper.watch(ledger, from, Duration::ZERO, &mut take)?,
            // In a turn every append before it is decided.
            true => {
                let tip = helper.begin(ledger, from, place.wait, &mut take)?;
                confirmed(helper, tip.end)?;
                tip
            }
        };
        Ok((incoming.up_to(tip.end)?, tip))
    })?;
    let name = helper.name.clone();
    place.access.keep(helper);
    if begins && joined(&bytes).as_ref() != Some(&place.ledger) {
        return Err(StoreError::Refused {
            why: format!(
                "no line of the store's ledger `{}` says that it belongs to a store under this name",
                place.ledger
            ),
        }
        .into());
    }
    refuse_left(&place.ledger, &bytes)?;
    let lines = memchr::memchr_iter(b'\n', &bytes).count() as u64;
    if !bytes.is_empty() {
        writer.extend(&bytes, &before.extent)?;
        let _said_by_the_next = update_documents(workspace, &Snapshot::read(paths)?, None);
    }
    note_contact(workspace, &place.ledger);
    Ok(Carried {
        lines,
        end: tip.end,
        warnings: tip.warnings,
        helper: name,
    })
}

/// The store to which a ledger with these lines belongs.
fn joined(bytes: &[u8]) -> Option<String> {
    match last_said(bytes)?.1.payload {
        Payload::StoreJoined(joined) => Some(joined.ledger),
        _ => None,
    }
}

/// The last of these lines that says whether the ledger belongs to a store.
fn last_said(bytes: &[u8]) -> Option<(EventId, Event)> {
    let mut lines = bytes.split(|&byte| byte == b'\n').rev();
    lines.find_map(|line| {
        let event = event_of_line(LineRef::START, line)?;
        let says = matches!(
            event.payload,
            Payload::StoreJoined(_) | Payload::StoreLeft(_)
        );
        (says && event.envelope.is_ours()).then(|| (EventId::of_line(line), event))
    })
}

/// Sends what the file has and the store lacks: all of it where the ledger is to be in the store from
/// now on. Kill it at any moment: the next one goes on.
///
/// # Errors
/// The two differ, or a line of the file cannot be sent. [`StoreError::InPart`] where it broke off.
pub fn push(
    workspace: &Workspace,
    place: &StoredLedger,
    creates: bool,
) -> Result<Carried, TransactionError> {
    let paths = &workspace.paths;
    let lock = DirLock::acquire(paths.home(), place.wait)?;
    let writer = Writer::open(&lock, &paths.events())?;
    let file = writer.file();
    if let Some(file) = file {
        all_can_be_sent(file, creates)
            .map_err(StoreError::Read)?
            .map_or(Ok(()), |why| Err(StoreError::Refused { why }))?;
    }
    let mut helper = Helper::start(&place.access)?;
    if creates && helper.can("create") {
        helper.create(&place.ledger)?;
    }
    let mut outgoing = Outgoing::of(file).map_err(StoreError::Read)?;
    let mut tip = helper.begin(&place.ledger, 0, place.wait, &mut |line| {
        outgoing.compare(&place.ledger, line)
    })?;
    let mut sent = 0;
    loop {
        let lines = outgoing.next_batch().map_err(StoreError::Read)?;
        if lines.is_empty() {
            break;
        }
        let end = send(&mut helper, place, tip.end, &lines)?;
        sent += lines.len() as u64;
        let next = helper.begin(&place.ledger, end, place.wait, &mut |_| Ok(()));
        tip = next.map_err(|error| in_part(error.cause()))?;
        if tip.end != end {
            return Err(in_part("others appended between two parts".to_owned()).into());
        }
    }
    note_contact(workspace, &place.ledger);
    Ok(Carried {
        lines: sent,
        end: tip.end,
        warnings: tip.warnings,
        helper: helper.name,
    })
}

/// Appends lines of the file in the turn that was begun, and gives the end behind them.
///
/// # Errors
/// [`StoreError::InPart`] where it is not known whether the store has them.
pub(super) fn send(
    helper: &mut Helper,
    place: &StoredLedger,
    after: u64,
    lines: &[(Option<EventId>, String)],
) -> Result<u64, StoreError> {
    let batch: Vec<Line<'_>> = lines
        .iter()
        .map(|(id, line)| Line { id: *id, line })
        .collect();
    helper
        .append(after, &batch, None)
        .map_err(|failed| match is_unknown(&failed) {
            true => in_part(failed.said()),
            false => failed.into_error(&place.ledger, place.wait),
        })
}

fn in_part(why: String) -> StoreError {
    StoreError::InPart { why }
}

/// The lines of a file that are sent: those that the store lacks.
pub(super) struct Outgoing {
    file: Option<BufReader<File>>,
    /// The ids of the lines of ours so far: a union merge can have left one twice.
    seen: BTreeSet<EventId>,
    /// The number of the latest line.
    number: u64,
}

impl Outgoing {
    pub(super) fn of(file: Option<&File>) -> io::Result<Outgoing> {
        let file = file.map(from_start).transpose()?;
        Ok(Outgoing {
            file,
            seen: BTreeSet::new(),
            number: 0,
        })
    }

    /// The next line of the file; nothing at its end.
    pub(super) fn next(&mut self) -> io::Result<Option<(Option<EventId>, String)>> {
        let Some(file) = &mut self.file else {
            return Ok(None);
        };
        let mut line = String::new();
        if file.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if line.ends_with('\n') {
            line.pop();
        }
        let event = event_of_line(LineRef::START, line.as_bytes());
        let is_ours = event.is_some_and(|it| it.envelope.is_ours());
        let id = is_ours.then(|| EventId::of_line(line.as_bytes()));
        Ok(Some((id.filter(|id| self.seen.insert(*id)), line)))
    }

    /// The store has this line next.
    fn compare(&mut self, ledger: &str, theirs: &str) -> Result<(), StoreError> {
        let ours = self.next().map_err(StoreError::Read)?;
        let how = match ours {
            Some((_, line)) if line == theirs => return Ok(()),
            Some(_) => format!("line {} is another one in the store", self.number),
            None => {
                "the store has lines that the file lacks; `goal store pull` brings them".to_owned()
            }
        };
        Err(StoreError::Diverged {
            ledger: ledger.to_owned(),
            how,
        })
    }

    /// As many lines as are sent at once.
    fn next_batch(&mut self) -> io::Result<Vec<(Option<EventId>, String)>> {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while bytes < AT_ONCE {
            let Some((id, line)) = self.next()? else {
                break;
            };
            bytes += line.len();
            lines.push((id, line));
        }
        Ok(lines)
    }
}

/// Why a file cannot be sent as it is; nothing where it can. `creates` says that the ledger belongs to no
/// store yet, so that commands go on writing to the file alone.
fn all_can_be_sent(file: &File, creates: bool) -> io::Result<Option<String>> {
    let mut file = from_start(file)?;
    let (mut number, mut line) = (0_u64, Vec::new());
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        number += 1;
        if std::str::from_utf8(&line).is_err() {
            return Ok(Some(format!("line {number} of the file is not UTF-8")));
        }
        if line.last() != Some(&b'\n') {
            let next = match creates {
                true => "the next command that records something, such as `goal note`, ends it",
                false => {
                    "keep a copy of the file, move it away, and `goal store pull NAME` takes the \
                     ledger from the store"
                }
            };
            return Ok(Some(format!(
                "the last line of the file has no line end; {next}"
            )));
        }
    }
}

fn from_start(file: &File) -> io::Result<BufReader<File>> {
    use std::io::Seek;
    let mut file = file.try_clone()?;
    file.rewind()?;
    Ok(BufReader::new(file))
}
