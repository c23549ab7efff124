//! Git, where the runner changes something with it: work trees are made, turns are committed. Other
//! than where git is only asked ([`crate::workspace::git`]), the repository's hooks run. They run as an
//! agent: an agent may have written them.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::Actor;
use crate::domain::lease::Claim;
use crate::ops::call::Call;
use crate::process::{self, Ending, Invocation};
use crate::render::text::{clean, one_line};
use crate::workspace::git::{OF_ANOTHER, git_dir};

/// How long one act of git may take, with the hooks that it runs.
const PATIENCE: Duration = Duration::from_secs(600);

/// Most bytes of what git prints that are read.
const OUTPUT: usize = 1024 * 1024;

/// Most bytes of git's complaints that are read.
const COMPLAINTS: usize = 4 * 1024;

/// Git at work in one directory.
pub(super) struct Git<'a> {
    program: String,
    root: &'a Utf8Path,
    session: Option<&'a str>,
    /// What the hooks append is appended under the run's lease, as what its agent does.
    lease: Option<&'a Claim>,
    cancel: &'a dyn Fn() -> bool,
}

impl<'a> Git<'a> {
    /// Git in the work tree of this call; nothing where there is no work tree or no git. `cancel` is
    /// asked all the time whether git is to be killed.
    pub fn of(call: &'a Call, cancel: &'a dyn Fn() -> bool) -> Option<Git<'a>> {
        let root = &call.workspace.root.path;
        git_dir(root)?;
        let program = call.workspace.git()?.into_os_string().into_string().ok()?;
        Some(Git {
            program,
            root,
            session: call.caller.session.as_deref(),
            lease: call.workspace.environment.claim.as_ref(),
            cancel,
        })
    }

    /// The same git in another directory.
    pub fn inside(&self, root: &'a Utf8Path) -> Git<'a> {
        Git {
            program: self.program.clone(),
            root,
            ..*self
        }
    }

    /// The repository that git works in here, which has this commit, where one is named.
    ///
    /// # Errors
    /// What git complains of.
    pub fn repository(&self, commit: Option<&str>) -> Result<Repository, String> {
        let commit = commit.map(|commit| format!("{commit}^{{commit}}"));
        let asked = ["rev-parse", "--absolute-git-dir", "--show-toplevel"];
        let asked: Vec<&str> = asked.into_iter().chain(commit.as_deref()).collect();
        let said = self.run(&asked)?;
        match said.lines().collect::<Vec<_>>()[..] {
            [dir, top] | [dir, top, _] => Ok(Repository {
                dir: dir.into(),
                top: top.into(),
            }),
            _ => Err("git does not say where its directory and its work tree are".to_owned()),
        }
    }

    /// The directory that all work trees of the repository share, without links.
    pub fn common_dir(&self) -> Option<Utf8PathBuf> {
        let said = self.run(&["rev-parse", "--git-common-dir"]).ok()?;
        // From the directory that git was asked in, unless it is absolute.
        let dir = self.root.join(said.strip_suffix('\n')?);
        dir.canonicalize_utf8().ok()
    }

    /// The branch that is checked out; nothing where none is.
    pub fn branch(&self) -> Option<String> {
        let said = self.run(&["symbolic-ref", "--quiet", "HEAD"]).ok()?;
        let branch = said.trim().strip_prefix("refs/heads/")?;
        Some(branch.to_owned())
    }

    /// Does something; what git prints.
    ///
    /// # Errors
    /// What git complains of, in a line.
    pub fn run(&self, args: &[impl AsRef<str>]) -> Result<String, String> {
        self.fed(args, "")
    }

    /// The same with this text on stdin.
    ///
    /// # Errors
    /// As [`Git::run`].
    pub fn fed(&self, args: &[impl AsRef<str>], stdin: &str) -> Result<String, String> {
        let without = OF_ANOTHER.iter().flat_map(|name| ["-u", *name]);
        let argv = ["env"].into_iter().chain(without);
        let argv = argv.chain([self.program.as_str(), "--no-pager"]);
        let mut env = vec![
            ("GOAL_ACTOR", Actor::Agent.name()),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_EDITOR", "true"),
            ("LC_ALL", "C"),
        ];
        env.extend(self.session.map(|session| ("GOAL_SESSION", session)));
        let lease = self.lease.map(Claim::to_string);
        env.extend(lease.as_deref().map(|lease| ("GOAL_LEASE", lease)));
        let invocation = Invocation {
            argv: argv
                .chain(args.iter().map(AsRef::as_ref))
                .map(str::to_owned)
                .collect(),
            cwd: self.root.to_owned(),
            env: env
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            stdin: stdin.as_bytes().to_vec(),
            stdout_cap: OUTPUT,
            stderr_tail: COMPLAINTS,
            deadline: PATIENCE,
            ..Invocation::default()
        };
        let finished = process::run(&invocation, self.cancel).map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let stdout = text(&finished.stdout);
        if finished.ending == Ending::Exited(0) {
            return Ok(stdout);
        }
        // What was broken off has not said yet what is wrong.
        let Ending::Exited(_) = finished.ending else {
            return Err(format!("git was {}", finished.ending.said(PATIENCE)));
        };
        let complaint = text(&finished.stderr_tail);
        let said = complaint_of(&complaint).or_else(|| complaint_of(&stdout));
        Err(said.unwrap_or_else(|| finished.ending.said(PATIENCE)))
    }
}

/// A repository, seen from one work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// The git directory of the work tree.
    pub dir: Utf8PathBuf,
    /// The top of the work tree.
    pub top: Utf8PathBuf,
}

/// What a program says is wrong, in a line: the line that git marks as its own, else the last one.
fn complaint_of(text: &str) -> Option<String> {
    let text = clean(text);
    let mut lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
    let last = lines.clone().next_back();
    let marked = lines.find(|it| it.starts_with("fatal:") || it.starts_with("error:"));
    Some(one_line(marked.or(last)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_is_the_line_that_git_marks_else_the_last() {
        let identity = "Author identity unknown\n\n*** Please tell me who you are.\n\nfatal: no email was given and auto-detection is disabled\n";
        let said = complaint_of(identity).unwrap();
        assert_eq!(
            said,
            "fatal: no email was given and auto-detection is disabled"
        );
        let hook = "running checks\nlint: 3 findings\n\n";
        assert_eq!(complaint_of(hook).unwrap(), "lint: 3 findings");
        assert_eq!(complaint_of(" \n"), None);
    }
}
