//! The user's own last use of `goal`: where their configuration lay, and what the commands of the
//! auditor and of checks found on the `PATH`. An agent makes its environment itself, so for its
//! calls they must be the same; else the auditor is not asked.
//!
//! Noted in the user's state directory whenever the user makes a call that looks at either: for its
//! project, and as the latest anywhere, which counts in projects where they made none.

use std::collections::BTreeMap;
use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::Workspace;
use super::config::{Choice, Loaded, Role, resolve};
use super::dirs::{Dirs, put, read_json, record};
use super::launched::looked_up;

/// What an environment makes of what names no place by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The user's configuration file, whether or not it is there; none without a home.
    pub config: Option<Utf8PathBuf>,
    /// The programs that the auditor's command names without a directory, and where they lie.
    pub programs: BTreeMap<String, Utf8PathBuf>,
    /// The same of the command of each check, by the check's name: two checks may have programs of
    /// one name in two places. Earlier versions noted none.
    #[serde(default)]
    pub checks: BTreeMap<String, BTreeMap<String, Utf8PathBuf>>,
}

/// A note of the user's last use that is there and says nothing.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{path}`, which says how the user last used `goal`, cannot be used: it must be whole, and \
     yours alone to write"
)]
pub struct UseError {
    path: Utf8PathBuf,
}

impl Use {
    /// How this use differs from the user's last, each a sentence without its end.
    pub fn objections(&self, last: &Use) -> Vec<String> {
        let mut objections = Vec::new();
        if self.config != last.config {
            let name = |path: &Option<Utf8PathBuf>| match path {
                Some(path) => format!("`{path}`"),
                None => "missing, for want of a home".to_owned(),
            };
            objections.push(format!(
                "the user's configuration is {} in this call, and was {} when the user last used \
                 `goal`",
                name(&self.config),
                name(&last.config)
            ));
        }
        for (program, path) in &self.programs {
            match last.programs.get(program) {
                Some(before) if before == path => {}
                Some(before) => {
                    let moved = moved(program, path, before);
                    objections.push(format!("the auditor's program {moved}"));
                }
                None => objections.push(format!(
                    "the auditor's program `{program}`, which is `{path}` in this call, was no \
                     auditor's when the user last used `goal`"
                )),
            }
        }
        objections
    }

    /// How what the command of the check with this name finds differs from this use, the user's
    /// last. What was not noted then is as good as anything: a check is named by the user's
    /// configuration, or trusted.
    pub fn objections_to_check(
        &self,
        check: &str,
        found: &BTreeMap<String, Utf8PathBuf>,
    ) -> Vec<String> {
        let noted = self.checks.get(check);
        let differing = found.iter().filter_map(|(program, path)| {
            let before = noted?.get(program)?;
            (before != path).then(|| moved(program, path, before))
        });
        differing.collect()
    }
}

fn moved(program: &str, path: &Utf8Path, before: &Utf8Path) -> String {
    format!(
        "`{program}` is `{path}` in this call, and was `{before}` when the user last used `goal`"
    )
}

impl Workspace {
    /// What this process's environment makes of it.
    pub fn this_use(&self, loaded: &Loaded) -> Use {
        let environment = &self.environment;
        let config = resolve(loaded);
        let checks = config.checks.iter();
        let auditor = config.command(Role::Auditor, Choice::default(), &environment.cwd);
        let argv = match auditor {
            Ok(Some(auditor)) => auditor.argv,
            // One that cannot be used is not asked.
            Ok(None) | Err(_) => Vec::new(),
        };
        Use {
            config: environment.dirs.as_ref().map(Dirs::config_file).map(real),
            programs: self.finds(&argv, Utf8Path::new("")),
            checks: checks
                .map(|(name, check)| (name.clone(), self.finds(&check.argv, &check.cwd)))
                .collect(),
        }
    }

    /// The programs that a command line names without a directory, and where they lie.
    pub fn finds(&self, argv: &[String], cwd: &Utf8Path) -> BTreeMap<String, Utf8PathBuf> {
        let found = looked_up(argv, self.running_in(cwd)).into_iter();
        found.map(|(name, path)| (name, beside(path))).collect()
    }

    /// The user's last use in this project, else anywhere; nothing where none was ever noted.
    ///
    /// # Errors
    /// A note that is there cannot be used: it may have said otherwise.
    pub fn last_use(&self) -> Result<Option<Use>, UseError> {
        let Some(dirs) = &self.environment.dirs else {
            return Ok(None);
        };
        match read(&record(&dirs.state, "uses", &self.root.path))? {
            Some(here) => Ok(Some(here)),
            None => read(&anywhere(&dirs.state)),
        }
    }

    /// Notes that this use is the user's own. What runs in a check or for an auditor is none,
    /// wherever it does ([`super::readonly`]).
    ///
    /// # Errors
    /// Those of the file system.
    pub fn note_use(&self, loaded: &Loaded) -> io::Result<()> {
        let (Some(dirs), None) = (&self.environment.dirs, &self.environment.read_only) else {
            return Ok(());
        };
        let used = self.this_use(loaded);
        for path in [
            record(&dirs.state, "uses", &self.root.path),
            anywhere(&dirs.state),
        ] {
            let noted = matches!(read(&path), Ok(Some(before)) if before == used);
            if !noted {
                // Half a note, as a power cut leaves it, would refuse every audit that an agent
                // asks for.
                put(&path, &serde_json::to_vec(&used)?)?;
            }
        }
        Ok(())
    }
}

