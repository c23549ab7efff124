//! An auditor that a project brings is trusted as one file. In whatever way a command line starts a
//! script, an edited script approves nothing before the user trusted it again.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use crate::support::{Project, auditor};

/// Ways to start a script, their words separated by `~`.
const SHAPES: &[&str] = &[
    "./judge.sh",
    "sh~judge.sh",
    "sh~-c~./judge.sh",
    "sh~-c~. ./judge.sh",
    "bash~-c~source ./judge.sh",
    "bash~-lc~./judge.sh",
    "bash~-c~cd tools && ./j2.sh",
    "bash~-c~(cd tools; ./j2.sh)",
    "bash~-c~set -e; ./judge.sh",
    "sh~-c~{ ./judge.sh; }",
    "sh~-c~(./judge.sh)",
    "sh~-c~if true; then ./judge.sh; fi",
    "sh~-c~test -f x || ./judge.sh",
    "sh~-c~! false && ./judge.sh",
    "sh~-c~./judge.sh | cat",
    "sh~-c~cat | ./judge.sh",
    "sh~-c~A=1 ./judge.sh",
    "sh~-c~J=./judge.sh; $J",
    "sh~-c~$PWD/judge.sh",
    "sh~-c~\"$PWD\"/judge.sh",
    "sh~-c~echo \"$(./judge.sh)\"",
    "sh~-c~echo \"`./judge.sh`\"",
    "sh~-c~'./judge.sh'",
    "sh~-c~sh <<E\n./judge.sh\nE\n",
    "sh~-c~eval ./judge.sh",
    "sh~-c~exec ./judge.sh",
    "sh~-c~command ./judge.sh",
    "timeout~9~./judge.sh",
    "env~A=1~./judge.sh",
    "env~-S~./judge.sh",
    "nice~./judge.sh",
    "flock~lock~./judge.sh",
    "setpriv~--no-new-privs~./judge.sh",
    "unshare~./judge.sh",
    "prlimit~./judge.sh",
    "ssh-agent~./judge.sh",
    "busybox~sh~./judge.sh",
    "find~judge.sh~-exec~sh~{}~;",
    "sh~-c~echo judge.sh | xargs sh",
    "xargs~-a~list~sh",
    "make~-s~judge",
    "npm~run~-s~judge",
    "npx~tsx~judge.ts",
    "node~judge.js",
    "node~-r~./judge.js~-e~0",
    "node~--input-type=module~-e~import './judge.mjs'",
    "node~-e~require('./judge.js')",
    "node~--test~judge.test.js",
    "python3~judge.py",
    "python3~-m~judge",
    "python3~-c~import judge",
    "python3~-c~exec(open('judge.py').read())",
    "python3~-Im~judge",
    "python3~-Xutf8~judge.py",
    "python3~main.py",
    "python3~-m~unittest~-q~t_judge",
    "perl~judge.pl",
    "perl~-I.~-MJudge~-e~1",
    "awk~-f~judge.awk",
    "sed~-n~-f~judge.sed~/dev/null",
    "git~judge",
    "bash~--rcfile~judge.sh~-i",
    "env~BASH_ENV=./judge.sh~bash~-c~true",
    "./lnk.sh",
    "./d/judge.sh",
    "$ROOT/judge.sh",
    "./tools/../judge.sh",
    "php~judge.php",
    "ruby~judge.rb",
    "gdb~-batch~-x~judge.gdb",
    "ed~-s",
    "tar~--to-command=./judge.sh~-xf~a.tar",
    "setsid~-w~./judge.sh",
    "stdbuf~-oL~./judge.sh",
    "time~./judge.sh",
    "/lib64/ld-linux-x86-64.so.2~/bin/sh~./judge.sh",
    "/bin/sh~judge.sh",
    "python3.11~judge.py",
    "/usr/bin/env~python3~judge.py",
    "sh~--~judge.sh",
    "sh~-e~-u~judge.sh",
    "bash~-o~pipefail~judge.sh",
    "bash~-o~pipefail~-c~./judge.sh",
    "bash~-euc~./judge.sh",
    "bash~-eo~pipefail~-c~./judge.sh",
    "sh~-c~true\n./judge.sh\n",
    "sh~-c~# x\n./judge.sh",
    "sh~-c~case x in x) ./judge.sh;; esac",
    "sh~-c~for j in ./judge.sh; do $j; done",
    "sh~-c~f() { ./judge.sh; }; f",
    "sh~-c~while ./judge.sh; do break; done",
    "sh~-c~./judge.sh 2>/dev/null",
    "sh~-c~</dev/null ./judge.sh",
    "sh~-c~./judge.sh & wait",
];

