//! Reading one copy of the ledger alone: that of a commit, or a file.

use camino::Utf8PathBuf;
use tempfile::NamedTempFile;

use super::{Call, Failure};
use crate::render::text::one_line;
use crate::workspace::git;

/// Which copy is read.
#[derive(Debug, Default, clap::Args)]
pub struct OneCopy {
    /// Read only the ledger of this commit: the result is the same on every machine
    #[arg(long, value_name = "REV", conflicts_with = "file")]
    at: Option<String>,
    /// Read only this file; `-` reads stdin
    #[arg(long, value_name = "FILE")]
    file: Option<Utf8PathBuf>,
}

impl OneCopy {
    /// Whether one is named.
    pub fn is_named(&self) -> bool {
        self.at.is_some() || self.file.is_some()
    }

    /// The same call on that copy. What was fetched for it is there as long as what comes second lives.
    ///
    /// # Errors
    /// There is no such copy.
    pub fn read(&self, mut call: Call) -> Result<(Call, Option<NamedTempFile>), Failure> {
        let (bytes, path) = match (&self.at, &self.file) {
            (None, None) => return Ok((call, None)),
            (Some(rev), _) => (committed(&call, rev)?, None),
            (None, Some(file)) if file == "-" => (read_stdin()?, None),
            (None, Some(file)) => (Vec::new(), Some(call.workspace.environment.cwd.join(file))),
        };
        let paths = call.workspace.paths.clone();
        if let Some(path) = path {
            if !path.is_file() {
                let hint = "name a file that is there; `-` reads stdin";
                return Err(Failure::usage(format!("{path} is no file"), hint));
            }
            call.workspace.paths = paths.alone(path);
            return Ok((call, None));
        }
        let kept = || -> std::io::Result<NamedTempFile> {
            let mut file = NamedTempFile::new()?;
            std::io::Write::write_all(&mut file, &bytes)?;
            Ok(file)
        };
        let hint = "let yourself write the temporary directory (TMPDIR)";
        let file = kept().map_err(|error| Failure::io(&error, hint))?;
        let path = Utf8PathBuf::try_from(file.path().to_owned());
        let path = path.map_err(|_| missing("the temporary directory is not UTF-8".to_owned()))?;
        call.workspace.paths = paths.alone(path);
        Ok((call, Some(file)))
    }
}

/// The ledger as a commit has it.
fn committed(call: &Call, rev: &str) -> Result<Vec<u8>, Failure> {
    let (paths, root) = (&call.workspace.paths, &call.workspace.root.path);
    let program = call.workspace.git();
    let git = || git::command(program.as_deref()?, root);
    let Some(mut command) = git() else {
        return Err(missing("there is no git repository here".to_owned()));
    };
    let file = paths.file();
    let name = paths.relative(&file);
    let blob = format!("{rev}:./{name}");
    let asked = command
        .args(["cat-file", "blob", "--end-of-options", &blob])
        .output();
    if let Ok(output) = asked
        && output.status.success()
    {
        return Ok(output.stdout);
    }
    let commit = format!("{rev}^{{commit}}");
    let ask = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
    let asked = git().map(|mut git| git.args(ask).arg(&commit).output());
    let is_known = matches!(asked, Some(Ok(output)) if output.status.success());
    match is_known {
        true => Err(missing(format!("{rev} has no {name}"))),
        false => Err(Failure::usage(
            format!("git knows no commit `{}`", one_line(rev)),
            "`git log --oneline --all` lists the commits",
        )),
    }
}

fn read_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes);
    read.map_err(|error| Failure::io(&error, "pass the ledger on stdin"))?;
    Ok(bytes)
}

fn missing(problem: String) -> Failure {
    Failure::usage(
        problem,
        "`git log -- .pi/goals/goal_events.jsonl` lists the commits that have a ledger; \
         `goal init --commits` has it committed",
    )
}
