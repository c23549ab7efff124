//! Commands that end in every way there is, as shell scripts in a temporary directory.

use std::cell::Cell;
use std::fs;

use rustix::fs::{Mode, OFlags};
use tempfile::TempDir;

use super::*;

/// Far beyond what any script needs, so that only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);

struct Stage {
    dir: TempDir,
}

impl Stage {
    fn new() -> Stage {
        Stage {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.dir.path().join(name)).unwrap()
    }

    fn fifo(&self, name: &str) -> Utf8PathBuf {
        let path = self.path(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    }

    fn script(&self, text: &str) -> Invocation {
        let script = self.path("script");
        fs::write(&script, text).unwrap();
        self.program(&["/bin/sh", script.as_str()])
    }

    fn program(&self, argv: &[&str]) -> Invocation {
        Invocation {
            judges: false,
            argv: argv.iter().map(|arg| (*arg).to_owned()).collect(),
            cwd: self.path(""),
            env: Vec::new(),
            stdin: Vec::new(),
            stdout_cap: 64 * 1024,
            only_end: false,
            unneeded: &[],
            stderr_tail: 16,
            written_to: None,
            deadline: LONG,
            silence: None,
        }
    }
}

fn finish(invocation: &Invocation) -> Finished {
    run(invocation, &|| false).unwrap()
}

fn refusal(invocation: &Invocation) -> String {
    run(invocation, &|| false).unwrap_err().to_string()
}

#[test]
fn output_environment_and_directory_are_the_commands_own() {
    let stage = Stage::new();
    let mut invocation =
        stage.script("cat; echo \"$GREETING\"; pwd -P; printf 'a long complaint' >&2");
    invocation.stdin = b"asked\n".to_vec();
    invocation.env = vec![("GREETING".into(), "hello; $(world)".into())];
    invocation.stderr_tail = 9;
    let finished = finish(&invocation);
    let here = stage.path("").canonicalize_utf8().unwrap();
    assert_eq!(finished.ending, Ending::Exited(0));
    assert_eq!(
        String::from_utf8(finished.stdout).unwrap(),
        format!("asked\nhello; $(world)\n{here}\n")
    );
    assert!(!finished.overflow);
    assert_eq!(finished.stderr_tail, b"complaint");
}

#[test]
fn arguments_meet_no_shell() {
    let stage = Stage::new();
    let finished = finish(&stage.program(&["printf", "%s", "$HOME; `id` *"]));
    assert_eq!(finished.stdout, b"$HOME; `id` *");
}

#[test]
fn statuses_and_signals_are_told_apart() {
    let stage = Stage::new();
    assert_eq!(finish(&stage.script("exit 3")).ending, Ending::Exited(3));
    assert_eq!(
        finish(&stage.script("echo last words; kill -15 $$")).ending,
        Ending::Signalled(15)
    );
}

#[test]
fn a_hanging_command_ends_at_the_deadline() {
    let stage = Stage::new();
    let mut invocation = stage.script("echo before; sleep 600");
    invocation.deadline = Duration::from_millis(500);
    let finished = finish(&invocation);
    assert_eq!(finished.ending, Ending::TimedOut);
    assert!(finished.duration >= invocation.deadline);
}

#[test]
fn closing_stdout_is_not_the_end() {
    let stage = Stage::new();
    let patient = stage.script("echo said; exec >&- 2>&-; sleep 0.2; exit 7");
    let finished = finish(&patient);
    assert_eq!(finished.ending, Ending::Exited(7));
    assert_eq!(finished.stdout, b"said\n");

    let mut endless = stage.script("exec >&- 2>&-; sleep 600");
    endless.deadline = Duration::from_millis(300);
    assert_eq!(finish(&endless).ending, Ending::TimedOut);
}

#[test]
fn a_flood_is_stopped_at_the_cap() {
    let stage = Stage::new();
    let mut invocation = stage.script("while :; do echo 0123456789; done");
    invocation.stdout_cap = 10_000;
    // Killed by us, or by its own pipe that nobody reads any more: whichever comes first.
    let finished = finish(&invocation);
    assert!(finished.overflow);
    assert_eq!(finished.stdout.len(), 10_000);
}

#[test]
fn of_a_flood_the_end_is_kept_where_that_is_wanted() {
    let stage = Stage::new();
    let mut invocation =
        stage.script("i=0; while [ $i -lt 9000 ]; do echo 012345678; i=$((i+1)); done; printf end");
    invocation.stdout_cap = 10_003;
    invocation.only_end = true;
    let finished = finish(&invocation);
    assert_eq!(finished.ending, Ending::Exited(0));
    assert!(finished.overflow);
    let expected = "012345678\n".repeat(1000) + "end";
    assert_eq!(String::from_utf8(finished.stdout).unwrap(), expected);
    // Less than the cap is all there.
    invocation.stdout_cap = 90_003;
    let finished = finish(&invocation);
    assert!(!finished.overflow);
    assert_eq!(finished.stdout.len(), 90_003);
}

#[test]
fn output_of_exactly_the_cap_is_no_overflow() {
    let stage = Stage::new();
    let mut invocation = stage.program(&["printf", "12345"]);
    invocation.stdout_cap = 5;
    assert!(!finish(&invocation).overflow);
    invocation.stdout_cap = 4;
    let finished = finish(&invocation);
    assert!(finished.overflow);
    assert_eq!(finished.stdout, b"1234");
}

#[test]
fn what_is_written_can_be_looked_at_while_the_command_runs() {
    let stage = Stage::new();
    let [out, err] = ["out", "err"].map(|name| stage.path(name));
    let text = format!(
        "printf one; printf two >&2
         until [ -s {out} ] && [ -s {err} ]; do :; done
         printf three"
    );
    for only_end in [false, true] {
        let mut invocation = stage.script(&text);
        invocation.stdout_cap = 100;
        invocation.only_end = only_end;
        invocation.written_to = Some([out.clone(), err.clone()]);
        let finished = finish(&invocation);
        assert_eq!(finished.ending, Ending::Exited(0));
        assert_eq!(finished.stdout, b"onethree");
        assert_eq!(fs::read(&out).unwrap(), b"onethree");
        assert_eq!(fs::read(&err).unwrap(), b"two");
        fs::remove_file(&out).unwrap();
        fs::remove_file(&err).unwrap();
    }
    // A copy that cannot be made stops nothing.
    let mut invocation = stage.script("printf one");
    let nowhere = stage.path("missing/out");
    invocation.written_to = Some([nowhere.clone(), nowhere]);
    assert_eq!(finish(&invocation).stdout, b"one");
}

#[test]
fn much_of_both_outputs_at_once_blocks_nobody() {
    let stage = Stage::new();
    let block = "head -c 300000 /dev/zero";
    let mut invocation = stage.script(&format!(
        "{block} >&2; {block}; {block} >&2; printf end >&2"
    ));
    invocation.stdout_cap = 300_000;
    invocation.stderr_tail = 3;
    let finished = finish(&invocation);
    assert_eq!(finished.ending, Ending::Exited(0));
    assert_eq!(finished.stdout.len(), 300_000);
    assert_eq!(finished.stderr_tail, b"end");
}

#[test]
fn a_large_stdin_may_be_read_whole_or_not_at_all() {
    let stage = Stage::new();
    let mut deaf = stage.script("exec <&-; echo deaf");
    deaf.stdin = vec![b'x'; 1024 * 1024];
    assert_eq!(finish(&deaf).stdout, b"deaf\n");

    let mut lazy = stage.script("echo lazy");
    lazy.stdin = vec![b'x'; 1024 * 1024];
    let finished = finish(&lazy);
    assert_eq!(finished.ending, Ending::Exited(0));
    assert_eq!(finished.stdout, b"lazy\n");

    let mut keen = stage.program(&["cat"]);
    keen.stdin = vec![b'x'; 1024 * 1024];
    keen.stdout_cap = 1024 * 1024;
    assert_eq!(finish(&keen).stdout, keen.stdin);
}

/// The grandchild holds the write end of a FIFO and would write to it: the FIFO ends empty only
/// if the grandchild is gone.
#[test]
fn a_grandchild_is_gone_however_the_command_ended() {
    for ending in [Ending::Exited(0), Ending::Cancelled] {
        let stage = Stage::new();
        let fifo = stage.fifo("fifo");
        // Opened without waiting for a writer, so that the script's own opening does not wait.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let reader = rustix::fs::open(fifo.as_str(), flags, Mode::empty()).unwrap();
        let last = match ending {
            Ending::Cancelled => "wait",
            _ => "exit 0",
        };
        let begun = stage.path("begun");
        let invocation = stage.script(&format!(
            "exec 9>'{fifo}'\n(sleep 30; echo alive >&9) &\necho started\n: >'{begun}'\n{last}\n"
        ));
        let finished = match ending {
            Ending::Cancelled => run(&invocation, &|| begun.exists()).unwrap(),
            _ => finish(&invocation),
        };
        assert_eq!(finished.ending, ending);
        assert_eq!(finished.stdout, b"started\n");
        rustix::fs::fcntl_setfl(&reader, OFlags::empty()).unwrap();
        assert_eq!(std::io::read_to_string(fs::File::from(reader)).unwrap(), "");
    }
}

/// A descendant in another group holds both pipes until this test lets it go, which it does only
/// after the call returned.
#[cfg(target_os = "linux")]
#[test]
fn a_descendant_that_left_the_group_is_not_waited_for() {
    let stage = Stage::new();
    let (ready, release) = (stage.fifo("ready"), stage.fifo("release"));
    let invocation = stage.script(&format!(
        "setsid sh -c 'echo >\"{ready}\"; read line <\"{release}\"' &\nread line <'{ready}'\necho done\n"
    ));
    let finished = finish(&invocation);
    fs::write(&release, "go\n").unwrap();
    assert_eq!(finished.ending, Ending::Exited(0));
    assert_eq!(finished.stdout, b"done\n");
}

#[test]
fn cancelling_ends_the_command() {
    let stage = Stage::new();
    let asked = Cell::new(0);
    let finished = run(&stage.script("sleep 600"), &|| {
        asked.set(asked.get() + 1);
        asked.get() > 2
    })
    .unwrap();
    assert_eq!(finished.ending, Ending::Cancelled);
    assert_eq!(asked.get(), 3);
}

#[test]
fn what_cannot_be_started_is_named_with_its_reason() {
    let stage = Stage::new();
    let plain = stage.path("plain");
    fs::write(&plain, "#!/bin/sh\n").unwrap();
    let missing = stage.path("missing");
    for (argv, reason) in [
        (vec![plain.as_str()], "is not executable"),
        (vec![missing.as_str()], "was not found"),
        (vec!["no-such-program-anywhere"], "was not found"),
        (
            vec![stage.dir.path().to_str().unwrap()],
            "is not executable",
        ),
    ] {
        let message = refusal(&stage.program(&argv));
        assert!(
            message.contains(argv[0]) && message.contains(reason),
            "{message}"
        );
    }
}

#[test]
fn a_missing_directory_is_not_blamed_on_the_program() {
    let stage = Stage::new();
    let mut invocation = stage.program(&["/bin/sh"]);
    invocation.cwd = stage.path("gone");
    let message = refusal(&invocation);
    assert!(
        message.contains("/gone") && !message.contains("was not found"),
        "{message}"
    );
    assert!(matches!(
        run(&stage.program(&[]), &|| false),
        Err(SpawnError::Missing { .. } | SpawnError::Other { .. })
    ));
}
