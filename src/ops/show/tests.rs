//! Goals and projects as they are read: audits without a result, and that nothing is written.

use std::fs;

use serde_json::json;

use super::*;
use crate::ops::list::{self, list};
use crate::ops::log::{Filter, Log, LogRequest};
use crate::ops::status::status;
use crate::ops::testing::Project;
use crate::render::testing::{created, line};
use crate::render::view::AuditStanding;

fn requested() -> Project {
    let revision = "0123456789abcdef0123456789abcdef";
    let audit = json!({"command": ["judge"], "revision": revision});
    Project::with(&[
        created(1, "a-1", "tidy"),
        line(
            2,
            "completion_requested",
            "a-1",
            json!({"revision": revision}),
        ),
        line(3, "audit_started", "a-1", audit),
    ])
}

fn standing_in(project: &Project) -> Option<AuditStanding> {
    let shown = show(&project.call(None), None).unwrap();
    shown.goal.pending_request.map(|pending| pending.standing)
}

#[test]
fn an_audit_runs_while_somebody_holds_its_lock() {
    let project = requested();
    assert_eq!(standing_in(&project), Some(AuditStanding::Interrupted));
    let path = project
        .call(None)
        .workspace
        .paths
        .audit_lock(&"a-1".parse().unwrap());
    assert!(!path.exists(), "reading made a lock file");
    let lock = FileLock::try_acquire(&path).unwrap().unwrap();
    assert_eq!(standing_in(&project), Some(AuditStanding::Running));
    drop(lock);
    assert_eq!(standing_in(&project), Some(AuditStanding::Interrupted));
}

#[test]
fn a_goal_is_being_planned_while_somebody_holds_its_lock() {
    let project = Project::with(&[created(1, "a-1", "tidy")]);
    let paths = project.call(None).workspace.paths;
    let path = paths.plan_lock(&"a-1".parse().unwrap());
    let planning = || {
        let shown = show(&project.call(None), None).unwrap().goal.planning;
        let goal = status(&project.call(None)).unwrap().goal.unwrap();
        assert_eq!((goal.planning, goal.status), (shown, goal.status));
        shown
    };
    assert!(!planning());
    assert!(!path.exists(), "reading made a lock file");
    let lock = FileLock::try_acquire(&path).unwrap().unwrap();
    assert!(planning());
    drop(lock);
    assert!(!planning());
}

#[test]
fn another_tools_audit_is_left_to_it() {
    let project = Project::with(&[
        r#"{"type":"goal_created","goalId":"a-1","objective":"o","sisyphus":false,"autoContinue":true,"at":"t"}"#.to_owned(),
        r#"{"type":"completion_requested","goalId":"a-1","at":"t"}"#.to_owned(),
    ]);
    assert_eq!(standing_in(&project), Some(AuditStanding::Foreign));
}

#[test]
fn a_goal_is_named_by_any_means_also_an_ended_one() {
    let project = Project::with(&[
        created(1, "a-1", "one"),
        created(2, "b-2", "two"),
        line(3, "goal_aborted", "a-1", json!({"reason": "no"})),
    ]);
    let id = |named: Option<&str>, option: Option<&str>| {
        let shown = show(&project.call(option), named);
        shown
            .map(|it| it.goal.goal_id.to_string())
            .map_err(|it| it.code)
    };
    assert_eq!(id(None, None), Ok("b-2".into()));
    assert_eq!(id(Some("a"), None), Ok("a-1".into()));
    assert_eq!(id(None, Some("-1")), Ok("a-1".into()));
    assert_eq!(id(Some("b"), Some("a")), Ok("b-2".into()));
    assert_eq!(id(Some("c"), None), Err("unknown_goal"));
    let shown = show(&project.call(None), Some("a")).unwrap();
    assert_eq!((shown.goal.events, shown.goal.recent_events.len()), (2, 2));
    assert_eq!(shown.goal.end_reason.as_deref(), Some("no"));
}

#[test]
fn the_focused_goal_is_shown_also_right_after_its_end() {
    let mut lines = vec![
        created(1, "a-1", "one"),
        created(2, "b-2", "two"),
        line(3, "goal_focused", "a-1", json!({"reason": "r"})),
        line(4, "goal_aborted", "a-1", json!({"reason": "no"})),
    ];
    let shown = |lines: &[String]| {
        let shown = show(&Project::with(lines).call(None), None);
        let id = shown.map(|it| it.goal.goal_id.to_string());
        id.map_err(|it| it.code)
    };
    assert_eq!(shown(&lines), Ok("a-1".into()));
    lines.push(line(5, "goal_unfocused", "a-1", json!({"reason": "r"})));
    assert_eq!(shown(&lines), Err("no_focus"));
}

#[test]
fn reading_leaves_every_byte_and_every_time() {
    let project = requested();
    let torn = format!("{}torn", fs::read_to_string(project.ledger()).unwrap());
    fs::write(project.ledger(), torn).unwrap();
    fs::create_dir(project.root().join(".pi/goals/.locks")).unwrap();
    fs::write(project.root().join(".pi/goals/.locks/a-1.audit"), "").unwrap();
    let before = project.tree();
    let call = project.call(Some("a-1"));
    assert_eq!(
        list(&call, &list::ListRequest::default())
            .unwrap()
            .goals
            .len(),
        1
    );
    assert_eq!(status(&call).unwrap().open_goals, 1);
    show(&call, None).unwrap();
    let mut log = Log::open(&call, Filter::default()).unwrap();
    log.read(&LogRequest::default()).unwrap();
    log.begin(&LogRequest::default()).unwrap();
    log.follow().unwrap();
    assert_eq!(project.tree(), before);
}

#[test]
fn a_project_without_goals_stays_without() {
    let project = Project::with(&[] as &[&str]);
    fs::remove_dir_all(project.root().join(".pi")).unwrap();
    let call = project.call(None);
    assert_eq!(status(&call).unwrap().focused_goal_id, None);
    assert_eq!(show(&call, None).unwrap_err().code, "no_focus");
    assert!(
        Log::open(&call, Filter::default())
            .unwrap()
            .read(&LogRequest::default())
            .unwrap()
            .is_empty()
    );
    assert_eq!(project.tree().len(), 1);
}
