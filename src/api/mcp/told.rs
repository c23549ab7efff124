//! What each session was last told: its goal, and at which revision, by an answer of this server or by the
//! hooks of its host. A model that acts is held to that, as an adapter holds its own: what changed in
//! between is read before it is acted on.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;

use super::identity::Identity;
use crate::api::tools::ToolAnswer;
use crate::domain::goal::state::Status;
use crate::domain::id::EventId;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::sessions as hooks;
use crate::workspace::sessions::ToldSession;

/// A goal as a session was told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldGoal {
    goal: String,
    revision: Option<EventId>,
}

/// What was told to the sessions of one server, and which of their calls are under way.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<SessionTable>);

#[derive(Debug, Default)]
struct SessionTable {
    /// By session; a host that names none has one.
    told: HashMap<Option<String>, ToldGoal>,
    /// What the hooks told last, as far as it was heard here, and how many calls had begun by then.
    by_hooks: HashMap<Option<String>, (ToldSession, u64)>,
    /// The sessions whose turn an answer ended, and that have read nothing since.
    stopped: HashSet<Option<String>>,
    begun: u64,
    under_way: usize,
}

/// One call that may change something, while it is under way.
pub(super) struct UnderWay {
    sessions: Arc<Sessions>,
    session: Option<String>,
    /// What its session had been told when it began.
    told: Option<ToldGoal>,
    /// No other call was under way when it began.
    began_alone: bool,
    number: u64,
}

impl Sessions {
    fn kept(&self) -> MutexGuard<'_, SessionTable> {
        // A panic leaves nothing half written here: at worst a model reads its goal again.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call of this session begins.
    pub(super) fn begin(self: &Arc<Self>, session: Option<&str>) -> UnderWay {
        let mut kept = self.kept();
        kept.begun += 1;
        kept.under_way += 1;
        UnderWay {
            sessions: self.clone(),
            session: session.map(str::to_owned),
            told: kept.told.get(&session.map(str::to_owned)).cloned(),
            began_alone: kept.under_way == 1,
            number: kept.begun,
        }
    }

    /// Whether an answer ended the session's turn, and it has not read its goal since.
    pub(super) fn is_stopped(&self, session: Option<&str>) -> bool {
        self.kept().stopped.contains(&session.map(str::to_owned))
    }

    /// The hooks told the session all of its goal since the answer that ended its turn: so a new turn began.
    pub(super) fn hears(&self, session: Option<&str>, told: Option<&ToldSession>) {
        let mut kept = self.kept();
        let session = session.map(str::to_owned);
        let before = kept.by_hooks.get(&session).map(|(before, _)| before);
        if told.is_some() && told != before {
            kept.stopped.remove(&session);
        }
    }

    /// The session reads its goal: so a new turn begins where the host does not say that one does.
    pub(super) fn go_on(&self, session: Option<&str>) {
        self.kept().stopped.remove(&session.map(str::to_owned));
    }

    /// The session is told this. A host that says which turn it is has its turns in the ledger; and whoever
    /// waits for a verdict asks for it again.
    pub(super) fn learn(&self, identity: &Identity, answer: &ToolAnswer) {
        let session = identity.session().map(str::to_owned);
        let waits = answer.data["pending"] == true;
        if answer.stop_turn && !waits && identity.turn().is_none() {
            self.kept().stopped.insert(session.clone());
        }
        self.knows(session, &answer.data);
    }

    fn knows(&self, session: Option<String>, data: &Value) {
        let Some(told) = told(data) else { return };
        match told {
            Some(told) => drop(self.kept().told.insert(session, told)),
            None => drop(self.kept().told.remove(&session)),
        }
    }
}

impl UnderWay {
    /// Calls with what the session was told. Calls that are under way together change the revision
    /// for each other, so then only the goal must be the same.
    pub(super) fn held<T>(
        &self,
        call: Call,
        arguments: Option<&JsonObject>,
        work: impl Fn(Call) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let says_itself =
            |name| arguments.is_some_and(|all| all.get(name).is_some_and(|it| !it.is_null()));
        let told = self.heeding(hooks::told(&call));
        let Some(told) = told.filter(|_| !says_itself("goalId")) else {
            return work(call);
        };
        let loose = Call {
            expect_goal: Some(told.goal.clone()),
            ..call
        };
        if says_itself("revision") || !self.is_alone() {
            return work(loose).map_err(read_first);
        }
        let strict = Call {
            expect: told.revision,
            ..loose.clone()
        };
        let done = match work(strict) {
            Err(failure) if failure.code == "stale" && !self.is_alone() => work(loose),
            done => done,
        };
        done.map_err(read_first)
    }

