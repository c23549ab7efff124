//! Whether a person typed this command into a shell, although neither stdout nor stderr is a terminal, as with
//! `nohup goal run &`. What the system says of the parent process decides, where the system says it in
//! `/proc`; elsewhere the answer is no.

use std::fs;

use rustix::process::{Pid, getppid, getsid};

/// Shells that people type in, by the name of the process.
pub(super) const SHELLS: [&str; 9] = [
    "sh", "bash", "zsh", "fish", "dash", "ksh", "mksh", "nu", "elvish",
];

/// The parent process, as far as it decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Parent {
    /// It leads the session of this process: the terminal began with it.
    leads_session: bool,
    /// The name of its program.
    name: String,
    /// Its arguments, without the first, by which it was called.
    arguments: Vec<String>,
    /// Its stdin is a terminal.
    reads_terminal: bool,
}

impl Parent {
    /// Whether a person types in it. A program that runs commands for a model starts them by itself or with a
    /// shell of its own (`sh -c`, or one that reads a script): neither is a shell that reads a terminal and
    /// that the session began with.
    fn is_typed_in(&self) -> bool {
        let mut arguments = self.arguments.iter().map(String::as_str);
        let mut runs_commands = false;
        while let Some(argument) = arguments.next() {
            runs_commands |= match argument {
                // Read before the person types; terminals of editors have it.
                "--init-file" | "--rcfile" => arguments.next().is_none(),
                // How the shell behaves.
                "-o" | "-O" | "+o" | "+O" => arguments.next().is_none(),
                it if it.starts_with("--command") => true,
                it if it.starts_with("--") || it.starts_with('+') => false,
                // `-c` also stands among others: `-lc`. What is no option is a script.
                it => !it.starts_with('-') || it.contains('c'),
            };
        }
        self.leads_session
            && self.reads_terminal
            && SHELLS.contains(&self.name.as_str())
            && !runs_commands
    }
}

/// Whether a person typed the command of this process into a shell of theirs.
pub fn is_typed() -> bool {
    parent().is_some_and(|parent| parent.is_typed_in())
}

/// Nothing where the system does not say it.
fn parent() -> Option<Parent> {
    let parent = getppid()?;
    let about = |what: &str| format!("/proc/{}/{what}", parent.as_raw_pid());
    let leader: Pid = getsid(None).ok()?;
    let arguments = fs::read(about("cmdline")).ok()?;
    let arguments = arguments.split(|it| *it == 0).filter(|it| !it.is_empty());
    let arguments = arguments.map(|it| String::from_utf8_lossy(it).into_owned());
    let stdin = fs::read_link(about("fd/0")).ok()?;
    let is_terminal = ["/dev/pts/", "/dev/tty", "/dev/console"];
    Some(Parent {
        leads_session: leader == parent,
        name: fs::read_to_string(about("comm")).ok()?.trim().to_owned(),
        arguments: arguments.skip(1).collect(),
        reads_terminal: stdin
            .to_str()
            .is_some_and(|it| is_terminal.iter().any(|begin| it.starts_with(begin))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, arguments: &[&str]) -> Parent {
        Parent {
            leads_session: true,
            name: name.to_owned(),
            arguments: arguments.iter().map(|it| (*it).to_owned()).collect(),
            reads_terminal: true,
        }
    }

    #[test]
    fn a_shell_at_the_terminal_that_the_session_began_with_is_typed_in() {
        for (name, arguments) in [
            ("bash", &[][..]),
            ("bash", &["-i"]),
            ("bash", &["--init-file", "integration.sh"]),
            ("zsh", &["--login"]),
            ("fish", &["--no-config"]),
            ("dash", &["+m"]),
            ("bash", &["-o", "vi"]),
        ] {
            assert!(of(name, arguments).is_typed_in(), "{name} {arguments:?}");
        }
    }

    #[test]
    fn a_shell_that_a_program_started_is_not() {
        for (name, arguments) in [
            ("bash", &["-c", "nohup goal run &"][..]),
            ("bash", &["-lc", "nohup goal run &"]),
            ("sh", &["build.sh"]),
            ("fish", &["--command=nohup goal run &"]),
            // A host that the terminal began with.
            ("node", &[]),
            ("python3", &["-i"]),
        ] {
            assert!(!of(name, arguments).is_typed_in(), "{name} {arguments:?}");
        }
        let shell = of("bash", &[]);
        let below = Parent {
            leads_session: false,
            ..shell.clone()
        };
        let piped = Parent {
            reads_terminal: false,
            ..shell
        };
        assert!(!below.is_typed_in() && !piped.is_typed_in());
    }
}
