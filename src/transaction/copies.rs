//! The copies of the ledger are kept together (docs/machines.md): the first write makes the home in git's
//! directory, each write takes in what counts of the file in its work tree, and writes that file after the
//! home.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::documents::update_documents;
use super::kept::LinesHome::AsItSays;
use super::place;
use super::tree::left_at;
use super::{TransactionError, in_turn};
use crate::documents::header::{Style, style};
use crate::documents::notes::notes_of;
use crate::documents::store::{self, scan};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::EventId;
use crate::ledger::lines::Lines;
use crate::ledger::lock::DirLock;
use crate::ledger::open;
use crate::render::text::count;
use crate::snapshot::Snapshot;
use crate::snapshot::copies::{
    Difference, Trusted, aside_in, compare, follows, has_a_line, without,
};
use crate::workspace::accepted::Accepted;
use crate::workspace::document_name::DocumentKind;
use crate::workspace::gate;
use crate::workspace::home::GitTree;
use crate::workspace::looked::LastLook;
use crate::workspace::paths::PathError;
use crate::workspace::records::RootRecord;
use crate::workspace::tip::TipStamp;
use crate::workspace::{Paths, Workspace};

/// Makes the home where there is a ledger and none yet: before a lock or a lease is taken in it.
///
/// # Errors
/// See [`unite`].
pub fn settle_home(workspace: &Workspace, wait: Duration) -> Result<(), TransactionError> {
    let paths = &workspace.paths;
    let is_due = paths.git().is_some() && paths.shared().is_none() && !workspace.read_only;
    if is_due && place::has_ledger(workspace) {
        unite(workspace, wait)?;
    }
    Ok(())
}

/// Makes the home where there is none, and takes in what counts of the file in this work tree. Says what
/// was done.
///
/// # Errors
/// The repository is not there, the home cannot be written, or a file cannot be read.
pub fn unite(workspace: &Workspace, wait: Duration) -> Result<Vec<Diagnostic>, TransactionError> {
    let paths = &workspace.paths;
    let is_made = match paths.git().filter(|_| paths.shared().is_none()) {
        Some(git) => make_home(workspace, git, wait)?,
        None => false,
    };
    // A home that was made just now, or lost its lines, wants those of every work tree.
    let wants_all = is_made || is_lost(paths)?;
    let mut said = take_in(workspace, paths, wait)?;
    for tree in paths
        .git()
        .filter(|_| wants_all)
        .map_or_else(Vec::new, GitTree::others)
    {
        said.extend(take_in(workspace, &Paths::new(&tree), wait)?);
    }
    Ok(said)
}

/// Whether there is a home that has no line, since somebody emptied it or took the file away.
fn is_lost(paths: &Paths) -> Result<bool, TransactionError> {
    if paths.shared().is_none() {
        return Ok(false);
    }
    let path = paths.events();
    let has_a_line = has_a_line(&Lines::new(open::read(&path)?)).map_err(unusable(&path))?;
    Ok(!has_a_line)
}

/// Makes the home of what is there: of the file in this work tree, or where it has none, in another one.
/// Whether this process made it. Nobody sees half of it.
fn make_home(
    workspace: &Workspace,
    git: &GitTree,
    wait: Duration,
) -> Result<bool, TransactionError> {
    let paths = &workspace.paths;
    let source = paths.to_read();
    let own = source.parent().unwrap_or(paths.own());
    let _lock = match own.is_dir() {
        true => Some(DirLock::acquire(own, wait)?),
        false => None,
    };
    let home = git.home();
    let above = home.parent().unwrap_or(&home);
    fs::create_dir_all(above).map_err(unusable(above))?;
    let aside = aside_in(paths, &source);
    let made = Utf8PathBuf::from(format!("{home}.new-{}", std::process::id()));
    build(&made, own, &aside, workspace.environment.entropy()).map_err(unusable(&made))?;
    match fs::rename(&made, &home) {
        Ok(()) => sync(above).map_err(unusable(above))?,
        // Another process was faster: what is here is taken in.
        Err(_) if paths.shared().is_some() => {
            fs::remove_dir_all(&made).map_err(unusable(&made))?;
            return Ok(false);
        }
        Err(error) => return Err(unusable(&home)(error).into()),
    }
    let tree = own.ancestors().nth(2).unwrap_or(paths.tree());
    carry_records(workspace, tree, &home);
    Ok(true)
}

/// Makes a home in `made`, with the ledger, but for the lines that did not count, and the leases of the
/// `.pi/goals` at `own`.
fn build(
    made: &Utf8Path,
    own: &Utf8Path,
    aside: &BTreeSet<EventId>,
    entropy: u64,
) -> io::Result<()> {
    match fs::remove_dir_all(made) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::create_dir(made)?,
    }
    GitTree::name_clone(made, entropy)?;
    let [from, to] = [own, made].map(|it| it.join("goal_events.jsonl"));
    match open::read(&from).map_err(io::Error::other)? {
        Some(file) if !aside.is_empty() => write_new(&mut without(&file, aside)?, &to)?,
        Some(mut file) => write_new(&mut file, &to)?,
        None => {}
    }
    if let Ok(locks) = own.join(".locks").read_dir_utf8() {
        fs::create_dir(made.join(".locks"))?;
        for entry in locks.flatten() {
            if entry.path().extension() == Some("lock") && entry.file_type()?.is_file() {
                let to = made.join(".locks").join(entry.file_name());
                copy_if_there(entry.path(), &to)?;
            }
        }
    }
    sync(made)
}

