//! Signatures by `ssh-keygen`: this program computes none and checks none by itself.
//!
//! Nothing that is run here can ask anybody: it has an empty passphrase, no terminal to read from and
//! no program that asks. A key that only an agent holds may be confirmed there, within the time limit.

use std::env;
use std::io::Write;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

use crate::domain::goal::signed::{NAMESPACE, verify_time};
use crate::process::{self, Ending, Finished, Invocation};
use crate::render::text::one_line;

/// How long it may take. A person may have to touch a key.
const LIMIT: Duration = Duration::from_secs(30);

/// The most bytes that it may say.
const MOST: usize = 64 * 1024;

/// Where systems keep it. These go first: whoever sets `PATH` then does not choose who checks.
const PLACES: [&str; 4] = [
    "/usr/bin/ssh-keygen",
    "/usr/local/bin/ssh-keygen",
    "/opt/homebrew/bin/ssh-keygen",
    "/run/current-system/sw/bin/ssh-keygen",
];

/// A signature by a key that nobody has: it was made for this and thrown away. Whoever looks for its
/// key in a list reads every line.
const NOBODYS: &str = "\
-----BEGIN SSH SIGNATURE-----\n\
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgoUZM24ZQFMnP7SwKdrqXX7uX9Z\n\
06miT6WEVldKlyd0kAAAAKZ29hbC1hdWRpdAAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gt\n\
ZWQyNTUxOQAAAEDilXwa3bUXbi+9a1APEPrvQT5M52WMat7H8XnzBKaotIn+CeyaiBCAV0\n\
wfDhIYWcKxFGBxLrH0UXp88FSOFAUL\n\
-----END SSH SIGNATURE-----\n";

/// Why there is no signature, or none that counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SigningError {
    /// Nothing can be said of it here.
    #[error("{0}")]
    Unavailable(String),
    /// It does not hold.
    #[error("{0}")]
    Refused(String),
}

/// `ssh-keygen`, as far as signatures go.
#[derive(Debug, Clone)]
pub struct Keygen {
    program: String,
}

impl Default for Keygen {
    fn default() -> Keygen {
        let there = PLACES
            .into_iter()
            .find(|path| Utf8Path::new(path).is_file());
        Keygen {
            program: there.unwrap_or("ssh-keygen").to_owned(),
        }
    }
}

impl Keygen {
    /// The signature of a text, armoured, with the key at this path: a private key, or a public one
    /// whose other half an agent holds.
    ///
    /// # Errors
    /// Why there is none.
    pub fn sign(&self, key: &Utf8Path, text: &str) -> Result<String, SigningError> {
        let sign = ["-Y", "sign", "-n", NAMESPACE, "-P", "", "-f", key.as_str()];
        let signature = self.run(&sign, text)?;
        match signature.starts_with("-----BEGIN SSH SIGNATURE-----") {
            true => Ok(signature),
            false => Err(refused("ssh-keygen made something else than a signature")),
        }
    }

    /// Whether every line of a list can be read.
    ///
    /// # Errors
    /// The first that cannot, by its number; or nobody can say.
    pub fn check(&self, list: &str) -> Result<(), SigningError> {
        // It complains of an empty line, and passes over it.
        let lines = list.lines().map(|line| match line.trim() {
            "" => "#\n".to_owned(),
            _ => format!("{line}\n"),
        });
        let list = lines.collect::<String>();
        let (signature, list) = (kept(NOBODYS)?, kept(&list)?);
        let find = ["-Y", "find-principals", "-s", &signature.1, "-f", &list.1];
        let finished = self.finish(&find, "")?;
        if !matches!(finished.ending, Ending::Exited(_)) {
            let why = "ssh-keygen did not read the list of signers to its end";
            return Err(SigningError::Unavailable(why.into()));
        }
        let said = String::from_utf8_lossy(&finished.stderr_tail).into_owned();
        let wrong = |line: &str| Some(one_line(line.strip_prefix(&list.1)?.strip_prefix(':')?));
        match said.lines().find_map(wrong) {
            Some(wrong) => Err(refused(format!("line {wrong}"))),
            None => Ok(()),
        }
    }

