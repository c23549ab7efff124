//! The ledger in a git remote: `refs/goal/ledger` is a commit whose tree has segments, files of whole
//! lines that never change. Git is called as a program; there is no network code here.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::TempDir;

use crate::ops::failure::Failure;
use crate::process::{self, Ending, Invocation};
use crate::render::text::one_line;
use crate::workspace::home::GitTree;
use crate::workspace::synced::Synced;

/// The ref in the remote.
pub const REF: &str = "refs/goal/ledger";

/// How long git may take for what it does on this machine.
const LOCAL: Duration = Duration::from_secs(600);

/// A larger segment is not ours, in bytes: we write smaller ones.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The most bytes of segments that git is asked for at once.
const BATCH: u64 = 32 * 1024 * 1024;

/// How names of directories for git's index begin.
const SCRATCH: &str = "index-";

/// What git says on stderr is shown up to so many bytes.
const SAID: usize = 4 * 1024;

/// A repository, and the remote of it that keeps the ledger.
pub struct Remote<'a> {
    program: String,
    /// Git's directory that all work trees share.
    common: Utf8PathBuf,
    /// The directory for notes about syncs.
    notes: Utf8PathBuf,
    /// Where paths of remotes begin.
    tree: Utf8PathBuf,
    /// A remote's name, or where it is.
    name: String,
    /// Until when git may take for what it does over a network. Nothing where a person waits: they can
    /// stop it, and git may ask them for a password.
    until: Option<Instant>,
    /// Whether it is to be stopped.
    cancel: &'a dyn Fn() -> bool,
}

/// A file of lines in the tree of a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// Where it is in the tree.
    pub path: String,
    /// Git's name for its content.
    pub object: String,
    pub bytes: u64,
}

/// Why a remote did not take a commit.
#[derive(Debug)]
pub struct Refusal {
    /// What git said.
    pub said: String,
    /// Somebody else was faster, or it is not known whether it took it: to be tried again.
    pub again: bool,
}

