//! What reading and checking find: a code, a severity, a message, a place, a hint.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::select::line;

/// How much a finding weighs. Errors make `verify` and `doctor` exit 7, with `--strict` warnings
/// too.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Information,
    Warning,
    Error,
}

/// One finding. Never an exception: reading goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// Line of the ledger, from 1; null for findings about other things.
    pub line: Option<u64>,
    /// Offset in bytes of that line.
    pub offset: Option<u64>,
    pub message: String,
    /// What to do next.
    pub hint: String,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $severity:ident;)*) => {
        /// Every kind of finding, with the name that interfaces show.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The name that interfaces show.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name),* }
            }

            /// The severity unless the place where it is found says otherwise.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }
        }
    };
}

codes! {
    /// A known type whose required field is missing or of the wrong type.
    MalformedEvent = "malformed_event", Error;
    /// A type this version does not know: kept, shown, without effect.
    UnknownEvent = "unknown_event", Information;
    /// Not JSON, not an object, not UTF-8, NUL, or longer than 1 MiB. A warning where a writer was
    /// interrupted and the next one went on.
    MalformedLine = "malformed_line", Error;
    /// An unterminated last line that does not parse.
    TornTail = "torn_tail", Warning;
    /// A blank line, a CR or a BOM.
    UntidyLine = "untidy_line", Information;
    /// A line that git left when a merge was not finished.
    ConflictMarker = "conflict_marker", Error;
    /// The same line of ours a second time, as a union merge leaves it.
    DuplicateLine = "duplicate_line", Information;
    /// A write of ours with the request key of another write that its writer did not know, after a
    /// merge.
    RepeatedRequest = "repeated_request", Information;
    /// An event of a goal that had ended.
    EventAfterTerminal = "event_after_terminal", Information;
    /// Another program's line about a goal that is ours: it changes nothing, and waits for the
    /// user. An error where our own line created the goal.
    ForeignLine = "foreign_line", Warning;
    /// A goal was changed by writers that did not know of each other, in ways that do not go together.
    Contested = "contested", Warning;
    /// A second creation of a goal.
    DuplicateCreation = "duplicate_creation", Warning;
    /// Events of a goal that was never created.
    MissingCreation = "missing_creation", Warning;
    /// A completion without an approving audit of the goal's revision before it. An error in a
    /// line of ours.
    UnauditedCompletion = "unaudited_completion", Information;
    /// A completion whose audit was made in another work tree than this one.
    AuditedElsewhere = "audited_elsewhere", Information;
    /// Acts of the user that an agent's host passed on.
    UserActViaAgent = "user_act_via_agent", Information;
    /// A completion without a verdict that is signed as it has to be.
    UnsignedCompletion = "unsigned_completion", Error;
    /// `verify --signers`: the list lies in the project, and the user has not trusted it.
    SignersInProject = "signers_in_project", Warning;
    /// A link to a line that is not earlier in the file.
    BrokenLink = "broken_link", Error;
    /// The text of a line was taken out of another copy of the ledger.
    DropWaits = "drop_waits", Warning;
    /// A line whose seal names this machine's key and is not its seal.
    InvalidSeal = "invalid_seal", Error;
    /// A line of ours without a seal, though sealing had begun. An error where it carries weight.
    UnsealedLine = "unsealed_line", Information;
    /// A line with the seal of a key that the user has not accepted. A warning where it carries
    /// weight.
    UnknownKey = "unknown_key", Information;
    /// A program of the auditor changed after an earlier audit.
    ProgramChanged = "program_changed", Information;
    /// This machine's key is there and cannot be used, so no seal is checked.
    KeyUnusable = "key_unusable", Warning;
    /// What was recorded just now has no seal.
    NotSealed = "not_sealed", Warning;
    /// `verify --strict`: a line without a link.
    UnlinkedLine = "unlinked_line", Warning;
    /// `verify --strict`: a line that no later link covers.
    UncoveredLine = "uncovered_line", Warning;
    /// `verify --tip`: the given tip is not in the history.
    TipNotFound = "tip_not_found", Error;
    /// `verify --tip --strict`: a line before the tip that it does not reach.
    UnreachedLine = "unreached_line", Warning;
    /// A line that was appended here is gone from the ledger, or the record of these lines is.
    LedgerRewound = "ledger_rewound", Error;
    /// There are signs of a ledger, but no ledger.
    LedgerMissing = "ledger_missing", Warning;
    /// `verify --require proven`: a completion that is not proven here.
    UnprovenCompletion = "unproven_completion", Error;
    /// By this act the user accepted the ledger that was here.
    LedgerAccepted = "ledger_accepted", Information;
    /// This machine's key signed lines of a ledger that the user has not accepted at this path.
    LedgerUnknown = "ledger_unknown", Error;
    /// This machine's key is not the one that kept what the user accepted of the ledger.
    KeyChanged = "key_changed", Error;
    /// A directory above the root has a ledger, and this one has none.
    LedgerAbove = "ledger_above", Information;
    /// The root is a repository of git without a work tree.
    NoWorkTree = "no_work_tree", Information;
    /// Lines of the file in this work tree that do not count: they are somebody else's, or of another
    /// ledger.
    OnThisBranch = "on_this_branch", Information;
    /// The file in this work tree cannot be written, so it lacks what was recorded.
    CopyStale = "copy_stale", Warning;
    /// What was recorded here has not reached the remote that it is synced with.
    NotSynced = "not_synced", Warning;
    /// Lines in a remote follow one that is missing here and there, so they were left.
    NotTakenIn = "not_taken_in", Warning;
    /// An agent's acts wait in a work tree to be recorded.
    WaitsHere = "waits_here", Warning;
    /// Lines of a copy of the ledger went into the home.
    LinesTakenIn = "lines_taken_in", Information;
    /// A document that says more than the ledger.
    DocumentNewer = "document_newer", Warning;
    /// A document that a person edited outside its Notes.
    DocumentEdited = "document_edited", Warning;
    /// A document that is missing or older than the ledger.
    DocumentStale = "document_stale", Warning;
    /// A document is in place, but the file system refused to give it the permissions of the one before.
    ModeNotKept = "mode_not_kept", Warning;
    /// A document whose header cannot be read.
    DocumentUnreadable = "document_unreadable", Warning;
    /// More than one document for one goal.
    DocumentDuplicate = "document_duplicate", Warning;
    /// A document that another tool wrote of a goal that is ours: it changes nothing. Information
    /// where it was put aside just now.
    ForeignDocument = "foreign_document", Warning;
    /// A temporary file that a crashed writer left.
    OrphanedFile = "orphaned_file", Information;
    /// A second `.pi/goals` below the root.
    NestedGoals = "nested_goals", Information;
    /// An audit that began and has neither a result nor a process.
    AuditInterrupted = "audit_interrupted", Warning;
    /// A lease whose process is gone or that lapsed, or a file that is no lease.
    StaleLease = "stale_lease", Information;
    /// A session's transcript that cannot be read.
    TranscriptUnread = "transcript_unread", Warning;
    /// Configuration that is invalid or not trusted.
    ConfigInvalid = "config_invalid", Error;
    /// Commands in the project's configuration that the user has not trusted.
    ConfigUntrusted = "config_untrusted", Warning;
    /// A procedure's file that cannot be used.
    ProcedureMalformed = "procedure_malformed", Warning;
    /// Ignore rules or merge attributes that `init` would write.
    GitAttributes = "git_attributes", Information;
    /// What was named by words of its title, and which one that is.
    NamedByTitle = "named_by_title", Information;
    /// What looked like a secret was left out of an event.
    Redacted = "redacted", Warning;
    /// A goal of another tool that an act of the user took over.
    TakenOver = "taken_over", Information;
    /// An owner's goal that was paused, since another one took its place.
    GaveWay = "gave_way", Warning;
    /// A call that waited for the audit of an earlier request: what it said itself did not count.
    JoinedAudit = "joined_audit", Warning;
    /// A goal has ended, and the one that it was begun from is still open.
    OuterGoal = "outer_goal", Information;
    /// A proposal without criteria, bounds, or what to do when stuck.
    ContractIncomplete = "contract_incomplete", Warning;
    /// A goal was created, and nobody is configured who can audit it.
    NoAuditor = "no_auditor", Information;
    /// A judge of whom nobody can tell what it is made of.
    JudgeUntold = "judge_untold", Information;
    /// An agent is configured, and a run would lack something.
    RunNotReady = "run_not_ready", Warning;
    /// The auditor in force is not the one of the user's last call.
    AnotherAuditor = "another_auditor", Warning;
    /// A check runs a file that may change, and the auditor is a script.
    CheckUnpinned = "check_unpinned", Information;
    /// A goal goes on, but its next task cannot.
    TaskStuck = "task_stuck", Warning;
    /// A task that was started or completed before one that it comes after.
    OutOfOrder = "out_of_order", Information;
    /// A new task list without tasks that were done.
    DoneTaskDropped = "done_task_dropped", Information;
    /// A new goal whose baseline could not be taken.
    NoBaseline = "no_baseline", Warning;
    /// A goal that the configuration wants given up, and that could not be.
    NotGivenUp = "not_given_up", Warning;
    /// Something at a path of ours that must not be there: a symlink, a device, a directory.
    UnsafePath = "unsafe_path", Error;
    /// A directory or file of ours that every user of the machine may write.
    WritableByAll = "writable_by_all", Warning;
    /// A directory or file of ours that belongs to another user.
    OtherOwner = "other_owner", Warning;
}

impl Diagnostic {
    /// A finding about something other than a line.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            line: None,
            offset: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// What a text meant that is no id: `what` is its kind and id.
    pub fn named_by_title(text: &str, what: &str, title: &str) -> Diagnostic {
        Diagnostic::new(
            Code::NamedByTitle,
            format!("`{text}` is {what}: {}", line(title)),
            "give its id where it has to be this one and no other",
        )
    }

    /// The same finding at a line of the ledger.
    pub fn at(mut self, number: u64, offset: u64) -> Diagnostic {
        self.line = Some(number);
        self.offset = Some(offset);
        self
    }

    /// The same finding with another weight.
    pub fn weighing(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serialized_code_is_its_name() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
    }
}
