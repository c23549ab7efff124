//! Where the server is: the user's environment or a file of theirs, never anything of a project.

use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use std::{env, fs, io};

use etcetera::BaseStrategy;
use serde::Deserialize;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use crate::connection_string;
use crate::failure::{Code, Failure};

const VARIABLE: &str = "GOAL_STORE_POSTGRES";
const FILE: &str = "goal/config.toml";
/// The table of the file that is ours. The rest is goal's.
const TABLE: &str = "[store.helper]";
/// What an earlier version read.
const OLD_FILE: &str = "goal/store-postgres.toml";

/// What a server's certificate must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Nothing: against those who only listen.
    Nothing,
    /// Who signed it.
    Signer,
    /// Who signed it, and that it was made for this host.
    SignerAndName,
}

pub struct Configuration {
    pub client: Config,
    pub checks: Checks,
    /// Certificates that may sign the server's; the system's where there are none.
    pub root_certificates: Option<PathBuf>,
    /// After this time without a request the server takes a turn away.
    pub turn: Duration,
}

/// goal's own configuration, so far as it is read here.
#[derive(Default, Deserialize)]
struct File {
    #[serde(default)]
    store: Store,
}

#[derive(Default, Deserialize)]
struct Store {
    helper: Option<Said>,
}

/// The table that is ours.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    connection: Option<String>,
    password_file: Option<PathBuf>,
    turn_seconds: Option<u32>,
}

const TURN_SECONDS: u32 = 30;

impl Configuration {
    /// What the user's environment and file say.
    pub fn read() -> Result<Self, Failure> {
        let said = match etcetera::choose_base_strategy() {
            Ok(places) => said(&places.config_dir())?,
            Err(_) => Said::default(),
        };
        let turn = Duration::from_secs(said.turn_seconds.unwrap_or(TURN_SECONDS).max(1).into());
        let (from, text) = match (env::var(VARIABLE), said.connection) {
            (Ok(text), _) => (VARIABLE.to_owned(), text),
            (Err(_), Some(text)) => (format!("{TABLE} of {FILE}"), text),
            (Err(_), None) => (
                "the environment (PGHOST and others)".to_owned(),
                of_environment()?,
            ),
        };
        let configuration = Self::of(&text, turn);
        let mut configuration = configuration.map_err(|why| invalid(format!("{from}: {why}")))?;
        if let Some(path) = said.password_file
            && configuration.client.get_password().is_none()
        {
            let password = secret(&path)?;
            configuration
                .client
                .password(password.trim_end_matches('\n'));
        }
        Ok(configuration)
    }

    fn of(text: &str, turn: Duration) -> Result<Self, String> {
        // What the library says about the string may quote a password.
        let unreadable = || {
            "the connection string cannot be read, or has an option that this program does not know"
                .to_owned()
        };
        let parts = connection_string::split(text).ok_or_else(unreadable)?;
        let mut client = Config::from_str(&parts.rest).map_err(|_| unreadable())?;
        let of_system = parts.sslrootcert.as_deref() == Some("system");
        let names_signers = parts.sslrootcert.is_some();
        let root_certificates = parts.sslrootcert.filter(|_| !of_system).map(PathBuf::from);
        let hosts = client.get_hosts();
        let addresses = client.get_hostaddrs();
        let local = !hosts.is_empty()
            && hosts.iter().all(is_local)
            && addresses.iter().all(IpAddr::is_loopback);
        let (mode, checks) = match parts.sslmode.as_deref() {
            Some("disable") => (SslMode::Disable, Checks::Nothing),
            Some("prefer" | "allow") => (SslMode::Prefer, Checks::Nothing),
            // As libpq: whoever names signers wants them checked, and those of the system sign for any name.
            Some("require") if of_system => (SslMode::Require, Checks::SignerAndName),
            Some("require") if names_signers => (SslMode::Require, Checks::Signer),
            Some("require") => (SslMode::Require, Checks::Nothing),
            Some("verify-ca") => (SslMode::Require, Checks::Signer),
            Some("verify-full") => (SslMode::Require, Checks::SignerAndName),
            None if local && !names_signers => (SslMode::Disable, Checks::Nothing),
            None => (SslMode::Require, Checks::SignerAndName),
            Some(other) => return Err(format!("there is no sslmode `{other}`")),
        };
        client.ssl_mode(mode);
        if client.get_application_name().is_none() {
            client.application_name("goal");
        }
        if client.get_connect_timeout().is_none() {
            client.connect_timeout(Duration::from_secs(10));
        }
        // Of several hosts the one that can be written to: after a failover that is another one.
        if client.get_hosts().len() > 1 {
            client.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        client.tcp_user_timeout(turn);
        Ok(Configuration {
            client,
            checks,
            root_certificates,
            turn,
        })
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => ["localhost", "127.0.0.1", "::1"].contains(&name.as_str()),
    }
}

/// What the file in this directory says in the table that is ours; without a file, nothing.
fn said(dir: &Path) -> Result<Said, Failure> {
    let path = dir.join(FILE);
    let shown = path.display();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(invalid(format!("cannot read {shown}: {error}"))),
    };
    // The parser quotes the line that it cannot read, and that may be the one with the password.
    let file: File =
        toml::from_str(&text).map_err(|error| invalid(format!("{shown}: {}", error.message())))?;
    let old = dir.join(OLD_FILE);
    match file.store.helper {
        None if old.exists() => Err(invalid(format!(
            "{old} is not read any more: put its lines below {TABLE} in {shown}, say chmod 600 \
             {shown}, and remove {old}",
            old = old.display()
        ))),
        None => Ok(Said::default()),
        Some(said) => {
            if said.connection.as_deref().is_some_and(has_password) {
                refuse_shared(&path)?;
            }
            Ok(said)
        }
    }
}

