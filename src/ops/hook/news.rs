//! What the user of a session is told when the agent stops, whatever the agent says of it: a proposal that
//! waits for them, and what the auditor said. Each is told once.

use std::io;
use std::time::Duration;

use super::{hold, sessions};
use crate::domain::event::Payload;
use crate::domain::goal::contract::heading;
use crate::domain::goal::draft::Draft;
use crate::domain::goal::state::{AuditOutcome, Goal};
use crate::domain::hold::Hold;
use crate::domain::line::LineRef;
use crate::domain::time::{is_within, order};
use crate::domain::verdict::Verdict;
use crate::ops::call::Call;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::ops::show::completion;
use crate::render::columns::fit;
use crate::render::proof;
use crate::render::surface::Surface;
use crate::render::text::{count, one_line};
use crate::snapshot::Snapshot;

/// Widest heading and report, in columns.
const HEADING: usize = 72;
const REPORT: usize = 400;

/// What is older is no news.
const NEW: Duration = Duration::from_secs(60 * 60);

/// What is new to the session's user, where there is something.
///
/// # Errors
/// The ledger cannot be read.
pub(super) fn news(
    call: &Call,
    snapshot: &Snapshot,
    surface: Surface,
) -> Result<Option<String>, Failure> {
    let Some(before) = surface.typed_acts() else {
        return Ok(None);
    };
    let now = call.workspace.environment.now_millis();
    let mut said: Vec<String> = Vec::new();
    let shows_results = !matches!(
        surface,
        Surface::Claude | Surface::ClaudePlugin | Surface::Opencode
    );
    let judged = judged(call, snapshot).filter(|(_, it)| is_within(&it.at, now, NEW));
    let holds = |(goal, it): &(&Goal, &AuditOutcome)| {
        goal.status.is_open() || it.verdict == Verdict::Approved
    };
    if let Some((goal, outcome)) = judged.filter(holds).filter(|_| !shows_results)
        && sessions::tells_news(call, &format!("verdict {} {}", goal.id, outcome.at))
    {
        said.extend(verdict(call, snapshot, goal, outcome)?);
    }
    let own = call.caller.session.as_deref();
    let is_one_of_several = snapshot.state.drafts.open().nth(1).is_some();
    let drafts = snapshot.state.drafts.open();
    // One that no session proposed is told by every session that stops soon after.
    let proposed = drafts.filter(|it| match it.session.as_deref() {
        Some(session) => Some(session) == own,
        None => is_within(&it.updated_at, now, NEW),
    });
    for draft in proposed {
        let id = is_one_of_several.then_some(draft.draft_id.as_str());
        if let Some(proposed) = proposal(draft, snapshot, before, id)
            && sessions::tells_news(
                call,
                &format!("proposal {} {}", draft.draft_id, draft.proposals),
            )
        {
            said.push(proposed);
        }
    }
    Ok(Some(said.join("\n")).filter(|it| !it.is_empty()))
}

/// What the auditor said last of the goal that the session holds, or worked on until it ended.
fn judged<'a>(call: &Call, snapshot: &'a Snapshot) -> Option<(&'a Goal, &'a AuditOutcome)> {
    let session = call.caller.session.as_deref()?;
    let state = &snapshot.state;
    let goals = state.goals_of_session(session).into_iter();
    let goals = goals.filter_map(|id| state.goals.get(id));
    let own = |goal: &&Goal| match goal.status.is_open() {
        true => hold(call, snapshot, goal) == Hold::Own,
        false => goal.worker.as_ref().is_some_and(|it| it.session == session),
    };
    let judged = goals
        .filter(own)
        .filter_map(|goal| Some((goal, goal.gate.result.as_ref()?)));
    judged.max_by_key(|(_, it)| order(Some(&it.at)))
}

/// What the auditor said. That it approved is said only of a completion that is proven here, and what it
/// objects only of a result that is.
fn verdict(
    call: &Call,
    snapshot: &Snapshot,
    goal: &Goal,
    outcome: &AuditOutcome,
) -> Result<Option<String>, Failure> {
    let heading = fit(goal.contract.heading(), HEADING);
    let report = fit(&one_line(&outcome.report), REPORT);
    let audits = Audits::of(call, snapshot, goal)?;
    Ok(match outcome.verdict {
        Verdict::Approved => {
            let attested = completion(call, snapshot, goal, snapshot.audited(goal)?)?;
            attested.map(|it| match it.proof.is_proven() {
                true => {
                    let after = audits.after_objections();
                    format!("The auditor approved goal `{heading}`{after}. It says: {report}")
                }
                false => {
                    let worth = proof::completion(&it.proof, false, None);
                    format!("Goal `{heading}` is recorded as complete, {worth}.")
                }
            })
        }
        _ if !audits.latest_is_proven => Some(format!(
            "Goal `{heading}` stays open. A result of an audit is on record that is not proven: `goal audits` \
             shows it."
        )),
        Verdict::Disapproved => Some(format!(
            "Goal `{heading}` stays open. The auditor objects: {report}"
        )),
        Verdict::Error => Some(format!(
            "Goal `{heading}` stays open. Its audit came to no verdict: {report}"
        )),
    })
}

/// What the ledger has of a goal's audits.
#[derive(Debug, Default)]
struct Audits {
    /// How many objected, of those that are proven.
    objections: u64,
    latest_is_proven: bool,
}

impl Audits {
    fn of(call: &Call, snapshot: &Snapshot, goal: &Goal) -> io::Result<Audits> {
        let evidence = Evidence::of(&call.workspace, snapshot)?;
        let mut audits = Audits::default();
        for (line, event) in snapshot.events_of(&goal.id, LineRef::START)? {
            let Payload::AuditResult(result) = &event.payload else {
                continue;
            };
            audits.latest_is_proven = evidence.proves(snapshot, line, &event)?;
            if audits.latest_is_proven && result.verdict == Verdict::Disapproved {
                audits.objections += 1;
            }
        }
        evidence.keep();
        Ok(audits)
    }

    fn after_objections(&self) -> String {
        match self.objections {
            0 => String::new(),
            many => format!(", after {}", count(many, "objection")),
        }
    }
}

/// What is proposed, and how it is settled: with its id where another draft is open beside it.
fn proposal(draft: &Draft, snapshot: &Snapshot, before: &str, id: Option<&str>) -> Option<String> {
    let proposed = draft.proposal.as_ref()?;
    let changed = draft.goal_id.as_ref();
    let changed = changed.and_then(|id| snapshot.state.goals.get(id));
    let what = match (changed, &proposed.objective) {
        (Some(goal), _) => format!(
            "A change of goal `{}`",
            fit(goal.contract.heading(), HEADING)
        ),
        (None, Some(objective)) => {
            let heading = heading(proposed.title.as_deref(), objective);
            format!("The goal `{}`", fit(heading, HEADING))
        }
        (None, None) => "A goal".to_owned(),
    };
    let id = id.map_or_else(String::new, |id| format!(" {}", one_line(id)));
    Some(format!(
        "{what} is proposed and waits for you. `{before}confirm{id}` shows all of it; type it twice to confirm. \
         `{before}reject{id} REASON` declines it."
    ))
}
