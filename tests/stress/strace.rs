//! strace: which system calls a command makes, and the same run with one of them failing or the
//! process killed on entering it.
//!
//! strace counts `when=N` for each system call by itself and for each process, so the N-th call
//! of all is named by its kind and its number among its kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

use crate::mounts::wrapped;
use crate::scene::Scene;
use crate::support::project::Call;
use crate::support::wait::until;
use crate::support::{Project, Ran};

/// Whether strace may trace here; if not, why.
pub fn usable() -> Result<(), String> {
    let probe = [
        "-o",
        "/dev/null",
        "-e",
        "inject=exit_group:retval=0:when=9",
        "true",
    ];
    match Command::new("strace").args(probe).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("strace: {error}")),
    }
}

/// The system calls of a run, each kind with the number of the first that can matter (the loader's
/// come before) and of the last; of several processes that make it, the one that makes most.
pub type Calls = BTreeMap<String, (usize, usize)>;

/// Runs the scene's command, and its children if `follow`, with these injections; the run, and
/// whether one of them took place.
pub fn inject(scene: &Scene, follow: bool, injections: &[String]) -> (Ran, bool) {
    let mut options = Vec::new();
    let kinds: Vec<&str> = injections
        .iter()
        .map(|injection| injection.split(':').next().unwrap())
        .collect();
    options.push(format!("trace={}", kinds.join(",")));
    options.extend(injections.iter().map(|text| format!("inject={text}")));
    let (ran, trace) = traced(scene, follow, &options);
    let took_place = trace.contains("(INJECTED)") || trace.contains("killed by SIGKILL");
    (ran, took_place)
}

/// The system calls of the scene's command when nothing goes wrong; `whole` counts the loader's.
pub fn calls(scene: &Scene, follow: bool, whole: bool) -> Calls {
    let (ran, trace) = traced(scene, follow, &[]);
    assert!(ran.did(), "{ran}");
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut loader: BTreeMap<&str, usize> = BTreeMap::new();
    let mut loading = !whole;
    for line in trace.lines() {
        let (process, call) = match follow {
            true => line.split_once(' ').unwrap(),
            false => ("", line),
        };
        let Some((name, rest)) = call.trim_start().split_once('(') else {
            continue;
        };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        *counts.entry((process, name)).or_default() += 1;
        loading = loading && !rest.contains(scene.project.root.as_str());
        if loading {
            *loader.entry(name).or_default() += 1;
        }
    }
    let mut calls = Calls::new();
    for ((_, name), count) in counts {
        let first = loader.get(name).copied().unwrap_or_default() + 1;
        let found = calls.entry(name.to_owned()).or_insert((first, 0));
        found.1 = found.1.max(count);
    }
    calls
}

/// Runs a call, and says how often the ledger was opened: by its own processes, and by the supervisor
/// of an audit that it began.
pub fn opens(project: &Project, call: Call<'_>) -> (Ran, [usize; 2]) {
    let log = project.aside.join("trace");
    let expression = "trace=openat,execve";
    let words = ["strace", "-f", "-o", log.as_str(), "-e", expression];
    let output = wrapped(&words, &call.command()).output().unwrap();
    let (trace, ledger) = (fs::read_to_string(&log).unwrap(), project.ledger_path());
    let (mut supervisors, mut opens) = (BTreeSet::new(), [0, 0]);
    for line in trace.lines() {
        let (process, call) = line.split_once(' ').unwrap();
        if call.contains("execve(") && call.contains("\"__supervise\"") {
            supervisors.insert(process);
        } else if call.contains("openat(") && call.contains(ledger.as_str()) {
            opens[usize::from(supervisors.contains(process))] += 1;
        }
    }
    (Ran::new(project, &output), opens)
}

/// Runs a call, and says how often its processes wrote to the ledger, and how often they waited for a disk.
pub fn writes(project: &Project, call: Call<'_>) -> (Ran, [usize; 2]) {
    let log = project.aside.join("trace");
    let expression = "trace=write,pwrite64,writev,fsync,fdatasync";
    let words = ["strace", "-f", "-y", "-o", log.as_str(), "-e", expression];
    let output = wrapped(&words, &call.command()).output().unwrap();
    let (trace, ledger) = (fs::read_to_string(&log).unwrap(), project.ledger_path());
    let to_ledger = format!("<{ledger}>");
    let writes = trace.lines().filter(|line| {
        let call = line.split_once('(');
        call.is_some_and(|(name, arguments)| {
            name.contains("write") && arguments.contains(&to_ledger)
        })
    });
    let syncs = trace.lines().filter(|line| line.contains("sync("));
    let counts = [writes.count(), syncs.count()];
    (Ran::new(project, &output), counts)
}

/// A call that is stopped behind the `number`th of these system calls on the ledger; nothing if it
/// ends before. Says the process that is traced.
pub fn stopped(
    project: &Project,
    call: Call<'_>,
    kinds: &str,
    number: usize,
) -> (Child, Option<Pid>) {
    let log = project.aside.join("trace");
    let _none_yet = fs::remove_file(&log);
    let (traced, stop) = (
        format!("trace={kinds}"),
        format!("inject={kinds}:signal=STOP:when={number}"),
    );
    let ledger = project.ledger_path();
    let words = ["strace", "-o", log.as_str(), "-P", ledger.as_str()];
    let words = [&words[..], &["-e", &traced, "-e", &stop]].concat();
    let mut child = wrapped(&words, &call.command())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut is_stopped = false;
    until("the call is stopped, or ends", || {
        let trace = fs::read_to_string(&log).unwrap_or_default();
        is_stopped = trace.contains("stopped by SIGSTOP");
        is_stopped || child.try_wait().unwrap().is_some()
    });
    // What strace traces is its only child.
    let pid = child.id();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let traced = children.ok().and_then(|text| text.trim().parse().ok());
    (child, traced.filter(|_| is_stopped).and_then(Pid::from_raw))
}

fn traced(scene: &Scene, follow: bool, expressions: &[String]) -> (Ran, String) {
    let log = scene.project.aside.join("trace");
    let mut words = vec!["strace", "-o", log.as_str()];
    if follow {
        words.push("-f");
    }
    for expression in expressions {
        words.extend(["-e", expression]);
    }
    let inner = scene.project.call(&scene.args()).command();
    let mut command = wrapped(&words, &inner);
    if let Ok(input) = fs::File::open(scene.input()) {
        command.stdin(input);
    }
    let ran = Ran::new(&scene.project, &command.output().unwrap());
    (ran, fs::read_to_string(log).unwrap_or_default())
}
