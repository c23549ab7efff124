//! A file and a store's ledger that are one ledger and went on apart come together: the store gets the
//! lines that only the file has, and the file becomes the store's replica (docs/stores.md).

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};

use camino::Utf8Path;

use super::TransactionError;
use super::documents::update_documents;
use super::stored::{Carried, Outgoing, note_contact, send};
use crate::domain::id::EventId;
use crate::ledger::append::Writer;
use crate::ledger::lock::DirLock;
use crate::snapshot::Snapshot;
use crate::store::helper::Helper;
use crate::store::{StoreError, StoredLedger};
use crate::workspace::Workspace;

/// Sends the lines that only the file has, and puts what the store has then in the place of the file,
/// which stays beside it under another name. Kill it at any moment: the next one goes on, for the store
/// has every line before the file is replaced.
///
/// # Errors
/// The two do not begin with the same line. [`StoreError::InPart`] where it is not known what the store
/// has.
pub fn unite(workspace: &Workspace, place: &StoredLedger) -> Result<Carried, TransactionError> {
    let paths = &workspace.paths.uncached();
    let lock = DirLock::acquire(paths.home(), place.wait)?;
    let writer = Writer::open(&lock, &paths.events())?;
    let mut outgoing = Outgoing::of(writer.file()).map_err(StoreError::Read)?;
    let mut next = || outgoing.next().map_err(StoreError::Read);
    let mut helper = Helper::start(&place.access)?;
    let (mut bytes, mut known) = (Vec::new(), BTreeSet::new());
    let tip = helper.begin(&place.ledger, 0, place.wait, &mut |line| {
        known.insert(EventId::of_line(line.as_bytes()));
        put(&mut bytes, line);
        Ok(())
    })?;
    let (mut own, mut line) = (Vec::new(), next()?);
    if !line.as_ref().is_some_and(|(_, it)| begins_with(&bytes, it)) {
        return Err(StoreError::Diverged {
            ledger: place.ledger.clone(),
            how: "they do not begin with the same line".to_owned(),
        }
        .into());
    }
    while let Some((id, text)) = line {
        if known.insert(EventId::of_line(text.as_bytes())) {
            own.push((id, text));
        }
        line = next()?;
    }
    let end = send(&mut helper, place, tip.end, &own)?;
    own.iter().for_each(|(_, line)| put(&mut bytes, line));
    let aside = format!(
        "{}.apart-{}",
        paths.events(),
        workspace.environment.now_millis()
    );
    replace(&paths.events(), Utf8Path::new(&aside), &bytes).map_err(StoreError::Read)?;
    let _said_by_the_next = update_documents(workspace, &Snapshot::read(paths)?, None);
    note_contact(workspace, &place.ledger);
    Ok(Carried {
        lines: own.len() as u64,
        end,
        warnings: tip.warnings,
        helper: helper.name,
    })
}

fn put(bytes: &mut Vec<u8>, line: &str) {
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
}

fn begins_with(bytes: &[u8], line: &str) -> bool {
    let rest = bytes.strip_prefix(line.as_bytes());
    rest.is_some_and(|it| it.first() == Some(&b'\n'))
}

/// Puts these bytes in the place of a file, of which a copy stays. Nobody ever finds half of either.
fn replace(path: &Utf8Path, aside: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = format!("{path}.tmp");
    fs::copy(path, &temporary)?;
    File::open(&temporary)?.sync_all()?;
    fs::rename(&temporary, aside)?;
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    let dir = path.parent().unwrap_or(Utf8Path::new("."));
    File::open(dir)?.sync_all()
}