    /// As whom this list knows the key that made this signature of this text. A line may have several
    /// names, and of those that are patterns none is a person's.
    ///
    /// # Errors
    /// Nobody, or it cannot be asked.
    pub fn signer(
        &self,
        text: &str,
        signature: &str,
        list: &str,
        time: &str,
    ) -> Result<String, SigningError> {
        let (of, among) = (kept(signature)?, kept(list)?);
        let at = at(time)?;
        let find = ["-Y", "find-principals", "-s", &of.1, "-f", &among.1, &at];
        let found = self.run(&find, "")?;
        let is_pattern = |name: &&str| name.contains(['*', '?', '!']);
        let (patterns, names): (Vec<&str>, Vec<&str>) = found.lines().partition(is_pattern);
        let mut failed = refused("the list of signers does not have this key");
        for name in names.into_iter().chain(patterns) {
            match self.verify(text, signature, list, (name, time)) {
                Ok(()) => return Ok(name.to_owned()),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Whether the signature is this signer's, of this text, by this list, at that time.
    ///
    /// # Errors
    /// Why not.
    pub fn verify(
        &self,
        text: &str,
        signature: &str,
        list: &str,
        (signer, time): (&str, &str),
    ) -> Result<(), SigningError> {
        if signer.is_empty() || signer.starts_with('-') || signer.chars().any(char::is_control) {
            return Err(refused("it names no signer"));
        }
        let (signature, list) = (kept(signature)?, kept(list)?);
        let at = at(time)?;
        let verify = ["-Y", "verify", "-n", NAMESPACE, "-f", &list.1];
        let signed = ["-I", signer, "-s", &signature.1, &at];
        self.run(&[&verify[..], &signed].concat(), text).map(drop)
    }

    /// What it printed.
    fn run(&self, arguments: &[&str], stdin: &str) -> Result<String, SigningError> {
        let finished = self.finish(arguments, stdin)?;
        match finished.ending {
            Ending::Exited(0) if !finished.overflow => {
                String::from_utf8(finished.stdout).map_err(|error| refused(error.to_string()))
            }
            Ending::TimedOut | Ending::Silent(_) => Err(SigningError::Unavailable(
                "ssh-keygen did not end in time".into(),
            )),
            Ending::Exited(_) | Ending::Signalled(_) | Ending::Cancelled => {
                let said = String::from_utf8_lossy(&finished.stderr_tail).into_owned();
                let said = match said.trim() {
                    "" => String::from_utf8_lossy(&finished.stdout).into_owned(),
                    _ => said,
                };
                let last = said.trim().lines().next_back().unwrap_or("it failed");
                Err(refused(format!("ssh-keygen: {}", one_line(last))))
            }
        }
    }

    fn finish(&self, arguments: &[&str], stdin: &str) -> Result<Finished, SigningError> {
        let argv = [&[self.program.as_str()], arguments].concat();
        let agent = env::var("SSH_AUTH_SOCK").ok();
        let variables = [
            ("SSH_ASKPASS_REQUIRE", Some("never")),
            ("SSH_ASKPASS", Some("")),
            ("DISPLAY", Some("")),
            // Times are given in it, since not every version knows how to be told.
            ("TZ", Some("UTC")),
            ("LC_ALL", Some("C")),
            // The only program that is led to the agent: it may hold the key.
            ("SSH_AUTH_SOCK", agent.as_deref()),
        ];
        let given = variables.into_iter();
        let given = given.filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())));
        let invocation = Invocation {
            argv: argv.into_iter().map(str::to_owned).collect(),
            cwd: Utf8PathBuf::from("/"),
            env: given.collect(),
            stdin: stdin.as_bytes().to_vec(),
            stdout_cap: MOST,
            stderr_tail: MOST,
            deadline: LIMIT,
            ..Invocation::default()
        };
        process::run(&invocation, &|| false).map_err(|error| {
            SigningError::Unavailable(format!("{error}; signatures need OpenSSH 8.9 or later"))
        })
    }
}

/// A text in a file that only this user can read, and the file's path.
fn kept(text: &str) -> Result<(NamedTempFile, String), SigningError> {
    let write = || {
        let mut file = NamedTempFile::new()?;
        file.write_all(text.as_bytes())?;
        Ok(file)
    };
    let file = write().map_err(|error: std::io::Error| {
        SigningError::Unavailable(format!("cannot write a temporary file: {error}"))
    })?;
    let path = file.path().to_str().map(str::to_owned);
    let path = path.ok_or_else(|| {
        SigningError::Unavailable("the directory for temporary files is no text".into())
    })?;
    Ok((file, path))
}

fn refused(why: impl Into<String>) -> SigningError {
    SigningError::Refused(why.into())
}

fn at(time: &str) -> Result<String, SigningError> {
    let time = verify_time(time).ok_or_else(|| refused("it names no time"))?;
    Ok(format!("-Overify-time={time}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_ssh_keygen_nothing_is_said_of_a_signature() {
        let keygen = Keygen {
            program: "/there/is/no/ssh-keygen".into(),
        };
        let time = "2026-11-21T20:15:07.123Z";
        let failed = [
            keygen.sign("/key".into(), "text").unwrap_err(),
            keygen
                .verify("text", "signature", "list", ("ann", time))
                .unwrap_err(),
        ];
        for error in failed {
            assert!(matches!(&error, SigningError::Unavailable(_)), "{error:?}");
            assert!(error.to_string().contains("OpenSSH"), "{error}");
        }
    }

    #[test]
    fn a_list_that_was_not_read_to_its_end_is_not_taken_for_a_good_one() {
        use std::os::unix::fs::PermissionsExt;

        let keep = tempfile::tempdir().unwrap();
        let program = keep.path().join("ssh-keygen");
        std::fs::write(&program, "#!/bin/sh\nkill -9 $$\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let program = program.to_str().unwrap().to_owned();
        let checked = Keygen { program }.check("ann@example.org ssh-ed25519 AAAA");
        assert!(
            matches!(checked, Err(SigningError::Unavailable(_))),
            "{checked:?}"
        );
    }

    #[test]
    fn a_line_names_a_signer_and_a_time() {
        let keygen = Keygen::default();
        let time = "2026-11-21T20:15:07.123Z";
        for (signer, time) in [("", time), ("-f", time), ("a\nb", time), ("ann", "now")] {
            let checked = keygen.verify("text", "signature", "list", (signer, time));
            assert!(matches!(checked, Err(SigningError::Refused(_))), "{signer}");
        }
    }
}
