//! Hosts' sessions as their hooks report them: where one keeps its transcript, that it ended, and what
//! it was told of a goal that another one works on, and whether it had its last turn. By that a session which is over holds nothing.

use std::time::Duration;

use camino::Utf8Path;

use crate::domain::goal::state::Worker;
use crate::domain::time::millis;
use crate::ops::call::Call;
use crate::workspace::sessions::{KnownSession, Shown};

/// How long a transcript may be without a new line before its session counts as over. A session that
/// waits for its user or for a long command adds none.
const SILENT: Duration = Duration::from_secs(30 * 60);

/// The session is at work, and keeps this transcript.
pub fn heard(call: &Call, transcript: Option<&Utf8Path>) {
    let there = transcript.filter(|it| it.is_file());
    let path = there.map(|it| call.workspace.environment.cwd.join(it));
    note(call, |known| {
        known.ended_at = None;
        if path.is_some() {
            known.transcript = path;
        }
    });
}

/// The session has ended.
pub fn ended(call: &Call) {
    let now = call.workspace.environment.now_millis();
    note(call, |known| known.ended_at = Some(now));
}

/// What the session was told: that another one works on the goal, or all of it.
pub(super) fn was_told(call: &Call, beside: bool) {
    note(call, |known| known.told_beside = beside);
}

/// Whether the session was told last that another one works on the goal.
pub(super) fn knows_only_another(call: &Call) -> bool {
    let session = call.caller.session.as_deref();
    session.is_some_and(|it| known(call, it).is_some_and(|it| it.told_beside))
}

/// Takes the session's last turn for this pause, which it has once. Whether it had it still, and that could
/// be kept: a turn that could be given again and again is no last one.
pub(super) fn takes_last_turn(call: &Call, pause: &str) -> bool {
    let Some(session) = call.caller.session.as_deref() else {
        return false;
    };
    let had = |it: KnownSession| it.last_turn.as_deref() == Some(pause);
    if known(call, session).is_none_or(had) {
        return false;
    }
    note(call, |known| known.last_turn = Some(pause.to_owned()));
    known(call, session).is_some_and(had)
}

/// Whether it is the first time that the session's user is told that its host reports no cost.
pub(super) fn tells_uncounted(call: &Call) -> bool {
    let session = call.caller.session.as_deref();
    let before = session.and_then(|it| known(call, it));
    if before.is_none_or(|it| it.told_uncounted) {
        return false;
    }
    note(call, |known| known.told_uncounted = true);
    true
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
    note(call, |known| known.shown = Some(shown.clone()));
    let session = call.caller.session.as_deref();
    let known = session
        .and_then(|it| known(call, it))
        .and_then(|it| it.shown);
    known.is_some_and(|it| it.what == what)
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
    let is_earlier = match (&shown.turn, &call.caller.turn) {
        (Some(then), Some(now)) => then != now,
        _ => call.workspace.environment.now_millis() - shown.at > ONE_PROMPT,
    };
    shown.what == what && is_earlier
}

/// Whether the session that worked on a goal last is known to be over. One that waits for something
/// outside is silent until that comes.
pub(super) fn is_over(call: &Call, worker: &Worker, waits: bool) -> bool {
    let now = call.workspace.environment.now_millis();
    let worked = millis(&worker.at).unwrap_or_default();
    known(call, &worker.session)
        .is_some_and(|it| it.has_ended(worked) || !waits && it.is_silent(worked, now, SILENT))
}

fn known(call: &Call, session: &str) -> Option<KnownSession> {
    let dirs = call.workspace.environment.dirs.as_ref()?;
    Some(KnownSession::read(
        &dirs.state,
        call.workspace.paths.home(),
        session,
    ))
}

/// Notes it of the caller's session, where that changes something. Without it a session counts as over
/// once it was quiet for long, so a failure is no reason to fail.
fn note(call: &Call, change: impl FnOnce(&mut KnownSession)) {
    let workspace = &call.workspace;
    let (Some(session), Some(dirs)) = (&call.caller.session, &workspace.environment.dirs) else {
        return;
    };
    if !workspace.paths.home().is_dir() {
        return;
    }
    let root = workspace.paths.home();
    let before = KnownSession::read(&dirs.state, root, session);
    let mut known = before.clone();
    change(&mut known);
    if known != before {
        let _not_kept = known.write(&dirs.state, root, session);
    }
}
