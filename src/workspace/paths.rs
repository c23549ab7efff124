//! Every path of a project, and what may stand at them (docs/design/documents.md#paths). The **home**
//! has the ledger, locks and leases; the **tree** has the project's configuration and texts, the
//! documents and a copy of the ledger, and checks, agents and auditors run there.
//!
//! Names that reach the file system come from validated ids. A path that an event records (an
//! `archivePath`) is shown and never opened.

use std::fs::{self, File};
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::dirs::name_of;
use super::document_name::{DocumentKind, DocumentName};
use super::home::GitTree;
use crate::domain::id::GoalId;
use crate::ledger::cache::CacheDir;

const GOALS: &str = ".pi/goals";
const ARCHIVED: &str = "archived";
const EVENTS: &str = "goal_events.jsonl";

/// The paths of one project, all absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    tree: Utf8PathBuf,
    /// `.pi/goals` of the tree: the project's configuration and its texts, and the home where git has none.
    own: Utf8PathBuf,
    /// The project in its work tree of git.
    git: Option<GitTree>,
    /// Where the home is in git's directory, or would be.
    in_git: Option<Utf8PathBuf>,
    /// The `.git` that points to a repository which is not there.
    unresolved: Option<Utf8PathBuf>,
    /// One copy that is read alone.
    only: Option<Utf8PathBuf>,
    /// No work tree's focus counts.
    of_any_tree: bool,
    /// The user's state directory.
    state: Option<Utf8PathBuf>,
    cache: Option<CacheDir>,
}

/// Why a path is refused.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// A link, a file or something stranger where a directory of ours belongs.
    #[error(
        "`{path}` is {kind}, not a directory; goals are kept in real directories only: move it away"
    )]
    NotDirectory {
        path: Utf8PathBuf,
        /// What stands there, with its article.
        kind: &'static str,
    },
    /// The system would not say, or not make it.
    #[error("cannot use `{path}`: {cause}")]
    Io {
        path: Utf8PathBuf,
        #[source]
        cause: io::Error,
    },
}

impl Paths {
    /// The paths of the tree at `tree`, which must be canonical ([`super::root::find`] sees to it).
    pub fn new(tree: &Utf8Path) -> Paths {
        let git = GitTree::at(tree);
        Paths {
            tree: tree.to_owned(),
            own: tree.join(GOALS),
            in_git: git.as_ref().map(GitTree::home),
            unresolved: GitTree::unresolved(tree),
            git,
            only: None,
            of_any_tree: false,
            state: None,
            cache: None,
        }
    }

    /// The same with the user's state directory, which says whose lines of a copy count.
    pub fn knowing(self, state: Utf8PathBuf) -> Paths {
        Paths {
            state: Some(state),
            ..self
        }
    }

    /// The same where this copy of the ledger is read and nothing else: no other copy, no document, and
    /// nothing that was saved.
    pub fn alone(self, copy: Utf8PathBuf) -> Paths {
        Paths {
            only: Some(copy),
            cache: None,
            ..self
        }
    }

    /// The same for who wants no work tree's own focus: what is the same everywhere.
    pub fn of_any_tree(&self) -> Paths {
        Paths {
            of_any_tree: true,
            ..self.clone()
        }
    }

    /// The copy that is read alone.
    pub fn only(&self) -> Option<&Utf8Path> {
        self.only.as_deref()
    }

    /// The same with the replay cache in this directory, which is the user's
    /// (docs/design/ledger.md#the-saved-state).
    pub fn caching_in(self, dir: Utf8PathBuf) -> Paths {
        let place = CacheDir::new(dir, name_of(self.known_as()));
        Paths {
            cache: Some(place),
            ..self
        }
    }

    /// The same without a replay cache: everything is read.
    pub fn uncached(&self) -> Paths {
        Paths {
            cache: None,
            ..self.clone()
        }
    }

    /// The replay cache, where one may be used.
    pub fn cache(&self) -> Option<&CacheDir> {
        self.cache.as_ref()
    }

    /// Where checks, agents and auditors run.
    pub fn tree(&self) -> &Utf8Path {
        &self.tree
    }

    /// The project in its work tree of git.
    pub fn git(&self) -> Option<&GitTree> {
        self.git.as_ref()
    }

    /// The `.git` that points to a repository which is not there, so that nobody knows the home.
    pub fn unresolved(&self) -> Option<&Utf8Path> {
        self.unresolved.as_deref()
    }

    /// The user's state directory.
    pub fn state(&self) -> Option<&Utf8Path> {
        self.state.as_deref()
    }

    /// The directory that is locked, with the ledger. Another process may make the one in git's directory
    /// at any time, so it is looked for each time: who locks it looks again.
    pub fn home(&self) -> &Utf8Path {
        self.shared().unwrap_or(&self.own)
    }

