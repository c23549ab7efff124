//! Six states of a project, through the real replay and the real standings.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::domain::attention::{Facts, attention, standing};
use crate::domain::goal::row::Row;
use crate::domain::id::{EventId, GoalId};
use crate::domain::lease::LeaseStatus;
use crate::domain::run::liveness::Liveness;
use crate::domain::state::State;
use crate::render::testing::{NOBODY, state_of};
use crate::render::view::{AtWork, Extras, GoalRow, GoalView, LeaseView, RecentEvent, RunView};
use crate::render::watch::{Detail, Happened, LiveRun, RowId, Scene, Screen};

/// What a screen is told, and what else is known.
pub struct Told {
    pub scene: Scene,
    state: State,
    facts: Facts,
    events: Vec<(GoalId, RecentEvent)>,
}

/// A line of ours, so many minutes before 20:30.
pub fn ago(minutes: i64, kind: &str, goal: &str, fields: Value) -> String {
    let at = crate::domain::time::rfc3339(NOBODY.now - minutes * 60_000);
    let mut line = json!({
        "type": kind, "goalId": goal, "at": at, "by": "user",
        "prev": EventId::of_line(&minutes.to_le_bytes()).to_string(),
    });
    if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
        line.extend(fields);
    }
    line.to_string()
}

pub fn created(minutes: i64, goal: &str, title: &str, fields: Value) -> String {
    let mut all = json!({
        "objective": format!("{title}, as the page on it says."), "title": title,
        "sisyphus": false, "autoContinue": true,
    });
    if let (Value::Object(all), Value::Object(fields)) = (&mut all, fields) {
        all.extend(fields);
    }
    ago(minutes, "goal_created", goal, all)
}

fn id(goal: &str) -> GoalId {
    goal.parse().unwrap()
}

fn session(goal: &GoalId) -> String {
    format!("run-{goal}")
}

fn lease(goal: &GoalId) -> LeaseView {
    LeaseView {
        session: Some(session(goal)),
        standing: LeaseStatus::Held,
        ..LeaseView::unreadable(goal, "")
    }
}

/// Whoever has a lease here is a runner.
fn runner(is_leased: bool) -> Liveness {
    match is_leased {
        true => Liveness::Live,
        false => Liveness::Dead,
    }
}

fn dead(state: &State, leased: &BTreeSet<GoalId>) -> BTreeSet<GoalId> {
    let all = state.in_order().into_iter();
    let dead = all.filter(|goal| goal.runs.open.is_some() && !leased.contains(&goal.id));
    dead.map(|goal| goal.id.clone()).collect()
}

fn at_work(lease: Option<LeaseView>) -> AtWork {
    AtWork {
        lease,
        running_on: None,
    }
}

/// What is told of a ledger with these lines, while these goals are worked.
pub fn told(lines: &[String], leased: &[&str], output: &str) -> Told {
    let state = state_of(lines);
    let leased: BTreeSet<GoalId> = leased.iter().map(|goal| id(goal)).collect();
    let facts = Facts {
        now: NOBODY.now,
        dead: dead(&state, &leased),
        leased: leased.clone(),
        ..Facts::default()
    };
    let mut headers: Vec<Row> = state
        .in_order()
        .into_iter()
        .map(|goal| Row::of(goal, None))
        .collect();
    let needs = attention(&headers, &state, &facts);
    headers.retain(|header| header.status.is_open());
    headers.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
    let mut scene = Scene {
        project: "atlas-api".to_owned(),
        now: NOBODY.now,
        needs,
        counts: state.counts(),
        ..Scene::default()
    };
    for header in headers {
        let stands = standing(&header, &facts);
        *scene.standings.entry(stands).or_default() += 1;
        let goal = &state.goals[&header.id];
        let held = leased.contains(&header.id).then(|| lease(&header.id));
        if let Some(run) = RunView::of(goal, runner(held.is_some())) {
            scene.runs.push(LiveRun {
                goal_id: header.id.clone(),
                title: goal.contract.heading().to_owned(),
                run,
                output: output.to_owned(),
            });
        }
        scene
            .goals
            .push(GoalRow::of(header, stands, None, at_work(held), None));
    }
    let events = events(lines);
    let title = |id: &GoalId| {
        let goal = state.goals.get(id);
        goal.map_or("", |goal| goal.contract.heading()).to_owned()
    };
    let happened = events.iter().map(|(id, event)| Happened {
        title: title(id),
        event: event.clone(),
    });
    scene.events = happened.collect();
    Told {
        scene,
        state,
        facts,
        events,
    }
}