fn anywhere(state: &Utf8Path) -> Utf8PathBuf {
    state.join("uses/latest.json")
}

/// What others could have written cannot be used, nor can half a note.
fn read(path: &Utf8Path) -> Result<Option<Use>, UseError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) | Ok(_) => {}
    }
    read_json(path).map(Some).ok_or_else(|| UseError {
        path: path.to_owned(),
    })
}

/// The path without symbolic links, as far as it is there: a home may have two names.
fn real(path: Utf8PathBuf) -> Utf8PathBuf {
    let there = path.ancestors().find_map(|above| {
        Some((
            above.canonicalize_utf8().ok()?,
            path.strip_prefix(above).ok()?,
        ))
    });
    match there {
        Some((real, rest)) if !rest.as_str().is_empty() => real.join(rest),
        Some((real, _)) => real,
        None => path,
    }
}

/// The program in its real directory. Itself it may be a link, which an update sets anew.
fn beside(program: Utf8PathBuf) -> Utf8PathBuf {
    match (program.parent(), program.file_name()) {
        (Some(directory), Some(name)) => real(directory.to_owned()).join(name),
        _ => program,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn used(config: &str, programs: &[(&str, &str)]) -> Use {
        let programs = programs.iter();
        Use {
            config: Some(config.into()),
            programs: programs
                .map(|(name, path)| ((*name).to_owned(), (*path).into()))
                .collect(),
            checks: BTreeMap::new(),
        }
    }

    #[test]
    fn a_check_finds_what_the_user_s_found_where_it_is_known() {
        let found = |path: &str| BTreeMap::from([("cargo".to_owned(), path.into())]);
        let checks = [("test", "/u/cargo"), ("lint", "/old/cargo")];
        let checks = checks.map(|(name, path)| (name.to_owned(), found(path)));
        let last = Use {
            checks: checks.into(),
            ..used("/u/config.toml", &[("cargo", "/auditor/cargo")])
        };
        let objections = |check, path| last.objections_to_check(check, &found(path));
        assert!(objections("test", "/u/cargo").is_empty());
        assert!(objections("lint", "/old/cargo").is_empty());
        assert!(objections("new", "/x").is_empty());
        assert_eq!(
            objections("test", "/evil/cargo"),
            [
                "`cargo` is `/evil/cargo` in this call, and was `/u/cargo` when the user last used `goal`"
            ]
        );
        // As an earlier version noted it.
        let noted = r#"{"config":"/u/config.toml","programs":{"cargo":"/auditor/cargo"}}"#;
        let before: Use = serde_json::from_str(noted).unwrap();
        assert_eq!(
            before,
            used("/u/config.toml", &[("cargo", "/auditor/cargo")])
        );
    }

    #[test]
    fn what_the_user_used_may_be_used_and_nothing_else() {
        let last = used(
            "/u/config.toml",
            &[("claude", "/u/claude"), ("sh", "/bin/sh")],
        );
        assert!(last.objections(&last).is_empty());
        // Fewer programs are none that the user did not use.
        let fewer = used("/u/config.toml", &[("sh", "/bin/sh")]);
        assert!(fewer.objections(&last).is_empty());
        for (other, named) in [
            (used("/evil/config.toml", &[]), "/evil/config.toml"),
            (
                used("/u/config.toml", &[("claude", "/evil/claude")]),
                "/u/claude",
            ),
            (used("/u/config.toml", &[("pi", "/u/pi")]), "/u/pi"),
        ] {
            let objections = other.objections(&last);
            assert_eq!(objections.len(), 1);
            assert!(objections[0].contains(named), "{objections:?}");
        }
        assert_eq!(Use::default().objections(&last).len(), 1);
    }

    #[test]
    fn a_directory_has_one_name_and_a_program_its_own() {
        let keep = tempfile::tempdir().unwrap();
        let top = Utf8Path::from_path(keep.path()).unwrap();
        let top = top.canonicalize_utf8().unwrap();
        std::fs::create_dir(top.join("bin")).unwrap();
        std::os::unix::fs::symlink(top.join("bin"), top.join("also")).unwrap();
        std::os::unix::fs::symlink("/bin/sh", top.join("bin/judge")).unwrap();
        assert_eq!(beside(top.join("also/judge")), top.join("bin/judge"));
        assert_eq!(real(top.join("also/no/such")), top.join("bin/no/such"));
        assert_eq!(real(top.join("also")), top.join("bin"));
    }

    #[test]
    fn it_comes_back_as_it_was_noted() {
        let keep = tempfile::tempdir().unwrap();
        let state = Utf8Path::from_path(keep.path()).unwrap();
        let path = record(state, "uses", "/one".into());
        assert_eq!(read(&path).unwrap(), None);
        let one = used("/u/config.toml", &[("claude", "/u/claude")]);
        put(&path, &serde_json::to_vec(&one).unwrap()).unwrap();
        assert_eq!(read(&path).unwrap(), Some(one.clone()));
        assert_eq!(read(&record(state, "uses", "/two".into())).unwrap(), None);
        fs::write(&path, "{").unwrap();
        assert!(read(&path).is_err());
        put(&path, &serde_json::to_vec(&one).unwrap()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(read(&path).is_err());
    }
}
