//! Prompts: the built-in templates, or the project's own where it has some and they are trusted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::documents::store;
use crate::domain::actor::{Actor, Caller};
use crate::domain::changes::Changes;
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::event::Payload;
use crate::domain::focus::focused;
use crate::domain::goal::draft::Draft;
use crate::domain::id::{EventId, GoalId};
use crate::domain::line::LineRef;
use crate::domain::select;
use crate::ops::call::Call;
use crate::ops::evidence::Evidence;
use crate::ops::failure::{Exit, Failure};
use crate::ops::summary;
use crate::render::prompt::{
    AuditorFacts, PromptError, PromptInput, PromptKind, Unproven, has_placeholder, prompt,
};
use crate::render::summary::Limits;
use crate::render::surface::Surface;
use crate::roles::command::trusted;
use crate::snapshot::Snapshot;
use crate::workspace::trust::Part;

/// The outcome of `prompt`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prompted {
    /// The template that fits: `resting` or `ended` where work was asked for on a goal that rests
    /// or has ended, `focused` where none was to be focused.
    pub kind: String,
    /// The goal that the prompt is about.
    pub goal_id: Option<GoalId>,
    /// Its revision: a continuation is void for any other.
    pub revision: Option<EventId>,
    pub prompt: String,
    /// The project has a template of its own for this, which the user has not trusted: the
    /// built-in one was used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Diagnostic>,
}

/// For whom a prompt is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reader {
    /// What the reader can call.
    pub surface: Surface,
    /// The revision at which the reader was told the contract before.
    pub told: Option<EventId>,
    /// The reader is given the summary beside it.
    pub has_summary: bool,
}

impl Reader {
    /// Somebody who has tools.
    pub const WITH_TOOLS: Reader = Reader {
        surface: Surface::Tools,
        told: None,
        has_summary: false,
    };
}

/// Fills the prompt that fits ([`PromptKind::fitting`]) for the named goal, else for the focus if there is one.
///
/// # Errors
/// No goal for a prompt that speaks of one, or a template of the project that cannot be filled.
pub fn prompted(call: &Call, kind: PromptKind, reader: Reader) -> Result<Prompted, Failure> {
    let snapshot = call.read()?;
    let state = &snapshot.state;
    let focus = focused(state, call.caller.session.as_deref());
    match call.expects_what_is(&snapshot) {
        // A continuation that was queued for what is not so any more.
        Err(failure) if kind == PromptKind::Continue && failure.exit == Exit::Conflict => {
            return fill(call, &snapshot, PromptKind::Stale, focus, reader);
        }
        held => held?,
    }
    let target = select::target(state, call.goal.as_deref(), &anybody(call));
    let kind = kind.fitting(target.as_ref().ok().copied(), focus);
    match target {
        // That a goal is focused is said of that goal, whichever is named.
        Ok(_) if kind == PromptKind::Focused => fill(call, &snapshot, kind, focus, reader),
        Ok(goal) => fill(call, &snapshot, kind, Some(&goal.id), reader),
        Err(rejection) if call.goal.is_some() => Err(rejection.into()),
        // It knows which goals could be focused, which the template does not.
        Err(rejection) => {
            let filled = fill(call, &snapshot, kind, None, reader);
            filled.map_err(|failure| Failure {
                hint: match failure.code == rejection.code() {
                    true => rejection.hint(),
                    false => failure.hint,
                },
                ..failure
            })
        }
    }
}

/// The audit prompt for a goal, of a ledger that was read whole; `own` says whether the project's own
/// template is trusted, and `changes` what changed in the files, or why that cannot be told.
///
/// # Errors
/// The project's own template cannot be filled.
pub fn audit_prompt(
    call: &Call,
    snapshot: &Snapshot,
    id: &GoalId,
    own: bool,
    changes: Result<Changes, String>,
) -> Result<String, Failure> {
    let template = match own {
        true => own_template(call, PromptKind::Audit)?,
        false => None,
    };
    let (kind, reader) = (PromptKind::Audit, Reader::default());
    let unproven = unproven(call, snapshot, id)?;
    let audited = AuditorFacts { unproven, changes };
    let prompted = compose(
        call,
        snapshot,
        kind,
        (Some(id), Some(&audited)),
        template,
        reader,
    )?;
    Ok(prompted.prompt)
}

/// What of the goal is on record and not proven, of what an auditor reads beside the contract.
fn unproven(call: &Call, snapshot: &Snapshot, id: &GoalId) -> Result<Unproven, Failure> {
    let evidence = Evidence::of(&call.workspace, snapshot)?;
    let mut unproven = Unproven::default();
    for (line, event) in snapshot.events_of(id, LineRef::START)? {
        let is_proven = || evidence.proves(snapshot, line, &event);
        match &event.payload {
            Payload::AuditResult(_) => unproven.result = !is_proven()?,
            // Of each role the latest counts.
            Payload::ReviewResult(review) => match is_proven()? {
                true => drop(unproven.reviews.remove(&review.role)),
                false => drop(unproven.reviews.insert(review.role.clone())),
            },
            Payload::EvidenceAdded(given) if !is_proven()? => {
                let key = given.key.as_str().to_owned();
                unproven.evidence.insert((key, event.at.clone()));
            }
            _ => {}
        }
    }
    evidence.keep();
    Ok(unproven)
}

