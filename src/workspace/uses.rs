//! The user's own last use of `goal`: where their configuration lay, who audited, what was found on
//! the `PATH`, and which variables led the auditor elsewhere. An agent makes its environment itself,
//! and can edit a configuration, so for its calls they must be the same; else the auditor is not
//! asked.
//!
//! Noted in the user's state directory when the user first makes a call that looks at it: for its
//! project, and as the latest anywhere, which counts in projects where they made none. A call of the
//! user with another auditor, or with variables that lead it elsewhere, is noted only after they were
//! told what differs and agreed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use super::Workspace;
use super::config::{Choice, CommandInForce, Loaded, Role, Source, resolve};
use super::dirs::{Dirs, record};
use super::judge::{Runs, digest, located, runs};
use super::keys;
use super::programs::searched;
use super::records::{self, RecordRead, write_record};
use crate::domain::seal::Key;
use crate::render::text::shell_word;

/// The records' directory below the state directory.
const KIND: &str = "uses";

/// What an environment makes of what names no place by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The user's configuration file, whether or not it is there; none without a home.
    pub config: Option<Utf8PathBuf>,
    /// Who audits: the words of a command, or of a preset and its options; empty where nobody is
    /// configured. Earlier versions noted none.
    #[serde(default)]
    pub auditor: Option<Vec<String>>,
    /// The project's configuration names the auditor, so it says nothing about other projects.
    #[serde(default)]
    pub of_project: bool,
    /// The program that the auditor's command names without a directory, and where it lies.
    pub programs: BTreeMap<String, Utf8PathBuf>,
    /// The one file that the auditor's command runs, and its BLAKE3 digest.
    #[serde(default)]
    pub file: Option<(Utf8PathBuf, String)>,
    /// The program of each check, by the check's name: two checks may have programs of one name in
    /// two places.
    #[serde(default)]
    pub checks: BTreeMap<String, BTreeMap<String, Utf8PathBuf>>,
    /// `PATH`: judges run with it. Earlier versions noted none.
    #[serde(default)]
    pub path: Option<String>,
    /// Variables that can lead a judge elsewhere ([`redirects`]), with their values.
    #[serde(default)]
    pub redirects: BTreeMap<String, String>,
}

/// A use of the user's with another auditor than in their last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Another {
    /// Taken over only as it was shown: the configuration may change while they read.
    pub used: Use,
    /// What differs, each a sentence without its end.
    pub differing: Vec<String>,
}

/// A note of the user's last use that is there and says nothing.
#[derive(Debug, thiserror::Error)]
#[error(
    "the record of the user's last call, `{path}`, cannot be used: it must be complete, made with \
     this machine's key, and writable only by you"
)]
pub struct UseError {
    path: Utf8PathBuf,
}

const LAST: &str = "in the user's last accepted call";

impl Use {
    /// How the auditor of this use differs from that of the user's last, each a sentence without its
    /// end.
    pub fn objections(&self, last: &Use) -> Vec<String> {
        let mut objections = Vec::new();
        if self.config != last.config {
            let name = |path: &Option<Utf8PathBuf>| match path {
                Some(path) => format!("`{path}`"),
                None => "missing, for want of a home".to_owned(),
            };
            objections.push(format!(
                "the user's configuration is {} in this call, and was {} {LAST}",
                name(&self.config),
                name(&last.config)
            ));
        }
        let auditor = |words: &[String]| match words {
            [] => "nobody".to_owned(),
            words => {
                let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
                format!("`{}`", words.join(" "))
            }
        };
        let (now, before) = (self.auditor.as_deref(), last.auditor.as_deref());
        if let (Some(now), Some(before)) = (now, before)
            && now != before
        {
            objections.push(format!(
                "the auditor is {} in this call, and was {} {LAST}",
                auditor(now),
                auditor(before)
            ));
            return objections;
        }
        for (program, path) in &self.programs {
            match last.programs.get(program) {
                Some(before) if before == path => {}
                Some(before) => {
                    let moved = moved(program, path, before);
                    objections.push(format!("the auditor's program {moved}"));
                }
                None => objections.push(format!(
                    "the auditor's program `{program}`, which is `{path}` in this call, was not \
                     part of the auditor {LAST}"
                )),
            }
        }
        if let (Some((path, now)), Some((_, before))) = (&self.file, &last.file)
            && now != before
        {
            objections.push(format!(
                "`{path}`, which the auditor's command runs, changed since the user accepted it"
            ));
        }
        objections
    }

    /// That the file which the auditor's command runs is there and was not, or was and is not, as a sentence
    /// without its end. Only where both were looked at by this version, as in one run.
    pub fn came_or_went(&self, began: &Use) -> Option<String> {
        let file = match (&self.file, &began.file) {
            (None, Some((file, _))) | (Some((file, _)), None) => file,
            _ => return None,
        };
        Some(format!(
            "`{file}`, which the auditor's command runs, came or went"
        ))
    }