    /// The home in git's directory, for all work trees, once the first write has made it. Anything of that
    /// name is it: what is no directory is refused by [`Paths::check`].
    pub fn shared(&self) -> Option<&Utf8Path> {
        let is_there = |home: &&Utf8Path| match home.symlink_metadata() {
            Ok(_) => true,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        self.in_git.as_deref().filter(is_there)
    }

    /// What this process would have to write to record something, and may not: the home in git's directory, or
    /// the directory in which it would be made, or the `.git` of a repository that is not here.
    pub fn out_of_reach(&self) -> Option<&Utf8Path> {
        if let Some(dot_git) = self.unresolved() {
            return Some(dot_git);
        }
        let home = self.in_git()?;
        let written = self
            .shared()
            .or_else(|| home.ancestors().find(|it| it.exists()))?;
        rustix::fs::access(written.as_std_path(), rustix::fs::Access::WRITE_OK)
            .is_err()
            .then_some(written)
    }

    /// The home in git's directory, whether or not it is there.
    pub fn in_git(&self) -> Option<&Utf8Path> {
        self.in_git.as_deref()
    }

    /// By what the focus of this work tree is kept.
    pub fn tree_key(&self) -> Option<String> {
        let is_asked = self.only.is_none() && !self.of_any_tree;
        self.shared().filter(|_| is_asked)?;
        self.git.as_ref().map(GitTree::key)
    }

    /// The name that git has for this work tree.
    pub fn tree_name(&self) -> Option<String> {
        self.git.as_ref().map(|git| git.name().to_owned())
    }

    /// `.pi/goals` of the tree.
    pub fn own(&self) -> &Utf8Path {
        &self.own
    }

    /// The path by which the user's own directories name this ledger.
    pub fn known_as(&self) -> &Utf8Path {
        // A home that is lost is known all the same.
        let was_known = |home: &&Utf8Path| {
            let record = |state: &Utf8PathBuf| state.join(format!("{}.json", name_of(home)));
            self.state
                .as_ref()
                .is_some_and(|state| record(state).exists())
        };
        let lost = || self.in_git.as_deref().filter(was_known);
        self.shared().or_else(lost).unwrap_or(&self.tree)
    }

    /// The ledger, where it is written.
    pub fn events(&self) -> Utf8PathBuf {
        self.home().join(EVENTS)
    }

    /// The ledger, where it is read: as long as the home has none, the file of this work tree, else of
    /// another one.
    pub fn to_read(&self) -> Utf8PathBuf {
        if let Some(only) = &self.only {
            return only.clone();
        }
        let events = self.events();
        let is_there = |path: &Utf8PathBuf| path.symlink_metadata().is_ok();
        if is_there(&events) {
            return events;
        }
        self.files().find(is_there).unwrap_or(events)
    }

    /// The files of all work trees, that of this one first.
    pub fn files(&self) -> impl Iterator<Item = Utf8PathBuf> + use<> {
        let others: Vec<Utf8PathBuf> = self.git.iter().flat_map(GitTree::others).collect();
        let others = others.into_iter().map(|tree| tree.join(GOALS).join(EVENTS));
        std::iter::once(self.file()).chain(others)
    }

    /// The file of this work tree: a copy of the ledger, and the ledger itself where git has no home.
    pub fn file(&self) -> Utf8PathBuf {
        self.own.join(EVENTS)
    }

    /// Where documents of ended goals go.
    pub fn archived(&self) -> Utf8PathBuf {
        self.own.join(ARCHIVED)
    }

    /// The Notes of a goal's document, for all work trees; nothing where there is only one.
    pub fn notes(&self, id: &GoalId) -> Option<Utf8PathBuf> {
        Some(self.shared()?.join("notes").join(format!("{id}.md")))
    }

    /// What the Notes of a goal's document were when this work tree last had the same as all.
    pub fn notes_here(&self, id: &GoalId) -> Option<Utf8PathBuf> {
        let key = self.tree_key()?;
        Some(
            self.shared()?
                .join("notes")
                .join(key)
                .join(format!("{id}.md")),
        )
    }

    pub fn config(&self) -> Utf8PathBuf {
        self.own.join("config.toml")
    }

    /// Lock files of audits, steps and plans, which no other program knows, and leases, which others may write.
    pub fn locks(&self) -> Utf8PathBuf {
        self.home().join(".locks")
    }

    /// What turns of runs leave behind (docs/runs.md#what-is-kept).
    pub fn runs(&self) -> Utf8PathBuf {
        self.home().join("runs")
    }

    /// Held by the process that audits this goal (docs/design/gate.md#why-a-process-of-its-own).
    pub fn audit_lock(&self, id: &GoalId) -> Utf8PathBuf {
        self.locks().join(format!("{id}.audit"))
    }

    /// Held by the process that takes a step on this goal.
    pub fn step_lock(&self, id: &GoalId) -> Utf8PathBuf {
        self.locks().join(format!("{id}.step"))
    }

    /// Held while an agent that the runner started works this goal.
    pub fn run_lock(&self, id: &GoalId) -> Utf8PathBuf {
        self.locks().join(format!("{id}.run"))
    }

    /// Held while a run makes a work tree.
    pub fn trees_lock(&self) -> Utf8PathBuf {
        // Not `.lock`: files that end so are leases of goals.
        self.locks().join("work-trees")
    }

    /// Held while a planner is asked about this goal.
    pub fn plan_lock(&self, id: &GoalId) -> Utf8PathBuf {
        self.locks().join(format!("{id}.plan"))
    }

    /// Says which process works this goal, while one does.
    pub fn lease(&self, id: &GoalId) -> Utf8PathBuf {
        self.locks().join(format!("{id}.lock"))
    }

    /// The project's own texts for roles.
    pub fn prompts(&self) -> Utf8PathBuf {
        self.own.join("prompts")
    }

    pub fn procedures(&self) -> Utf8PathBuf {
        self.own.join("procedures")
    }

    /// What git shall not track.
    pub fn gitignore(&self) -> Utf8PathBuf {
        self.own.join(".gitignore")
    }

    /// How git shall merge.
    pub fn gitattributes(&self) -> Utf8PathBuf {
        self.own.join(".gitattributes")
    }

    /// A goal's document; `at` is the time of its creating or ending event.
    pub fn document(&self, kind: DocumentKind, at: &str, id: &GoalId) -> Utf8PathBuf {
        let directory = match kind {
            DocumentKind::Active => self.own.clone(),
            DocumentKind::Archived => self.archived(),
        };
        directory.join(DocumentName::new(kind, at, id).to_string())
    }

    /// A path as it is shown: relative to the tree (`.pi/goals/archived/…`). A path outside the tree
    /// stays as it is.
    pub fn relative<'a>(&self, path: &'a Utf8Path) -> &'a Utf8Path {
        path.strip_prefix(&self.tree).unwrap_or(path)
    }

    /// Refuses links, files and anything else where a directory of ours belongs. What does not
    /// exist is fine: reading a project without goals is no error.
    pub fn check(&self) -> Result<(), PathError> {
        for path in [
            self.tree.join(".pi"),
            self.own.clone(),
            self.home().to_owned(),
            self.archived(),
            self.locks(),
            self.prompts(),
            self.procedures(),
        ] {
            match path.symlink_metadata() {
                Ok(found) => expect_directory(&path, found.file_type())?,
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(PathError::Io { path, cause }),
            }
        }
        Ok(())
    }

    /// Makes `.pi/goals`, durably. Harmless when it is there; refuses what [`Paths::check`] does.
    pub fn create(&self) -> Result<(), PathError> {
        make_directory(&self.tree.join(".pi"))?;
        make_directory(&self.own)?;
        self.check()
    }

    /// Makes `.pi/goals` where it is not there, but not in a work tree that is gone, when the ledger is
    /// in git's directory.
    ///
    /// # Errors
    /// As [`Paths::create`].
    pub fn create_where_it_belongs(&self) -> Result<(), PathError> {
        let is_gone = self.shared().is_some() && !self.tree.is_dir();
        match is_gone || self.own.symlink_metadata().is_ok() {
            true => Ok(()),
            false => self.create(),
        }
    }

    /// Makes `.pi/goals/.locks`; `.pi/goals` must be there. Otherwise as [`Paths::create`].
    pub fn create_locks(&self) -> Result<(), PathError> {
        make_directory(&self.locks())
    }
}

