//! The project on disk: root, paths, configuration, trust, environment.

pub mod accepted;
pub mod actor;
pub mod changes;
pub mod commits;
pub mod config;
pub mod contact;
pub mod dirs;
pub mod document_name;
pub mod environment;
pub mod file_system;
pub mod files;
pub mod gate;
pub mod git;
pub mod git_rules;
pub mod home;
pub mod host;
pub mod judge;
pub mod keys;
pub mod last_left;
pub mod leases;
pub mod looked;
mod own_output;
pub mod paths;
pub mod presets;
pub mod programs;
pub mod readonly;
pub mod records;
pub mod root;
pub mod sessions;
pub mod spare;
pub mod synced;
pub mod tip;
pub mod trust;
pub mod turns;
pub mod uses;
pub mod verified;
pub mod worktree;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::actor::Actor;
use crate::domain::changes::Changes;
use crate::domain::seal::Key;
use crate::ledger::lock::turns::Turns;

pub use environment::Environment;
pub use paths::Paths;
use records::{RecordRead, RootRecord};
pub use root::Root;

/// Where a command works: one project, seen from one process.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The project's root, printed in every receipt: the tree.
    pub root: Root,
    /// The paths of the tree and of its home.
    pub paths: Paths,
    /// What the process was started with.
    pub environment: Environment,
    /// This process was started to judge or to compute: it may only read this ledger.
    pub read_only: bool,
    /// The turns in which calls of this process change the ledger, where it makes several at once.
    pub turns: Option<Arc<Turns>>,
}

/// Why there is no project to work in.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Root(#[from] root::RootError),
    /// A link or a file where a directory of ours belongs.
    #[error(transparent)]
    Path(#[from] paths::PathError),
}

impl Workspace {
    /// Finds the project and refuses one whose directories are not real. Makes nothing: a project
    /// without goals opens as well, and reads as empty. `explicit_root` is `--root`.
    pub fn open(
        explicit_root: Option<&str>,
        environment: Environment,
    ) -> Result<Workspace, OpenError> {
        let root = root::find(
            explicit_root,
            environment.root.as_deref(),
            &environment.cwd,
            environment.home.as_deref(),
        )?;
        let mut paths = Paths::new(&root.path);
        if let Some(dirs) = &environment.dirs {
            paths = paths.knowing(dirs.state.clone());
            if environment.may_cache {
                paths = paths.caching_in(dirs.cache.join("replay"));
            }
        }
        paths.check()?;
        let read_only = environment.read_only.as_deref();
        let read_only = read_only.is_some_and(|value| readonly::is_named(value, &paths));
        Ok(Workspace {
            root,
            paths,
            environment,
            read_only,
            turns: None,
        })
    }

    /// Who acts on this ledger through `surface`: whoever may only read it is as an auditor,
    /// whatever else it says.
    ///
    /// # Errors
    /// `GOAL_ACTOR` names nobody, or the tool itself.
    pub fn actor(&self, surface: actor::Surface) -> Result<Actor, actor::ActorError> {
        match self.read_only {
            true => Ok(Actor::Auditor),
            false => self.environment.actor(surface),
        }
    }

    /// This machine's key, where there is one that can be used.
    pub fn own_key(&self) -> Option<Key> {
        let dirs = self.environment.dirs.as_ref()?;
        keys::read(&dirs.state).ok().flatten()
    }

    /// What the user's state directory has of this ledger.
    pub fn kept<T: RootRecord>(&self, own: Option<&Key>) -> RecordRead<T> {
        let dirs = self.environment.dirs.as_ref();
        dirs.map_or(RecordRead::Absent, |dirs| {
            T::read(&dirs.state, self.paths.known_as(), own)
        })
    }

    /// Reads the configuration files of this project and this user.
    pub fn config_files(&self) -> Result<config::Loaded, config::ConfigError> {
        let user = self.environment.dirs.as_ref().map(dirs::Dirs::config_file);
        config::load(&self.paths.config(), user.as_deref())
    }

    /// The texts in which the user wants no secrets to be found. A file that cannot be used allows
    /// none; whoever acts on it says so.
    pub fn allowed_texts(&self) -> Vec<String> {
        let dirs = self.environment.dirs.as_ref();
        let user = dirs.and_then(|dirs| config::read_user(&dirs.config_file()).ok().flatten());
        let project = None;
        config::resolve(&config::Loaded { project, user })
            .keys
            .redact
            .allow
            .value
            .0
    }

    /// The state of the git work tree, where there is one and git can be asked. It takes some
    /// milliseconds: not while the ledger is locked.
    pub fn work_tree(&self) -> Option<worktree::WorkTree> {
        let tree = worktree::read(&self.git()?, &self.root.path)?;
        Some(worktree::WorkTree {
            name: self.paths.tree_name(),
            ..tree
        })
    }