    /// The variables of this use that lead the auditor elsewhere than in the user's last, each a
    /// sentence without its end. Their values may be secrets, so none is said.
    pub fn led_elsewhere(&self, last: &Use) -> Vec<String> {
        let known = last.auditor.is_some();
        let differing = self.redirects.iter();
        let differing = differing.filter(|(name, value)| last.redirects.get(*name) != Some(value));
        let sentences = differing.map(|(name, _)| match last.redirects.contains_key(name) {
            true => format!("`{name}` has another value in this call than {LAST}"),
            false => format!("`{name}` is set in this call, and was not {LAST}"),
        });
        sentences.filter(|_| known).collect()
    }

    /// That the `PATH` of this use has a directory of the project that the user's last had not, as a
    /// sentence without its end: an agent can write there what a judge calls.
    fn path_into(&self, root: &Utf8Path, last: &Use) -> Option<String> {
        let before = last.path.as_ref()?;
        let [now, before] = [self.path.as_ref()?, before].map(|it| searched(Some(it.as_ref())));
        let is_new = |dir: &&str| {
            Utf8Path::new(dir).starts_with(root) && before.split(':').all(|it| it != *dir)
        };
        let dir = now.split(':').find(is_new)?;
        Some(format!(
            "`PATH` has `{dir}` of the project in this call, which it had not {LAST}"
        ))
    }

    /// The variables with which a judge runs where it is not the user who asks: `PATH`, without
    /// relative directories, and what led the auditor.
    pub fn surroundings(&self) -> Vec<(String, String)> {
        let path = self.path.as_ref().map(|path| searched(Some(path.as_ref())));
        let path = path.map(|path| ("PATH".to_owned(), path));
        path.into_iter().chain(self.redirects.clone()).collect()
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
    format!("`{program}` is `{path}` in this call, and was `{before}` {LAST}")
}

/// The words that say who audits: of a preset not what it runs, which another version may change.
fn words(auditor: &CommandInForce) -> Vec<String> {
    let Some(preset) = auditor.preset else {
        return auditor.argv.clone();
    };
    let options = auditor.model.options().into_iter();
    let options = options.filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    [preset.to_string()].into_iter().chain(options).collect()
}

/// Variables that can lead a judge elsewhere: to another server, through another machine, to
/// another configuration of its host, to other certificates.
const ENDINGS: [&str; 5] = ["_BASE_URL", "_ENDPOINT", "_PROXY", "_CONFIG_DIR", "_HOME"];
const CERTIFICATES: [&str; 5] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
];
/// Where the user's directories lie is compared by what they lead to.
const DIRECTORIES: &str = "XDG_";

/// Those of them that are set.
pub fn redirects<N: AsRef<OsStr>, V: AsRef<OsStr>>(
    variables: impl Iterator<Item = (N, V)>,
) -> BTreeMap<String, String> {
    let redirecting = |name: &str| {
        let upper = name.to_ascii_uppercase();
        let leads = ENDINGS.iter().any(|ending| upper.ends_with(ending));
        (leads || CERTIFICATES.contains(&upper.as_str())) && !upper.starts_with(DIRECTORIES)
    };
    let named = variables.filter_map(|(name, value)| {
        let name = name.as_ref().to_str().filter(|name| redirecting(name))?;
        let value = value.as_ref().to_string_lossy().into_owned();
        (!value.is_empty()).then(|| (name.to_owned(), value))
    });
    named.collect()
}

impl Workspace {
    /// What this process's environment makes of it, with programs looked up on this `PATH`.
    fn used(&self, loaded: &Loaded, search_path: Option<&OsStr>) -> Use {
        let environment = &self.environment;
        let config = resolve(loaded);
        let checks = config.checks.iter();
        // One that cannot be used is not asked.
        let auditor = config.command(Role::Auditor, Choice::default(), &environment.cwd);
        let auditor = auditor.ok().flatten();
        let argv = auditor.as_ref().map_or(&[][..], |auditor| &auditor.argv);
        let root = &self.root.path;
        Use {
            config: environment.dirs.as_ref().map(Dirs::config_file).map(real),
            programs: self.finds(argv, search_path),
            file: match runs(argv, root, search_path) {
                Runs::File(path) => digest(&path)
                    .ok()
                    .map(|digest| (path, digest.to_hex().to_string())),
                Runs::Program(_) | Runs::Untold(_) => None,
            },
            of_project: auditor
                .as_ref()
                .is_some_and(|it| it.source == Source::Project),
            auditor: Some(auditor.as_ref().map(words).unwrap_or_default()),
            checks: checks
                .map(|(name, check)| {
                    (
                        name.clone(),
                        self.finds(&check.argv, environment.search_path.as_deref()),
                    )
                })
                .collect(),
            path: environment
                .search_path
                .as_ref()
                .and_then(|it| it.to_str())
                .map(str::to_owned),
            redirects: environment.redirects.clone(),
        }
    }

