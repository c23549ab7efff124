// Drives a real pi, in a project and a home of its own, with a scripted model on loopback.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
export const PI = process.env.PI_CLI || join(REPOSITORY, "tests/hosts/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js");
export const GOAL = process.env.GOAL_BIN || join(REPOSITORY, "target/debug/goal");

export const EXTENSION = join(REPOSITORY, ".pi/extensions/goal");

/** How long anything may take before a test fails, in milliseconds. */
const PATIENCE = 60_000;

/** A project with the extension, and a home with a user's configuration. Ends with the test. */
export function project(t, { auditor } = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "hosts-")));
  const root = join(home, "project");
  for (const dir of ["project/.pi/extensions", "project/.pi/goals", "agent", "config/goal", "bin"]) mkdirSync(join(home, dir), { recursive: true });
  cpSync(EXTENSION, join(root, ".pi/extensions/goal"), { recursive: true });
  execFileSync("git", ["init", "-q", root]);
  const ledger = join(root, ".pi/goals/goal_events.jsonl");
  const lines = () => (existsSync(ledger) ? readFileSync(ledger, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)) : []);
  const ofTurn = ({ type, role, via }) => type === "usage_recorded" && !role && via === "pi";
  const made = {
    home,
    root,
    env: {
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
      GOAL_BIN: GOAL,
    },
    /** What the ledger holds, in order, but for what turns of pi cost. */
    events: () => lines().filter((event) => !ofTurn(event)),
    /** What turns of pi cost, in order. */
    costs: () => lines().filter(ofTurn),
    types: () => made.events().map((event) => event.type),
    /** A program of the test's own making, as the user has it. */
    script: (name, body) => {
      const path = join(home, "bin", name);
      writeFileSync(path, `#!/bin/sh\n${body}\n`);
      chmodSync(path, 0o755);
      return path;
    },
    configure: (toml) => writeFileSync(join(home, "config/goal/config.toml"), toml),
    /** The binary as the user runs it at a terminal. */
    goal: (...args) => execFileSync(GOAL, args, { cwd: root, env: { ...made.env, GOAL_ACTOR: "user" }, encoding: "utf8", stdio: "pipe" }),
  };
  if (auditor) made.configure(`[auditor]\ncommand = [${JSON.stringify(made.script("auditor", auditor))}]\n`);
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return made;
}

/**
 * A model that answers its requests by a script: `{text}`, `{tools: [[name, arguments]…]}`, `{status}`,
 * or a function of the request that gives one. `requests` holds what it was sent.
 */
export async function model(t, project, script) {
  const requests = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const sent = JSON.parse(body);
    requests.push(sent);
    const step = script[requests.length - 1] ?? { text: "(the script is over)" };
    stream(response, requests.length, typeof step === "function" ? await step(sent) : step);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address();
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const scripted = { id: "scripted", name: "Scripted", reasoning: false, input: ["text"], contextWindow: 128000, maxTokens: 4096, cost };
  const compat = { supportsDeveloperRole: false, supportsStore: false, supportsReasoningEffort: false };
  const loopback = { baseUrl: `http://127.0.0.1:${port}/v1`, api: "openai-completions", apiKey: "none", compat, models: [scripted] };
  writeFileSync(join(project.home, "agent/models.json"), JSON.stringify({ providers: { loopback } }));
  writeFileSync(join(project.home, "agent/settings.json"), JSON.stringify({ compaction: { enabled: true, keepRecentTokens: 1 } }));
  return { requests };
}

