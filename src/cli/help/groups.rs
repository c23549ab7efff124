//! The groups in which help shows the commands, and how the others are spelled today.

/// Commands that belong together.
pub struct Group {
    pub title: &'static str,
    /// Those that the overview shows. One that this build does not have is left out.
    pub shown: &'static [&'static str],
    /// People type them; the others are for programs.
    pub by_people: bool,
    /// Those that only `goal help all` shows, and the spelling that the manual uses for the same, if
    /// it has another.
    pub others: &'static [(&'static str, &'static str)],
}

pub const GROUPS: &[Group] = &[
    Group {
        title: "What needs me",
        by_people: true,
        shown: &["status", "inbox", "answer"],
        others: &[
            ("watch", ""),
            ("report", ""),
            ("audits", ""),
            ("questions", "inbox --questions"),
            ("settle", ""),
        ],
    },
    Group {
        title: "Goals",
        by_people: true,
        shown: &[
            "set", "draft", "confirm", "list", "show", "tweak", "pause", "resume", "complete",
        ],
        others: &[
            ("reject", ""),
            ("focus", ""),
            ("abort", ""),
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
        by_people: true,
        shown: &["task", "note"],
        others: &[
            ("next", ""),
            ("ask", ""),
            ("evidence", ""),
            ("check", ""),
            ("plan", ""),
            ("progress", ""),
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
        title: "Runs and the ledger",
        by_people: true,
        shown: &["run", "log"],
        others: &[
            ("runs", ""),
            ("budget", ""),
            ("usage", ""),
            ("lease", ""),
            ("verify", ""),
            ("doctor", ""),
            ("sync", ""),
            ("store", ""),
            ("repair", ""),
        ],
    },
    Group {
        title: "Set-up",
        by_people: true,
        shown: &[],
        others: &[
            ("init", ""),
            ("config", ""),
            ("trust", ""),
            ("auditor", ""),
            ("completions", ""),
            ("tour", ""),
        ],
    },
    Group {
        title: "For programs",
        by_people: false,
        shown: &[],
        others: &[
            ("tool", ""),
            ("schema", ""),
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

/// Whether people type the command under this name.
pub fn is_typed(name: &str) -> bool {
    let mut groups = GROUPS.iter().filter(|group| group.by_people);
    groups.any(|group| {
        let mut others = group.others.iter();
        group.shown.contains(&name) || others.any(|other| *other == (name, ""))
    })
}

/// The spelling that the manual uses for a command, where it is another.
pub fn spelling(name: &str) -> Option<&'static str> {
    let mut others = GROUPS.iter().flat_map(|group| group.others);
    let (_, spelling) = others.find(|(other, _)| *other == name)?;
    Some(*spelling).filter(|spelling| !spelling.is_empty())
}
