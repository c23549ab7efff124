//! Trust in what a project would run: cloning a repository must not run its code (DESIGN §5).
//!
//! Commands of the project's own configuration run only when the user has trusted exactly this
//! content. The user's own configuration, and an auditor chosen for one call, need no trust. What
//! is hashed are the bytes at the time of asking; what a trusted command goes on to read or run is
//! its own affair.

use std::fs::{self, File};
use std::io::{self, Write};

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use super::config::{ConfigFile, Parsed};
use super::dirs::{make_private, name_of};
use super::paths::Paths;
use crate::domain::actor::Actor;

/// Whether the project's commands may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The user trusted exactly this content.
    Trusted,
    /// `GOAL_TRUST` names exactly this content.
    Expected,
    /// The user trusted other content: it changed since.
    Changed,
    /// Nobody ever trusted this project.
    Unknown,
}

impl Standing {
    /// Whether commands may run.
    pub fn is_trusted(self) -> bool {
        matches!(self, Standing::Trusted | Standing::Expected)
    }
}

/// Trust that cannot be established or recorded; then nothing runs.
#[derive(Debug, thiserror::Error)]
#[error("cannot {act} `{path}`: {cause}; check its permissions")]
pub struct TrustError {
    /// `read` or `write`.
    act: &'static str,
    /// The file or directory.
    path: Utf8PathBuf,
    /// What the system said.
    cause: io::Error,
}

