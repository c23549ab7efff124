//! What a goal's own work tree lacks of the caller's is brought there once (docs/runner.md#a-tree-of-its-own):
//! files that git ignores are copied (`copy` of `[runner]`), and the set-up command runs there (`setup`).

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::time::Duration;

use camino::Utf8Path;

use super::git::Git;
use super::tree::busy;
use super::{Observer, RunUpdate, Signals};
use crate::domain::run::state::Choices;
use crate::ledger::lock::{Lock, LockError};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::process::{self, Ending, Invocation};
use crate::render::text::{clean, one_line, shell_word, short};
use crate::roles::command::{Configured, may_run};
use crate::workspace::config::{Runner as Settings, Source, Table};
use crate::workspace::git::git_dir;
use crate::workspace::judge::located;
use crate::workspace::readonly;

/// How long the command may take.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Most bytes of what it writes that are read; its log has all.
const OUTPUT: usize = 16 * 1024;

/// Most characters of its last line that are told.
const LAST: usize = 300;

/// In git's directory of the tree: that it was set up, and what the command wrote.
const DONE: &str = "goal-setup-done";
const LOGS: [&str; 2] = ["goal-setup.stdout", "goal-setup.stderr"];

/// How a run in a tree of the goal's own goes about it, as far as who is refused there is told.
const OWN_TREE: Choices = Choices {
    worktree: true,
    commit: false,
    plan: false,
};

/// Why the tree cannot be set up as things stand; nothing where it can be, or nothing is to be done.
pub(super) fn untrusted(call: &Call, settings: &Settings) -> Option<Failure> {
    let setup = settings.setup.as_ref().map(|it| (Table::Setup, it.source));
    let copies = !settings.copy.value.0.is_empty();
    let copy = copies.then_some((Table::Copy, settings.copy.source));
    setup.into_iter().chain(copy).find_map(|(table, source)| {
        let configured = Configured {
            table: table.to_string(),
            source,
        };
        // What is built in is nobody's to trust.
        if source == Source::Default {
            return None;
        }
        let loaded = call.workspace.config_files();
        let allowed = loaded.map_err(Failure::from).and_then(|loaded| {
            may_run(&call.workspace, call.caller.actor, &loaded, &configured)
                .map_err(|why| Failure::untrusted(format!("`{table}` may not be used: {why}")))
        });
        allowed.err()
    })
}

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
    if let Some(untrusted) = untrusted(call, settings) {
        return Err(untrusted);
    }
    // Another run of the goal may set it up now.
    let _alone = Lock::acquire(tree, Duration::ZERO).map_err(|error| match error {
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
        let shown: Vec<String> = setup.value.0.iter().map(|it| shell_word(it)).collect();
        let shown = one_line(&shown.join(" "));
        tell(RunUpdate::Say(format!(
            "Sets up the goal's work tree, once: {shown}"
        )));
        ran(tree, &setup.value.0, &shown, &dir, signals)?;
    }
    fs::write(&done, "").map_err(|error| Failure::io(&error, "then run it again"))?;
    Ok(settings.setup.is_some())
}

/// Runs the command in the tree.
fn ran(
    tree: &Utf8Path,
    argv: &[String],
    shown: &str,
    dir: &Utf8Path,
    signals: &Signals,
) -> Result<(), Failure> {
    let mut argv = argv.to_vec();
    let search_path = std::env::var_os("PATH");
    if let Some(program) = argv.first_mut()
        && let Some(found) = located(program, tree, search_path.as_deref())
    {
        *program = found.into_string();
    }
    let logs = LOGS.map(|name| dir.join(name));
    let invocation = Invocation {
        argv,
        cwd: tree.to_owned(),
        env: readonly::child_environment(tree),
        stdout_cap: OUTPUT,
        only_end: true,
        stderr_tail: OUTPUT,
        written_to: Some(logs.clone()),
        deadline: PATIENCE,
        ..Invocation::default()
    };
    let hint = format!(
        "see {} and {}, mend it, then run it again",
        logs[0], logs[1]
    );
    let finished = process::run(&invocation, &|| signals.interrupted())
        .map_err(|error| failed(&error.to_string(), &hint))?;
    match finished.ending {
        Ending::Exited(0) => Ok(()),
        Ending::Cancelled => Err(Failure::new(
            "interrupted",
            "interrupted while the goal's work tree was set up",
            "run it again",
        )),
        ending => {
            let text = |bytes: &[u8]| clean(&String::from_utf8_lossy(bytes));
            let said = [text(&finished.stdout), text(&finished.stderr_tail)].concat();
            let last = said.lines().rev().find(|it| !it.trim().is_empty());
            let last = last.map_or_else(String::new, |it| format!(": {}", short(it.trim(), LAST)));
            let why = format!("`{shown}` ended with {}{last}", ending.said(PATIENCE));
            Err(failed(&why, &hint))
        }
    }
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
