//! What a goal's own work tree lacks of the caller's is brought there once (docs/runs.md#a-tree-of-its-own):
//! files that git ignores are copied (`copy` of `[runner]`), and the set-up command runs there (`setup`).

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::time::Duration;

use camino::Utf8Path;

use super::git::Git;
use super::own_command::{NotDone, OwnCommand};
use super::preflight::untrusted;
use super::tree::busy;
use super::{Observer, RunUpdate, Signals};
use crate::domain::run::state::Choices;
use crate::ledger::lock::{DirLock, LockError};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::workspace::config::Runner as Settings;
use crate::workspace::git::git_dir;
use crate::workspace::readonly;

/// In git's directory of the tree: that it was set up, and what the command wrote.
const DONE: &str = "goal-setup-done";
const LOGS: [&str; 2] = ["goal-setup.stdout", "goal-setup.stderr"];

/// How a run in a tree of the goal's own goes about it, as far as who is refused there is told.
const OWN_TREE: Choices = Choices {
    worktree: true,
    commit: false,
    plan: false,
};

/// Brings into the goal's own tree what the configuration says, unless that was done before. Whether the
/// set-up command ran, which may leave something to commit.
///
/// # Errors
/// `config_untrusted`; `setup_failed`; `interrupted`.
pub(super) fn set_up(
    call: &Call,
    tree: &Utf8Path,
    settings: &Settings,
    signals: &Signals,
    tell: &mut Observer<'_>,
) -> Result<bool, Failure> {
    if settings.setup.is_none() && settings.copy.value.0.is_empty() {
        return Ok(false);
    }
    let Some(dir) = git_dir(tree) else {
        return Err(failed("git does not know it", "see what git says"));
    };
    let done = dir.join(DONE);
    if done.exists() {
        return Ok(false);
    }
    if let Some(untrusted) = untrusted(call, settings, true) {
        return Err(untrusted);
    }
    // Another run of the goal may set it up now.
    let _alone = DirLock::acquire(tree, Duration::ZERO).map_err(|error| match error {
        LockError::Timeout { .. } => busy(call, tree, OWN_TREE, None),
        error => error.into(),
    })?;
    if done.exists() {
        return Ok(false);
    }
    for path in &settings.copy.value.0 {
        copied(call, tree, Utf8Path::new(path), tell)?;
    }
    if let Some(setup) = &settings.setup {
        let command = OwnCommand {
            argv: &setup.value.0,
            tree,
            env: readonly::child_environment(tree),
            logs: LOGS.map(|name| dir.join(name)),
        };
        tell(RunUpdate::Say(format!(
            "Sets up the goal's work tree, once: {}",
            command.shown()
        )));
        let hint = format!(
            "see {}, mend it, then run it again",
            command.where_to_look()
        );
        match command.run(signals) {
            Ok(()) => {}
            Err(NotDone::Interrupted) => {
                return Err(Failure::new(
                    "interrupted",
                    "interrupted while the goal's work tree was set up",
                    "run it again",
                ));
            }
            Err(NotDone::Failed(why)) => return Err(failed(&why, &hint)),
        }
    }
    fs::write(&done, "").map_err(|error| Failure::io(&error, "then run it again"))?;
    Ok(settings.setup.is_some())
}

/// Copies a file or a directory that git ignores, unless it is there.
fn copied(
    call: &Call,
    tree: &Utf8Path,
    path: &Utf8Path,
    tell: &mut Observer<'_>,
) -> Result<(), Failure> {
    let root = &call.workspace.root.path;
    let (from, to) = (root.join(path), tree.join(path));
    if from.symlink_metadata().is_err() {
        tell(RunUpdate::Say(format!(
            "{path} is not there, so it is not copied into the goal's work tree."
        )));
        return Ok(());
    }
    // On the goal's branch, which may have other rules. Of a directory that is not there yet git has to be
    // told that it is one.
    let named = match from.is_dir() {
        true => format!("{path}/"),
        false => path.to_string(),
    };
    let git = Git::of(call, &|| false);
    let is_ignored = git.is_some_and(|git| {
        let ask = ["check-ignore", "--quiet", named.as_str()];
        git.inside(tree).run(&ask).is_ok()
    });
    if !is_ignored {
        let why = format!(
            "{path} is to be copied, and git does not ignore it there, so it could be committed"
        );
        return Err(failed(
            &why,
            "take it out of `copy` in `[runner]`, or commit a rule by which git ignores it on the goal's branch",
        ));
    }
    let copy = || {
        let dir = to.parent().unwrap_or(tree);
        fs::create_dir_all(dir)?;
        // A link that is committed may lead elsewhere.
        if !dir
            .canonicalize_utf8()?
            .starts_with(tree.canonicalize_utf8()?)
        {
            return Err(io::Error::other("a link there leads out of the work tree"));
        }
        copy_missing(&from, &to)
    };
    copy().map_err(|error| {
        failed(
            &format!("{path} cannot be copied: {error}"),
            "then run it again",
        )
    })
}

/// Copies what is not there: files, directories with all below them, and links as links.
fn copy_missing(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    let kind = from.symlink_metadata()?.file_type();
    let is_there = to.symlink_metadata().is_ok();
    if kind.is_dir() {
        fs::create_dir_all(to)?;
        for entry in from.read_dir_utf8()? {
            let entry = entry?;
            copy_missing(entry.path(), &to.join(entry.file_name()))?;
        }
    } else if kind.is_symlink() && !is_there {
        symlink(from.read_link()?, to)?;
    } else if kind.is_file() && !is_there {
        fs::copy(from, to)?;
    }
    Ok(())
}

fn failed(why: &str, hint: &str) -> Failure {
    let message = format!("the goal's work tree cannot be set up: {why}");
    Failure::new("setup_failed", message, hint)
}
