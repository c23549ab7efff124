//! A connection to the server, and what was found out about the server when it was made.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::Severity;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, NoTls, Row, Socket};

use crate::configuration::Configuration;
use crate::durability::{Facts, Warning};
use crate::failure::{Code, Failure};
use crate::{migrations, tls};

/// For how long an answer of the server is waited for, beyond the wait that was asked for. Shorter than
/// `goal` waits for an answer of ours, so that it hears why.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Server {
    pub client: Client,
    /// The server has warned since this was last unset.
    has_warned: Arc<AtomicBool>,
    pub warnings: Vec<Warning>,
    /// Whether it follows another server, and cannot be written to.
    pub is_standby: bool,
    /// What begins a turn: see [`Server::begin`].
    settings: String,
}

/// A parameter of a query with its type.
pub type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

impl Server {
    /// Connects, and refuses a database that this program cannot use.
    pub async fn connect() -> Result<Self, Failure> {
        let configuration = Configuration::read()?;
        let (client, has_warned) = open(&configuration).await?;
        let facts = Facts::read(&client, configuration.turn).await?;
        migrations::check(facts.version)?;
        let mut settings = format!(
            "SET LOCAL idle_in_transaction_session_timeout = {}; SET LOCAL statement_timeout = 0;",
            configuration.turn.as_millis()
        );
        // A commit that was acknowledged must be on the disk, and on the standby that is waited for.
        if !facts.waits_for_commits() {
            settings.push_str(" SET LOCAL synchronous_commit = on;");
        }
        Ok(Server {
            client,
            has_warned,
            warnings: facts.warnings(),
            is_standby: facts.is_standby,
            settings,
        })
    }

    /// Begins a transaction in which a lock is waited for as long as `wait` says.
    pub async fn begin(&self, wait: Duration) -> Result<(), Failure> {
        if self.is_standby {
            let message = "this server is a standby, which cannot be written to";
            return Err(Failure::new(Code::Unreachable, message));
        }
        // To the server, 0 is no limit.
        let wait = wait.as_millis().max(1);
        let settings = &self.settings;
        self.run(&format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {wait}; \
             {settings}"
        ))
        .await
    }

    /// Runs statements without parameters.
    pub async fn run(&self, sql: &str) -> Result<(), Failure> {
        match timeout(PATIENCE, self.client.batch_execute(sql)).await {
            Ok(done) => Ok(done?),
            Err(_) => Err(Failure::silent()),
        }
    }

    pub async fn rows(&self, sql: &str, with: &[Parameter<'_>]) -> Result<Vec<Row>, Failure> {
        self.rows_within(PATIENCE, sql, with).await
    }

    /// The rows of a query that may wait for a lock.
    pub async fn rows_within(
        &self,
        limit: Duration,
        sql: &str,
        with: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Failure> {
        match timeout(limit, self.client.query_typed(sql, with)).await {
            Ok(rows) => Ok(rows?),
            Err(_) => Err(Failure::silent()),
        }
    }

    /// Commits. Where this fails, nobody here can know whether it happened.
    pub async fn commit(&self) -> Result<(), Failure> {
        self.has_warned.store(false, Ordering::Relaxed);
        match timeout(PATIENCE, self.client.batch_execute("COMMIT")).await {
            Ok(Ok(())) => self.committed(),
            Ok(Err(error)) => Err(unknown(error.into())),
            Err(_) => Err(unknown(Failure::silent())),
        }
    }

    /// A commit that was answered. When somebody cancels the wait for a standby, the server answers
    /// all the same, after a warning.
    fn committed(&self) -> Result<(), Failure> {
        match self.has_warned.load(Ordering::Relaxed) {
            false => Ok(()),
            true => {
                let why = "the server warned, as when it no longer waits for its standby";
                Err(unknown(Failure::new(Code::Unknown, why)))
            }
        }
    }

    /// Runs a last statement and commits; both are sent together. The inner error is the statement's:
    /// then the server commits nothing.
    pub async fn last_and_commit(
        &self,
        sql: &str,
        with: &[Parameter<'_>],
    ) -> Result<Result<(), tokio_postgres::Error>, Failure> {
        let statement = self.client.query_typed(sql, with);
        let commit = self.client.batch_execute("COMMIT");
        let both = async { tokio::join!(biased; statement, commit) };
        self.has_warned.store(false, Ordering::Relaxed);
        match timeout(PATIENCE, both).await {
            Ok((Ok(_), Ok(()))) => self.committed().map(Ok),
            Ok((Err(error), _)) if error.as_db_error().is_some() => Ok(Err(error)),
            Ok((Err(error), _) | (Ok(_), Err(error))) => Err(unknown(error.into())),
            Err(_) => Err(unknown(Failure::silent())),
        }
    }
}

fn unknown(why: Failure) -> Failure {
    let message = format!("it may or may not be recorded: {}", why.message);
    Failure::new(Code::Unknown, message)
}

/// Opens a connection and lets it run beside. It sets the flag where the server warns.
pub async fn open(configuration: &Configuration) -> Result<(Client, Arc<AtomicBool>), Failure> {
    let has_warned = Arc::new(AtomicBool::new(false));
    let client = match configuration.client.get_ssl_mode() {
        // What certificates the system trusts need not be read then.
        SslMode::Disable => connected(configuration, NoTls, &has_warned).await?,
        _ => connected(configuration, tls::connector(configuration)?, &has_warned).await?,
    };
    Ok((client, has_warned))
}

async fn connected<T>(
    configuration: &Configuration,
    tls: T,
    has_warned: &Arc<AtomicBool>,
) -> Result<Client, Failure>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let connect = configuration.client.connect(tls);
    let (client, mut connection) = match timeout(PATIENCE, connect).await {
        Ok(connected) => connected?,
        Err(_) => return Err(Failure::silent()),
    };
    let warned = Arc::clone(has_warned);
    // When it ends, the client's next call says so.
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notice(notice) = message
                && notice.parsed_severity() == Some(Severity::Warning)
            {
                warned.store(true, Ordering::Relaxed);
            }
        }
    });
    Ok(client)
}
