//! What command lines run, and what their digests cover.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn project() -> (tempfile::TempDir, Utf8PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(keep.path()).unwrap().to_owned();
    for name in [
        "a.sh",
        "judge.py",
        "README.md",
        "test.js",
        "hook.js",
        "judge/__main__.py",
        "pkg/__init__.py",
        "pkg/mod.py",
        "sub/unit.sh",
        "prog.awk",
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
    (keep, root)
}

#[test]
fn what_the_path_decides_is_told_by_its_name() {
    let (_keep, root) = project();
    let path = std::env::var_os("PATH");
    let names = |line: &str| {
        let argv: Vec<String> = line.split('~').map(str::to_owned).collect();
        let from = From {
            root: &root,
            cwd: "".into(),
            search_path: path.as_deref(),
        };
        let found = looked_up(&argv, from).into_keys().collect::<Vec<_>>();
        found.join(" ")
    };
    assert_eq!(names("sh~-e~a.sh"), "sh");
    assert_eq!(names("/bin/sh~-e~a.sh"), "");
    assert_eq!(names("./a.sh"), "");
    assert_eq!(names("env~X=1~sh~-c~cat a && ./a.sh"), "cat env sh");
    assert_eq!(names("no-such-program"), "");
}

#[test]
fn a_command_line_runs_its_program_and_its_script() {
    let (_keep, root) = project();
    let path = std::env::var_os("PATH");
    let runs = |line: &str, cwd: &str| {
        let argv: Vec<String> = line.split('~').map(str::to_owned).collect();
        let from = From {
            root: &root,
            cwd: cwd.into(),
            search_path: path.as_deref(),
        };
        let all = launched(&argv, from);
        let inside = all.iter().filter_map(|path| path.strip_prefix(&root).ok());
        inside.map(Utf8Path::as_str).collect::<Vec<_>>().join(" ")
    };
    for (line, wanted) in [
        ("./a.sh", "a.sh"),
        ("./a.sh~README.md", "a.sh"),
        ("grep~-q~Usage~README.md", ""),
        ("test~-f~README.md", ""),
        ("sh~a.sh", "a.sh"),
        ("sh~-e~a.sh~README.md", "a.sh"),
        ("bash~-o~pipefail~a.sh", "a.sh"),
        ("/bin/sh~-c~grep x README.md && ./a.sh x", "a.sh"),
        ("sh~-ec~X=1 sh a.sh", "a.sh"),
        ("env~X=1~./a.sh", "a.sh"),
        ("env~-i~PATH=/bin~sh~a.sh", "a.sh"),
        ("timeout~10~./a.sh~README.md", "a.sh"),
        ("python3~judge.py", "judge.py"),
        ("python3.12~-X~dev~-W~ignore~judge.py~README.md", "judge.py"),
        ("python3~judge", "judge"),
        ("python3~-m~judge", "judge judge.py"),
        ("python3~-m~pkg.mod~README.md", "pkg/__init__.py pkg/mod.py"),
        ("python3~-c~print(1)~README.md", ""),
        ("python3~-m~pytest~judge.py", ""),
        ("node~test.js", "test.js"),
        ("node~test", "test.js"),
        (
            "node~--require~./hook.js~--import=./hook.js~test.js",
            "hook.js test.js",
        ),
        ("awk~-f~prog.awk~README.md", "prog.awk"),
        ("awk~{print}~README.md", ""),
    ] {
        assert_eq!(runs(line, ""), wanted, "{line}");
    }
    assert_eq!(runs("sh~unit.sh", "sub"), "sub/unit.sh");
    assert_eq!(runs("", ""), "");
}

