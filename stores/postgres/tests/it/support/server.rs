//! A PostgreSQL server of the test's own, in a directory of its own, on loopback.
//!
//! When the test's process ends, however it ends, the server is stopped and its directory removed.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};

use super::helper::{self, Helper};
use super::until;

pub struct Server {
    pub port: u16,
    pub data: PathBuf,
    bin: PathBuf,
    /// When its stdin is closed, it stops the server.
    keeper: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.keeper.stdin = None;
        // It ends after the server.
        let _ = self.keeper.wait();
    }
}

/// The user who owns the database.
pub const OWNER: &str = "owner";

/// A server that many tests share, each with ledgers of its own. `None` where there is no
/// PostgreSQL, and then it says so.
pub fn shared() -> Option<&'static Server> {
    static SHARED: OnceLock<Option<Server>> = OnceLock::new();
    SHARED.get_or_init(|| Server::start(&[])).as_ref()
}

impl Server {
    /// A new server with the tables and roles, and these settings.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let server = Self::empty(settings)?;
        helper::run(&server.url(OWNER), &["migrate"]);
        helper::run(&server.url(OWNER), &["roles"]);
        server.sql(
            "CREATE ROLE writer LOGIN IN ROLE goal_writer; \
                    CREATE ROLE reader LOGIN IN ROLE goal_reader; CREATE ROLE stranger LOGIN",
        );
        Some(server)
    }

    /// A new server without tables.
    pub fn empty(settings: &[&str]) -> Option<Self> {
        let bin = installed()?;
        let server = Self::at(bin, directory());
        server.tool(
            "initdb",
            &[
                "-U", OWNER, "-A", "trust", "-N", "-E", "UTF8", "--locale", "C",
            ],
        );
        let port = server.port;
        let socket = server.data.parent().unwrap().display();
        let mut conf = format!(
            "port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{socket}'\n\
             max_connections = 300\nautovacuum_naptime = 10\n"
        );
        for setting in settings {
            conf.push_str(&format!("{setting}\n"));
        }
        server.append("postgresql.conf", &conf);
        server.up();
        Some(server)
    }

    fn at(bin: PathBuf, dir: PathBuf) -> Self {
        let data = dir.join("data");
        // It waits for the end of its stdin, which this process holds open.
        let stop = "cat > /dev/null; \"$0\"/pg_ctl -D \"$1\"/data -m immediate stop > /dev/null 2>&1; \
                    rm -rf \"$1\"";
        let mut keeper = as_postgres("sh");
        keeper.arg("-c").arg(stop).arg(&bin).arg(&dir);
        let keeper = keeper.stdin(Stdio::piped()).spawn().unwrap();
        Server {
            port: free_port(),
            data,
            bin,
            keeper,
        }
    }

    /// Changes a setting while the server runs.
    pub fn set(&self, name: &str, value: &str) {
        self.sql(&format!("ALTER SYSTEM SET {name} = '{value}'"));
        self.sql("SELECT pg_reload_conf()");
        until("the setting holds", || {
            (self.sql(&format!("SHOW {name}")) == value).then_some(())
        });
    }

    /// A standby of this server under this name, which streams from it.
    pub fn standby(&self, name: &str) -> Self {
        let standby = Self::at(self.bin.clone(), directory());
        let port = self.port.to_string();
        let done = as_postgres(self.bin.join("pg_basebackup"))
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &port,
                "-U",
                OWNER,
                "-R",
                "-c",
                "fast",
                "-D",
            ])
            .arg(&standby.data)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let socket = standby.data.parent().unwrap().display();
        let own = standby.port;
        standby.append(
            "postgresql.conf",
            &format!(
                "port = {own}\nunix_socket_directories = '{socket}'\ncluster_name = '{name}'\n"
            ),
        );
        standby.up();
        standby
    }

    pub fn append(&self, file: &str, text: &str) {
        let path = self.data.join(file);
        let before = fs::read_to_string(&path).unwrap();
        fs::write(path, before + text).unwrap();
    }

    /// Starts the server and waits until it takes connections.
    pub fn up(&self) {
        let log = self
            .data
            .parent()
            .unwrap()
            .join("log")
            .display()
            .to_string();
        self.tool("pg_ctl", &["-w", "-t", "60", "-s", "-l", &log, "start"]);
    }

    /// Ends the server at once, in the midst of whatever it does.
    pub fn down(&self) {
        self.tool("pg_ctl", &["-w", "-s", "-m", "immediate", "stop"]);
    }

    /// Kills every process of the server.
    pub fn kill(&self) {
        let text = fs::read_to_string(self.data.join("postmaster.pid")).unwrap();
        let server: i32 = text.lines().next().unwrap().parse().unwrap();
        let mut pids = vec![server];
        // It must not start others meanwhile.
        kill_process(Pid::from_raw(server).unwrap(), Signal::STOP).unwrap();
        let children = fs::read_to_string(format!("/proc/{server}/task/{server}/children"));
        pids.extend(
            children
                .unwrap()
                .split_whitespace()
                .map(|it| it.parse::<i32>().unwrap()),
        );
        for pid in &pids {
            // One that has ended already needs no signal.
            let _ = kill_process(Pid::from_raw(*pid).unwrap(), Signal::KILL);
        }
        until("the server is gone", || {
            pids.iter().all(|pid| !is_alive(*pid)).then_some(())
        });
        // Where nobody has reaped the process yet, the next one takes it for alive.
        let socket = format!(".s.PGSQL.{}.lock", self.port);
        for lock in [
            self.data.join("postmaster.pid"),
            self.data.with_file_name(socket),
        ] {
            fs::remove_file(lock).unwrap();
        }
    }

    pub fn promote(&self) {
        self.tool("pg_ctl", &["-w", "-s", "promote"]);
    }

    pub fn tool(&self, name: &str, arguments: &[&str]) {
        let done = as_postgres(self.bin.join(name))
            .args(["-D".as_ref(), self.data.as_os_str()])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success(), "{name} {arguments:?}: {done}");
    }

    pub fn url(&self, user: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/postgres", self.port)
    }

    /// What psql prints, as the owner.
    pub fn sql(&self, sql: &str) -> String {
        let done = self.sql_as(OWNER, sql);
        assert!(
            done.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    /// What psql does for this user. Errors come with their state.
    pub fn sql_as(&self, user: &str, sql: &str) -> Output {
        Command::new(self.bin.join("psql"))
            .args(["-X", "-q", "-t", "-A"])
            .args(["-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose"])
            .args(["-d", &self.url(user), "-c", sql])
            .output()
            .unwrap()
    }

    /// Gives a user the right to a ledger.
    pub fn let_in(&self, user: &str, ledger: &str, writes: bool) {
        self.sql(&format!(
            "SELECT goal_store.grant_right('{ledger}', '{user}', {writes})"
        ));
    }

    /// The program, as the writer starts it.
    pub fn writer(&self) -> Helper {
        Helper::start(&self.url("writer"))
    }
}

/// A command as a user who may run a server: root may not.
pub fn as_postgres(program: impl AsRef<std::ffi::OsStr>) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

/// Whether the process runs; one that only has to be reaped does not.
fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|it| !it.trim().is_empty() && !it.trim().starts_with('Z'))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The directory of the server's programs.
pub fn installed() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path().join("bin"))
        .filter(|bin| bin.join("initdb").is_file())
        .collect();
    found.sort();
    if found.is_empty() {
        eprintln!("SKIPPED: tests of the PostgreSQL store: there is no /usr/lib/postgresql/*/bin");
    }
    found.pop()
}

/// A new directory that belongs to whoever runs the server.
fn directory() -> PathBuf {
    let dir = tempfile::Builder::new()
        .prefix("goal-pg-")
        .tempdir()
        .unwrap()
        .keep();
    if is_root() {
        let done = Command::new("chown")
            .arg("postgres")
            .arg(&dir)
            .status()
            .unwrap();
        assert!(done.success());
    }
    assert!(Path::new(&dir).is_dir());
    dir
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}
