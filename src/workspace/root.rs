//! Finds the project's root: the one directory everything else is relative to.
//!
//! What is found stays in the git repository that the working directory is in, so that goals which
//! somebody keeps further up capture no project below; and neither `/` nor the home directory is
//! found from below, since everything is below them.

use std::io;
use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use crate::workspace::git;

/// The project's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Absolute and canonical: no link in it, so two names of one project are one root.
    pub path: Utf8PathBuf,
    pub source: RootSource,
    /// The nearest directory above with a ledger, where this one has no goals and nobody named it.
    pub above: Option<Utf8PathBuf>,
    /// It is `/` or the home directory, has no goals, and nobody named it.
    pub is_too_wide: bool,
}

/// The rules, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RootSource {
    /// `--root`
    Flag,
    /// `GOAL_ROOT`
    Environment,
    /// The nearest directory with `.pi/goals` from the working directory up to the top of the git
    /// work tree, or up to the end where there is none.
    Goals,
    /// The top of the git work tree.
    Git,
    /// The working directory, for want of anything better.
    WorkingDirectory,
}

impl RootSource {
    /// What decided it, in words.
    pub fn words(self) -> &'static str {
        match self {
            RootSource::Flag => "--root",
            RootSource::Environment => "GOAL_ROOT",
            RootSource::Goals => "the nearest directory with .pi/goals",
            RootSource::Git => "the top of the git work tree",
            RootSource::WorkingDirectory => "the working directory",
        }
    }
}

/// Why there is no root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// A root somebody named is not there.
    #[error(
        "{origin} names `{path}`, which cannot be opened ({cause}); name an existing directory"
    )]
    Unreachable {
        /// `--root`, `GOAL_ROOT` or `the working directory`.
        origin: &'static str,
        path: Utf8PathBuf,
        cause: io::Error,
    },
    /// A root somebody named is a file or something stranger.
    #[error("{origin} names `{path}`, which is no directory; name the project's directory")]
    NotDirectory {
        /// `--root`, `GOAL_ROOT` or `the working directory`.
        origin: &'static str,
        path: Utf8PathBuf,
    },
    /// What was found marks a root, but not one that the caller chose: any user of the machine
    /// could have put it there, for whoever works below.
    #[error(
        "`{marker}` belongs to another user, in a directory that every user may write; pass `--root {dir}` if you trust it, or `--root` with your own project"
    )]
    Strangers {
        /// The `.pi/goals` or `.git`.
        marker: Utf8PathBuf,
        dir: Utf8PathBuf,
    },
    /// The root's real path cannot be written into JSON.
    #[error(
        "the project's path `{shown}` is not UTF-8; rename the directory, or name another with --root"
    )]
    NotUtf8 {
        /// The path with the offending bytes replaced.
        shown: String,
    },
}

/// Finds the root. `explicit` is `--root`, `env_root` is `GOAL_ROOT`; both may be relative to
/// `cwd`. What is named must exist; what is looked for falls back to `cwd`.
///
/// # Errors
/// What is named is no directory, or what is found is another user's.
pub fn find(
    explicit: Option<&str>,
    env_root: Option<&str>,
    cwd: &Utf8Path,
    home: Option<&Utf8Path>,
) -> Result<Root, RootError> {
    if let Some(path) = explicit {
        return open("--root", &cwd.join(path), RootSource::Flag);
    }
    if let Some(path) = env_root {
        return open("GOAL_ROOT", &cwd.join(path), RootSource::Environment);
    }
    // Ancestors of the real directory: `..` of a link's target is another directory than the
    // link's own parent, and the kernel's idea is the one that counts.
    let here = open("the working directory", cwd, RootSource::WorkingDirectory)?;
    let home = home.and_then(|home| home.canonicalize_utf8().ok());
    let around: Vec<&Utf8Path> = here.path.ancestors().collect();
    look(here.clone(), &around, home.as_deref())
}

/// Looks for the root of who works in `here`. `around` has that directory and those above it, the
/// nearest first.
fn look(here: Root, around: &[&Utf8Path], home: Option<&Utf8Path>) -> Result<Root, RootError> {
    let is_wide = |dir: &Utf8Path| dir.parent().is_none() || Some(dir) == home;
    let fits = |dir: &Utf8Path| dir == here.path || !is_wide(dir);
    let top = around.iter().copied().find(|dir| git::is_top(dir));
    let is_inside = |dir: &&Utf8Path| top.is_none_or(|top| dir.starts_with(top));
    let mut inside = around.iter().copied().take_while(is_inside);
    if let Some(dir) = inside.find(|dir| fits(dir) && has_goals(dir)) {
        refuse_strangers(dir, GOALS)?;
        return Ok(Root::new(dir, RootSource::Goals));
    }
    let mut root = match top.filter(|top| fits(top)) {
        Some(top) => {
            refuse_strangers(top, git::DOT_GIT)?;
            Root::new(top, RootSource::Git)
        }
        None => here,
    };
    root.is_too_wide = is_wide(&root.path);
    let is_above = |dir: &&Utf8Path| *dir != root.path && root.path.starts_with(dir);
    let mut above = around.iter().copied().filter(is_above);
    let has_ledger = |dir: &&Utf8Path| {
        dir.join(LEDGER).symlink_metadata().is_ok() && refuse_strangers(dir, GOALS).is_ok()
    };
    root.above = above.find(has_ledger).map(Utf8Path::to_owned);
    Ok(root)
}