/// A file that can be started.
fn put(project: &Project, name: &str, text: &str) {
    let path = project.root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Writes the script in each language, with this marker at the end of what it says.
fn write(project: &Project, marker: &str) {
    let shell = format!("#!/bin/sh\necho '<{marker}/>'\n");
    for name in ["judge.sh", "tools/j2.sh", "dd/judge.sh", "target.sh"] {
        put(project, name, &shell);
    }
    let python = format!("print('<{marker}/>')\n");
    for name in ["judge.py", "t_judge.py", "lib_j.py"] {
        put(project, name, &python);
    }
    put(project, "main.py", "import lib_j\n");
    let node = format!("console.log('<{marker}/>')\n");
    for name in ["judge.js", "judge.mjs", "judge.test.js", "judge.ts"] {
        put(project, name, &node);
    }
    let perl = format!("print '<{marker}/>';\n");
    put(project, "judge.pl", &perl);
    put(project, "Judge.pm", &format!("{perl}1;"));
    put(
        project,
        "judge.awk",
        &format!("BEGIN{{print \"<{marker}/>\"}}\n"),
    );
    put(project, "Makefile", "judge:\n\t@sh judge.sh\n");
    put(
        project,
        "package.json",
        "{\"scripts\":{\"judge\":\"sh judge.sh\"}}",
    );
    put(project, "list", "judge.sh\n");
}

const COMPLETE: [&str; 4] = ["complete", "--summary", "done", "--json"];

/// Makes this command line the auditor of the project, which the user trusts.
fn bring(project: &Project, shape: &str) {
    let shape = shape.replace("$ROOT", project.root.as_str());
    let argv = json!(shape.split('~').collect::<Vec<_>>());
    let config = format!("[auditor]\ncommand = {argv}\ntimeout = 20\n");
    put(project, ".pi/goals/config.toml", &config);
    project.run(&["trust"]).ok();
}

#[test]
fn an_edited_judge_of_the_project_approves_nothing_however_it_is_started() {
    let (project, id) = Project::with_goal("x");
    symlink("target.sh", project.root.join("lnk.sh")).unwrap();
    symlink("dd", project.root.join("d")).unwrap();
    // One file is one, with an interpreter before it or not.
    for shape in ["./judge.sh", "sh~judge.sh", "./lnk.sh", "$ROOT/d/judge.sh"] {
        write(&project, "disapproved");
        bring(&project, shape);
        let honest = project.run_as_agent(&COMPLETE).exits(6).data();
        assert_eq!(honest["verdict"], "disapproved", "{shape}: {honest}");
    }
    for shape in SHAPES {
        write(&project, "disapproved");
        bring(&project, shape);
        write(&project, "approved");
        let edited = project.run_as_agent(&COMPLETE).exits(6).data();
        // What a trusted script imports is not followed; Python finds nothing beside it.
        let wanted = match *shape {
            "python3~main.py" => ["non_zero_exit", "auditor_missing"],
            _ => ["auditor_untrusted", "auditor_missing"],
        };
        let cause = edited["cause"].as_str().unwrap_or_default();
        assert!(wanted.contains(&cause), "{shape}: {edited}");
        if *shape == "./judge.sh" {
            let why = edited["report"].as_str().unwrap();
            assert!(
                why.contains("`judge.sh`, which `auditor` uses, changed"),
                "{why}"
            );
        }
        if *shape == "sh~-c~./judge.sh" {
            let why = edited["report"].as_str().unwrap();
            assert!(why.contains("put it into one file"), "{why}");
        }
    }
    assert_eq!(project.status(&id), "active");
}

#[test]
fn a_script_of_the_project_in_the_user_s_own_configuration_is_trusted_too() {
    let project = Project::new();
    put(&project, "judge.sh", "#!/bin/sh\necho '<approved/>'\n");
    project.configure("[auditor]\ncommand = [\"./judge.sh\"]\n");
    project.run(&["set", "x"]).ok();
    let refused = project.run_as_agent(&COMPLETE).exits(6).data();
    assert_eq!(refused["cause"], "auditor_untrusted", "{refused}");
    project.run(&["trust"]).ok();
    project.run_as_agent(&COMPLETE).ok();
}

/// What a shell's line in the user's own configuration runs is their choice, and is said.
#[test]
fn an_auditor_of_the_user_s_own_that_cannot_be_told_is_said() {
    let project = Project::new();
    project.configure("[auditor]\ncommand = [\"sh\", \"-c\", \"echo '<approved/>'\"]\n");
    let shown = project.run(&["trust", "--show"]).ok().stdout;
    let said =
        "Not covered: your own `auditor`: nobody can tell from its command line what `sh` runs";
    assert!(shown.contains(said), "{shown}");
    let doctor = project.run(&["doctor"]).stdout;
    assert!(doctor.contains("nobody can tell"), "{doctor}");
}

/// The run of a night: the agent edits the test that the check runs, which is its job.
#[test]
fn a_check_s_program_may_change_and_a_pinned_file_may_not() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    put(&project, "t.sh", "exit 1\n");
    put(&project, "lib.sh", "one\n");
    let config = "[checks.t]\ncommand = [\"sh\", \"t.sh\"]\n";
    put(&project, ".pi/goals/config.toml", config);
    project.run(&["trust"]).ok();
    project.run(&["set", "x", "--check", "t"]).ok();
    let failed = project.run_as_agent(&COMPLETE).exits(6).data();
    assert_eq!(failed["cause"], "check_failed");
    put(&project, "t.sh", "exit 0\n");
    // The user holds one of the files fast.
    let pinned = format!("{config}pinned = [\"lib.sh\"]\n");
    put(&project, ".pi/goals/config.toml", &pinned);
    project.run(&["trust"]).ok();
    for text in ["two\n", ""] {
        match text {
            "" => fs::remove_file(project.root.join("lib.sh")).unwrap(),
            text => put(&project, "lib.sh", text),
        }
        let refused = project.run_as_agent(&COMPLETE).exits(6).data();
        assert_eq!(refused["cause"], "auditor_untrusted", "{refused}");
        let report = refused["report"].as_str().unwrap();
        assert!(
            report.contains("`lib.sh`, which `checks.t` uses"),
            "{report}"
        );
        let checked = project.run_as_agent(&["check"]).exits(5);
        assert!(checked.stderr.contains("lib.sh"), "{checked}");
    }
    put(&project, "lib.sh", "one\n");
    project.run_as_agent(&COMPLETE).ok();
}

