//! Calls that join an audit which runs already: what they are told of their own words.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::ended;
use crate::support::{Project, auditor, wait::until};

#[test]
fn a_call_that_names_the_auditor_which_runs_is_told_nothing_of_it() {
    let (project, _) = Project::with_goal("x");
    let script = project.script("auditor", auditor::WAIT_AND_APPROVE);
    let named = project.aside.join("named");
    fs::write(&named, format!("#!/bin/sh\nexec /bin/sh {script}\n")).unwrap();
    fs::set_permissions(&named, Permissions::from_mode(0o755)).unwrap();
    let complete = ["complete", "--json", "--auditor", named.as_str()];
    let caller = project.call(&complete).spawn();
    until("the auditor runs", || project.started() == 1);

    let joined = |auditor: &str| {
        let call = ["complete", "--json", "--wait", "0", "--auditor", auditor];
        project.run(&call).exits(6).data()
    };
    assert!(joined(named.as_str())["notices"].is_null());
    let other = joined("/bin/true");
    let said = "this call's auditor did not count";
    assert!(other["notices"].to_string().contains(said), "{other}");

    project.go();
    assert_eq!(ended(&project, caller).ok().data()["verdict"], "approved");
    assert!(project.run(&complete).ok().data()["notices"].is_null());
}