function stream(response, n, { text = "", tools = [], status }) {
  if (status) return response.writeHead(status).end('{"error":{"message":"the script says so"}}');
  const send = (choice, more = {}) =>
    response.write(`data: ${JSON.stringify({ id: `c${n}`, object: "chat.completion.chunk", created: 1, model: "scripted", choices: choice ? [{ index: 0, finish_reason: null, ...choice }] : [], ...more })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  send({ delta: { role: "assistant", content: text } });
  tools.forEach(([name, args], index) =>
    send({ delta: { tool_calls: [{ index, id: `call_${n}_${index}`, type: "function", function: { name, arguments: JSON.stringify(args ?? {}) } }] } }));
  send({ delta: {}, finish_reason: tools.length ? "tool_calls" : "stop" });
  send(undefined, { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
  response.end("data: [DONE]\n\n");
}

/** Everything that a request tells the model, as one text. */
export function told(request) {
  return request.messages.map(({ content }) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"))).join("\n\n");
}

/** What a request's latest message says. */
export const latest = (request) => told({ messages: request.messages.slice(-1) });

export const MODEL = ["--provider", "loopback", "--model", "scripted"];

/** A pi that carries out its arguments and ends; its stdout. */
export function piOnce(project, args, { cwd = project.root, env = {} } = {}) {
  const child = spawn(process.execPath, [PI, ...args], { cwd, env: { ...project.env, ...env }, stdio: ["ignore", "pipe", "pipe"], timeout: PATIENCE });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
  return new Promise((resolve) => child.on("close", () => resolve(output)));
}

/** Waits until something holds that no program reports. */
export async function eventually(holds, what) {
  for (const late = Date.now() + PATIENCE; Date.now() < late; await new Promise((wait) => setTimeout(wait, 20)))
    if (await holds()) return;
  assert.fail(`never came about: ${what}`);
}

/**
 * A pi that takes commands on stdin. `answer` answers its dialogs: what it returns goes into the
 * response; nothing leaves the dialog open.
 */
export function pi(t, project, { cwd = project.root, env = {}, args = ["--approve"], answer = () => ({ cancelled: true }) } = {}) {
  const child = spawn(process.execPath, [PI, "--mode", "rpc", ...MODEL, ...args], { cwd, env: { ...project.env, ...env }, stdio: ["pipe", "pipe", "inherit"] });
  const seen = [];
  const waiting = new Set();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
  const take = (message) => {
    seen.push(message);
    if (message.type === "extension_ui_request" && ["select", "confirm", "input", "editor"].includes(message.method)) {
      const answered = answer(message);
      if (answered) send({ type: "extension_ui_response", id: message.id, ...answered });
    }
    for (const wait of waiting) wait(message);
  };
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const until = (matches, what = "an event") =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`pi did not come to ${what}: ${JSON.stringify(seen.slice(-5))}`)), PATIENCE);
      const wait = (message) => {
        if (!matches(message)) return;
        clearTimeout(late);
        waiting.delete(wait);
        resolve(message);
      };
      waiting.add(wait);
    });
  const ask = async (message) => {
    const answered = until((it) => it.type === "response" && it.command === message.type, `a response to ${message.type}`);
    send(message);
    const response = await answered;
    assert.equal(response.success, true, JSON.stringify(response));
    return response;
  };
  const ended = new Promise((resolve) => child.on("close", resolve));
  const end = async () => {
    child.stdin.end();
    const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(late);
  };
  t.after(end);
  return {
    end,
    seen,
    until,
    ask,
    /** Says something and waits until the agent has settled. */
    async says(message) {
      const settled = until(({ type }) => type === "agent_settled", `the end of ${message}`);
      await ask({ type: "prompt", message });
      await settled;
    },
    /** Types a command that makes the agent do nothing. */
    types: (message) => ask({ type: "prompt", message }),
    /** What the extension showed by one means: `notify`, `setStatus`, `setWidget`, `select`. */
    shown: (method) => seen.filter((it) => it.type === "extension_ui_request" && it.method === method),
    /** Results of tools, by name. */
    results: (name) => seen.filter((it) => it.type === "tool_execution_end" && (!name || it.toolName === name)),
    session: async () => (await ask({ type: "get_state" })).data,
    errors: () => seen.filter((it) => it.type === "extension_error"),
  };
}