const GOALS: &str = ".pi/goals";
const LEDGER: &str = ".pi/goals/goal_events.jsonl";

impl Root {
    fn new(path: impl Into<Utf8PathBuf>, source: RootSource) -> Root {
        Root {
            path: path.into(),
            source,
            above: None,
            is_too_wide: false,
        }
    }
}

/// Existence of any kind counts. A `.pi/goals` that is a link or a file, or in a `.pi` that cannot
/// be looked into, is refused by `Paths::check`; skipping it here would silently pick another
/// project instead.
fn has_goals(dir: &Utf8Path) -> bool {
    match dir.join(GOALS).symlink_metadata() {
        Ok(_) => true,
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => false,
            // A sandbox may hide all that lies above its directory.
            io::ErrorKind::PermissionDenied => dir.join(".pi").symlink_metadata().is_ok(),
            _ => true,
        },
    }
}

/// Refuses what another user, but for root, put into a directory that every user may write, such as
/// `/tmp`. Unix: by modes and owners.
fn refuse_strangers(dir: &Utf8Path, marker: &str) -> Result<(), RootError> {
    let marker = dir.join(marker);
    let (Ok(open), Ok(found)) = (dir.metadata(), marker.symlink_metadata()) else {
        // `Paths::check` meets the same, and says what it is.
        return Ok(());
    };
    let mine = [0, rustix::process::geteuid().as_raw()];
    if open.mode() & 0o002 == 0 || mine.contains(&found.uid()) {
        return Ok(());
    }
    let dir = dir.to_owned();
    Err(RootError::Strangers { marker, dir })
}