fn events(lines: &[String]) -> Vec<(GoalId, RecentEvent)> {
    let event = |(number, line): (usize, &String)| {
        let fields: Value = serde_json::from_str(line).unwrap();
        let name = fields["type"].as_str().unwrap();
        let payload = crate::domain::event::Payload::decode(name, line).unwrap();
        let goal = id(fields["goalId"].as_str()?);
        let event = RecentEvent {
            line: number as u64 + 1,
            id: EventId::ZERO,
            name: name.to_owned(),
            at: fields["at"].as_str().unwrap().to_owned(),
            by: None,
            via: None,
            summary: crate::render::event::summary(&payload),
        };
        Some((goal, event))
    };
    lines.iter().enumerate().filter_map(event).collect()
}

impl Told {
    /// What the right pane is told of the chosen row.
    pub fn detail(&self, screen: &Screen) -> Detail {
        let Some(row) = screen.chosen() else {
            return Detail::default();
        };
        let draft = match &row.id {
            RowId::Need { of, .. } => self.state.drafts.open().find(|it| it.draft_id == *of),
            RowId::Goal(_) => None,
        };
        let goal = row.goal.as_ref().and_then(|id| self.state.goals.get(id));
        let goal = goal.map(|goal| {
            let header = Row::of(goal, None);
            let is_leased = self.facts.leased.contains(&goal.id);
            let of_goal = self.events.iter().filter(|(id, _)| *id == goal.id);
            let extras = Extras {
                standing: standing(&header, &self.facts),
                lease: is_leased.then(|| lease(&goal.id)),
                run: RunView::of(goal, runner(is_leased)),
                recent: of_goal.map(|(_, event)| event.clone()).collect(),
                ..Extras::default()
            };
            Box::new(GoalView::of(goal, extras))
        });
        Detail {
            goal,
            draft: draft.map(|draft| {
                let goal = draft
                    .goal_id
                    .as_ref()
                    .and_then(|id| self.state.goals.get(id));
                crate::render::drafts::in_full(draft, goal.map(|goal| &goal.contract))
            }),
        }
    }
}

pub fn all() -> Vec<Told> {
    vec![empty(), one(), night(), running(), ended(), hostile()]
}

/// A project without goals.
pub fn empty() -> Told {
    told(&[], &[], "")
}

/// One goal, which somebody worked on lately.
pub fn one() -> Told {
    let tasks = json!({"taskCount": 3, "blockCompletion": true, "tasks": [
        {"id": "1", "title": "write the parser"},
        {"id": "2", "title": "read old files", "tasks": [{"id": "2.1", "title": "with tabs"}]},
    ]});
    told(
        &[
            created(
                90,
                "g-parse",
                "Tabs in the parser",
                json!({"owner": "ann", "priority": 0.7}),
            ),
            ago(80, "task_list_set", "g-parse", tasks),
            ago(40, "task_complete", "g-parse", json!({"taskId": "1"})),
            ago(
                30,
                "progress_evaluated",
                "g-parse",
                json!({"score": 0.4, "gapAnalysis": "old files fail", "shouldEscalate": false}),
            ),
            ago(
                20,
                "goal_noted",
                "g-parse",
                json!({"note": "the lexer is enough", "next": "read old files"}),
            ),
        ],
        &[],
        "",
    )
}

/// What a night leaves behind.
pub fn night() -> Told {
    told(&night_lines(), &["g-zones"], "")
}