/// How a goal is drafted, or a change of the session's goal, while a draft of the user waits for a
/// proposal. Nothing where none does, or where what is proposed waits for the user.
pub(super) fn drafting(
    call: &Call,
    snapshot: &Snapshot,
    id: Option<&GoalId>,
    reader: Reader,
) -> Result<Option<Prompted>, Failure> {
    let drafts = &snapshot.state.drafts;
    let latest = || drafts.open().rfind(|draft| draft.goal_id.as_ref() == id);
    let draft = drafts.own(&call.caller, id, None).or_else(latest);
    let kind = match id {
        Some(_) => PromptKind::Tweak,
        None => PromptKind::Draft,
    };
    match draft.is_some_and(|draft| draft.intent && draft.proposal.is_none()) {
        true => Ok(Some(fill(call, snapshot, kind, id, reader)?)),
        false => Ok(None),
    }
}

/// The prompt about this goal, or about none, from what was read already. A continuation for somebody
/// who was told the contract does without it.
pub(super) fn fill(
    call: &Call,
    snapshot: &Snapshot,
    kind: PromptKind,
    id: Option<&GoalId>,
    reader: Reader,
) -> Result<Prompted, Failure> {
    let fill = |kind, template| compose(call, snapshot, kind, (id, None), template, reader);
    let goal = id.and_then(|id| snapshot.state.goals.get(id));
    let revision = goal.map(|goal| snapshot.revision(goal)).transpose()?;
    let was_told = reader.told.is_some() && revision.flatten() == reader.told;
    let built_in = match kind {
        PromptKind::Continue if was_told => PromptKind::Further,
        _ => kind,
    };
    // What somebody is told beside the summary is the same template for a project.
    let named = match kind {
        PromptKind::Working => PromptKind::Active,
        _ => kind,
    };
    let Some(own) = own_template(call, named)? else {
        return fill(built_in, None);
    };
    let loaded = call.workspace.config_files()?;
    let Err(why) = trusted(&call.workspace, call.caller.actor, &loaded, Part::Templates) else {
        return fill(named, Some(own));
    };
    let hint = "the built-in template was used instead";
    let notice = Diagnostic::new(Code::ConfigUntrusted, why, hint);
    Ok(Prompted {
        notices: vec![notice],
        ..fill(built_in, None)?
    })
}

fn compose(
    call: &Call,
    snapshot: &Snapshot,
    kind: PromptKind,
    (id, audited): (Option<&GoalId>, Option<&AuditorFacts>),
    template: Option<String>,
    reader: Reader,
) -> Result<Prompted, Failure> {
    let template = template.as_deref().unwrap_or_else(|| kind.template());
    let session = call.caller.session.as_deref();
    // Most templates quote none, and it is the costliest of what they may quote.
    let summary = match has_placeholder(template, "summary") && !reader.has_summary {
        true => summary::of(call, snapshot, &Limits::default())?.summary,
        false => String::new(),
    };
    let goal = id.and_then(|id| snapshot.state.goals.get(id));
    let revision = goal.map(|goal| snapshot.revision(goal)).transpose()?;
    let mut drafts = snapshot.state.drafts.open();
    let about = id.filter(|_| kind == PromptKind::Tweak);
    let of_goal = |draft: &&Draft| draft.goal_id.as_ref() == about;
    // The one that a proposal of this session would be for; a reader without one sees the latest.
    let own = snapshot.state.drafts.own(&call.caller, about, None);
    let input = PromptInput {
        state: &snapshot.state,
        session,
        goal,
        revision: revision.flatten(),
        draft: own.or_else(|| drafts.rfind(of_goal)),
        summary: &summary,
        surface: reader.surface,
        audited,
    };
    let text = prompt(kind, template, &input).map_err(|error| match error {
        PromptError::NeedsGoal { .. } => Failure::new(
            "no_focus",
            error.to_string(),
            "focus one with `goal focus GOAL`, or name it with `--goal`",
        ),
        _ => Failure::new(
            "config_invalid",
            error.to_string(),
            "fix the template in .pi/goals/prompts/, or remove it",
        ),
    })?;
    Ok(Prompted {
        kind: kind.asked().name().to_owned(),
        goal_id: id.cloned(),
        revision: revision.flatten(),
        prompt: text,
        notices: Vec::new(),
    })
}

/// A prompt may speak of any goal that is named, whoever reads it: reading is free.
fn anybody(call: &Call) -> Caller {
    Caller {
        actor: Actor::User,
        ..call.caller.clone()
    }
}

fn own_template(call: &Call, kind: PromptKind) -> Result<Option<String>, Failure> {
    let name = format!("{}.md", kind.name());
    match store::read(&call.workspace.paths.prompts().join(name)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}
