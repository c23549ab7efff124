// Drives `goal mcp` through the MCP client of a real pi, with a scripted model on loopback. What
// counts is the ledger and what the model was told, never pi's exit status.
//
// Usage: node pi.mjs GOAL PI, the program to test and the path of pi's cli.js.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [GOAL, PI] = process.argv.slice(2).map((path) => resolve(path));
const PATIENCE = 120_000;

const call = (name, args = {}) => [`mcp__goal__${name}`, args];
const SCRIPT = [
  [call("get_goal"), call("get_goal_tasks")],
  [1, 2, 3, 4, 5, 6, 7, 8].map((n) => call("note_progress", { note: `note ${n}` })),
  // Not a change of this goal: its completion would wait for the user's answer.
  [call("propose_goal_draft", { objective: "another" })],
  // The audit takes longer than this call waits.
  [call("update_goal", { status: "complete", summary: "done", waitSeconds: 0 })],
  [call("update_goal", { status: "complete", summary: "done" })],
  [call("abort_goal", { reason: "too late" }), call("pause_goal", { reason: "too late" })],
  [],
];

/** A model on loopback that makes the script's calls, and keeps what it was sent. */
async function model() {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const calls = SCRIPT[requests.push(JSON.parse(body)) - 1] ?? [];
    const send = (chunk) => response.write(`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "scripted", ...chunk })}\n\n`);
    const choose = (delta, finish_reason = null) => send({ choices: [{ index: 0, delta, finish_reason }] });
    response.writeHead(200, { "content-type": "text/event-stream" });
    choose({ role: "assistant", content: calls.length ? "" : "over" });
    calls.forEach(([name, args], index) =>
      choose({ tool_calls: [{ index, id: `call_${requests.length}_${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } }] }));
    choose({}, calls.length ? "tool_calls" : "stop");
    send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
    response.end("data: [DONE]\n\n");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { requests, server, port: server.address().port };
}

/** A project with a goal, and a home in which pi knows the model and the server. */
function project(home, port) {
  const root = join(home, "project");
  for (const dir of ["project/.pi/goals", "agent", "config/goal"]) mkdirSync(join(home, dir), { recursive: true });
  const audit = "cat > /dev/null; sleep 2; echo 'All of it was looked at.'; echo '<approved/>'";
  writeFileSync(join(home, "config/goal/config.toml"), `[auditor]\ncommand = ${JSON.stringify(["/bin/sh", "-c", audit])}\n`);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const scripted = { id: "scripted", name: "Scripted", reasoning: false, input: ["text"], contextWindow: 128000, maxTokens: 4096, cost };
  const compat = { supportsDeveloperRole: false, supportsStore: false, supportsReasoningEffort: false };
  const loopback = { baseUrl: `http://127.0.0.1:${port}/v1`, api: "openai-completions", apiKey: "none", compat, models: [scripted] };
  writeFileSync(join(home, "agent/models.json"), JSON.stringify({ providers: { loopback } }));
  const server = { command: GOAL, args: ["mcp"], exposure: "direct" };
  writeFileSync(join(home, "agent/mcp.json"), JSON.stringify({ mcpServers: { goal: server } }));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: "dumb",
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    PI_CODING_AGENT_DIR: join(home, "agent"),
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
  };
  const user = (...args) => execFileSync(GOAL, args, { cwd: root, env: { ...env, GOAL_ACTOR: "user" }, encoding: "utf8" });
  user("set", "something to work on");
  // Beside a goal the tool that proposes another one is shown while the user discusses one.
  user("draft", "another");
  const events = () => readFileSync(join(root, ".pi/goals/goal_events.jsonl"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
  return { root, env, user, events };
}

/** What the tools answered in the turn before this request, in order of the calls. */
function answers({ messages }) {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  const text = ({ content }) => (typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n"));
  return messages.slice(last + 1).map(text);
}

function check({ requests }, { events, user }) {
  assert.equal(requests.length, SCRIPT.length, "pi stopped early");
  const told = requests.slice(1).map(answers);
  told.forEach((texts, turn) => assert.equal(texts.length, SCRIPT[turn].length, `turn ${turn}: ${texts}`));
  assert.match(told[0][0], /something to work on/);
  const shown = requests[0].tools.map((tool) => tool.function.name).filter((name) => name.startsWith("mcp__goal__"));
  assert.equal(shown.length, 10, `${shown}`);
  assert.match(told[2][0], /goal confirm/);
  assert.match(told[3][0], /still running/);
  assert.match(told[4][0], /approved/);
  // The goal is over, and so are its tools: pi refuses them once it has heard of it, else the server
  // does, since a stop has to be read before the next change.
  for (const late of told[5]) assert.match(late, /no longer available|not found|this turn has ended/);

  const agents = events().filter((event) => event.by === "agent");
  const count = (type) => events().filter((event) => event.type === type).length;
  assert.equal(count("goal_noted"), 8);
  assert.equal(new Set(events().filter(({ type }) => type === "goal_noted").map(({ note }) => note)).size, 8);
  assert.equal(count("draft_proposed"), 1);
  assert.equal(count("completion_requested"), 1);
  assert.equal(count("goal_completed"), 1);
  assert.equal(count("goal_created"), 1);
  assert.ok(agents.every(({ via }) => via === "pi"), JSON.stringify(agents));
  user("verify", "--strict");
}

const home = mkdtempSync(join(tmpdir(), "goal-mcp-"));
const scripted = await model();
try {
  const made = project(home, scripted.port);
  const args = [PI, "--provider", "loopback", "--model", "scripted", "--no-session", "-p", "go"];
  const pi = spawn(process.execPath, args, { cwd: made.root, env: made.env, stdio: ["ignore", "ignore", "inherit"], timeout: PATIENCE });
  await new Promise((done) => pi.on("close", done));
  check(scripted, made);
  console.log(`ok: tools of a whole life through pi's client, ${made.events().length} events`);
} finally {
  scripted.server.close();
  scripted.server.closeAllConnections();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