    /// How the work tree differs from `commit`; `checks` are the files that checks name, each behind the
    /// check's name.
    ///
    /// # Errors
    /// Why it cannot be told, as the end of a sentence.
    pub fn changes_since(
        &self,
        commit: &str,
        checks: &[(String, Utf8PathBuf)],
    ) -> Result<Changes, String> {
        let git = self.git().ok_or("git is not on the PATH")?;
        changes::since(&git, &self.root.path, commit, checks)
    }

    /// A digest of what is not committed, where git can be asked.
    pub fn uncommitted(&self) -> Option<String> {
        worktree::digest(&self.git()?, &self.root.path)
    }

    /// How the files of the work tree stand, to see later whether something changed: as git sees
    /// them, without git all that are not hidden.
    pub fn fingerprint(&self) -> Option<worktree::Fingerprint> {
        let root = &self.root.path;
        let by_git = self.git().and_then(|git| worktree::fingerprint(&git, root));
        by_git.or_else(|| files::fingerprint(root))
    }

    /// Git, the program, where it is on the search path.
    pub fn git(&self) -> Option<PathBuf> {
        programs::find(self.environment.search_path.as_deref(), "git")
    }

    /// What a judge's command line runs here.
    pub fn runs(&self, argv: &[String]) -> judge::Runs {
        self.runs_on(argv, None)
    }

    /// The same with another `PATH`, where one is given.
    pub fn runs_on(&self, argv: &[String], search_path: Option<&OsStr>) -> judge::Runs {
        let search_path = search_path.or(self.environment.search_path.as_deref());
        judge::runs(argv, &self.root.path, search_path)
    }

    /// Whether a command line runs a file of the project, or names one.
    pub fn has_own_file(&self, argv: &[String]) -> bool {
        let root = &self.root.path;
        let search_path = self.environment.search_path.as_deref();
        let program = argv
            .first()
            .and_then(|it| judge::located(it, root, search_path));
        program.is_some_and(|path| paths::is_inside(root, &path))
            || !judge::named(argv, root, Utf8Path::new("")).is_empty()
    }

    /// How trust in what a project would run stands for `actor`; nothing when there is nothing to
    /// trust.
    ///
    /// # Errors
    /// What trust covers, or its record, cannot be read.
    pub fn trust(
        &self,
        loaded: &config::Loaded,
        actor: Actor,
    ) -> Result<Option<trust::Examined>, trust::TrustError> {
        let environment = &self.environment;
        let asker = trust::Asker {
            state: environment.dirs.as_ref().map(|dirs| dirs.state.as_path()),
            expected: environment.trust.as_deref(),
            actor,
            search_path: environment.search_path.as_deref(),
        };
        trust::examine(&self.paths, loaded, asker)
    }
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use super::environment::Terminals;
    use super::*;

    fn open(dir: &tempfile::TempDir) -> Result<Workspace, OpenError> {
        let top = Utf8Path::from_path(dir.path()).unwrap().to_owned();
        let dirs = dirs::Dirs {
            cache: top.join("user/cache"),
            config: top.join("user/config"),
            state: top.join("user/state"),
        };
        let environment =
            Environment::gather(top, |_| None, Terminals::default(), Some(dirs)).unwrap();
        Workspace::open(Some("project"), environment)
    }

    #[test]
    fn opening_finds_everything_and_makes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(open(&dir), Err(OpenError::Root(_))));
        std::fs::create_dir_all(dir.path().join("project")).unwrap();
        let workspace = open(&dir).unwrap();
        assert_eq!(workspace.paths.tree(), workspace.root.path);
        assert!(workspace.config_files().unwrap().project.is_none());
        assert_eq!(std::fs::read_dir(&workspace.root.path).unwrap().count(), 0);

        workspace.paths.create().unwrap();
        std::fs::write(workspace.paths.config(), "[auditor]\npreset = \"pi\"\n").unwrap();
        std::fs::create_dir_all(dir.path().join("user/config")).unwrap();
        std::fs::write(dir.path().join("user/config/config.toml"), "").unwrap();
        let loaded = open(&dir).unwrap().config_files().unwrap();
        assert!(loaded.project.is_some() && loaded.user.is_some());
    }

    #[test]
    fn a_project_whose_directories_are_not_real_does_not_open() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("project/.pi")).unwrap();
        std::fs::write(dir.path().join("project/.pi/goals"), "").unwrap();
        assert!(matches!(open(&dir), Err(OpenError::Path(_))));
    }
}
