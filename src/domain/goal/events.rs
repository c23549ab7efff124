//! Events of a goal's life: creation, focus, pauses, changes, the gate, the end, and drafts.
//!
//! Field by field these are docs/ledger-format.md#lifecycle. Optional fields of ours
//! are always written by us; on reading any of them may be missing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::goal::contract::ContractChange;
use crate::domain::id::{EventId, GoalId};
use crate::domain::verdict::{Cause, Verdict};
use crate::domain::wire::body::{Body, FieldError, Fields, Plain, fields_of, parse};
use crate::domain::wire::flat::{Flat, name};
use crate::domain::wire::lenient;

/// A goal came to be. The contract's `objective`, `sisyphus` and `autoContinue` are required.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["objective", "sisyphus", "autoContinue"]))]
pub struct GoalCreated {
    /// Stands beside the other fields in the line, not inside an object.
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub contract: ContractChange,
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub parent_goal_id: Option<GoalId>,
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub delegated_from: Option<String>,
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub draft_id: Option<String>,
    /// The goal was taken over from another tool's document.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub imported: Option<bool>,
    /// The goal that was focused when this one was created and took its place.
    #[serde(
        deserialize_with = "lenient::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub returns_to: Option<GoalId>,
}

impl Body for GoalCreated {
    fn decode(text: &str) -> Result<Self, FieldError> {
        let contract: ContractChange = parse(text)?;
        for (name, present) in [
            ("objective", contract.objective.is_some()),
            ("sisyphus", contract.sisyphus.is_some()),
            ("autoContinue", contract.auto_continue.is_some()),
        ] {
            if !present {
                return Err(FieldError::required(name));
            }
        }
        Ok(GoalCreated {
            contract,
            ..parse(text)?
        })
    }

    fn of_flat(flat: &Flat<'_, '_>) -> Option<Self> {
        let contract = ContractChange::of_flat(flat)?;
        contract.objective.as_ref()?;
        contract.sisyphus?;
        contract.auto_continue?;
        Some(GoalCreated {
            contract,
            parent_goal_id: flat.optional(name!("parent_goal_id"))?,
            delegated_from: flat.optional(name!("delegated_from"))?,
            draft_id: flat.optional(name!("draft_id"))?,
            imported: flat.optional(name!("imported"))?,
            returns_to: flat.optional(name!("returns_to"))?,
        })
    }

    fn encode(&self) -> Fields {
        let mut fields = fields_of(&self.contract);
        fields.extend(fields_of(self));
        fields
    }
}

/// The contract changed. Other writers name only the change, in their document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalTweaked {
    pub change_summary: String,
    /// Stands beside the other fields in the line, not inside an object.
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub contract: ContractChange,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<bool>,
}

impl Body for GoalTweaked {
    fn decode(text: &str) -> Result<Self, FieldError> {
        let contract: ContractChange = parse(text)?;
        Ok(GoalTweaked {
            contract,
            ..parse(text)?
        })
    }

    fn of_flat(flat: &Flat<'_, '_>) -> Option<Self> {
        Some(GoalTweaked {
            change_summary: flat.required(name!("change_summary"))?,
            contract: ContractChange::of_flat(flat)?,
            draft_id: flat.optional(name!("draft_id"))?,
            imported: flat.optional(name!("imported"))?,
        })
    }

    fn encode(&self) -> Fields {
        let mut fields = fields_of(self);
        fields.extend(fields_of(&self.contract));
        fields
    }
}

macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $ty:ty,)*
        $(; $($(#[$odoc:meta])* $opt:ident: $oty:ty,)*)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$fdoc])* pub $field: $ty,)*
            $($(
                $(#[$odoc])*
                #[serde(default, deserialize_with = "lenient::optional")]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $opt: Option<$oty>,
            )*)?
        }
        impl Plain for $name {
            // Some payloads have no fields to ask for.
            fn read_flat(_flat: &$crate::domain::wire::flat::Flat<'_, '_>) -> Option<$name> {
                Some($name {
                    $($field: _flat.required($crate::domain::wire::flat::name!(stringify!($field)))?,)*
                    $($($opt: _flat.optional($crate::domain::wire::flat::name!(stringify!($opt)))?,)*)?
                })
            }

            fn fits_flat(_flat: &$crate::domain::wire::flat::Flat<'_, '_>) -> bool {
                true
                    $(&& _flat.has::<$ty>($crate::domain::wire::flat::name!(stringify!($field))))*
                    $($(&& _flat.may_have::<$oty>($crate::domain::wire::flat::name!(stringify!($opt))))*)?
            }
        }
    )*};
}
pub(in crate::domain) use plain;

