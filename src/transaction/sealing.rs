//! The key with which a transaction seals its lines, and what is noted when it is used on a ledger
//! for the first time.

use std::collections::BTreeSet;
use std::io;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::seal::{Key, KeyId};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;
use crate::workspace::keys::{KeyError, read_or_make};
use crate::workspace::known::Known;
use crate::workspace::readonly::names_key;

/// The key to seal with; none, and a notice that says why, where it cannot be had.
pub fn key(
    workspace: &Workspace,
    before: &Snapshot,
    notices: &mut Vec<Diagnostic>,
) -> io::Result<Option<Key>> {
    let environment = &workspace.environment;
    let Some(dirs) = &environment.dirs else {
        notices.push(unsealed(&KeyError::NoHome));
        return Ok(None);
    };
    let read_only = environment.read_only.as_deref().unwrap_or_default();
    match read_or_make(&dirs.state, environment.pinned_key()) {
        Ok(key) if names_key(read_only, key.id()) => {
            notices.push(unsealed(&KeyError::ReadOnly));
            Ok(None)
        }
        Ok(key) => {
            note_first_use(workspace, before, &key)?;
            Ok(Some(key))
        }
        Err(error) => {
            notices.push(unsealed(&error));
            Ok(None)
        }
    }
}

/// Notes which lines were there before this key, to tell them from later lines without its seal.
fn note_first_use(workspace: &Workspace, before: &Snapshot, key: &Key) -> io::Result<()> {
    let Some(dirs) = &workspace.environment.dirs else {
        return Ok(());
    };
    let root = workspace.paths.known_as();
    let known = Known::read(&dirs.state, root);
    if known.as_ref().is_some_and(|known| known.key == key.id()) {
        return Ok(());
    }
    // Other keys that the user accepted stay accepted although the user's own key was lost.
    let mut keys: BTreeSet<KeyId> = known.map(|known| known.keys).unwrap_or_default();
    let (heads, last) = match before.before_first_seal(key)? {
        // The key was used at another path: lines since then need proof, as they did there.
        Some(heads) => (heads, None),
        None => {
            keys.extend(before.keys()?);
            let last = before
                .state
                .last
                .map(|line| io::Result::Ok((line, before.id(line)?)));
            (before.chain()?.heads(), last.transpose()?)
        }
    };
    let known = Known {
        root: root.to_owned(),
        key: key.id(),
        heads,
        last,
        keys,
    };
    // If this fails, the next transaction tries again; until then the key's first seal tells it.
    let _best_effort = known.write(&dirs.state);
    Ok(())
}

fn unsealed(error: &KeyError) -> Diagnostic {
    Diagnostic::new(
        Code::NotSealed,
        format!("recorded without a seal: {error}"),
        error.hint(),
    )
}

#[cfg(test)]
mod tests;
