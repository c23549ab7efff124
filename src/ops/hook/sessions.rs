//! Hosts' sessions as their hooks report them: where one keeps its transcript, which process runs it, that
//! it ended, what it was told and shown, and whether it had its last turn. By that a session which is over
//! holds nothing, and the server that a host started beside the hooks knows what they told.

use std::fs::File;
use std::time::{Duration, SystemTime};

use camino::Utf8Path;

use crate::domain::goal::state::{Goal, Worker};
use crate::domain::id::{EventId, GoalId};
use crate::domain::state::State;
use crate::domain::time::millis;
use crate::ledger::lock::FileLock;
use crate::ops::call::Call;
use crate::ops::workers::{has_ended, sessions_at_work};
use crate::process::hosts::{hosts, placed};
use crate::workspace::dirs::name_of;
use crate::workspace::sessions::{Acted, KnownSession, Shown, ToldSession};

/// How long a transcript may be without a new line before its session counts as over. A session that
/// waits for its user or for a long command adds none.
const SILENT: Duration = Duration::from_secs(30 * 60);

/// The session is at work, and keeps this transcript.
pub fn heard(call: &Call, transcript: Option<&Utf8Path>) {
    let there = transcript.filter(|it| it.is_file());
    let path = there.map(|it| call.workspace.environment.cwd.join(it));
    let above = hosts();
    let _not_kept = note(call, |known| {
        known.ended_at = None;
        known.host = above.first().cloned();
        let stays = above.iter().find(|it| known.above.contains(it));
        known.process = stays.and_then(|it| placed(it));
        known.above = above;
        if path.as_deref().is_some_and(|it| File::open(it).is_ok()) {
            known.unread = None;
        }
        if path.is_some() {
            known.transcript = path;
        }
    });
}

/// The session has ended.
pub fn ended(call: &Call) {
    let now = call.workspace.environment.now_millis();
    let _not_kept = note(call, |known| known.ended_at = Some(now));
}

/// The session was told that another one works on the goal, and nothing else.
pub(super) fn was_told_of_another(call: &Call) {
    let _not_kept = note(call, |known| known.told_beside = true);
}

/// The session was told of this goal, or that there is none to work on. `rests` says that it was not told
/// how to work.
pub(super) fn was_told(call: &Call, goal: Option<(&Goal, Option<EventId>)>, rests: bool) {
    let now = call.workspace.environment.now_millis();
    let told = ToldSession {
        goal: goal.map(|(goal, _)| goal.id.clone()),
        revision: goal.and_then(|(_, revision)| revision),
        contract: goal.map_or_else(String::new, |(goal, _)| contract_of(goal)),
        work: goal.map_or_else(String::new, |(goal, _)| work_of(goal)),
        rests,
        at: now,
    };
    let _not_kept = note(call, |known| {
        known.told_beside = false;
        known.told = Some(told);
    });
}

/// The session, which was told of this goal before, was told how it stands at this revision. That is all
/// that it missed where neither contract nor tasks nor questions changed.
pub(super) fn was_told_again(call: &Call, goal: &Goal, revision: Option<EventId>) {
    let now = call.workspace.environment.now_millis();
    let _not_kept = note(call, |known| {
        let told = known.told.as_mut();
        let same = |told: &&mut ToldSession| {
            told.goal.as_ref() == Some(&goal.id)
                && told.contract == contract_of(goal)
                && told.work == work_of(goal)
        };
        if let Some(told) = told.filter(same) {
            told.revision = revision;
            told.at = now;
        }
    });
}

/// Whether the session was told last that another one works on the goal.
pub(super) fn knows_only_another(call: &Call) -> bool {
    let session = call.caller.session.as_deref();
    session.is_some_and(|it| known(call, it).is_some_and(|it| it.told_beside))
}

/// Takes the session's last turn for this pause, which it has once. Whether it had it still, and that could
/// be kept: a turn that could be given again and again is no last one.
pub(super) fn takes_last_turn(call: &Call, pause: &str) -> bool {
    let takes = note(call, |known| {
        let has_it = known.last_turns.iter().all(|it| it != pause);
        if has_it {
            known.last_turns.push(pause.to_owned());
        }
        has_it
    });
    takes == Some(true)
}

/// Whether it is the first time that the session's user is told that its host reports no cost.
pub(super) fn tells_uncounted(call: &Call) -> bool {
    let first = note(call, |known| {
        !std::mem::replace(&mut known.told_uncounted, true)
    });
    first == Some(true)
}