plain! {
    /// The goal became what a session, or without one the project, works on.
    GoalFocused { reason: String, }
    /// Nothing is worked on, explicitly. Carries no goal.
    GoalUnfocused { reason: String, }
    /// Work rests until somebody resumes it.
    GoalPaused {
        reason: String,
        ;
        suggested_action: String,
        /// Always `paused`: other tools write it.
        status: String,
        source: String,
        /// The pause is a blocker: shown as `blocked`.
        blocked: bool,
        /// Since when another tool had paused the goal that is taken over here, as its document
        /// says. Only beside the source `document`.
        since: String,
    }
    /// Work goes on.
    GoalResumed { reason: String, }
    /// Something worth remembering.
    GoalNoted { note: String, ; next: String, }
    /// A host was told to go on with this revision.
    GoalContinued { revision: EventId, }
    /// The user said something in a session; the text is not kept.
    UserPrompted { }
    /// Somebody holds the goal to be complete; the gate begins.
    CompletionRequested {
        ;
        summary: String,
        evidence: Vec<String>,
        revision: EventId,
        /// No audit was begun: its verdict has to be signed, and whoever asked cannot.
        awaits_signature: bool,
    }
    /// An auditor was about to be started.
    AuditStarted {
        ;
        provider: String,
        model: String,
        thinking_level: String,
        command: Vec<String>,
        config_source: String,
        revision: EventId,
        /// Id of the request that it answers; first editions do not say.
        request: EventId,
        /// Every file that the command runs, by its resolved path, with its BLAKE3.
        programs: Map<String, Value>,
        /// The same of the contract's checks, which passed.
        check_programs: Map<String, Value>,
        /// BLAKE3 of the contract as JSON, and of the whole audit prompt.
        contract_digest: String,
        prompt_digest: String,
        /// Marks of agent hosts in the environment: names of variables.
        marks: Vec<String>,
        /// The work tree: its commit, whether something is not committed, and BLAKE3 of that.
        head: String,
        dirty: bool,
        tree_digest: String,
        /// The machine that runs the audit, by the public name of its sealing key.
        host: String,
        /// When the audit is over at the latest; behind it any machine may call it interrupted.
        deadline: String,
    }
    /// What the audit came to.
    AuditResult {
        verdict: Verdict,
        report: String,
        ;
        cause: Cause,
        exit_code: i32,
        duration_ms: u64,
        /// The goal's revision that was audited; a foreign result names none.
        revision: EventId,
        /// Id of the `audit_started` that it is the result of; first editions do not say.
        start: EventId,
        /// An armoured SSH signature over the verdict, whose key made it, as the list of signers
        /// names them, and when.
        signature: String,
        signer: String,
        signed_at: String,
    }
    /// Another tool let a completion pass without its auditor. Read, never written.
    AuditSkipped { reason: String, }
    /// The goal is complete.
    GoalCompleted {
        ;
        archive_path: String,
        /// The work tree's commit, and whether something is not committed.
        head: String,
        dirty: bool,
    }
    /// The goal was given up.
    GoalAborted { reason: String, ; archive_path: String, outcome: AbortOutcome, }
    /// Another tool's blocker. Read, never written: we write a pause that is `blocked`.
    GoalBlocked { reason: String, ; source: String, }
    /// Another tool's failure. Read, never written.
    GoalFailed { ; reason: String, }
    /// Another tool's abandonment. Read, never written.
    GoalAbandoned { reason: String, }
    /// Another tool moved the document of an ended goal. Read, never written.
    GoalArchived { archive_path: String, }
    /// The user decided about findings that nothing in the ledger can mend. Carries a goal where
    /// they are about one.
    GoalSettled {
        kind: SettledKind,
        /// Ids of the lines that it settles.
        lines: Vec<EventId>,
        ;
        /// Of what other programs wrote: whether it was taken or left.
        accept: bool,
        reason: String,
        /// The code of the finding, for the kind `finding`.
        finding: String,
    }
    /// The user opened an intent: a discussion that is to end in a goal or a change.
    DraftStarted { draft_id: String, topic: String, mode: DraftMode, }
    /// What is proposed for a draft.
    DraftProposed {
        draft_id: String,
        contract: ContractChange,
        ;
        /// The goal that the proposed one is to be handed on from.
        parent_goal_id: GoalId,
        /// What is known of the proposed goal, by key: evidence of it once it is confirmed.
        context: Map<String, Value>,
        /// What changes and why, as whoever proposes a change of a contract says.
        summary: String,
    }
    /// What became of a draft, or of its proposal.
    DraftResolved { draft_id: String, outcome: DraftOutcome, }
    /// A goal was handed on as a child goal.
    GoalDelegated { child_goal_id: GoalId, to: String, }
    /// What a reviewer said. Never completes or stops anything.
    ReviewResult {
        role: String,
        report: String,
        ;
        verdict: String,
        /// The goal's revision that was reviewed; a foreign result names none.
        revision: EventId,
    }
}

impl GoalPaused {
    /// The source of a pause that the document of another tool told, when its goal was taken over.
    pub const IN_DOCUMENT: &str = "document";

    /// A pause as we write it.
    pub fn because(reason: impl Into<String>) -> GoalPaused {
        GoalPaused {
            reason: reason.into(),
            suggested_action: None,
            status: Some("paused".into()),
            source: None,
            blocked: None,
            since: None,
        }
    }
}

/// What a settlement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettledKind {
    /// Lines of other programs about a goal of ours.
    Foreign,
    /// Lines of which it is not proved that the user wrote them.
    Unproven,
    /// A finding that cannot be mended.
    Finding,
    /// Changes that knew nothing of each other.
    Contest,
}

/// How a goal that was given up ended; without one it is `aborted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AbortOutcome {
    Failed,
    Abandoned,
}

/// What an intent is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DraftMode {
    Regular,
    Sisyphus,
    Tweak,
}

impl DraftMode {
    /// What a draft in this mode is, in a sentence.
    pub fn described(self) -> &'static str {
        match self {
            DraftMode::Regular => "regular",
            DraftMode::Sisyphus => "sisyphus",
            DraftMode::Tweak => "a tweak",
        }
    }
}

/// The user's decision on a draft. A rejected proposal leaves its intent open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DraftOutcome {
    Confirmed,
    Rejected,
    Cancelled,
}
