//! The groups in which help shows the commands, and how the others are spelled today.

/// Commands that belong together.
pub struct Group {
    pub title: &'static str,
    /// Above its commands, in the form by which programs find them.
    pub heading: &'static str,
    /// Those that the overview shows. One that this build does not have is left out.
    pub shown: &'static [&'static str],
    /// Those that only `goal help all` shows, and the spelling that the manual uses for the same, if
    /// it has another.
    pub others: &'static [(&'static str, &'static str)],
}

pub const GROUPS: &[Group] = &[
    Group {
        title: "What needs me",
        heading: "What needs me:",
        shown: &["status", "inbox", "answer", "watch", "report", "audits"],
        others: &[("questions", "inbox --questions"), ("settle", "")],
    },
    Group {
        title: "Goals",
        heading: "Goal commands:",
        shown: &[
            "set", "draft", "confirm", "reject", "list", "show", "focus", "tweak", "pause",
            "resume", "complete", "abort",
        ],
        others: &[
            ("propose", ""),
            ("drafts", "draft --list"),
            ("unfocus", "focus --none"),
            ("adopt", ""),
            ("fail", "abort --as failed"),
            ("abandon", "abort --as abandoned"),
            ("block", ""),
            ("delegate", ""),
            ("commitments", ""),
        ],
    },
    Group {
        title: "Work",
        heading: "Work commands:",
        shown: &[
            "next", "task", "note", "ask", "evidence", "check", "plan", "progress",
        ],
        others: &[
            ("withdraw", ""),
            ("stack", "task stack"),
            ("step", "task step"),
            ("import", "task import"),
            ("procedure", "plan procedures"),
            ("evaluate", "progress evaluate"),
            ("baseline", "progress baseline"),
            ("agenda", "progress agenda"),
            ("iterate", "progress iterate"),
            ("escalate", "progress escalate"),
            ("review", "progress review"),
        ],
    },
    Group {
        title: "Runs",
        heading: "Run commands:",
        shown: &["run", "runs", "budget"],
        others: &[("usage", ""), ("lease", "")],
    },
    Group {
        title: "Ledger",
        heading: "Ledger commands:",
        shown: &["log", "verify", "doctor", "sync", "store"],
        others: &[("repair", "doctor --repair")],
    },
    Group {
        title: "Set-up",
        heading: "Set-up commands:",
        shown: &["init", "config", "trust"],
        others: &[("auditor", ""), ("completions", ""), ("tour", "")],
    },
    Group {
        title: "Programs",
        heading: "Program commands:",
        shown: &["tool", "schema"],
        others: &[
            ("hook", ""),
            ("mcp", ""),
            ("prompt", ""),
            ("summary", ""),
            ("interpret", ""),
            ("context", ""),
        ],
    },
];

/// What an agent is refused.
pub const YOURS: &[&str] = &[
    "set", "draft", "confirm", "reject", "focus", "unfocus", "adopt", "answer", "resume", "fail",
    "abandon", "baseline", "run", "budget", "settle", "trust",
];

/// Whether the overview shows the command.
pub fn is_shown(name: &str) -> bool {
    GROUPS.iter().any(|group| group.shown.contains(&name))
}

/// The spelling that the manual uses for a command, where it is another.
pub fn spelling(name: &str) -> Option<&'static str> {
    let mut others = GROUPS.iter().flat_map(|group| group.others);
    let (_, spelling) = others.find(|(other, _)| *other == name)?;
    Some(*spelling).filter(|spelling| !spelling.is_empty())
}