pub fn night_lines() -> Vec<String> {
    let question = json!({
        "questionId": "q-1", "kind": "info", "by": "agent",
        "question": "The backfill found 312 orders without a customer. Delete them, keep them with a null customer, or stop?",
        "suggestions": ["keep them with a null customer", "delete them", "stop"],
    });
    let approval = json!({"questionId": "q-2", "kind": "approval", "by": "agent", "question": "May I move the bucket to eu-west-1?", "suggestions": []});
    let no = |report: &str| json!({"verdict": "disapproved", "report": report, "by": "auditor"});
    let owner = |owner: &str| json!({"owner": owner});
    vec![
        created(800, "g-uuid", "Migrate to UUIDv7", owner("claude-1")),
        created(790, "g-region", "EU region", owner("pi-1")),
        created(780, "g-refund", "Refund webhooks", owner("claude-1")),
        created(770, "g-flaky", "No flaky tests", owner("codex-1")),
        created(760, "g-zones", "Time zones", owner("codex-1")),
        created(750, "g-memory", "Memory below 200 MB", owner("codex-1")),
        created(740, "g-docs", "Docs site", owner("pi-1")),
        created(730, "g-search", "Typo tolerance", owner("codex-1")),
        created(720, "g-log", "Changelog", owner("ann")),
        ago(660, "question_asked", "g-uuid", question),
        ago(500, "question_asked", "g-region", approval),
        ago(
            640,
            "goal_paused",
            "g-refund",
            json!({"reason": "the sandbox key expired", "suggestedAction": "put a new key into .env.test", "blocked": true}),
        ),
        ago(
            400,
            "audit_result",
            "g-flaky",
            no("clock::drift still fails"),
        ),
        ago(300, "audit_result", "g-flaky", no("a test is ignored")),
        ago(
            200,
            "audit_result",
            "g-flaky",
            no(
                "1. `no test is ignored or retried`: tests/clock.rs:16 carries #[ignore].\n2. The rest holds.",
            ),
        ),
        ago(
            190,
            "goal_paused",
            "g-docs",
            json!({"reason": "until the API is decided"}),
        ),
        ago(
            180,
            "goal_paused",
            "g-search",
            json!({"reason": "costUsd is over 5", "source": "budget"}),
        ),
        ago(
            170,
            "draft_proposed",
            "g-memory",
            json!({"draftId": "d-1", "contract": {"objective": "Memory stays below 250 MB."}, "summary": "200 MB cannot be had with the cache", "by": "agent"}),
        ),
        ago(
            10,
            "goal_noted",
            "g-zones",
            json!({"note": "half of the handlers"}),
        ),
    ]
}

/// Two runs under way.
pub fn running() -> Told {
    let run = |goal: &str| json!({"runId": format!("r-{goal}"), "until": "goal", "agent": "claude", "maxIterations": 20, "session": session(&id(goal)), "by": "system"});
    told(
        &[
            created(120, "g-parse", "Tabs in the parser", json!({})),
            created(110, "g-memory", "Memory below 200 MB", json!({})),
            ago(60, "run_started", "g-parse", run("g-parse")),
            ago(30, "run_started", "g-memory", run("g-memory")),
        ],
        &["g-parse", "g-memory"],
        "I read src/parser.rs first.\n\nThe lexer drops tabs in line 41; I change that.\nRunning the tests now: 212 passed, 3 failed.\n",
    )
}

/// Nothing is open any more.
pub fn ended() -> Told {
    told(
        &[
            created(300, "g-a", "First", json!({})),
            created(290, "g-b", "Second", json!({})),
            ago(100, "goal_aborted", "g-a", json!({"reason": "not needed"})),
            ago(
                90,
                "goal_aborted",
                "g-b",
                json!({"reason": "not needed either"}),
            ),
        ],
        &[],
        "",
    )
}

/// Words that would move the cursor, colour the screen, or hide and turn text around if they were
/// drawn as they are; and words that are two columns wide.
pub fn hostile() -> Told {
    let evil = "\u{1b}[2J\u{1b}[31mred\u{7} \u{202e}desrever \u{200b}\u{9b}5m";
    let run = json!({"runId": "r-1", "until": "goal", "agent": "a", "session": session(&id("g-cjk")), "by": "system"});
    let question = json!({"questionId": "q-1", "kind": "info", "by": "agent", "question": format!("Which{evil}?\r\nSecond line"), "suggestions": [evil, "漢字漢字"]});
    told(
        &[
            created(100, "g-evil", evil, json!({"owner": evil})),
            created(
                90,
                "g-cjk",
                "漢字の題名がとても長いので列に収まらないことがあります",
                json!({"owner": "山田太郎さん一郎"}),
            ),
            created(
                80,
                "g-emoji",
                "👩‍👩‍👧 family ❤️ and e\u{301}\u{301} می‌خواهم",
                json!({}),
            ),
            created(70, "g-long", &"long".repeat(60), json!({})),
            ago(60, "question_asked", "g-evil", question),
            ago(50, "run_started", "g-cjk", run),
            ago(40, "goal_noted", "g-long", json!({"note": evil})),
        ],
        &["g-cjk"],
        &format!("{evil}\n進捗: 漢字 \u{1b}]0;title\u{7}done\n"),
    )
}