/// A check that puts another program in the place of a later one, which puts itself back.
#[test]
fn a_check_that_changes_what_another_runs_ends_the_audit() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    put(&project, "b.sh", "exit 1\n");
    put(&project, "a.mk", "a:\n\t@true\n");
    let config = "[checks.a]\ncommand = [\"make\", \"-s\", \"-f\", \"a.mk\"]\n\
                  [checks.b]\ncommand = [\"sh\", \"./b.sh\"]\n";
    put(&project, ".pi/goals/config.toml", config);
    project.run(&["trust"]).ok();
    project
        .run(&["set", "x", "--check", "a", "--check", "b"])
        .ok();
    let swap = "a:\n\t@cp b.sh .b; printf 'cp .b b.sh; exit 0\\n' > b.sh\n";
    put(&project, "a.mk", swap);
    let ended = project.run_as_agent(&COMPLETE).exits(6).data();
    assert_eq!(ended["cause"], "check_changed", "{ended}");
    assert!(
        ended["report"].as_str().unwrap().contains("b.sh"),
        "{ended}"
    );
    assert_eq!(project.started(), 0);
}

#[test]
fn what_is_not_trusted_waits_in_the_inbox_until_it_is() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    let kinds = || {
        let needs = project.run(&["inbox", "--json"]).ok().data();
        let needs = needs["needs"].as_array().unwrap().clone();
        let text = |it: &serde_json::Value| format!("{} {}", it["kind"], it["command"]);
        needs.iter().map(text).collect::<Vec<String>>()
    };
    put(&project, "t.sh", "exit 0\n");
    let config = "[checks.t]\ncommand = [\"sh\", \"t.sh\"]\n";
    put(&project, ".pi/goals/config.toml", config);
    // Nothing is to be judged yet.
    assert!(kinds().is_empty());
    project.run(&["set", "x", "--check", "t"]).ok();
    let waits = ["\"untrusted\" \"goal trust\""];
    assert_eq!(kinds(), waits);
    let list = project.run(&["inbox", "--list"]).ok().stdout;
    assert!(
        list.contains("the user has not trusted these files"),
        "{list}"
    );
    project.run(&["trust"]).ok();
    assert!(kinds().is_empty());
    put(&project, "t.sh", "exit 1\n");
    assert!(kinds().is_empty(), "an agent may edit a test");
    put(&project, ".pi/goals/config.toml", &format!("{config}\n"));
    assert_eq!(kinds(), waits);
    project.run(&["trust"]).ok();
    // The auditor of the user's own configuration, edited by anybody.
    let judge = project.script("other", auditor::APPROVE);
    project.edit_configuration(&format!(
        "[auditor]\ncommand = [\"/bin/sh\", \"{judge}\"]\n"
    ));
    assert_eq!(kinds(), waits);
    project.run(&["trust"]).ok();
    assert!(kinds().is_empty());
}

#[test]
fn set_advises_to_pin_what_a_check_runs_where_a_script_audits() {
    let project = Project::new();
    project.auditor(auditor::APPROVE);
    put(&project, "t.sh", "exit 0\n");
    let told = |config: &str| {
        put(&project, ".pi/goals/config.toml", config);
        project.run(&["trust"]).ok();
        let set = project.run(&["set", "x", "--check", "t", "--json"]).ok();
        let notices = set.data()["notices"].as_array().cloned();
        let notices = notices.unwrap_or_default().into_iter();
        let mut told = notices.filter(|it| it["code"] == "check_unpinned");
        told.next()
            .map(|it| it["hint"].as_str().unwrap().to_owned())
    };
    let config = "[checks.t]\ncommand = [\"sh\", \"t.sh\"]\n";
    let hint = told(config).unwrap();
    assert!(
        hint.contains("`pinned = [\"t.sh\"]` to `[checks.t]`"),
        "{hint}"
    );
    assert_eq!(told(&format!("{config}pinned = [\"t.sh\"]\n")), None);
    assert_eq!(told("[checks.t]\ncommand = [\"true\"]\n"), None);
    // A model reads what changed.
    project.configure("[auditor]\npreset = \"claude\"\n");
    assert_eq!(told(config), None);
}