fn open(origin: &'static str, path: &Utf8Path, source: RootSource) -> Result<Root, RootError> {
    let unreachable = |cause| RootError::Unreachable {
        origin,
        path: path.to_owned(),
        cause,
    };
    let real = path.as_std_path().canonicalize().map_err(unreachable)?;
    let real = Utf8PathBuf::from_path_buf(real).map_err(|path| RootError::NotUtf8 {
        shown: path.to_string_lossy().into_owned(),
    })?;
    if !real.metadata().map_err(unreachable)?.is_dir() {
        return Err(RootError::NotDirectory {
            origin,
            path: path.to_owned(),
        });
    }
    Ok(Root::new(real, source))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    /// A temporary directory and its canonical path (on macOS the two differ).
    fn temporary() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap();
        let path = path.canonicalize_utf8().unwrap();
        (dir, path)
    }

    /// The root of who works in `cwd`, as if nothing lay above `top`.
    fn below(top: &Utf8Path, cwd: &Utf8Path, home: Option<&Utf8Path>) -> Root {
        let here = open("the working directory", cwd, RootSource::WorkingDirectory).unwrap();
        let path = here.path.clone();
        let around: Vec<&Utf8Path> = path
            .ancestors()
            .take_while(|dir| dir.starts_with(top))
            .collect();
        look(here, &around, home).unwrap()
    }

    #[test]
    fn the_order_is_flag_environment_goals_git_cwd() {
        let (_dir, top) = temporary();
        let cwd = top.join("repo/sub/deep");
        fs::create_dir_all(&cwd).unwrap();
        let found = |explicit, env, cwd: &Utf8Path| {
            let root = match (explicit, env) {
                (None, None) => below(&top, cwd, None),
                named => find(named.0, named.1, cwd, None).unwrap(),
            };
            (root.path, root.source)
        };
        assert_eq!(
            found(None, None, &cwd),
            (cwd.clone(), RootSource::WorkingDirectory)
        );
        // What git takes for no repository is none.
        fs::create_dir(top.join("repo/.git")).unwrap();
        assert_eq!(found(None, None, &cwd).1, RootSource::WorkingDirectory);
        fs::remove_dir(top.join("repo/.git")).unwrap();

        // A linked work tree has a file here.
        fs::write(top.join("repo/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(found(None, None, &cwd), (top.join("repo"), RootSource::Git));

        // Goals above the repository are none of its own.
        fs::create_dir_all(top.join(".pi/goals")).unwrap();
        assert_eq!(found(None, None, &cwd), (top.join("repo"), RootSource::Git));
        // Those inside win over its top.
        fs::create_dir_all(top.join("repo/sub/.pi/goals")).unwrap();
        assert_eq!(
            found(None, None, &cwd),
            (top.join("repo/sub"), RootSource::Goals)
        );
        // Without git the nearest ones count.
        fs::remove_file(top.join("repo/.git")).unwrap();
        assert_eq!(
            found(None, None, &top.join("repo")),
            (top.clone(), RootSource::Goals)
        );

        let env = top.join("repo");
        assert_eq!(
            found(None, Some(env.as_str()), &cwd),
            (env.clone(), RootSource::Environment)
        );
        assert_eq!(
            found(Some("../.."), Some("/"), &cwd),
            (env, RootSource::Flag)
        );
    }

    #[test]
    fn home_is_found_only_by_who_stands_in_it_and_goals_above_are_told() {
        let (_dir, home) = temporary();
        let cwd = home.join("notes/deep");
        fs::create_dir_all(&cwd).unwrap();
        fs::create_dir_all(home.join(GOALS)).unwrap();
        fs::write(home.join(LEDGER), "").unwrap();
        let find = |cwd: &Utf8Path, home: &Utf8Path| below(home, cwd, Some(home));
        let mut expected = Root::new(cwd.clone(), RootSource::WorkingDirectory);
        expected.above = Some(home.clone());
        assert_eq!(find(&cwd, &home), expected);
        assert_eq!(
            find(&home, &home),
            Root::new(home.clone(), RootSource::Goals)
        );
        // Not even where it is a repository of its own.
        fs::write(home.join(".git"), "gitdir: elsewhere").unwrap();
        assert_eq!(find(&cwd, &home), expected);
        // A repository below keeps to itself, and says what is above.
        fs::write(home.join("notes/.git"), "gitdir: elsewhere").unwrap();
        expected = Root::new(home.join("notes"), RootSource::Git);
        expected.above = Some(home.clone());
        assert_eq!(find(&cwd, &home), expected);
        fs::create_dir_all(home.join("notes/.pi/goals")).unwrap();
        expected = Root::new(home.join("notes"), RootSource::Goals);
        assert_eq!(find(&cwd, &home), expected);
        // Where nothing is kept yet, the home directory is too wide.
        fs::remove_dir_all(home.join(".pi")).unwrap();
        assert!(find(&home, &home).is_too_wide);
        let wide = Root::new("/", RootSource::WorkingDirectory);
        assert!(look(wide, &[], Some(&home)).unwrap().is_too_wide);
        assert!(!find(&cwd, &home).is_too_wide);
    }

    #[test]
    fn a_named_root_must_be_a_directory() {
        let (_dir, top) = temporary();
        fs::write(top.join("file"), "").unwrap();
        let error = find(Some("missing"), None, &top, None)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("--root names `") && error.contains("missing"),
            "{error}"
        );
        let error = find(None, Some("file"), &top, None)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("GOAL_ROOT names `") && error.contains("no directory"),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_resolved_and_linked_goals_still_mark_a_root() {
        let (_dir, top) = temporary();
        fs::create_dir_all(top.join("real/.pi")).unwrap();
        std::os::unix::fs::symlink(top.join("real"), top.join("alias")).unwrap();
        std::os::unix::fs::symlink("/nowhere", top.join("real/.pi/goals")).unwrap();
        let root = below(&top, &top.join("alias"), None);
        assert_eq!(root, Root::new(top.join("real"), RootSource::Goals));
    }

    #[test]
    fn goals_that_cannot_be_looked_into_are_not_passed_over() {
        if rustix::process::geteuid().is_root() {
            return eprintln!("SKIPPED: root looks into everything");
        }
        let (_dir, top) = temporary();
        let inner = top.join("inner");
        fs::create_dir_all(top.join(".pi/goals")).unwrap();
        fs::create_dir_all(inner.join(".pi/goals")).unwrap();
        fs::set_permissions(inner.join(".pi"), fs::Permissions::from_mode(0o000)).unwrap();
        let root = below(&top, &inner, None);
        fs::set_permissions(inner.join(".pi"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(root, Root::new(inner, RootSource::Goals));
    }

    #[test]
    fn what_another_user_put_where_everybody_may_write_is_refused() {
        let (_dir, top) = temporary();
        let cwd = top.join("mine");
        fs::create_dir_all(&cwd).unwrap();
        for marker in [".git", ".pi/goals"] {
            fs::create_dir_all(top.join(marker)).unwrap();
            for part in ["HEAD", "objects", "refs"] {
                fs::create_dir(top.join(marker).join(part)).unwrap();
            }
            for (mode, owner, refused) in [
                (0o1777, 12345, true),
                (0o777, 12345, true),
                (0o775, 12345, false),
                (0o1777, rustix::process::geteuid().as_raw(), false),
            ] {
                if chown(top.join(marker), Some(owner), None).is_err() {
                    return eprintln!("SKIPPED: only root gives files away");
                }
                fs::set_permissions(&top, fs::Permissions::from_mode(mode)).unwrap();
                let root = find(None, None, &cwd, None);
                assert_eq!(
                    root.is_err(),
                    refused,
                    "{marker} {mode:o} {owner}: {root:?}"
                );
                let named = find(Some(".."), None, &cwd, None).unwrap();
                assert_eq!(named.path, top, "who names it has chosen it");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_path_that_is_no_utf8_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let (_dir, top) = temporary();
        let odd = top
            .as_std_path()
            .join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
        fs::create_dir(&odd).unwrap();
        std::os::unix::fs::symlink(&odd, top.join("link")).unwrap();
        let error = find(Some("link"), None, &top, None).unwrap_err();
        assert!(matches!(error, RootError::NotUtf8 { .. }), "{error}");
    }
}