    /// What this process's environment makes of it.
    pub fn this_use(&self, loaded: &Loaded) -> Use {
        self.used(loaded, self.environment.search_path.as_deref())
    }

    /// How this call, which is not the user's own, would have another auditor than the user's last,
    /// each a sentence without its end. Its `PATH` does not count: judges run with the user's.
    pub fn objections_to_auditor(&self, loaded: &Loaded, last: &Use) -> Vec<String> {
        let own = self.environment.search_path.as_deref();
        let now = self.used(loaded, last.path.as_deref().map(OsStr::new).or(own));
        let mut objections = now.objections(last);
        objections.extend(now.led_elsewhere(last));
        objections
    }

    /// The program that a command line names without a directory, and where it lies.
    pub fn finds(
        &self,
        argv: &[String],
        search_path: Option<&OsStr>,
    ) -> BTreeMap<String, Utf8PathBuf> {
        let name = argv.first().filter(|name| !name.contains('/'));
        let found = name.and_then(|name| {
            let path = located(name, &self.root.path, search_path)?;
            Some((name.clone(), beside(path)))
        });
        found.into_iter().collect()
    }

    /// The user's last use in this project, else anywhere; nothing where none was ever noted.
    ///
    /// # Errors
    /// A note that is there cannot be used: it may have said otherwise.
    pub fn last_use(&self) -> Result<Option<Use>, UseError> {
        let Some(dirs) = &self.environment.dirs else {
            return Ok(None);
        };
        let own = self.own_key();
        for root in self.roots() {
            if let Some(here) = read(&record(&dirs.state, KIND, root), own.as_ref())? {
                return Ok(Some(here));
            }
        }
        read(&anywhere(&dirs.state), own.as_ref())
    }

    /// What a use is noted by: the work tree, and the ledger that it shares with others.
    fn roots(&self) -> [&Utf8Path; 2] {
        [&self.root.path, self.paths.known_as()]
    }

    /// Notes that this use is the user's own, where the auditor is the one that was noted before, or
    /// none was. Else it notes nothing, and gives back the use with what differs. What runs in a check
    /// or for an auditor is no use, wherever it does ([`super::readonly`]).
    ///
    /// # Errors
    /// Those of the file system.
    pub fn note_use(&self, loaded: &Loaded) -> io::Result<Option<Another>> {
        match self.another(loaded) {
            Some(another) => Ok(Some(another)),
            None => self.take_over(&self.this_use(loaded)).map(|()| None),
        }
    }

    /// This use, where its auditor, or what leads it, is not what was noted before.
    pub fn another(&self, loaded: &Loaded) -> Option<Another> {
        let last = self.last_use().ok()??;
        let used = self.this_use(loaded);
        // The auditor of a project's configuration says nothing about others; it is trusted.
        let is_comparable = self.is_noted_here() || !used.of_project && !last.of_project;
        let mut differing = used.objections(&last);
        differing.extend(used.led_elsewhere(&last));
        differing.extend(used.path_into(&self.root.path, &last));
        let differs = is_comparable && !differing.is_empty();
        differs.then_some(Another { used, differing })
    }

    fn is_noted_here(&self) -> bool {
        let dirs = self.environment.dirs.as_ref();
        let noted = |root| dirs.is_some_and(|it| record(&it.state, KIND, root).exists());
        self.roots().into_iter().any(noted)
    }

    /// Notes that this use is the user's own, whatever was noted before: they saw what differs in it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn take_over(&self, used: &Use) -> io::Result<()> {
        let (Some(dirs), None) = (&self.environment.dirs, &self.environment.read_only) else {
            return Ok(());
        };
        let own = keys::read_or_make(&dirs.state, self.environment.pinned_key());
        let own = own.map_err(io::Error::other)?;
        let here = self.roots().map(|root| record(&dirs.state, KIND, root));
        let anywhere = (!used.of_project).then(|| anywhere(&dirs.state));
        for path in here.into_iter().chain(anywhere) {
            let noted = matches!(read(&path, Some(&own)), Ok(Some(before)) if before == *used);
            if !noted {
                // Half a note, as a power cut leaves it, would refuse every audit that an agent
                // asks for.
                write_record(&path, &kind(&path), used, &own)?;
            }
        }
        Ok(())
    }
}

fn anywhere(state: &Utf8Path) -> Utf8PathBuf {
    state.join(KIND).join("latest.json")
}

/// The kind of record that stands at this path: one says nothing in the place of another.
fn kind(path: &Utf8Path) -> String {
    format!("{KIND}/{}", path.file_name().unwrap_or_default())
}

/// What others could have written cannot be used, nor can half a note.
fn read(path: &Utf8Path, own: Option<&Key>) -> Result<Option<Use>, UseError> {
    match records::read_record(path, &kind(path), own) {
        RecordRead::Absent => Ok(None),
        RecordRead::Valid(used) => Ok(Some(used)),
        RecordRead::NotOurs => Err(UseError {
            path: path.to_owned(),
        }),
    }
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
mod tests;