impl<'a> Remote<'a> {
    /// The remote of this name, or at this place. `git` is the program.
    pub fn new(
        git: &Path,
        (tree, of_git): (&Utf8Path, &GitTree),
        name: &str,
        patience: Option<Duration>,
        cancel: &'a dyn Fn() -> bool,
    ) -> Remote<'a> {
        Remote {
            program: git.to_string_lossy().into_owned(),
            common: of_git.common().to_owned(),
            notes: Synced::dir(&of_git.shared()),
            tree: tree.to_owned(),
            name: name.to_owned(),
            until: patience.map(|patience| Instant::now() + patience),
            cancel,
        }
    }

    /// Whether git can find it: a name has to be configured.
    pub fn is_known(&self) -> bool {
        let is_address = self.name.contains(['/', ':']) || self.tree.join(&self.name).exists();
        let key = format!("remote.{}.url", self.name);
        let has_url = || {
            let ran = self.run(&["config", "--get", &key], &[], &[]);
            ran.is_ok_and(|it| it.ending == Ending::Exited(0))
        };
        is_address || has_url()
    }

    /// Its name, or where it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the ref that follows this remote, and of the note about it.
    pub fn key(&self) -> String {
        let plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
        match self.name.chars().all(plain) && !self.name.is_empty() {
            true => self.name.clone(),
            false => format!(
                "at-{}",
                &blake3::hash(self.name.as_bytes()).to_hex().as_str()[..16]
            ),
        }
    }

    /// Asks the remote for the ledger: the commit that it has, or nothing where it has none yet.
    ///
    /// # Errors
    /// The remote cannot be reached.
    pub fn fetch(&self) -> Result<Option<String>, Failure> {
        // A pattern may match nothing; a ref that is not there would be an error.
        let tracking = self.tracking();
        let pattern = format!("+{REF}*:{tracking}*");
        let fetch = [
            "fetch",
            "--quiet",
            "--prune",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            &self.name,
            &pattern,
        ];
        self.network(&fetch)
            .map_err(|failed| self.unreachable(&failed.said))?;
        let commit = format!("{tracking}^{{commit}}");
        let refs = ["rev-parse", "--verify", "--quiet", &commit];
        let ran = self.run(&refs, &[], &[])?;
        let commit = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
        Ok((ran.ending == Ending::Exited(0)).then_some(commit))
    }

    /// The segments of a commit.
    ///
    /// # Errors
    /// Git cannot read it.
    pub fn segments(&self, commit: &str) -> Result<Vec<Segment>, Failure> {
        let list = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit];
        let listed = self.local(&list, &[], &[])?;
        let listed = String::from_utf8_lossy(&listed);
        let segment = |entry: &str| {
            let (meta, path) = entry.split_once('\t')?;
            let mut meta = meta.split_ascii_whitespace().skip(2);
            let (object, bytes) = (meta.next()?, meta.next()?.parse().ok()?);
            (path.ends_with(".jsonl") && bytes <= LARGEST).then(|| Segment {
                path: path.to_owned(),
                object: object.to_owned(),
                bytes,
            })
        };
        Ok(listed.split('\0').filter_map(segment).collect())
    }

    /// Remembers that the remote has this commit.
    ///
    /// # Errors
    /// Git cannot write.
    pub fn track(&self, commit: &str) -> Result<(), Failure> {
        self.local(&["update-ref", &self.tracking(), commit], &[], &[])?;
        Ok(())
    }

    fn tracking(&self) -> String {
        format!("refs/goal/remotes/{}/ledger", self.key())
    }

    /// Whether git still has this commit.
    pub fn has(&self, commit: &str) -> bool {
        let ran = self.run(&["cat-file", "-e", commit], &[], &[]);
        ran.is_ok_and(|it| it.ending == Ending::Exited(0))
    }

    /// Hands out the content of segments.
    ///
    /// # Errors
    /// Git cannot read them.
    pub fn read(&self, segments: &[Segment], mut each: impl FnMut(&[u8])) -> Result<(), Failure> {
        // One content may be there under several names.
        let mut known = BTreeSet::new();
        let segments = segments.iter().filter(|it| known.insert(&it.object));
        let segments: Vec<&Segment> = segments.collect();
        let mut rest = segments.as_slice();
        while !rest.is_empty() {
            let mut sum = 0;
            let fits = rest.iter().take_while(|it| {
                sum += it.bytes;
                sum <= BATCH
            });
            let (batch, more) = rest.split_at(fits.count().max(1));
            rest = more;
            let asked: String = batch.iter().map(|it| format!("{}\n", it.object)).collect();
            let answer = self.local(&["cat-file", "--batch"], &[], asked.as_bytes())?;
            let mut answer = answer.as_slice();
            while let Some(end) = memchr::memchr(b'\n', answer) {
                let head = String::from_utf8_lossy(&answer[..end]);
                let len = head.rsplit(' ').next().and_then(|it| it.parse().ok());
                let Some(content) = len.and_then(|len: usize| answer.get(end + 1..end + 1 + len))
                else {
                    let said = format!("git cannot read a segment: {}", one_line(&head));
                    return Err(Failure::new("io", said, "look with `git fsck`"));
                };
                each(content);
                answer = answer.get(end + 2 + content.len()..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Puts content into git's store. Gives git's name for it.
    ///
    /// # Errors
    /// Git cannot write.
    pub fn write(&self, content: &[u8]) -> Result<String, Failure> {
        let object = self.local(&["hash-object", "-w", "--stdin"], &[], content)?;
        Ok(String::from_utf8_lossy(&object).trim().to_owned())
    }

    /// A commit behind `base` with these segments besides.
    ///
    /// # Errors
    /// Git cannot write.
    pub fn commit(
        &self,
        base: Option<&str>,
        new: &BTreeMap<String, String>,
        said: &str,
    ) -> Result<String, Failure> {
        let index = self
            .scratch()
            .map_err(|error| Failure::io(&error, "check the permissions of git's directory"))?;
        let index = index.path().join("index").to_string_lossy().into_owned();
        let env = [("GIT_INDEX_FILE", index.as_str())];
        if let Some(base) = base {
            self.local(&["read-tree", base], &env, &[])?;
        }
        let entries = new
            .iter()
            .map(|(path, object)| format!("100644 {object}\t{path}\n"));
        let entries: String = entries.collect();
        let add = ["update-index", "--add", "--index-info"];
        self.local(&add, &env, entries.as_bytes())?;
        let tree = self.local(&["write-tree"], &env, &[])?;
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        let mut commit = vec!["commit-tree", &tree];
        commit.extend(base.iter().flat_map(|base| ["-p", base]));
        // The commit is made by the program; who acted is in the lines.
        let who = [
            ("GIT_AUTHOR_NAME", "goal"),
            ("GIT_AUTHOR_EMAIL", "goal@localhost"),
            ("GIT_COMMITTER_NAME", "goal"),
            ("GIT_COMMITTER_EMAIL", "goal@localhost"),
        ];
        let commit = self.local(&commit, &who, said.as_bytes())?;
        Ok(String::from_utf8_lossy(&commit).trim().to_owned())
    }

    /// A directory for git's index. One that a killed sync left is removed: git may still be at work in
    /// it, so it is not used again.
    fn scratch(&self) -> io::Result<TempDir> {
        fs::create_dir_all(&self.notes)?;
        for entry in self.notes.read_dir_utf8()?.flatten() {
            if entry.file_name().starts_with(SCRATCH) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        tempfile::Builder::new()
            .prefix(SCRATCH)
            .tempdir_in(&self.notes)
    }

    /// Offers a commit to the remote, which takes it only if it has still what the commit goes on
    /// from.
    ///
    /// # Errors
    /// Why the remote did not take it, as far as that is known.
    pub fn push(&self, commit: &str) -> Result<(), Refusal> {
        let spec = format!("{commit}:{REF}");
        let push = [
            "push",
            "--quiet",
            "--porcelain",
            "--no-verify",
            "--no-signed",
            "--no-follow-tags",
            "--recurse-submodules=no",
            &self.name,
            &spec,
        ];
        self.network(&push).map_err(|failed| {
            // `!`, the refs, and in brackets who refused it and why.
            let refused = failed.stdout.lines().find(|line| line.starts_with('!'));
            let why = refused.and_then(|line| line.splitn(3, '\t').nth(2));
            let locked = |why: &str| ["lock", "update ref"].iter().any(|it| why.contains(it));
            Refusal {
                again: !self.is_late()
                    && why.is_none_or(|why| why.starts_with("[rejected]") || locked(why)),
                said: match why {
                    Some(why) => format!("{why}; {}", failed.said),
                    None => failed.said,
                },
            }
        })
    }

    /// Whether the time that git may take is over.
    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until) || (self.cancel)()
    }

    /// What is new in a commit since another one; nothing where that one had more than this.
    ///
    /// # Errors
    /// Git cannot read them.
    pub fn since(&self, commit: &str, before: &str) -> Result<Option<Vec<Segment>>, Failure> {
        let before: BTreeSet<Segment> = self.segments(before)?.into_iter().collect();
        let now = self.segments(commit)?;
        let kept = now.iter().filter(|it| before.contains(it)).count();
        let new = now.into_iter().filter(|it| !before.contains(it));
        Ok((kept == before.len()).then(|| new.collect()))
    }

    /// The failure where the ledgers were not brought together.
    pub fn unreachable(&self, said: &str) -> Failure {
        let name = one_line(&self.name);
        Failure::new(
            "not_synced",
            format!("the ledger is not synced with {name}: {}", one_line(said)),
            format!(
                "nothing is lost, and what is recorded here stays; see that `git ls-remote '{name}'` \
                 works and that you may push `{REF}` there, then run `goal sync` again"
            ),
        )
    }

    /// Runs git on this machine, and gives what it answers.
    fn local(&self, args: &[&str], env: &[(&str, &str)], stdin: &[u8]) -> Result<Vec<u8>, Failure> {
        let ran = self.run(args, env, stdin)?;
        if ran.ending == Ending::Exited(0) {
            return Ok(ran.stdout);
        }
        let said = String::from_utf8_lossy(&ran.stderr_tail);
        let said = match said.trim() {
            "" => ran.ending.said(LOCAL),
            said => one_line(said),
        };
        Err(Failure::new(
            "io",
            format!("`git {}` failed: {said}", args[0]),
            "nothing is lost, and what is recorded here stays; fix the cause, then run `goal sync` \
             again",
        ))
    }

    fn run(
        &self,
        args: &[&str],
        env: &[(&str, &str)],
        stdin: &[u8],
    ) -> Result<process::Finished, Failure> {
        let invocation = self.invocation(args, env, stdin);
        process::run(&invocation, &|| false)
            .map_err(|error| Failure::io(&error, "install git, or put it on the PATH"))
    }

    /// Runs git over a network.
    fn network(&self, args: &[&str]) -> Result<(), Failed> {
        let patient = ["http.lowSpeedLimit=1000", "http.lowSpeedTime=60"];
        let patient = patient.iter().flat_map(|it| ["-c", it]);
        let args: Vec<&str> = patient.chain(args.iter().copied()).collect();
        let mut invocation = self.invocation(&args, &[], &[]);
        let Some(until) = self.until else {
            return at_terminal(&invocation);
        };
        invocation.deadline = until.saturating_duration_since(Instant::now());
        let asks = ("GIT_TERMINAL_PROMPT".into(), "0".into());
        invocation.env.push(asks);
        let ran = process::run(&invocation, self.cancel).map_err(|error| Failed {
            said: error.to_string(),
            stdout: String::new(),
        })?;
        if ran.ending == Ending::Exited(0) {
            return Ok(());
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let said = text(&ran.stderr_tail);
        Err(Failed {
            said: match said.is_empty() {
                true => ran.ending.said(invocation.deadline),
                false => said,
            },
            stdout: text(&ran.stdout),
        })
    }

    fn invocation(&self, args: &[&str], env: &[(&str, &str)], stdin: &[u8]) -> Invocation {
        // Neither hooks nor monitors of the project run, and git cleans up at another time.
        let settings = [
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "maintenance.auto=false",
            "gc.auto=0",
            "push.pushOption=",
            "advice.pushUpdateRejected=false",
        ];
        let program = [self.program.as_str(), "--no-pager"].into_iter();
        let argv = program
            .chain(settings.iter().flat_map(|it| ["-c", it]))
            .chain(args.iter().copied());
        // Hooks of git set these for the repository that they run for, which may be another one.
        let objects = self.common.join("objects");
        let own = [
            ("GIT_DIR", self.common.as_str()),
            ("GIT_COMMON_DIR", self.common.as_str()),
            ("GIT_OBJECT_DIRECTORY", objects.as_str()),
            ("GIT_NAMESPACE", ""),
        ];
        let own = own.into_iter();
        let keys = ["SSH_AUTH_SOCK", "SSH_AGENT_PID"];
        let keys = keys.map(|key| (key, env::var(key).ok()));
        let keys = keys
            .iter()
            .filter_map(|(key, held)| Some((*key, held.as_deref()?)));
        let env = own.chain(keys).chain(env.iter().copied());
        Invocation {
            argv: argv.map(str::to_owned).collect(),
            cwd: self.tree.clone(),
            env: env.map(|(key, value)| (key.into(), value.into())).collect(),
            stdin: stdin.to_owned(),
            stdout_cap: usize::MAX,
            stderr_tail: SAID,
            deadline: LOCAL,
            ..Invocation::default()
        }
    }
}

/// What git said when it failed.
struct Failed {
    said: String,
    stdout: String,
}

/// Runs git where a person sees what it says and can answer: in their own process group, which alone
/// may read from the terminal.
fn at_terminal(invocation: &Invocation) -> Result<(), Failed> {
    let ran = Command::new(&invocation.argv[0])
        .args(&invocation.argv[1..])
        .current_dir(&invocation.cwd)
        .envs(invocation.env.iter().cloned())
        .stderr(Stdio::inherit())
        .output();
    let (said, stdout) = match ran {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => (
            format!("git ended with {}", output.status),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        ),
        Err(error) => (error.to_string(), String::new()),
    };
    Err(Failed { said, stdout })
}