/// Whether it is the first time that the session's model is told that its host's own tools are about other
/// goals.
pub(super) fn tells_of_host(call: &Call) -> bool {
    let first = note(call, |known| {
        !std::mem::replace(&mut known.told_of_host, true)
    });
    first == Some(true)
}

/// What was spent on this ended goal is recorded: what the session spends from now on is not the goal's.
pub(super) fn counts(call: &Call, goal: &GoalId) {
    note(call, |known| {
        known.counted.push(goal.clone());
        let old = known.counted.len().saturating_sub(NEWS);
        known.counted.drain(..old);
    });
}

/// Whether what the session spent on this ended goal is recorded.
pub(super) fn has_counted(call: &Call, goal: &GoalId) -> bool {
    let session = call.caller.session.as_deref();
    session.is_some_and(|it| known(call, it).is_some_and(|it| it.counted.contains(goal)))
}

/// How much of what its user was told is remembered.
const NEWS: usize = 16;

/// Whether the session's user is told this for the first time, and that could be kept.
pub(super) fn tells_news(call: &Call, what: &str) -> bool {
    let first = note(call, |known| {
        let is_new = known.told_news.iter().all(|it| it != what);
        if is_new {
            known.told_news.push(what.to_owned());
            let old = known.told_news.len().saturating_sub(NEWS);
            known.told_news.drain(..old);
        }
        is_new
    });
    first == Some(true)
}

/// Whether this is said of its transcript for the first time. From then on `goal doctor` says it.
pub(super) fn tells_unread(call: &Call, why: &str) -> bool {
    let first = note(call, |known| known.unread.replace(why.to_owned()).is_none());
    first == Some(true)
}

/// What is said of transcripts that cannot be read, of sessions that have not ended.
pub fn unread(call: &Call, state: Option<&State>) -> Vec<String> {
    let alive = sessions_at_work(call, state).into_iter();
    let mut told: Vec<String> = alive.filter_map(|it| it.unread).collect();
    told.sort();
    told
}

/// How long two hooks of one prompt may be apart, where the host does not tell its turns apart.
const ONE_PROMPT: i64 = 2_000;

/// The session's user was shown this, to decide on it. Whether that could be remembered.
pub(super) fn showed(call: &Call, what: &str) -> bool {
    let shown = Shown {
        what: what.to_owned(),
        turn: call.caller.turn.clone(),
        at: call.workspace.environment.now_millis(),
    };
    note(call, |known| known.shown = Some(shown)).is_some()
}

/// What the session's user was shown last.
pub(super) fn last_shown(call: &Call) -> Option<String> {
    let session = call.caller.session.as_deref()?;
    known(call, session)?.shown.map(|it| it.what)
}

/// Whether the session's user was shown this last, by an earlier prompt of theirs: two hooks may report
/// one.
pub(super) fn was_shown(call: &Call, what: &str) -> bool {
    let session = call.caller.session.as_deref();
    let Some(shown) = session
        .and_then(|it| known(call, it))
        .and_then(|it| it.shown)
    else {
        return false;
    };
    let now = call.workspace.environment.now_millis();
    shown.what == what && !is_one_prompt(call, now, (shown.turn.as_deref(), shown.at))
}

/// Whether what was reported in that turn at that moment is the prompt that the caller reports `now`.
fn is_one_prompt(call: &Call, now: i64, (turn, at): (Option<&str>, i64)) -> bool {
    match (turn, call.caller.turn.as_deref()) {
        (Some(then), Some(now)) => then == now,
        _ => now - at <= ONE_PROMPT,
    }
}

/// Lets one hook at a time carry out what the session's user typed. Nothing where that cannot be had.
pub(super) fn alone(call: &Call) -> Option<FileLock> {
    let dirs = call.workspace.environment.dirs.as_ref()?;
    let session = call.caller.session.as_deref()?;
    let root = call.workspace.paths.home();
    root.is_dir()
        .then(|| KnownSession::alone(&dirs.state, root, session))?
}

/// What came of this prompt, where another hook reported it before. `begun` is when this one began.
pub(super) fn acted(call: &Call, prompt: &str, begun: i64) -> Option<Acted> {
    let acted = known(call, call.caller.session.as_deref()?)?.acted?;
    let of = (acted.turn.as_deref(), acted.at);
    let is_it = acted.prompt == prompt && is_one_prompt(call, begun, of);
    is_it.then_some(acted)
}