#[test]
fn a_script_runs_what_its_first_line_names() {
    let (_keep, root) = project();
    let put = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    for name in ["bin/node", "other/node", "here/node"] {
        put(name, "\u{7f}ELF");
    }
    put("nested", "#!/usr/bin/env node\n");
    let path = format!("./here::{root}/bin:/usr/bin:/bin");
    let runs = |first_line: &str, line: &str| {
        let first_line = first_line.replace("ROOT", root.as_str());
        put("bin/judge", &format!("{first_line}\n"));
        let argv: Vec<String> = line.split('~').map(str::to_owned).collect();
        let from = From {
            root: &root,
            cwd: "".into(),
            search_path: Some(path.as_ref()),
        };
        let all = launched(&argv, from);
        let names = looked_up(&argv, from);
        assert_eq!(
            names.get("node").is_some_and(|path| all.contains(path)),
            names.contains_key("node")
        );
        let inside = all.iter().filter_map(|path| path.strip_prefix(&root).ok());
        inside.map(Utf8Path::as_str).collect::<Vec<_>>().join(" ")
    };
    for (first_line, line, wanted) in [
        ("#!/usr/bin/env node", "judge", "bin/node bin/judge"),
        ("#!/usr/bin/env node", "bin/judge", "bin/node bin/judge"),
        ("#!/usr/bin/env -Snode --x", "judge", "bin/node bin/judge"),
        (
            "#!/usr/bin/env -S node --require ./hook.js",
            "judge",
            "bin/node hook.js bin/judge",
        ),
        (
            "#!/usr/bin/env -S PATH=ROOT/other node",
            "judge",
            "other/node bin/judge",
        ),
        ("#!/usr/bin/env -S -i node", "judge", "bin/judge"),
        ("#!ROOT/bin/node", "judge", "bin/node bin/judge"),
        ("#!bin/node", "judge", "bin/node bin/judge"),
        ("#!ROOT/nested", "judge", "bin/node nested bin/judge"),
        ("#!/usr/bin/env judge", "judge", "bin/judge"),
        ("#!/bin/sh", "judge~a.sh", "bin/judge"),
        ("#!/usr/bin/env node", "sh~bin/judge", "bin/judge"),
        ("#!/usr/bin/env node", "sh~-c~judge x", "bin/node bin/judge"),
        (
            "#!/usr/bin/env node",
            "timeout~9~env~A=1~nice~judge",
            "bin/node bin/judge",
        ),
        ("", "env~-S~node --x~test.js", "bin/node test.js"),
        ("", "env~PATH=ROOT~node", ""),
        ("", "env~-u~PATH~node", ""),
    ] {
        assert_eq!(runs(first_line, line), wanted, "{first_line} {line}");
    }
}

#[test]
fn a_word_of_the_wrappers_own_is_no_program() {
    let (_keep, root) = project();
    for name in ["60", "KILL", "5", "0x1", "ann", "make"] {
        let path = root.join("bin").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let path = root.join("bin");
    for line in [
        "timeout 60 make test",
        "timeout -s KILL -k 5 60 make test",
        "timeout --signal=KILL 60 make",
        "nice -n 5 make",
        "taskset 0x1 make",
        "sudo -u ann make",
        "env -u ann make",
        "make",
    ] {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let from = From {
            root: &root,
            cwd: "".into(),
            search_path: Some(path.as_ref()),
        };
        let found: Vec<String> = looked_up(&argv, from).into_keys().collect();
        assert_eq!(found, ["make"], "{line}");
    }
}

#[test]
fn a_script_that_names_itself_many_times_is_followed_to_an_end() {
    let (_keep, root) = project();
    let script = root.join("x");
    fs::write(&script, format!("#!/bin/sh -c {}\n", "./x;".repeat(40))).unwrap();
    let from = From {
        root: &root,
        cwd: "".into(),
        search_path: None,
    };
    let runs = launched(&["./x".to_owned()], from);
    assert!(runs.contains(&script), "{runs:?}");
}

#[test]
fn words_within_words_are_followed_to_an_end() {
    let (_keep, root) = project();
    let from = From {
        root: &root,
        cwd: "".into(),
        search_path: None,
    };
    let argv = ["env".to_owned(), "-S".repeat(50_000)];
    let runs = launched(&argv, from);
    assert!(runs.iter().all(|path| path.ends_with("env")), "{runs:?}");
}

#[test]
fn a_directory_is_all_that_is_in_it() {
    let (_keep, root) = project();
    let judge = root.join("judge");
    let mut seen = vec![digest(&judge).unwrap()];
    for (name, text) in [("__main__.py", "x"), ("b.py", ""), ("sub/c.py", "")] {
        let path = judge.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        let now = digest(&judge).unwrap();
        assert!(!seen.contains(&now), "{name}");
        seen.push(now);
    }
    fs::create_dir(judge.join("__pycache__")).unwrap();
    fs::write(judge.join("__pycache__/b.pyc"), "").unwrap();
    assert_eq!(seen.last(), Some(&digest(&judge).unwrap()));
    // Of a project itself only what a run of it begins with.
    fs::create_dir_all(root.join(".pi/goals")).unwrap();
    let before = digest(&root).unwrap();
    fs::write(root.join("README.md"), "changed").unwrap();
    assert_eq!(digest(&root).unwrap(), before);
    fs::write(root.join("package.json"), "{}").unwrap();
    assert_ne!(digest(&root).unwrap(), before);
}
