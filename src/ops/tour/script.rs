//! The steps of the tour: the explanation of each, its command, and what the command must print.

/// A step of the tour.
#[derive(Debug, Clone, Copy)]
pub struct Planned {
    /// Said before the step.
    pub explanation: &'static str,
    /// What is typed at a shell, in the project's root. [`FIRST_GOAL`] stands for an id.
    pub command: &'static str,
    /// The exit code it must have.
    pub exit: i32,
    /// What its output must contain.
    pub shows: &'static [&'static str],
}

/// In a command: the id of the goal that was created first.
pub const FIRST_GOAL: &str = "{first goal}";

/// The steps, in order.
pub const STEPS: &[Planned] = &[
    Planned {
        explanation: "A project gets a directory for its goals. `init` asks nothing, and running \
            it twice is harmless. You commit what it makes.",
        command: "goal init",
        exit: 0,
        shows: &[".pi/goals"],
    },
    Planned {
        explanation: "Who may approve a goal is configuration. Usually that is an agent command \
            with read-only tools; here it is a script that this program carries, so that the \
            tour needs no account and no network.",
        command: "cat ~/.config/goal/config.toml",
        exit: 0,
        shows: &["[auditor]"],
    },
    Planned {
        explanation: "",
        command: "cat ~/auditor.sh",
        exit: 0,
        shows: &["<approved/>"],
    },
    Planned {
        explanation: "A goal is a contract: the objective, how to see that it is reached, what \
            must not be touched, and what proves it. Creating one focuses it.",
        command: "goal set 'Write the release notes of version 1.0' \\\n  \
            --criteria 'CHANGELOG.md has a section for version 1.0' \\\n  \
            --criteria 'its heading gives the date of the release' \\\n  \
            --boundary 'nothing but CHANGELOG.md changes' \\\n  \
            --verification 'the text of CHANGELOG.md, as it stands in the work tree'",
        exit: 0,
        shows: &["Created and focused"],
    },
    Planned {
        explanation: "A second goal takes the focus.",
        command: "goal set 'Answer the oldest open question of a user'",
        exit: 0,
        shows: &["Created and focused"],
    },
    Planned {
        explanation: "Which goal is worked on is your choice, never the agent's. Here the first \
            one gets the focus back.",
        command: "goal focus {first goal} --reason 'the release is due'",
        exit: 0,
        shows: &[],
    },
    Planned {
        explanation: "What a later session must know is noted. It is an event on the ledger and \
            outlives every context window.",
        command: "goal note 'The last release was 0.9, in spring.' --next 'List what changed \
             since 0.9'",
        exit: 0,
        shows: &["Noted"],
    },
    Planned {
        explanation: "A paused goal stays in focus, but nobody goes on with it.",
        command: "goal pause --reason 'waiting for the release date'",
        exit: 0,
        shows: &["Paused"],
    },
    Planned {
        explanation: "",
        command: "goal resume --reason 'the date is known'",
        exit: 0,
        shows: &["Resumed"],
    },
    Planned {
        explanation: "All open goals, those that need you first.",
        command: "goal list",
        exit: 0,
        shows: &["release notes", "oldest open question", "active"],
    },
    Planned {
        explanation: "Too early, somebody claims that the work is done: CHANGELOG.md does not \
            even exist. The claim goes to the auditor, which looks for itself and objects. The \
            goal stays open, and the exit code says so to scripts.",
        command: "goal complete --summary 'The release notes are written.' \\\n  \
            --evidence 'CHANGELOG.md has a dated section for 1.0'",
        exit: 6,
        shows: &[
            "stays open",
            "1. CHANGELOG.md has no section for version 1.0.",
        ],
    },
    Planned {
        explanation: "The objections are recorded. They are part of the next prompt that an agent \
            gets for this goal, in whatever session (an excerpt):",
        command: "goal prompt active | sed -n '/^The latest audit/,/^- The auditor/p'",
        exit: 0,
        shows: &[
            "disapproved",
            "1. CHANGELOG.md has no section for version 1.0.",
            "address its objections",
        ],
    },
    Planned {
        explanation: "So the work is done.",
        command: "printf '# Changelog\\n\\n## 1.0, 2026-05-04\\n\\n- The first stable release.\\n' \
            >CHANGELOG.md",
        exit: 0,
        shows: &[],
    },
    Planned {
        explanation: "The same auditor looks again, finds what the contract asks for, and \
            approves. Only that completes a goal.",
        command: "goal complete --summary 'The release notes are written.' \\\n  \
            --evidence 'CHANGELOG.md has a dated section for 1.0'",
        exit: 0,
        shows: &["approved"],
    },
    Planned {
        explanation: "Every goal has a document for people; that of a goal which ended is in the \
            archive. They are made from the ledger, goal_events.jsonl, which is append-only.",
        command: "ls .pi/goals .pi/goals/archived",
        exit: 0,
        shows: &["goal_events.jsonl", "active_goal_", "archived"],
    },
    Planned {
        explanation: "The summary is what an agent gets after its context was compacted: the \
            same ledger always gives the same bytes.",
        command: "goal summary",
        exit: 0,
        shows: &["release notes", "oldest open question"],
    },
    Planned {
        explanation: "Every line names the hash of the line before it, and `verify` follows \
            these links. Keep the tip that it prints elsewhere, in CI or a signed tag, and no \
            line before it can be changed unnoticed.",
        command: "goal verify",
        exit: 0,
        shows: &["tip"],
    },
];
