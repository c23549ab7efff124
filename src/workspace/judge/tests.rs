//! What judges' command lines run, and which files of a project command lines name.

use std::fs;

use super::*;

fn project() -> (tempfile::TempDir, Utf8PathBuf) {
    let keep = tempfile::tempdir().unwrap();
    let top = Utf8Path::from_path(keep.path()).unwrap();
    let root = top.canonicalize_utf8().unwrap();
    for name in [
        "judge.sh",
        "judge.py",
        "judge.js",
        "README.md",
        "tools/j.sh",
        "sub/t.py",
    ] {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "#!/bin/sh\n").unwrap();
    }
    (keep, root)
}

fn words(line: &str) -> Vec<String> {
    line.split('~').map(str::to_owned).collect()
}

#[test]
fn a_judge_is_a_program_or_one_file_and_else_nobody_can_tell() {
    let (_keep, root) = project();
    let path = std::env::var_os("PATH");
    for (line, wanted) in [
        // One file, named by itself or behind its interpreter.
        ("./judge.sh", "judge.sh"),
        ("judge.sh", "missing"),
        (
            "./tools/../judge.sh~--strict~README.md",
            "tools/../judge.sh",
        ),
        ("sh~judge.sh~README.md", "judge.sh"),
        ("/bin/sh~./judge.sh", "judge.sh"),
        ("python3.12~judge.py", "judge.py"),
        ("node~judge.js", "judge.js"),
        ("python3~-u~-B~judge.py", "judge.py"),
        ("sh~-e~judge.sh", "judge.sh"),
        ("bash~-eu~./judge.sh", "judge.sh"),
        // A program that is given nothing of the project.
        ("cat~-", "program"),
        ("cat~no/such/file", "program"),
        ("no-such-program", "missing"),
        ("", "missing"),
        // Anything else.
        ("cat~README.md", "untold"),
        ("cat~--file=README.md", "untold"),
        ("no-such-program~./judge.sh", "untold"),
        ("cat~x ./judge.sh", "untold"),
        ("sh~-c~./judge.sh", "untold"),
        ("sh~-e~-c~./judge.sh", "untold"),
        ("sh~-e", "untold"),
        ("sh~-u~--rcfile~judge.sh", "untold"),
        ("python3~-i~judge.py", "untold"),
        ("python3~-u~-m~judge", "untold"),
        ("node~-u~judge.js", "untold"),
        ("node~-r~judge.js", "untold"),
        ("sh", "untold"),
        ("python3~-m~judge", "untold"),
        ("python3~-c~import judge", "untold"),
        ("node~-e~require('./judge.js')", "untold"),
        ("env~A=1~./judge.sh", "untold"),
        ("timeout~9~./judge.sh", "untold"),
        ("make~-s~judge", "untold"),
        ("git~judge", "untold"),
        ("/usr/bin/git~judge", "untold"),
        ("/lib64/ld-linux-x86-64.so.2~/bin/sh", "untold"),
        ("busybox~sh", "untold"),
    ] {
        let found = match runs(&words(line), &root, path.as_deref()) {
            Runs::Program(Some(_)) => "program".to_owned(),
            Runs::Program(None) => "missing".to_owned(),
            Runs::File(path) => path.strip_prefix(&root).unwrap().to_string(),
            Runs::Untold(_) => "untold".to_owned(),
        };
        assert_eq!(found, wanted, "{line}");
    }
    // A script elsewhere that is named by its path.
    let outside = root.with_file_name(format!("{}-judge", root.file_name().unwrap()));
    fs::write(&outside, "#!/bin/sh\n").unwrap();
    let argv = [outside.to_string()];
    assert_eq!(runs(&argv, &root, None), Runs::File(outside.clone()));
    fs::write(&outside, "\x7fELF").unwrap();
    let program = Runs::Program(Some(outside.clone()));
    assert_eq!(runs(&argv, &root, None), program);
    fs::remove_file(outside).unwrap();
}

#[test]
fn a_command_line_names_files_of_the_project_in_its_words() {
    let (_keep, root) = project();
    let named = |line: &str, cwd: &str| {
        let found = named(&words(line), &root, cwd.into());
        let names = found.iter().map(|path| path.strip_prefix(&root).unwrap());
        names.map(Utf8Path::as_str).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(named("python3~t.py", "sub"), "sub/t.py");
    assert_eq!(named("sh~-c~cd sub && ./t.py", "."), "");
    assert_eq!(
        named("sh~-c~(. ./judge.sh); \"$PWD/tools/j.sh\"", "."),
        "judge.sh tools/j.sh"
    );
    assert_eq!(named("grep~-q~x~README.md~README.md", "."), "README.md");
    assert_eq!(
        named("x~--config=sub/t.py~/etc/passwd~sub", "."),
        "sub/t.py"
    );
    assert_eq!(named("cargo~test", "."), "");
}

#[test]
fn digests_are_of_what_is_there() {
    let (_keep, root) = project();
    let paths = [root.join("judge.sh"), root.join("gone")];
    let found = digests(paths.iter().map(|path| path.as_path()));
    let hash = blake3::hash(b"#!/bin/sh\n").to_hex().to_string();
    assert_eq!(found[paths[0].as_str()], hash);
    assert!(
        found[paths[1].as_str()]
            .as_str()
            .unwrap()
            .starts_with("unreadable")
    );
}
