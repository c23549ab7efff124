//! This machine: its name, and which of its processes are alive. Unix-only.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use rustix::system::uname;

/// The machine's own name, if it is text.
pub fn name() -> Option<String> {
    let system = uname();
    let name = system.nodename().to_str().ok()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Whether a process has this id now; one of another user counts, whom we may not signal. Whether
/// it is still the process that was meant, nobody can say.
pub fn is_alive(pid: i32) -> bool {
    // An id that is not positive would mean a whole group, or everybody.
    let pid = (pid > 0).then(|| Pid::from_raw(pid)).flatten();
    pid.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_living_and_the_dead() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(is_alive(own));
        // Nobody's but init's, and not always ours to signal.
        assert!(is_alive(1));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        child.wait().unwrap();
        for gone in [pid, 0, -1, -own, i32::MIN, i32::MAX] {
            assert!(!is_alive(gone), "{gone}");
        }
        assert!(name().is_some());
    }
}
