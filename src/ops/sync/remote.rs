//! The ledger in a git remote: `refs/goal/ledger` is a commit whose tree has segments, files of whole
//! lines that never change; small ones are made one. Git is called as a program; there is no network code
//! here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use camino::Utf8PathBuf;
use tempfile::TempDir;

use super::git::Git;
use super::refusal::Refusal;
use crate::ops::failure::Failure;
use crate::render::text::one_line;

/// The ref in the remote.
pub const REF: &str = "refs/goal/ledger";

/// A larger segment is not ours, in bytes: we write smaller ones.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The most bytes of segments that git is asked for at once.
const BATCH: u64 = 32 * 1024 * 1024;

/// How names of directories for git's index begin.
const SCRATCH: &str = "index-";

/// The remote of a repository that keeps the ledger.
pub struct Remote<'a> {
    git: Git<'a>,
    /// The directory for notes about syncs.
    notes: Utf8PathBuf,
    /// A remote's name, or where it is.
    name: String,
}

/// A file of lines in the tree of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Git's name for its content.
    pub object: String,
    pub bytes: u64,
}

/// The tree of a commit.
#[derive(Debug, Default)]
pub struct Tree {
    /// Every file as git lists it, mode, kind and object, by its path.
    files: BTreeMap<String, String>,
    /// Those that have lines, by their path.
    pub segments: BTreeMap<String, Segment>,
}

impl Tree {
    /// Takes the files at these paths out, and puts these segments in.
    pub fn change(&mut self, gone: &[String], new: BTreeMap<String, Segment>) {
        for path in gone {
            self.files.remove(path);
            self.segments.remove(path);
        }
        let files = new.iter().map(|(path, segment)| {
            let listed = format!("100644 blob {}", segment.object);
            (path.clone(), listed)
        });
        self.files.extend(files);
        self.segments.extend(new);
    }
}

impl<'a> Remote<'a> {
    /// The remote of this name, or at this place. `notes` is the directory for notes about syncs.
    pub fn new(git: Git<'a>, notes: Utf8PathBuf, name: &str) -> Remote<'a> {
        Remote {
            git,
            notes,
            name: name.to_owned(),
        }
    }

    /// Whether git can find it: a name has to be configured.
    fn is_known(&self) -> bool {
        let there = self.git.tree().join(&self.name);
        let is_address = self.name.contains(['/', ':']) || there.exists();
        let key = format!("remote.{}.url", self.name);
        let has_url = || {
            let ran = self.git.run(&["config", "--get", &key], &[], &[]);
            ran.is_ok_and(|it| it.status.success())
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
        if let Err(failed) = self.git.network(&fetch) {
            return Err(match self.is_known() {
                true => self.unreachable(&failed.said),
                false => self.unknown(),
            });
        }
        let commit = format!("{tracking}^{{commit}}");
        let refs = ["rev-parse", "--verify", "--quiet", &commit];
        let ran = self.git.run(&refs, &[], &[])?;
        let commit = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
        Ok(ran.status.success().then_some(commit))
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// Git cannot read it.
    pub fn tree(&self, commit: &str) -> Result<Tree, Failure> {
        let list = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit];
        let listed = self.git.local(&list, &[], &[])?;
        let mut tree = Tree::default();
        let entries = listed.split(|byte| *byte == 0).map(str::from_utf8);
        // A path that is no text is none that anybody here could keep.
        for (meta, path) in entries.flatten().filter_map(|it| it.split_once('\t')) {
            let words: Vec<&str> = meta.split_ascii_whitespace().collect();
            let [mode, kind, object, bytes] = words[..] else {
                continue;
            };
            let listed = format!("{mode} {kind} {object}");
            tree.files.insert(path.to_owned(), listed);
            let bytes = bytes.parse().ok().filter(|it| *it <= LARGEST);
            if let Some(bytes) = bytes.filter(|_| path.ends_with(".jsonl")) {
                let object = object.to_owned();
                let segment = Segment { object, bytes };
                tree.segments.insert(path.to_owned(), segment);
            }
        }
        Ok(tree)
    }

    /// Remembers that the remote has this commit.
    ///
    /// # Errors
    /// Git cannot write.
    pub fn track(&self, commit: &str) -> Result<(), Failure> {
        self.git
            .local(&["update-ref", &self.tracking(), commit], &[], &[])?;
        Ok(())
    }

    fn tracking(&self) -> String {
        format!("refs/goal/remotes/{}/ledger", self.key())
    }

    /// Hands out the content of segments, each once, with git's name for it.
    ///
    /// # Errors
    /// Git cannot read them.
    pub fn read<'s>(
        &self,
        segments: impl IntoIterator<Item = &'s Segment>,
        mut each: impl FnMut(&str, &[u8]),
    ) -> Result<(), Failure> {
        // One content may be there under several names.
        let mut known = BTreeSet::new();
        let segments = segments.into_iter().filter(|it| known.insert(&it.object));
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
            let answer = self
                .git
                .local(&["cat-file", "--batch"], &[], asked.as_bytes())?;
            let mut answer = answer.as_slice();
            while let Some(end) = memchr::memchr(b'\n', answer) {
                let head = String::from_utf8_lossy(&answer[..end]);
                let mut words = head.split(' ');
                let object = words.next().unwrap_or_default();
                let len = words.next_back().and_then(|it| it.parse().ok());
                let Some(content) = len.and_then(|len: usize| answer.get(end + 1..end + 1 + len))
                else {
                    let said = format!("git cannot read a segment: {}", one_line(&head));
                    return Err(Failure::new("io", said, "look with `git fsck`"));
                };
                each(object, content);
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
        let object = self
            .git
            .local(&["hash-object", "-w", "--stdin"], &[], content)?;
        Ok(String::from_utf8_lossy(&object).trim().to_owned())
    }

    /// A commit of this tree behind `base`.
    ///
    /// # Errors
    /// Git cannot write.
    pub fn commit(&self, base: Option<&str>, tree: &Tree, said: &str) -> Result<String, Failure> {
        let index = self
            .scratch()
            .map_err(|error| Failure::io(&error, "check the permissions of git's directory"))?;
        let index = index.path().join("index").to_string_lossy().into_owned();
        let env = [("GIT_INDEX_FILE", index.as_str())];
        let files = tree.files.iter();
        let files: String = files
            .map(|(path, listed)| format!("{listed}\t{path}\0"))
            .collect();
        let add = ["update-index", "-z", "--index-info"];
        self.git.local(&add, &env, files.as_bytes())?;
        let tree = self.git.local(&["write-tree"], &env, &[])?;
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
        let commit = self.git.local(&commit, &who, said.as_bytes())?;
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
        self.git.network(&push).map_err(Refusal::of)
    }

    /// Whether the time that git may take is over.
    pub fn is_late(&self) -> bool {
        self.git.is_late()
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

    /// The failure where the remote's owner forbids what was pushed.
    pub fn forbidden(&self, said: &str) -> Failure {
        let name = one_line(&self.name);
        Failure::new(
            "push_refused",
            format!("{name} refuses the ledger: {}", one_line(said)),
            "nothing is lost, and what is recorded here stays; ask whoever keeps the remote for the \
             right to push `refs/goal/*`, or for a rule or a hook there that lets it through, then run \
             `goal sync` again",
        )
    }

    fn unknown(&self) -> Failure {
        Failure::usage(
            format!("this repository has no remote `{}`", self.name),
            "`git remote -v` lists them; an address works as well: `goal sync ../backup.git`",
        )
    }
}
