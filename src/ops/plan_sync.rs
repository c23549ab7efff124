//! The boxes of a plan file, kept in step with the goal's tasks.

use std::fs;
use std::io::{self, Write as _};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use crate::domain::task::plan_file::{Source, sync as set_boxes};
use crate::ledger::open::read_followed;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::tasks::Tasked;
use crate::ops::transacted::Outcome;
use crate::render::text::one_line;
use crate::render::view::SyncedView;

/// Sets the boxes of a plan file as the tasks of the goal stand.
///
/// # Errors
/// The file is none of the project's, cannot be read or written, or has no boxes that are known.
pub fn sync(call: &Call, file: &Utf8Path, only_say: bool) -> Result<Outcome<Tasked>, Failure> {
    call.refuse_auditor()?;
    let path = in_project(call, file)?;
    let refused = |problem: String| {
        let message = format!("`{}` {problem}", one_line(file.as_str()));
        Failure::usage(message, "name the plan file that the tasks were read from")
    };
    let unreadable = |error: io::Error| refused(format!("cannot be read: {error}"));
    let bytes = read_followed(&path).map_err(unreadable)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| refused("is not UTF-8".into()))?;
    let snapshot = call.look()?;
    let goal = call.target(&snapshot)?;
    let source = Source {
        path: file.as_str(),
        text,
    };
    let synced = set_boxes(&source, &goal.tasks);
    let synced = synced.map_err(|error| refused(format!("is no plan: {error}")))?;
    let Some(synced) = synced else {
        return Err(refused(
            "is in a format whose boxes are not kept in step".into(),
        ));
    };
    let changes = synced.text.as_bytes() != bytes;
    let writes = changes && !only_say;
    if writes {
        let written = write(&path, &bytes, synced.text.as_bytes());
        written.map_err(|error| refused(format!("cannot be written: {error}")))?;
    }
    let tasked = Tasked {
        synced: Some(SyncedView::of(file.as_str(), &synced, writes)),
        ..crate::ops::tasks::shown(call, &snapshot, goal)
    };
    Ok(Outcome::seen(&snapshot, goal, tasked)?)
}

/// Where the file really is, which must be in the project and not among the ledger's files.
fn in_project(call: &Call, file: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
    let refused = |problem: &str| {
        let message = format!("`{}` {problem}", one_line(file.as_str()));
        Failure::usage(message, "name a plan file of the project")
    };
    let path = call.workspace.environment.cwd.join(file);
    let path = path
        .canonicalize_utf8()
        .map_err(|error| refused(&format!("cannot be read: {error}")))?;
    let is_below = |directory: &Utf8Path| {
        let directory = directory.canonicalize_utf8();
        directory.is_ok_and(|it| path.starts_with(it))
    };
    if !is_below(&call.workspace.root.path) {
        return Err(refused("is, or links to, a file outside of the project"));
    }
    let homes = [call.workspace.paths.home(), call.workspace.paths.own()];
    if homes.into_iter().any(is_below) {
        return Err(refused("is among the files of the ledger"));
    }
    Ok(path)
}

/// Puts the new text in the place of the old one, by rename, with the same permissions.
fn write(path: &Utf8Path, before: &[u8], after: &[u8]) -> io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::other("it is read-only"));
    }
    let mut file = NamedTempFile::new_in(path.parent().unwrap_or(path))?;
    file.write_all(after)?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    if read_followed(path)? != before {
        return Err(io::Error::other("it was changed meanwhile"));
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
