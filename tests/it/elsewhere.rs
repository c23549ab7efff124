//! Audits that another machine began: they are let be until their time is over.

use serde_json::Value;

use crate::seals::imitated;
use crate::support::{Project, auditor};

/// A goal that a machine with this name audits, until then.
fn audited_by(host: &str, deadline: &str) -> Project {
    let (project, id) = Project::with_goal("x");
    project.auditor(auditor::APPROVE);
    let request = format!(r#""type":"completion_requested","goalId":"{id}""#);
    project.append_line(&imitated(&project, &request));
    let start = format!(
        r#""type":"audit_started","goalId":"{id}","host":"{host}","deadline":"{deadline}""#
    );
    project.append_line(&imitated(&project, &start));
    project
}

fn results(project: &Project) -> Vec<Value> {
    project.events_of_type("audit_result")
}

fn is_found(project: &Project) -> bool {
    project
        .run(&["doctor"])
        .stdout
        .contains("audit_interrupted")
}

#[test]
fn only_the_machine_that_began_an_audit_calls_it_interrupted_until_its_time_is_over() {
    let project = audited_by("ffffffff", "2026-01-01T01:00:00.000Z");
    let refused = project.run(&["complete", "--json"]).exits(4);
    assert_eq!(refused.error_code(), "audit_running");
    assert_eq!(results(&project), Vec::<Value>::new());
    assert!(!is_found(&project));
    let shown = project.run(&["show"]).ok().stdout;
    assert!(shown.contains("Another machine audits it"), "{shown}");

    let project = audited_by("ffffffff", "2025-12-31T23:00:00.000Z");
    assert!(is_found(&project));
    project.run(&["complete"]).ok();
    assert_eq!(results(&project)[0]["cause"], "interrupted");
    // It names itself as it seals its lines, and says when it is over.
    let started = project.events_of_type("audit_started").pop().unwrap();
    let own = started["host"].as_str();
    assert_eq!(started["seal"].as_str().unwrap().split(':').next(), own);
    assert!(started["deadline"].as_str() > started["at"].as_str());
}
