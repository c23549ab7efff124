//! Which process started this one, shells left out: for a hook or a server of an agent host, the host.
//! What the system says in `/proc` decides; elsewhere nothing is known.

use std::fs;
use std::io;

use rustix::process::getppid;

use super::shell::SHELLS;

/// A host may start what it starts by a program that stands between.
const NEAREST: usize = 3;

/// So many processes are looked at, shells counted.
const MOST: usize = 8;

/// The processes that started this one, nearest first. Each is named by its id and by when it began, since
/// ids are used again. Shells are left out: a host runs its hooks in them, and a person two hosts in one.
pub fn hosts() -> Vec<String> {
    let mut hosts = Vec::new();
    let mut next = getppid().map(|it| it.as_raw_pid());
    for _ in 0..MOST {
        let Some(process) = next.and_then(Process::read) else {
            break;
        };
        next = Some(process.parent);
        if !process.is_shell() {
            hosts.push(format!("{}-{}", process.id, process.began));
        }
        if hosts.len() == NEAREST {
            break;
        }
    }
    hosts
}

/// The process with this name of [`hosts`], as it is named outside of this machine and of what sees the same
/// processes.
pub fn placed(host: &str) -> Option<String> {
    Some(format!("{host} {}", place()?))
}

/// Whether the process that [`placed`] named is known to be gone. What another machine or another container
/// wrote says nothing here.
pub fn is_gone(placed: &str) -> bool {
    let Some((host, there)) = placed.split_once(' ') else {
        return false;
    };
    let Some((id, began)) = host.split_once('-') else {
        return false;
    };
    if place().as_deref() != Some(there) {
        return false;
    }
    match fs::read_to_string(format!("/proc/{id}/stat")) {
        Ok(line) => Process::of(&line).is_some_and(|it| it.began != began || it.has_ended),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Where the ids of processes mean what they mean here.
fn place() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), space.display()))
}

/// What `/proc` says of a process.
struct Process {
    id: i32,
    name: String,
    /// It has ended, and the process above has not heard of it yet.
    has_ended: bool,
    parent: i32,
    /// In ticks since the machine started.
    began: String,
}

impl Process {
    fn read(id: i32) -> Option<Process> {
        Process::of(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
    }

    /// The line is `id (name) state parent …`, and the name may hold anything.
    fn of(line: &str) -> Option<Process> {
        let (id, rest) = line.split_once(" (")?;
        let (name, rest) = rest.rsplit_once(") ")?;
        let mut fields = rest.split(' ');
        let has_ended = matches!(fields.next(), Some("Z" | "X"));
        Some(Process {
            id: id.parse().ok()?,
            name: name.to_owned(),
            has_ended,
            parent: fields.next()?.parse().ok()?,
            began: fields.nth(17)?.to_owned(),
        })
    }

    fn is_shell(&self) -> bool {
        SHELLS.contains(&self.name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let line = "41 (a) b (c) S 7 41 41 0 -1 4 1 0 0 0 1 2 0 0 20 0 1 0 987 10 2";
        let process = Process::of(line).unwrap();
        assert_eq!(
            (process.id, process.parent, &*process.name, &*process.began),
            (41, 7, "a) b (c", "987")
        );
        assert!(Process::of("41 (a) S").is_none() && Process::of("").is_none());
    }

    #[test]
    fn a_process_is_known_to_be_gone_where_it_was_seen() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn();
        let child = child.as_mut().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        let host = format!("{id}-{}", Process::read(id).unwrap().began);
        let here = placed(&host).unwrap();
        assert!(!is_gone(&here));
        assert!(is_gone(&placed(&format!("{id}-1")).unwrap()), "another");
        child.kill().unwrap();
        while !is_gone(&here) {}
        child.wait().unwrap();
        assert!(is_gone(&here));
        assert!(!is_gone(&format!("{host} another pid:[1]")));
        assert!(!is_gone(&host) && !is_gone(""));
    }

    #[test]
    fn shells_are_left_out() {
        let shell = |name| Process::of(&format!("1 ({name}) S 1{}", " 0".repeat(18)));
        assert!(shell("dash").unwrap().is_shell());
        assert!(!shell("node").unwrap().is_shell());
        assert!(hosts().len() <= NEAREST);
    }
}