/// What came of a prompt, for other hooks that report it.
pub(super) fn has_acted(call: &Call, acted: Acted) {
    let _not_kept = note(call, |known| known.acted = Some(acted));
}

/// Whether the session knows what it needs to work on this goal: its contract as it is now, and how to work
/// unless the goal `rests`. Where nothing can be known of sessions, they are taken to know it.
pub(super) fn knows(call: &Call, goal: &Goal, rests: bool) -> bool {
    let session = call.caller.session.as_deref();
    let Some(known) = session.and_then(|it| known(call, it)) else {
        return true;
    };
    !known.told_beside
        && known.told.is_some_and(|told| {
            told.goal.as_ref() == Some(&goal.id)
                && told.contract == contract_of(goal)
                && (rests || !told.rests)
        })
}

/// Stands for a contract: it is another one where the contract is.
fn contract_of(goal: &Goal) -> String {
    let text = serde_json::to_string(&goal.contract).unwrap_or_default();
    name_of(text.as_str().into())
}

/// Stands for the tasks of a goal and what is asked about it.
fn work_of(goal: &Goal) -> String {
    let text = serde_json::to_string(&goal.tasks).unwrap_or_default();
    name_of(text.as_str().into())
}

/// The sessions that this process serves and that have not ended: the one that the caller names, else those
/// of the nearest host above this process that has some: an agent may start another host. Where the system does not say who that is, the only session.
pub fn served(call: &Call) -> Vec<KnownSession> {
    let Some(dirs) = &call.workspace.environment.dirs else {
        return Vec::new();
    };
    let home = call.workspace.paths.home();
    if let Some(session) = &call.caller.session {
        return vec![KnownSession {
            session: session.clone(),
            ..KnownSession::read(&dirs.state, home, session)
        }];
    }
    let mut all = sessions_at_work(call, None);
    all.retain(|it| !it.session.is_empty());
    let hosts = hosts();
    if hosts.is_empty() {
        all.retain(|it| it.host.is_none());
        return if all.len() == 1 { all } else { Vec::new() };
    }
    let is_of = |it: &KnownSession, host: &String| it.host.as_ref() == Some(host);
    let nearest = hosts
        .iter()
        .find(|host| all.iter().any(|it| is_of(it, host)));
    all.retain(|it| nearest.is_some_and(|host| is_of(it, host)));
    all
}

/// Whether the hooks of the host were heard in a session that this process serves, so that they carry out
/// what its user types.
pub fn are_heard(call: &Call) -> bool {
    match &call.caller.session {
        Some(session) => known(call, session).is_some_and(|it| !it.session.is_empty()),
        None => !served(call).is_empty(),
    }
}

/// When a session of this project was heard of last.
pub fn changed(call: &Call) -> Option<SystemTime> {
    let dirs = call.workspace.environment.dirs.as_ref()?;
    KnownSession::changed(&dirs.state, call.workspace.paths.home())
}

/// What the hooks told last to the session that this process serves. Nothing where it serves several: what
/// one was told another does not know.
pub fn told(call: &Call) -> Option<ToldSession> {
    let mut told = served(call).into_iter().filter_map(|it| it.told);
    let only = told.next();
    only.filter(|_| told.next().is_none())
}

/// Whether the session that worked on a goal last is known to be over. One that waits for something
/// outside is silent until that comes.
pub(super) fn is_over(call: &Call, worker: &Worker, waits: bool) -> bool {
    let now = call.workspace.environment.now_millis();
    let worked = millis(&worker.at).unwrap_or_default();
    let is_silent =
        || known(call, &worker.session).is_some_and(|it| it.is_silent(worked, now, SILENT));
    has_ended(call, worker) || !waits && is_silent()
}

fn known(call: &Call, session: &str) -> Option<KnownSession> {
    let dirs = call.workspace.environment.dirs.as_ref()?;
    Some(KnownSession::read(
        &dirs.state,
        call.workspace.paths.home(),
        session,
    ))
}

/// Notes it of the caller's session, and says what came of it: nothing where that could not be kept. Without
/// it a session counts as over once it was quiet for long, so a failure is no reason to fail.
fn note<T>(call: &Call, change: impl FnOnce(&mut KnownSession) -> T) -> Option<T> {
    let workspace = &call.workspace;
    let (session, dirs) = (
        call.caller.session.as_ref()?,
        workspace.environment.dirs.as_ref()?,
    );
    let root = workspace.paths.home();
    if !root.is_dir() {
        return None;
    }
    KnownSession::change(&dirs.state, root, session, change).ok()
}
