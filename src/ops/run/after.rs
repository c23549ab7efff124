//! What the configuration wants done behind a run (`after` of `[runner]`), as to push its branch or to open a
//! pull request. The run is over and on record by then.

use camino::Utf8Path;

use super::git::Git;
use super::own_command::{NotDone, OwnCommand};
use super::{Observer, Ran, RunUpdate, Signals};
use crate::domain::actor::Actor;
use crate::domain::run::state::Cause;
use crate::ops::call::Call;
use crate::workspace::config::Runner as Settings;
use crate::workspace::turns::{AFTER, run_dir};

/// Runs the command in the tree of the run; why it came to nothing, where it did. Not behind a run that the
/// user stopped, or that another machine or `run --all` goes on with.
pub(super) fn act(
    call: &Call,
    settings: &Settings,
    ran: &Ran,
    tree: &Utf8Path,
    signals: &Signals,
    tell: &mut Observer<'_>,
) -> Option<String> {
    let after = settings.after.as_ref()?;
    let goes_on = [
        Cause::Interrupted,
        Cause::Paused,
        Cause::LeaseLost,
        Cause::Waiting,
    ];
    if goes_on.contains(&ran.cause) {
        return None;
    }
    if ran.tree_gone {
        return Some(format!("the work tree {tree} is not there any more"));
    }
    let branch = Git::of(call, &|| false).and_then(|git| git.inside(tree).branch());
    let env = [
        ("GOAL_ACTOR", Actor::Agent.name().to_owned()),
        ("GOAL_RUN_ID", ran.run_id.clone()),
        ("GOAL_RUN_GOAL", ran.goal_id.to_string()),
        ("GOAL_RUN_CAUSE", ran.cause.name().to_owned()),
        ("GOAL_RUN_BRANCH", branch.unwrap_or_default()),
    ];
    let dir = match run_dir(&call.workspace.paths, &ran.run_id) {
        Ok(dir) => dir,
        Err(error) => return Some(format!("its output cannot be kept: {error}")),
    };
    let command = OwnCommand {
        argv: &after.value.0,
        tree,
        env: env.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        logs: AFTER.map(|name| dir.join(name)),
    };
    tell(RunUpdate::Say(format!(
        "Runs what is to be done behind a run: {}",
        command.shown()
    )));
    let why = match command.run(signals) {
        Ok(()) => return None,
        Err(NotDone::Interrupted) => "it was interrupted".to_owned(),
        Err(NotDone::Failed(why)) => format!("{why}; see {}", command.where_to_look()),
    };
    Some(why)
}
