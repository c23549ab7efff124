//! Everything about one goal.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::domain::attention::{Need, Needs, Standing};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::contract::{Contract, heading};
use crate::domain::goal::signed::{Attested, Signature};
use crate::domain::goal::state::{
    Delegated, Goal, Keeper, Note, Pause, Review, Status, Wait, Worker,
};
use crate::domain::id::{EventId, GoalId};
use crate::domain::passed_on::Agreed;
use crate::domain::proof::Proof;
use crate::domain::verdict::Verdict;
use crate::render::contest::ContestView;
use crate::render::view::cost::{LimitView, numbers};
use crate::render::view::lease::LeaseView;
use crate::render::view::parts::{self, AuditStanding, AuditView, PendingView, RecentEvent};
use crate::render::view::progress::ProgressView;
use crate::render::view::run::{GoalSource, RunView};
use crate::render::view::task::TasksView;

/// A goal with all that is known about it. The first fields are those of a listing.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalView {
    pub goal_id: GoalId,
    pub title: Option<String>,
    /// Empty when nobody recorded it.
    pub objective: String,
    pub status: Status,
    /// How it stands, for a person.
    pub standing: Standing,
    pub focused: bool,
    pub audited: Option<Audited>,
    /// How far the completion is proven here; null while it is not complete.
    pub proof: Option<Proof>,
    /// What is known of the signature of its verdict; null where none is asked for.
    pub signature: Option<Signature>,
    /// Who signed the verdict, where that is proven.
    pub signer: Option<String>,
    pub latest_verdict: Option<Verdict>,
    /// The latest verdict is an approval, and the auditor said nothing with it.
    pub approved_without_report: bool,
    pub created_at: String,
    pub updated_at: String,
    pub keeper: Keeper,
    /// What `--expect` takes; null while only a document knows the goal.
    pub revision: Option<EventId>,
    #[serde(flatten, serialize_with = "contract_fields")]
    #[schemars(with = "ContractFields")]
    pub contract: Contract,
    /// How it came about; absent where nothing says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<GoalSource>,
    /// That the user agreed to the contract, or to a change of it, through an agent's host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed_through: Option<Agreed>,
    pub parent_goal_id: Option<GoalId>,
    /// The goal that was focused when this one was created: focus returns to it when the user ends
    /// this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns_to: Option<GoalId>,
    /// The ended goal whose contract it took over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<GoalId>,
    /// Whom it is owed to, where it was handed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegated_from: Option<String>,
    /// Goals that were handed on from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delegated: Vec<Delegated>,
    /// What was spent on it, by counter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, f64>,
    /// The limits that the user set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub budget: Vec<LimitView>,
    pub ended_at: Option<String>,
    pub end_reason: Option<String>,
    pub pause: Option<Pause>,
    /// What work on it waits for, from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    pub latest_audit: Option<AuditView>,
    /// What reviewers said last, one a role, the newest last.
    pub latest_reviews: Vec<Review>,
    /// A request to complete that no result answers yet.
    pub pending_request: Option<PendingView>,
    /// Everything about it that waits for the person, oldest first.
    #[serde(skip_serializing_if = "Needs::is_empty")]
    #[schemars(with = "Vec<Need>")]
    pub needs: Needs,
    /// Lines about it that wait for the user's word; null where there are none.
    pub to_settle: Option<ToSettle>,
    /// What writers did to it that did not know of each other, and that does not go together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contests: Vec<ContestView>,
    /// How many questions wait for the user's answer.
    #[serde(skip_serializing_if = "is_zero")]
    pub open_questions: u64,
    pub tasks: TasksView,
    /// A planner is being asked about it now. No status: it stays what it is meanwhile.
    pub planning: bool,
    /// How far it is; absent where nobody said anything of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<ProgressView>,
    /// The latest notes, oldest first.
    pub notes: Vec<Note>,
    pub next_action: Option<String>,
    /// Path of the document, relative to the root.
    pub document: Option<String>,
    /// The session that worked the goal last, as the ledger tells it.
    pub worker: Option<Worker>,
    /// Who holds the goal's lease, while somebody does.
    pub lease: Option<LeaseView>,
    /// The run of the goal that has no end on record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunView>,
    /// How many events the goal has.
    pub events: u64,
    /// The latest of them, oldest first.
    pub recent_events: Vec<RecentEvent>,
}