    /// What the session has been told, where its hooks told this last: they count once, since what is
    /// answered afterwards is newer.
    fn heeding(&self, by_hooks: Option<ToldSession>) -> Option<ToldGoal> {
        let mut kept = self.sessions.kept();
        let kept = &mut *kept;
        if let Some(told) = by_hooks {
            let before = kept.by_hooks.get(&self.session);
            if before.is_none_or(|(before, _)| *before != told) {
                if let Some(goal) = &told.goal {
                    let goal = ToldGoal {
                        goal: goal.to_string(),
                        revision: told.revision,
                    };
                    kept.told.insert(self.session.clone(), goal);
                }
                let heard = (told, kept.begun);
                kept.by_hooks.insert(self.session.clone(), heard);
            }
        }
        let heard = kept.by_hooks.get(&self.session);
        match heard.is_some_and(|(_, begun)| self.number <= *begun) {
            true => kept.told.get(&self.session).cloned(),
            false => self.told.clone(),
        }
    }

    fn is_alone(&self) -> bool {
        self.began_alone && self.sessions.kept().begun == self.number
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.sessions.kept().under_way -= 1;
    }
}

/// The model did not say which goal and revision it means, so it cannot say another: it reads.
fn read_first(failure: Failure) -> Failure {
    match failure.code {
        "stale" | "not_focused" => Failure {
            hint: "read it with `get_goal`, and decide anew".to_owned(),
            ..failure
        },
        _ => failure,
    }
}

/// Which goal this answer tells of; `None` in it where it tells of none that is worked on.
#[expect(
    clippy::option_option,
    reason = "an answer that says nothing, and one that says `none`"
)]
fn told(data: &Value) -> Option<Option<ToldGoal>> {
    let told = |goal: &Value, revision: &Value| {
        let goal = goal.as_str()?.to_owned();
        let revision = EventId::deserialize(revision).ok();
        Some(ToldGoal { goal, revision })
    };
    if let Some(focused) = data.get("focusedGoalId") {
        let revision = data["goal"].get("revision").unwrap_or(&data["revision"]);
        return Some(told(focused, revision));
    }
    // What was handed on is another's goal.
    let about =
        told(&data["goalId"], &data["revision"]).filter(|_| data["parentGoalId"].is_null())?;
    let status = Status::deserialize(&data["status"]).ok();
    Some(Some(about).filter(|_| status.is_none_or(Status::is_open)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ONE: &str = "11111111111111111111111111111111";

    fn goal(revision: &str) -> ToldGoal {
        ToldGoal {
            goal: "g".into(),
            revision: revision.parse().ok(),
        }
    }

    #[test]
    fn an_answer_tells_of_the_goal_that_is_worked_on() {
        for (data, expected) in [
            (json!({ "text": "t" }), None),
            (json!({ "goalId": null }), None),
            (json!({ "focusedGoalId": null }), Some(None)),
            (
                json!({ "focusedGoalId": "g", "goal": { "revision": ONE } }),
                Some(Some(goal(ONE))),
            ),
            (
                json!({ "focusedGoalId": "g", "revision": ONE }),
                Some(Some(goal(ONE))),
            ),
            (
                json!({ "goalId": "g", "revision": ONE, "status": "active" }),
                Some(Some(goal(ONE))),
            ),
            (
                json!({ "goalId": "g", "revision": ONE, "status": "paused" }),
                Some(Some(goal(ONE))),
            ),
            (
                json!({ "goalId": "g", "revision": ONE, "status": "complete" }),
                Some(None),
            ),
            (
                json!({ "goalId": "g", "revision": ONE, "parentGoalId": "p" }),
                None,
            ),
        ] {
            assert_eq!(told(&data), expected, "{data}");
        }
    }

    #[test]
    fn what_hooks_told_counts_once_and_until_an_answer_tells_more() {
        const TWO: &str = "22222222222222222222222222222222";
        let sessions = Arc::new(Sessions::default());
        let by_hooks = |revision: &str, at| {
            Some(ToldSession {
                goal: "g".parse().ok(),
                revision: revision.parse().ok(),
                at,
                ..ToldSession::default()
            })
        };
        assert_eq!(sessions.begin(None).heeding(None), None);
        let heeding = |told| sessions.begin(None).heeding(told);
        assert_eq!(heeding(by_hooks(ONE, 1)), Some(goal(ONE)));
        sessions.knows(None, &json!({ "focusedGoalId": "g", "revision": TWO }));
        assert_eq!(heeding(by_hooks(ONE, 1)), Some(goal(TWO)));
        // Two calls of one message hear it both.
        let calls = [sessions.begin(None), sessions.begin(None)];
        for call in &calls {
            assert_eq!(call.heeding(by_hooks(ONE, 2)), Some(goal(ONE)));
        }
        assert_eq!(sessions.begin(Some("t")).heeding(None), None);
    }

    #[test]
    fn only_a_call_that_no_other_overlaps_is_alone() {
        let sessions = Arc::new(Sessions::default());
        let data = json!({ "focusedGoalId": "g", "revision": ONE });
        sessions.knows(Some("s".to_owned()), &data);
        let first = sessions.begin(Some("s"));
        assert!(first.is_alone() && first.told == Some(goal(ONE)));
        let second = sessions.begin(None);
        assert!(!first.is_alone() && !second.is_alone() && second.told.is_none());
        drop((first, second));
        assert!(sessions.begin(None).is_alone());
    }
}