/// Whether others must not see a connection string. One that cannot be read may have a password.
fn has_password(text: &str) -> bool {
    let parts = connection_string::split(text);
    let client = parts.and_then(|parts| Config::from_str(&parts.rest).ok());
    client.is_none_or(|client| client.get_password().is_some())
}

/// A file that only its owner reads.
fn secret(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| invalid(format!("cannot read {shown}: {error}")))?;
    refuse_shared(path)?;
    Ok(text)
}

fn refuse_shared(path: &Path) -> Result<(), Failure> {
    let mode = fs::metadata(path).map(|it| it.permissions().mode());
    match mode.is_ok_and(|it| it & 0o077 == 0) {
        true => Ok(()),
        false => Err(invalid(format!(
            "others may read the password in {path}; say: chmod 600 {path}",
            path = path.display()
        ))),
    }
}

/// A connection string of the variables that libpq reads.
fn of_environment() -> Result<String, Failure> {
    const VARIABLES: [(&str, &str); 8] = [
        ("PGHOST", "host"),
        ("PGPORT", "port"),
        ("PGUSER", "user"),
        ("PGPASSWORD", "password"),
        ("PGDATABASE", "dbname"),
        ("PGSSLMODE", "sslmode"),
        ("PGSSLROOTCERT", "sslrootcert"),
        ("PGCONNECT_TIMEOUT", "connect_timeout"),
    ];
    let mut text = String::new();
    for (variable, key) in VARIABLES {
        if let Ok(value) = env::var(variable) {
            let quoted = value.replace('\\', "\\\\").replace('\'', "\\'");
            text.push_str(&format!("{key}='{quoted}' "));
        }
    }
    if env::var_os("PGHOST").is_none() {
        return Err(invalid(format!(
            "no server is named: set {VARIABLE}, or `connection` below {TABLE} in {FILE} in your \
             configuration directory, or PGHOST"
        )));
    }
    Ok(text)
}

fn invalid(message: String) -> Failure {
    Failure::new(Code::Failed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Configuration, String> {
        Configuration::of(text, Duration::from_secs(30))
    }

    #[test]
    fn tls_is_checked_in_full_unless_the_user_says_less() {
        for (text, mode, checks) in [
            ("host=db user=u", SslMode::Require, Checks::SignerAndName),
            (
                "host=localhost,db user=u",
                SslMode::Require,
                Checks::SignerAndName,
            ),
            (
                "host=/run/postgresql user=u",
                SslMode::Disable,
                Checks::Nothing,
            ),
            (
                "postgres://u@127.0.0.1/goals",
                SslMode::Disable,
                Checks::Nothing,
            ),
            // The address is where it connects to, whatever the name says.
            (
                "host=localhost hostaddr=203.0.113.5 user=u",
                SslMode::Require,
                Checks::SignerAndName,
            ),
            (
                "hostaddr=203.0.113.5 user=u",
                SslMode::Require,
                Checks::SignerAndName,
            ),
            (
                "host=db sslmode=require sslrootcert=system",
                SslMode::Require,
                Checks::SignerAndName,
            ),
            (
                "host=localhost sslrootcert=/ca",
                SslMode::Require,
                Checks::SignerAndName,
            ),
            ("host=db sslmode=disable", SslMode::Disable, Checks::Nothing),
            ("host=db sslmode=require", SslMode::Require, Checks::Nothing),
            (
                "host=db sslmode=require sslrootcert=/ca",
                SslMode::Require,
                Checks::Signer,
            ),
            (
                "host=db sslmode=verify-ca",
                SslMode::Require,
                Checks::Signer,
            ),
            (
                "postgres://db/?sslmode=verify-full",
                SslMode::Require,
                Checks::SignerAndName,
            ),
        ] {
            let found = of(text).unwrap();
            assert_eq!(
                (found.client.get_ssl_mode(), found.checks),
                (mode, checks),
                "{text}"
            );
        }
    }

    #[test]
    fn a_string_that_cannot_be_read_is_not_shown() {
        for text in [
            "host=db password=two words",
            "host=db secret",
            "postgres://u:secret@db:port/",
        ] {
            assert_eq!(
                of(text).err().unwrap(),
                "the connection string cannot be read, or has an option that this program does not know"
            );
        }
        assert_eq!(
            of("host=db sslmode=full").err().unwrap(),
            "there is no sslmode `full`"
        );
    }

    #[test]
    fn of_several_hosts_the_primary_is_wanted() {
        let attributes = |text| of(text).unwrap().client.get_target_session_attrs();
        assert_eq!(attributes("host=a,b user=u"), TargetSessionAttrs::ReadWrite);
        assert_eq!(attributes("host=a user=u"), TargetSessionAttrs::Any);
    }
}