/// Makes one directory (mode 0777 less the umask) and syncs its parent, so that what is written
/// into it later cannot outlive it. One that is there is left alone; anything else is refused.
fn make_directory(path: &Utf8Path) -> Result<(), PathError> {
    let failed = |cause| PathError::Io {
        path: path.to_owned(),
        cause,
    };
    match fs::create_dir(path) {
        Ok(()) => {
            let parent = path.parent().unwrap_or(path);
            File::open(parent)
                .and_then(|dir| dir.sync_all())
                .map_err(failed)
        }
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            let found = path.symlink_metadata().map_err(failed)?;
            expect_directory(path, found.file_type())
        }
        Err(cause) => Err(failed(cause)),
    }
}

fn expect_directory(path: &Utf8Path, found: fs::FileType) -> Result<(), PathError> {
    let kind = if found.is_dir() {
        return Ok(());
    } else if found.is_symlink() {
        "a symbolic link"
    } else if found.is_file() {
        "a file"
    } else {
        "a special file"
    };
    Err(PathError::NotDirectory {
        path: path.to_owned(),
        kind,
    })
}

/// Inside by its name, even where a link then leads out, or by where it really is.
pub fn is_inside(root: &Utf8Path, path: &Utf8Path) -> bool {
    let by_name = || path.starts_with(root) && !path.components().any(|part| part.as_str() == "..");
    let really = || {
        path.as_std_path()
            .canonicalize()
            .is_ok_and(|real| real.starts_with(root))
    };
    by_name() || really()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Paths) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path())
            .unwrap()
            .canonicalize_utf8()
            .unwrap();
        (dir, Paths::new(&root))
    }

    #[test]
    fn documents_and_locks_are_where_the_contract_says() {
        let paths = Paths::new(Utf8Path::new("/p"));
        let id: GoalId = "mr5cf6ch-akrg4u".parse().unwrap();
        let at = "2026-11-21T20:15:00.129Z";
        let archived = paths.document(DocumentKind::Archived, at, &id);
        assert_eq!(
            archived,
            "/p/.pi/goals/archived/goal_2026112120150012_mr5cf6ch-akrg4u.md"
        );
        assert_eq!(
            paths.document(DocumentKind::Active, at, &id),
            "/p/.pi/goals/active_goal_2026112120150012_mr5cf6ch-akrg4u.md"
        );
        assert_eq!(
            paths.audit_lock(&id),
            "/p/.pi/goals/.locks/mr5cf6ch-akrg4u.audit"
        );

        let recorded = paths.relative(&archived);
        assert!(recorded.as_str().starts_with(".pi/goals/archived/goal_"));
        assert_eq!(paths.relative(Utf8Path::new("/else")), "/else");
    }

    #[test]
    fn a_home_in_git_has_the_ledger_and_the_tree_the_documents_and_its_texts() {
        let (dir, paths) = project();
        let git = paths.tree().join(".git");
        for part in ["HEAD", "objects", "refs"] {
            fs::create_dir_all(git.join(part)).unwrap();
        }
        let paths = Paths::new(paths.tree());
        assert_eq!(paths.events(), paths.file());
        assert_eq!((paths.shared(), paths.known_as()), (None, paths.tree()));
        // From the moment on at which somebody makes it.
        fs::create_dir(git.join("goal")).unwrap();
        assert_eq!(paths.events(), git.join("goal/goal_events.jsonl"));
        assert_eq!(paths.locks(), git.join("goal/.locks"));
        assert_eq!(paths.known_as(), git.join("goal"));
        assert_eq!(paths.config(), paths.tree().join(".pi/goals/config.toml"));
        assert_eq!(paths.archived(), paths.own().join("archived"));
        // What is not in the home is read in the tree.
        assert_eq!(paths.to_read(), paths.events());
        paths.create().unwrap();
        fs::write(paths.file(), "").unwrap();
        assert_eq!(paths.to_read(), paths.file());
        fs::write(paths.events(), "").unwrap();
        assert_eq!(paths.to_read(), paths.events());
        // A link in its place is no home, and none that is passed over.
        fs::remove_dir_all(git.join("goal")).unwrap();
        std::os::unix::fs::symlink(dir.path(), git.join("goal")).unwrap();
        assert!(paths.check().is_err());
    }

    #[test]
    fn creating_twice_is_harmless() {
        let (_dir, paths) = project();
        paths.check().unwrap();
        paths.create().unwrap();
        paths.create().unwrap();
        assert!(paths.home().is_dir());
        make_directory(&paths.archived()).unwrap();
        paths.check().unwrap();
    }

    #[test]
    fn a_file_for_a_directory_is_refused_and_named() {
        let (_dir, paths) = project();
        paths.create().unwrap();
        fs::write(paths.locks(), "").unwrap();
        let error = paths.check().unwrap_err().to_string();
        assert!(error.contains(".pi/goals/.locks` is a file"), "{error}");
        assert!(paths.create().is_err() && make_directory(&paths.locks()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused_wherever_a_directory_belongs() {
        use std::os::unix::fs::symlink;
        for name in [
            ".pi",
            ".pi/goals",
            ".pi/goals/archived",
            ".pi/goals/.locks",
            ".pi/goals/prompts",
        ] {
            let (_dir, paths) = project();
            let elsewhere = tempfile::tempdir().unwrap();
            let link = paths.tree().join(name);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(elsewhere.path(), &link).unwrap();
            for error in [paths.check().unwrap_err(), paths.create().unwrap_err()] {
                let text = error.to_string();
                assert!(
                    text.contains(&format!("{name}` is a symbolic link")),
                    "{text}"
                );
            }
            assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{name}");
        }
    }
}