pub(super) fn copy_if_there(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    match open::read(from).map_err(io::Error::other)? {
        Some(mut source) => write_new(&mut source, to),
        None => Ok(()),
    }
}

/// Writes all of a file into a new one, durably.
fn write_new(source: &mut File, to: &Utf8Path) -> io::Result<()> {
    let mut target = File::create(to)?;
    io::copy(source, &mut target)?;
    target.sync_all()
}

fn sync(dir: &Utf8Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// What the user's own directories say of the ledger goes with it. What cannot be written is as if
/// the ledger were new here.
fn carry_records(workspace: &Workspace, from: &Utf8Path, to: &Utf8Path) {
    if let Some(own) = &workspace.environment.dirs {
        if let Some(looked) = LastLook::read(&own.state, from) {
            let root = to.to_owned();
            let _best_effort = LastLook { root, ..looked }.write(&own.state);
        }
        if let Some(key) = workspace.own_key() {
            let _best_effort = TipStamp::copy_to_root(&own.state, from, to, &key);
            let _best_effort = Accepted::copy_to_root(&own.state, from, to, &key);
            let _best_effort = gate::carry(&own.state, from, to, &key);
        }
    }
}

/// Takes in what counts of the file in the work tree `of`, and the Notes that an earlier version kept in
/// the home. Says so.
fn take_in(
    workspace: &Workspace,
    of: &Paths,
    wait: Duration,
) -> Result<Vec<Diagnostic>, TransactionError> {
    let paths = &workspace.paths;
    if paths.shared().is_none() {
        return Ok(Vec::new());
    }
    let mut said = Vec::new();
    let home = paths.home().to_owned();
    if let Some(moved) = move_documents(&home, paths).map_err(unusable(&home))? {
        let _said_by_the_next =
            update_documents(workspace, &Snapshot::read(&paths.uncached())?, None);
        said.push(moved);
    }
    let left = left_at(workspace, of.tree());
    let ledger = open::read(&paths.events())?;
    if left
        .as_ref()
        .is_some_and(|left| follows(left, of, ledger.as_ref()))
    {
        return Ok(said);
    }
    drop(ledger);
    let whole = paths.uncached();
    let aside = left
        .as_ref()
        .map_or_else(BTreeSet::new, |left| left.aside.clone());
    let difference = in_turn(workspace, &whole, wait, AsItSays, |turn, before| {
        let Some(copy) = open::read(&of.file())? else {
            return Ok(Difference::default());
        };
        let ledger = Lines::new(open::read(&whole.events())?);
        // A home that is lost is what the file says; else what is there says whose lines count.
        let trusted = match has_a_line(&ledger)? {
            false => Trusted::AllBut(&aside),
            true => Trusted::Left(left.as_ref()),
        };
        let difference = compare(paths, &ledger, &copy, trusted)?;
        if !difference.lines.is_empty() {
            turn.append(&difference.lines, &before.extent)?;
        }
        Ok(difference)
    })?;
    if !difference.lines.is_empty() {
        let many = difference.lines.len() as u64;
        let (lines, are) = (count(many, "line"), if many == 1 { "is" } else { "are" });
        said.push(Diagnostic::new(
            Code::LinesTakenIn,
            format!(
                "{lines} that only {} had {are} now in the ledger",
                of.file()
            ),
            "nothing to do",
        ));
    }
    Ok(said)
}

/// The documents that an earlier version kept in the home go into the work tree, where they are made anew:
/// the home keeps their Notes.
fn move_documents(home: &Utf8Path, paths: &Paths) -> io::Result<Option<Diagnostic>> {
    let mut moved = 0;
    let places = [
        (
            home.to_owned(),
            DocumentKind::Active,
            paths.own().to_owned(),
        ),
        (
            home.join("archived"),
            DocumentKind::Archived,
            paths.archived(),
        ),
    ];
    for (from, kind, to) in places {
        for entry in scan(&from, kind).map(|it| it.entries).unwrap_or_default() {
            let text = store::read(&entry.path).map_err(io::Error::other)?;
            if style(&text) == Style::BareJson {
                fs::create_dir_all(&to)?;
                let name = entry.path.file_name().unwrap_or_default();
                fs::hard_link(&entry.path, to.join(name)).or_else(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => Ok(()),
                    _ => fs::copy(&entry.path, to.join(name)).map(drop),
                })?;
            } else if let (Some(notes), Some(kept)) = (notes_of(&text), paths.notes(&entry.id))
                && !notes.trim().is_empty()
                && !kept.exists()
            {
                fs::create_dir_all(kept.parent().unwrap_or(home))?;
                fs::write(&kept, notes)?;
            }
            fs::remove_file(&entry.path)?;
            moved += 1;
        }
    }
    Ok((moved > 0).then(|| {
        Diagnostic::new(
            Code::LinesTakenIn,
            format!(
                "{} went from {home} into `.pi/goals` of this work tree: each work tree has them \
                 now, with the same Notes",
                count(moved, "document")
            ),
            "nothing to do",
        )
    }))
}

pub(super) fn unusable(path: &Utf8Path) -> impl FnOnce(io::Error) -> PathError {
    let path = path.to_owned();
    move |cause| PathError::Io { path, cause }
}
