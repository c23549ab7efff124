//! A client of the protocol that knows nothing of ours but JSON lines: it writes requests, reads
//! what comes back, and takes every line on stdout that is no message for a failure.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::Project;

/// Far more than any answer takes.
const LIMIT: Duration = Duration::from_secs(120);

/// The newest revision, whose sessions have no `initialize`.
pub const NEWEST: &str = "2026-07-28";

/// A running server and what it has said so far.
pub struct Client {
    server: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    answers: BTreeMap<i64, Value>,
    /// Requests of the server, oldest first.
    asked: VecDeque<Value>,
    /// Errors that name no request, oldest first.
    unnamed: VecDeque<Value>,
    /// Notifications of the server, oldest first.
    told: VecDeque<Value>,
    next_id: i64,
    /// Sent with every request from [`NEWEST`] on.
    inline: Option<Value>,
}

/// Who the client says it is.
pub fn implementation() -> Value {
    json!({ "name": "a client", "version": "1" })
}

impl Client {
    /// Starts a server and opens a session of this revision.
    pub fn open(project: &Project, revision: &str, capabilities: &Value) -> Client {
        Client::open_under(project, &[], revision, capabilities)
    }

    /// The same with a server under these variables.
    pub fn open_under(
        project: &Project,
        variables: &[(&str, &str)],
        revision: &str,
        capabilities: &Value,
    ) -> Client {
        let mut client = Client::start(project, variables);
        if revision == NEWEST {
            client.says_inline(&implementation(), capabilities);
            let found = client.request("server/discover", json!({}));
            let versions = found["result"]["supportedVersions"].as_array().unwrap();
            assert!(versions.contains(&revision.into()), "{found}");
            return client;
        }
        client.initialize(revision, capabilities);
        client
    }

    /// Says with every request from now on who it is, as [`NEWEST`] has it.
    pub fn says_inline(&mut self, who: &Value, capabilities: &Value) {
        self.inline = Some(json!({
            "io.modelcontextprotocol/protocolVersion": NEWEST,
            "io.modelcontextprotocol/clientInfo": who,
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
    }

    /// Opens a session as revisions before [`NEWEST`] do.
    pub fn initialize(&mut self, revision: &str, capabilities: &Value) {
        self.initialize_as(&implementation(), revision, capabilities);
    }

    /// The same as this client.
    pub fn initialize_as(&mut self, who: &Value, revision: &str, capabilities: &Value) {
        let opened = self.request(
            "initialize",
            json!({
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": who,
            }),
        );
        assert_eq!(opened["result"]["protocolVersion"], revision, "{opened}");
        assert_eq!(opened["result"]["serverInfo"]["name"], "goal");
        self.notify("notifications/initialized", json!({}));
    }

    /// A session as Codex and most others open it, without forms.
    pub fn new(project: &Project) -> Client {
        Client::open(project, "2025-06-18", &json!({}))
    }

    /// Starts a server under these variables, and says nothing to it.
    pub fn start(project: &Project, variables: &[(&str, &str)]) -> Client {
        Client::start_with(project, &[], variables)
    }

    /// The same with these options.
    pub fn start_with(project: &Project, options: &[&str], variables: &[(&str, &str)]) -> Client {
        // One server makes ids for many calls: the pins would make the same one each time.
        let mut call = project
            .call(&[&["mcp"], options].concat())
            .without("GOAL_TEST_CLOCK")
            .without("GOAL_TEST_SEED");
        for (name, value) in variables {
            call = call.env(name, value);
        }
        let mut server = call.spawn();
        let stdout = server.stdout.take().unwrap();
        let (say, messages) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = line.unwrap();
                let message = serde_json::from_str(&line).unwrap_or(Value::String(line));
                // Nobody listens any more once the test is over.
                let _over = say.send(message);
            }
        });
        Client {
            stdin: server.stdin.take(),
            server,
            messages,
            answers: BTreeMap::new(),
            asked: VecDeque::new(),
            unnamed: VecDeque::new(),
            told: VecDeque::new(),
            next_id: 1,
            inline: None,
        }
    }