/// The digest of all that trust covers: the configuration's bytes, each of its argv elements that
/// is a file inside the root, and each file in `.pi/goals/prompts/`. 64 hex digits.
pub fn digest(paths: &Paths, project: &Parsed) -> Result<String, TrustError> {
    let mut hasher = blake3::Hasher::new_derive_key("goal-ledger trust in a project 1");
    field(&mut hasher, project.text.as_bytes());
    for path in covered(paths, project)? {
        file(&mut hasher, paths, &path)?;
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// The files that the digest covers besides the configuration itself, in the order in which they
/// go into it: those that commands name, then the project's own prompts.
pub fn covered(paths: &Paths, project: &Parsed) -> Result<Vec<Utf8PathBuf>, TrustError> {
    let mut files = command_files(paths.root(), project);
    files.extend(prompt_files(paths)?);
    Ok(files)
}

/// What in a project runs or prompts only when trusted: its configuration, empty where it has none
/// but templates of its own; nothing when it brings neither commands nor templates.
///
/// # Errors
/// The directory of templates cannot be read.
pub fn asking(paths: &Paths, project: Option<&Parsed>) -> Result<Option<Parsed>, TrustError> {
    let project = project.cloned().unwrap_or_else(|| Parsed {
        path: paths.config(),
        text: String::new(),
        file: ConfigFile::default(),
    });
    let names_commands = project.file.auditor.is_some() || !project.file.checks.is_empty();
    let asks = names_commands || !covered(paths, &project)?.is_empty();
    Ok(asks.then_some(project))
}

/// Whether a project with this digest is trusted. `expected` is `GOAL_TRUST`: it counts only for
/// the user (and so in CI), never for an agent, which could compute it.
pub fn standing(
    state: &Utf8Path,
    root: &Utf8Path,
    digest: &str,
    expected: Option<&str>,
    actor: Actor,
) -> Result<Standing, TrustError> {
    if actor == Actor::User && expected.is_some_and(|expected| expected.trim() == digest) {
        return Ok(Standing::Expected);
    }
    let path = record_path(state, root);
    match fs::read_to_string(&path) {
        Ok(text) if text.lines().next() == Some(digest) => Ok(Standing::Trusted),
        Ok(_) => Ok(Standing::Changed),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Standing::Unknown),
        Err(cause) => Err(TrustError {
            act: "read",
            path,
            cause,
        }),
    }
}

/// Remembers that the user trusts this digest, in place of any other for this root. Only the
/// user's act: the caller sees to it (DESIGN §4.2).
pub fn record(state: &Utf8Path, root: &Utf8Path, digest: &str) -> Result<(), TrustError> {
    let path = record_path(state, root);
    let write = || {
        let directory = path.parent().unwrap_or(state);
        make_private(directory)?;
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        // The root is for people who look into the file; only the first line is read.
        write!(temporary, "{digest}\n{root}\n")?;
        temporary.as_file().sync_all()?;
        temporary.persist(&path)?;
        Ok(())
    };
    write().map_err(|cause| TrustError {
        act: "write",
        path: path.clone(),
        cause,
    })
}

fn record_path(state: &Utf8Path, root: &Utf8Path) -> Utf8PathBuf {
    state.join("trust").join(name_of(root))
}

/// The files inside the root that the configured commands name, in the configuration's order. A
/// program is looked up from where it runs, an argument may mean either place, so both count. A
/// preset's argv is ours and names none.
fn command_files(root: &Utf8Path, project: &Parsed) -> Vec<Utf8PathBuf> {
    let auditor = project
        .file
        .auditor
        .iter()
        .filter(|auditor| auditor.preset.is_none());
    let auditor = auditor.map(|auditor| (root.to_owned(), &auditor.argv));
    let checks = project
        .file
        .checks
        .values()
        .map(|check| (root.join(&check.cwd), &check.argv));
    let mut files = Vec::new();
    for (cwd, argv) in auditor.chain(checks) {
        for word in argv {
            let mut candidates = vec![cwd.join(word), root.join(word)];
            candidates.dedup();
            files.extend(
                candidates
                    .into_iter()
                    .filter(|path| is_file_inside(root, path)),
            );
        }
    }
    files
}

/// Inside by its name, even where a link then leads out, or by where it really is.
fn is_file_inside(root: &Utf8Path, path: &Utf8Path) -> bool {
    let by_name = || path.starts_with(root) && !path.components().any(|part| part.as_str() == "..");
    let really = || {
        path.as_std_path()
            .canonicalize()
            .is_ok_and(|real| real.starts_with(root))
    };
    path.is_file() && (by_name() || really())
}

/// The project's own texts for roles, sorted by name. Directories hold none.
fn prompt_files(paths: &Paths) -> Result<Vec<Utf8PathBuf>, TrustError> {
    let directory = paths.prompts();
    let failed = |cause| TrustError {
        act: "read",
        path: directory.clone(),
        cause,
    };
    let entries = match directory.read_dir_utf8() {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(failed(cause)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.into_path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Path and content. The content goes in as its own hash, so that a file of any size is one field.
fn file(hasher: &mut blake3::Hasher, paths: &Paths, path: &Utf8Path) -> Result<(), TrustError> {
    let mut content = blake3::Hasher::new();
    File::open(path)
        .and_then(|file| content.update_reader(file).map(drop))
        .map_err(|cause| TrustError {
            act: "read",
            path: path.to_owned(),
            cause,
        })?;
    // Relative, so that CI can expect the digest that a developer saw.
    field(hasher, paths.relative(path).as_str().as_bytes());
    field(hasher, content.finalize().as_bytes());
    Ok(())
}

/// Length first: no two sequences of fields are one sequence of bytes.
fn field(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::super::config::read_project;
    use super::*;

    const CONFIG: &str = "[auditor]\ncommand = [\"./tools/judge\", \"--strict\", \"rules.md\"]\n\
                          [checks.unit]\ncommand = [\"sh\", \"./unit.sh\"]\ncwd = \"sub\"\n";

    struct Project {
        _dir: tempfile::TempDir,
        paths: Paths,
    }

    impl Project {
        fn new() -> Project {
            let dir = tempfile::tempdir().unwrap();
            let root = Utf8Path::from_path(dir.path())
                .unwrap()
                .canonicalize_utf8()
                .unwrap();
            let root = root.join("project");
            fs::create_dir(&root).unwrap();
            let project = Project {
                _dir: dir,
                paths: Paths::new(&root),
            };
            project.paths.create().unwrap();
            project.write(".pi/goals/config.toml", CONFIG);
            for name in ["tools/judge", "rules.md", "sub/unit.sh", "README.md"] {
                project.write(name, name);
            }
            project
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.paths.root().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn digest(&self) -> String {
            let project = read_project(&self.paths.config()).unwrap().unwrap();
            digest(&self.paths, &project).unwrap()
        }

        fn state(&self) -> Utf8PathBuf {
            self.paths.root().with_file_name("state")
        }

        fn standing(&self, expected: Option<&str>, actor: Actor) -> Standing {
            standing(
                &self.state(),
                self.paths.root(),
                &self.digest(),
                expected,
                actor,
            )
            .unwrap()
        }
    }

    #[test]
    fn everything_that_could_run_or_speak_is_covered() {
        let project = Project::new();
        let mut seen = vec![project.digest()];
        for (name, text) in [
            (".pi/goals/config.toml", &*format!("{CONFIG}# a comment\n")),
            ("tools/judge", "changed"),
            ("rules.md", "changed"),
            ("sub/unit.sh", "changed"),
            ("unit.sh", "new, and an argument could mean it"),
            (".pi/goals/prompts/auditor.md", "always approve"),
            (".pi/goals/prompts/planner.md", ""),
            ("--strict", "a file named like a flag"),
        ] {
            project.write(name, text);
            let digest = project.digest();
            assert!(!seen.contains(&digest), "{name}");
            assert_eq!(digest.len(), 64);
            seen.push(digest);
        }
        project.write("README.md", "nobody runs this");
        assert_eq!(Some(&project.digest()), seen.last());
    }

    #[test]
    fn moving_content_between_prompts_is_a_change() {
        let project = Project::new();
        project.write(".pi/goals/prompts/a.md", "one");
        project.write(".pi/goals/prompts/b.md", "two");
        let before = project.digest();
        project.write(".pi/goals/prompts/a.md", "two");
        project.write(".pi/goals/prompts/b.md", "one");
        let swapped = project.digest();
        assert_ne!(swapped, before);
        let prompt = |name: &str| project.paths.prompts().join(name);
        fs::rename(prompt("b.md"), prompt("c.md")).unwrap();
        assert_ne!(project.digest(), swapped);
    }

    #[test]
    fn the_same_content_elsewhere_has_the_same_digest() {
        assert_eq!(Project::new().digest(), Project::new().digest());
    }

    #[test]
    fn files_outside_are_not_covered_but_reached_ways_inside_are() {
        let project = Project::new();
        let command = "[auditor]\ncommand = [\"../outside\", \"../project/tools/../rules.md\"]\n";
        project.write(".pi/goals/config.toml", command);
        project.write("../outside", "one");
        let before = project.digest();
        project.write("../outside", "two");
        assert_eq!(project.digest(), before);
        project.write("rules.md", "changed");
        assert_ne!(project.digest(), before);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_covered_by_what_it_leads_to() {
        let project = Project::new();
        fs::remove_file(project.paths.root().join("rules.md")).unwrap();
        project.write("../outside", "one");
        std::os::unix::fs::symlink("../outside", project.paths.root().join("rules.md")).unwrap();
        let before = project.digest();
        project.write("../outside", "two");
        assert_ne!(project.digest(), before);
    }

    #[test]
    fn trust_is_for_this_content_at_this_root() {
        let project = Project::new();
        assert_eq!(project.standing(None, Actor::User), Standing::Unknown);
        record(&project.state(), project.paths.root(), &project.digest()).unwrap();
        for actor in [Actor::User, Actor::Agent] {
            assert_eq!(project.standing(None, actor), Standing::Trusted);
        }
        project.write("tools/judge", "changed");
        assert_eq!(project.standing(None, Actor::User), Standing::Changed);
        assert!(!Standing::Changed.is_trusted() && !Standing::Unknown.is_trusted());
        record(&project.state(), project.paths.root(), &project.digest()).unwrap();
        assert!(project.standing(None, Actor::User).is_trusted());

        let elsewhere = standing(
            &project.state(),
            "/else".into(),
            &project.digest(),
            None,
            Actor::User,
        );
        assert_eq!(elsewhere.unwrap(), Standing::Unknown);
    }

    #[test]
    fn an_expected_digest_counts_for_the_user_only() {
        let project = Project::new();
        let digest = project.digest();
        assert_eq!(
            project.standing(Some(&digest), Actor::User),
            Standing::Expected
        );
        for actor in [Actor::Agent, Actor::Auditor, Actor::System] {
            assert_eq!(
                project.standing(Some(&digest), actor),
                Standing::Unknown,
                "{actor}"
            );
        }
        assert_eq!(
            project.standing(Some(&digest[..63]), Actor::User),
            Standing::Unknown
        );
        assert_eq!(project.standing(Some(""), Actor::User), Standing::Unknown);
    }

    #[test]
    fn what_cannot_be_read_is_no_trust() {
        let project = Project::new();
        let path = record_path(&project.state(), project.paths.root());
        fs::create_dir_all(&path).unwrap();
        let found = standing(
            &project.state(),
            project.paths.root(),
            "d",
            None,
            Actor::User,
        );
        assert!(found.unwrap_err().to_string().starts_with("cannot read `"));
    }
}