/// The fields of a contract but objective and title, which stand before it; null where one says
/// nothing.
fn contract_fields<S: Serializer>(contract: &Contract, view: S) -> Result<S::Ok, S::Error> {
    let fields = contract.values().filter(|(field, _)| !is_above(field.name));
    view.collect_map(fields.map(|(field, value)| (field.name, value)))
}

fn is_above(field: &str) -> bool {
    field == "objective" || field == "title"
}

/// The schema of [`contract_fields`].
struct ContractFields;

impl JsonSchema for ContractFields {
    fn schema_name() -> Cow<'static, str> {
        "ContractFields".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Contract::json_schema(generator);
        schema.remove("description");
        let mut names = Vec::new();
        if let Some(Value::Object(fields)) = schema.get_mut("properties") {
            fields.retain(|name, _| !is_above(name));
            for (name, field) in fields {
                names.push(name.as_str().into());
                field
                    .as_object_mut()
                    .map(|field| field.remove("description"));
            }
        }
        schema.insert("required".into(), Value::Array(names));
        schema
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How many lines about a goal wait for the user's word, which `goal settle` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToSettle {
    /// In force, but not proven to be the user's: completion is refused.
    pub unproven: u64,
    /// Of other programs, and without effect.
    pub foreign: u64,
}

/// What a goal does not know about itself.
#[derive(Debug, Clone)]
pub struct Extras {
    pub focused: bool,
    pub audited: Option<Audited>,
    pub attested: Option<Attested>,
    pub revision: Option<EventId>,
    pub standing: Standing,
    pub needs: Needs,
    pub audit: Option<AuditStanding>,
    pub planning: bool,
    pub to_settle: Option<ToSettle>,
    pub document: Option<String>,
    pub recent: Vec<RecentEvent>,
    pub lease: Option<LeaseView>,
    pub run: Option<RunView>,
    pub source: Option<GoalSource>,
}

/// For tests, which say what they look at.
#[cfg(test)]
impl Default for Extras {
    fn default() -> Extras {
        Extras {
            focused: false,
            audited: None,
            attested: None,
            revision: None,
            standing: Standing::Quiet,
            needs: Needs::default(),
            audit: None,
            planning: false,
            to_settle: None,
            document: None,
            recent: Vec::new(),
            lease: None,
            run: None,
            source: None,
        }
    }
}

impl GoalView {
    /// The view of a goal.
    pub fn of(goal: &Goal, extras: Extras) -> GoalView {
        GoalView {
            goal_id: goal.id.clone(),
            title: goal.contract.title.clone(),
            objective: goal.contract.objective.clone(),
            status: goal.status,
            standing: extras.standing,
            focused: extras.focused,
            audited: extras.audited,
            proof: extras.attested.as_ref().map(|it| it.proof.clone()),
            signature: extras.attested.as_ref().and_then(|it| it.signature),
            signer: extras.attested.and_then(|it| it.signer),
            latest_verdict: goal.latest_verdict(),
            approved_without_report: goal.is_wordless(),
            created_at: goal.created_at.clone(),
            updated_at: goal.updated_at.clone(),
            keeper: goal.keeper,
            revision: extras.revision,
            contract: goal.contract.clone(),
            source: extras.source,
            agreed_through: goal.agreed_through.clone(),
            parent_goal_id: goal.parent.clone(),
            returns_to: goal.returns_to.clone(),
            like: goal.like.clone(),
            delegated_from: goal.delegated_from.clone(),
            delegated: goal.delegated.clone(),
            usage: numbers(&goal.cost.total),
            budget: LimitView::of(goal),
            ended_at: goal.ended_at.clone(),
            end_reason: goal.end_reason.clone(),
            pause: goal.pause.clone(),
            wait: goal.waits_for().cloned(),
            latest_audit: parts::audit(goal),
            latest_reviews: goal.reviews.iter().cloned().collect(),
            pending_request: parts::pending(&goal.gate, extras.audit),
            open_questions: extras.needs.questions() as u64,
            needs: extras.needs,
            to_settle: extras.to_settle,
            contests: ContestView::of(goal.contest.as_deref()),
            tasks: TasksView::of(&goal.tasks),
            planning: extras.planning,
            progress: ProgressView::of(goal),
            notes: goal.notes.iter().cloned().collect(),
            next_action: goal.next_action.clone(),
            document: extras.document,
            worker: goal.worker.clone(),
            run: extras.run,
            lease: extras.lease,
            events: goal.events,
            recent_events: extras.recent,
        }
    }

    /// The title, or the first line of the objective.
    pub(in crate::render) fn heading(&self) -> &str {
        heading(self.title.as_deref(), &self.objective)
    }
}