    /// Writes a line as it is.
    pub fn write(&mut self, line: &str) {
        self.write_bytes(line.as_bytes());
    }

    /// Writes a line of any bytes.
    pub fn write_bytes(&mut self, line: &[u8]) {
        let mut stdin = self.stdin.as_ref().unwrap();
        stdin.write_all(line).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request and says its id.
    pub fn send(&mut self, method: &str, mut params: Value) -> i64 {
        if let Some(Value::Object(inline)) = &self.inline {
            let meta = params["_meta"].as_object().cloned().unwrap_or_default();
            params["_meta"] = inline.clone().into_iter().chain(meta).collect();
        }
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(&request.to_string());
        id
    }

    /// The answer to the request with this id.
    #[track_caller]
    pub fn answer(&mut self, id: i64) -> Value {
        while !self.answers.contains_key(&id) {
            self.listen();
        }
        self.answers.remove(&id).unwrap()
    }

    /// Whether the answer is there already; does not wait for it.
    pub fn has_answered(&mut self, id: i64) -> bool {
        while let Ok(message) = self.messages.try_recv() {
            self.take(message);
        }
        self.answers.contains_key(&id)
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool; the answer must be a result, whatever it says.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        self.result(id)
    }

    /// Calls a tool without waiting for what comes of it.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> i64 {
        self.send(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    #[track_caller]
    pub fn result(&mut self, id: i64) -> Value {
        let mut answer = self.answer(id);
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].take()
    }

    /// The next request of the server.
    #[track_caller]
    pub fn asked(&mut self) -> Value {
        while self.asked.is_empty() {
            self.listen();
        }
        self.asked.pop_front().unwrap()
    }

    /// The next error of the server that names no request.
    #[track_caller]
    pub fn unnamed(&mut self) -> Value {
        while self.unnamed.is_empty() {
            self.listen();
        }
        self.unnamed.pop_front().unwrap()
    }

    /// The next notification of the server.
    #[track_caller]
    pub fn told(&mut self) -> Value {
        while self.told.is_empty() {
            self.listen();
        }
        self.told.pop_front().unwrap()
    }

    /// How many notifications were not looked at.
    pub fn untold(&self) -> usize {
        self.told.len()
    }

    /// Whether everything that was answered so far was looked at.
    pub fn is_even(&self) -> bool {
        self.unnamed.is_empty() && self.answers.is_empty()
    }

    /// The most memory that the server has used, in KiB.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id()));
        let status = status.unwrap();
        let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
        let number = peak.unwrap().trim().split(' ').next();
        number.unwrap().parse().unwrap()
    }

    /// Answers a request of the server.
    pub fn respond(&mut self, request: &Value, name: &str, value: Value) {
        let id = &request["id"];
        self.write(&json!({ "jsonrpc": "2.0", "id": id, name: value }).to_string());
    }

    #[track_caller]
    fn listen(&mut self) {
        let message = self.messages.recv_timeout(LIMIT).unwrap();
        self.take(message);
    }

    #[track_caller]
    fn take(&mut self, message: Value) {
        assert_eq!(message["jsonrpc"], "2.0", "no message: {message}");
        match (message["id"].as_i64(), message["method"].is_string()) {
            (Some(_), true) => self.asked.push_back(message),
            (Some(id), false) => assert!(self.answers.insert(id, message).is_none()),
            (None, false) => self.unnamed.push_back(message),
            (None, true) => self.told.push_back(message),
        }
    }

    /// Closes the session; the server must end well and have nothing to complain about.
    #[track_caller]
    pub fn close(mut self) {
        drop(self.stdin.take());
        let mut stderr = String::new();
        let mut pipe = self.server.stderr.take().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        let status = self.server.wait().unwrap();
        assert!(status.success() && stderr.is_empty(), "{status}\n{stderr}");
        while let Ok(message) = self.messages.recv() {
            self.take(message);
        }
    }

    /// Ends the server as a host does that has no patience.
    pub fn kill(mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }
}
