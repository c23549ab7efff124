//! The integration tests: one binary, one module a suite. They run the real `goal` in real
//! directories; `support` makes both hermetic.

#![expect(
    clippy::unwrap_used,
    reason = "what a helper cannot do ends its test, which is what should happen"
)]
#![expect(clippy::print_stderr, reason = "tests that skip say so")]

mod support;

mod actors;
mod audited_elsewhere;
mod authority;
mod batch;
mod believed;
mod checks;
mod ci;
mod cli;
mod coexistence;
mod concurrency;
mod configuration;
mod consent;
mod contests;
mod conversation;
mod corpus;
mod diagnostics;
mod docs;
mod dropped;
mod edits;
mod elsewhere;
mod events_page;
mod folded;
mod follow;
mod further_steps;
mod gate;
mod held;
mod hints;
mod hooks;
mod hostile;
mod imports;
mod inbox;
mod iterations;
mod json_mode;
mod judges;
mod keeper;
mod leases;
mod legacy;
mod library;
mod mcp;
mod merges;
mod next_steps;
mod notify;
mod options;
mod output;
mod overtaking;
mod own_use;
mod owners;
mod passed_on;
mod paths;
mod pickers;
mod place;
mod plans;
mod plugins;
mod progress;
mod project;
mod prompts;
mod proof;
mod published;
mod reading;
mod readme;
mod refusals;
mod remembered;
mod repeated;
mod report;
mod returns;
mod review;
mod rewound;
mod run;
mod schemas;
mod seals;
mod settling;
mod signed;
mod signers;
mod skills;
mod steps;
mod stores;
mod storm;
mod summarised;
mod supervisor;
mod sync;
mod takeover;
mod tasks;
mod team;
mod terminal;
mod tidy;
mod titles;
mod tool_fields;
mod tools;
mod tour;
mod train;
mod turned_down;
mod upkeep;
mod vectors;
mod waits;
mod watch;
mod worktrees;
