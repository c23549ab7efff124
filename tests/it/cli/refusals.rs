//! Every refusal names the thing and the next step, has its exit code, and changes nothing.

use insta::assert_snapshot;

use crate::support::{Project, Ran, auditor};

/// Runs a call that must fail, and checks that no byte of the project changed.
#[track_caller]
fn refused(project: &Project, args: &[&str]) -> Ran {
    let before = project.tree();
    let ran = project.run(args);
    assert_ne!(ran.code, Some(0), "{ran}");
    assert_eq!(project.tree(), before, "{ran}");
    ran
}

fn two_goals() -> (Project, String, String) {
    let (project, first) = Project::with_goal("one");
    let second = project.set("two");
    (project, first, second)
}

#[test]
fn arguments_that_make_no_sense() {
    let (project, _) = Project::with_goal("x");
    assert_snapshot!(refused(&project, &["fail"]), @r"
    ------- stderr -------
    error: the following required arguments were not provided:
      --reason <TEXT>

    Usage: goal fail --reason <TEXT>

    For more information, try '--help'.
    [exit status: 2]
    ");
    assert_snapshot!(refused(&project, &["fail", "--json"]), @r#"
    {"ok":false,"schema":"goal/error/1","error":{"code":"usage","message":"the following required arguments were not provided: --reason <TEXT>","hint":"`goal help` and `goal COMMAND --help` say more","retryable":false}}
    [exit status: 2]
    "#);
    assert_snapshot!(refused(&project, &["pauze", "--reason", "r"]), @r"
    ------- stderr -------
    error: there is no command `pauze`
      did you mean `goal pause`? `goal help all` lists the commands
    [exit status: 2]
    ");
    assert_snapshot!(refused(&project, &["pauze", "--json"]), @r#"
    {"ok":false,"schema":"goal/error/1","error":{"code":"usage","message":"there is no command `pauze`","hint":"did you mean `goal pause`? `goal help all` lists the commands","retryable":false}}
    [exit status: 2]
    "#);
    assert_snapshot!(refused(&project, &["note", "x", "--lock-timeout", "soon", "--json"]), @r#"
    {"ok":false,"schema":"goal/error/1","error":{"code":"usage","message":"invalid value 'soon' for '--lock-timeout <S>': give a number of seconds","hint":"`goal help` and `goal COMMAND --help` say more","retryable":false}}
    [exit status: 2]
    "#);
    assert_snapshot!(refused(&project, &["note", "x", "--expect", "123"]), @r"
    ------- stderr -------
    error: invalid value '123' for '--expect <REV>': an event id is 32 lower-case hex digits

    For more information, try '--help'.
    [exit status: 2]
    ");
    assert_snapshot!(refused(&project, &["note", "x", "--session", ""]), @r"
    ------- stderr -------
    error: --session must have 1 to 256 bytes and no control characters
      pass the host's own id
    [exit status: 2]
    ");
    assert_snapshot!(refused(&project, &["note", "x", "--key", "a\nb", "--json"]), @r#"
    {"ok":false,"schema":"goal/note/1","error":{"code":"usage","message":"--key must have 1 to 256 bytes and no control characters","hint":"pass the host's own id","retryable":false}}
    [exit status: 2]
    "#);
}

#[test]
fn fields_that_make_no_sense() {
    let (project, _) = Project::with_goal("x");
    assert_snapshot!(refused(&project, &["set", "  "]), @r"
    ------- stderr -------
    error: `objective` is empty
      `objective` needs a text
    [exit status: 2]
    ");
    assert_snapshot!(refused(&project, &["note", ""]), @r"
    ------- stderr -------
    error: `note` is empty
      `note` needs a text
    [exit status: 2]
    ");
    assert_snapshot!(refused(&project, &["pause", "--reason", " ", "--json"]), @r#"
    {"ok":false,"schema":"goal/pause/1","root":"$ROOT","error":{"code":"empty_field","message":"`reason` is empty","hint":"`reason` needs a text","retryable":false}}
    [exit status: 2]
    "#);
    assert_snapshot!(refused(&project, &["set", "y", "--priority", "2"]), @r"
    ------- stderr -------
    error: `priority` is not from 0 to 1
      correct `priority` and run the command again
    [exit status: 2]
    ");
    let long = "x".repeat(64 * 1024 + 1);
    assert_snapshot!(refused(&project, &["set", &long]), @r"
    ------- stderr -------
    error: `objective` is 65537 bytes long, of at most 65536; shorten it, or put the text in a file and name the file
      nothing was written
    [exit status: 2]
    ");
    let secret = ["set", "use ghp_", &"a1B2".repeat(9)].concat();
    let objective = secret.strip_prefix("set").unwrap();
    let ran = refused(&project, &["set", objective]);
    assert_snapshot!(ran, @r#"
    ------- stderr -------
    error: `objective` holds what looks like a secret: `ghp_…` (40 characters) as github_token
      remove it, since what is recorded stays on record; if it is no secret, the user can allow exactly this text in their own configuration: `[redact]` with `allow = ["TEXT"]` (`goal config edit`)
    [exit status: 5]
    "#);
}

#[test]
fn no_goal_to_act_on() {
    let project = Project::new();
    assert_snapshot!(refused(&project, &["note", "x"]), @r"
    ------- stderr -------
    error: no goal is focused
      no goal is open; `goal set` or `goal draft` begins one (user only)
    [exit status: 3]
    ");
    assert!(
        !project.root.join(".pi").exists(),
        "a refusal makes no project"
    );

    let (project, ..) = two_goals();
    project.run(&["unfocus"]).ok();
    assert_snapshot!(refused(&project, &["note", "x"]), @r"
    ------- stderr -------
    error: no goal is focused
      `goal focus GOAL` focuses one (user only), `--goal` names one; open: mjuohs00-tdsfyu (one), mjuohsrs-r8rvzl (two)
    [exit status: 3]
    ");
    assert_snapshot!(refused(&project, &["note", "x", "--json"]), @r#"
    {"ok":false,"schema":"goal/note/1","root":"$ROOT","error":{"code":"no_focus","message":"no goal is focused","hint":"`goal focus GOAL` focuses one (user only), `--goal` names one; open: mjuohs00-tdsfyu (one), mjuohsrs-r8rvzl (two)","retryable":false}}
    [exit status: 3]
    "#);
    assert_snapshot!(refused(&project, &["unfocus"]), @r"
    ------- stderr -------
    error: no goal is focused
      `goal focus GOAL` focuses one (user only), `--goal` names one; open: mjuohs00-tdsfyu (one), mjuohsrs-r8rvzl (two)
    [exit status: 3]
    ");
}

#[test]
fn goals_that_do_not_exist_or_are_not_told_apart() {
    let (project, first, second) = two_goals();
    assert_snapshot!(refused(&project, &["note", "x", "--goal", "nope"]), @"
    ------- stderr -------
    error: no goal matches `nope`
      a goal is named by its id, a beginning or end of it, or words of its title; `goal list --all` shows every goal
    [exit status: 3]
    ");
    assert_snapshot!(refused(&project, &["note", "x", "--goal", "mju"]), @"
    ------- stderr -------
    error: `mju` matches 2 goals: mjuohs00-tdsfyu (one), mjuohsrs-r8rvzl (two)
      give more of the id or of the title
    [exit status: 3]
    ");
    assert_snapshot!(refused(&project, &["note", "x", "--goal", "mju", "--json"]), @r#"
    {"ok":false,"schema":"goal/note/1","root":"$ROOT","error":{"code":"ambiguous_goal","message":"`mju` matches 2 goals: mjuohs00-tdsfyu (one), mjuohsrs-r8rvzl (two)","hint":"give more of the id or of the title","retryable":false}}
    [exit status: 3]
    "#);
    // A suffix is as good as a prefix, and a whole id always wins.
    for (id, typed) in [
        (&first, &first[9..]),
        (&second, &second[..8]),
        (&first, &first),
    ] {
        project.run(&["note", "x", "--goal", typed]).ok();
        assert_eq!(project.last_event()["goalId"], id.as_str());
    }
}

#[test]
fn goals_that_are_closed_or_so_already() {
    let (project, id) = Project::with_goal("x");
    project.run(&["pause", "--reason", "r"]).ok();
    assert_snapshot!(refused(&project, &["pause", "--reason", "r"]), @r"
    ------- stderr -------
    error: goal mjuohs00-tdsfyu is already paused
      `goal show mjuohs00-tdsfyu` says why and since when
    [exit status: 4]
    ");
    project.run(&["resume"]).ok();
    assert_snapshot!(refused(&project, &["resume"]), @r"
    ------- stderr -------
    error: goal mjuohs00-tdsfyu is already active
      it needs no `goal resume`; `goal next` shows what to do now
    [exit status: 4]
    ");
    project.run(&["abort", "--reason", "r"]).ok();
    for args in [
        &["note", "x"][..],
        &["pause", "--reason", "r"],
        &["resume"],
        &["block", "--reason", "r"],
        &["abort", "--reason", "r"],
        &["fail", "--reason", "r"],
        &["abandon", "--reason", "r"],
    ] {
        let named = [args, &["--goal", &id, "--json"]].concat();
        let ran = refused(&project, &named).exits(5);
        assert_eq!(ran.error_code(), "goal_closed", "{args:?}");
    }
    assert_snapshot!(refused(&project, &["note", "x", "--goal", &id]), @r"
    ------- stderr -------
    error: goal mjuohs00-tdsfyu is aborted, which is final
      create a new goal for what is left to do
    [exit status: 5]
    ");
    // The focus does not slide to another goal.
    assert_snapshot!(refused(&project, &["note", "x"]), @r"
    ------- stderr -------
    error: no goal is focused
      no goal is open; `goal set` or `goal draft` begins one (user only)
    [exit status: 3]
    ");
}

#[test]
fn completion_that_cannot_be_asked_for() {
    let (project, id) = Project::with_goal("x");
    assert_snapshot!(refused(&project, &["complete"]), @r"
    ------- stderr -------
    error: no auditor is configured
      `goal init --auditor NAME` tries one and keeps it: pi, claude, codex, gemini, or ./SCRIPT (user only)
    [exit status: 5]
    ");
    project.auditor(auditor::APPROVE);
    project.run(&["set", "y", "--verification", "a log"]).ok();
    assert_snapshot!(refused(&project, &["complete", "--json"]), @r#"
    {"ok":false,"schema":"goal/complete/1","root":"$ROOT","error":{"code":"no_evidence","message":"the goal has a verification contract and no evidence was given for it","hint":"record what proves it with `goal evidence add KEY VALUE`, or pass `--evidence TEXT`","retryable":false}}
    [exit status: 5]
    "#);
    project.run(&["complete", "--evidence", "the log"]).ok();
    assert_snapshot!(refused(&project, &["complete", "--goal", &id, "--expect", &"0".repeat(32)]), @r"
    ------- stderr -------
    error: goal mjuohs00-tdsfyu has changed: its revision is [id], not 00000000000000000000000000000000
      read it again with `goal show mjuohs00-tdsfyu`, then decide again
    [exit status: 4]
    ");
    assert_eq!(project.started(), 1);
}

#[test]
fn roots_that_are_not_there() {
    let project = Project::new();
    assert_snapshot!(refused(&project, &["note", "x", "--root", "nowhere"]), @r"
    ------- stderr -------
    error: --root names `$ROOT/nowhere`, which cannot be opened (No such file or directory (os error 2)); name an existing directory
      check `--root` and `GOAL_ROOT`
    [exit status: 2]
    ");
    assert_snapshot!(refused(&project, &["note", "x", "--root", "nowhere", "--json"]), @r#"
    {"ok":false,"schema":"goal/note/1","error":{"code":"usage","message":"--root names `$ROOT/nowhere`, which cannot be opened (No such file or directory (os error 2)); name an existing directory","hint":"check `--root` and `GOAL_ROOT`","retryable":false}}
    [exit status: 2]
    "#);
}

#[test]
fn a_lock_that_is_held_too_long() {
    let (project, _) = Project::with_goal("x");
    let held = std::fs::File::open(project.goals("")).unwrap();
    fs2::FileExt::lock_exclusive(&held).unwrap();
    let note = ["note", "x", "--lock-timeout", "0.05"];
    assert_snapshot!(refused(&project, &note), @r"
    ------- stderr -------
    error: `$ROOT/.pi/goals` is locked by another process for more than 50 ms: nothing was changed
      run it again, or allow more time with `--lock-timeout`
    [exit status: 75]
    ");
    let ran = refused(&project, &[&note[..], &["--json"]].concat()).exits(75);
    assert_eq!(ran.json()["error"]["retryable"], true);
    drop(held);
    project.run(&note).ok();
}

#[test]
fn a_decision_is_about_the_proposal_that_was_shown() {
    let project = Project::new();
    project.run(&["draft", "totals"]).ok();
    let propose = |objective| project.run_as_agent(&["propose", objective]).ok();
    let shown = || {
        let drafts = project.run(&["drafts", "--json"]).data();
        drafts["drafts"][0]["revision"].as_str().unwrap().to_owned()
    };
    propose("one");
    let first = shown();
    propose("two");
    let draft = || {
        let drafts = project.run(&["drafts", "--json"]).data();
        drafts["drafts"][0]["draftId"].as_str().unwrap().to_owned()
    };
    for decision in [&["confirm", &draft()][..], &["reject"]] {
        let stale = refused(
            &project,
            &[decision, &["--expect", &first, "--json"]].concat(),
        );
        assert_eq!(stale.error_code(), "stale", "{stale}");
        assert_eq!(stale.code, Some(4), "{stale}");
    }
    let second = shown();
    let unread = refused(&project, &["confirm", &draft(), "--json"]);
    assert_eq!(unread.error_code(), "expect_required", "{unread}");
    assert_eq!(unread.code, Some(2), "{unread}");
    // The listing has the command that confirms what it shows.
    let drafts = project.run(&["drafts"]).ok().stdout;
    let command = format!("`goal confirm {} --expect {second}`", draft());
    assert!(drafts.contains(&command), "{drafts}");
    project
        .run(&["confirm", &draft(), "--expect", &second])
        .ok();
    assert_eq!(
        project.events_of_type("goal_created")[0]["objective"],
        "two"
    );
}
