// What a model is sent of ours, in tokens (o200k_base), by host and by how the project stands. No host is
// needed: the program says its part, and a skill is counted as hosts list it. The table in
// docs/hosts/README.md has the bounds, and plugins/tokens.test.mjs what the hosts themselves add.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { GOAL, project, REPOSITORY } from "./support.mjs";

const tokens = (text) => encode(text).length;

/**
 * The hosts: the name by which their MCP client says who it is, how hooks are called, what stands before
 * a tool's name, and whether the model is shown the tools by name only until it loads them.
 */
const HOSTS = {
  "Claude Code": { client: "claude-code", as: "claude-plugin", hook: "claude", before: "mcp__plugin_goal_goal__", deferred: true },
  "Claude Code, tools listed": { client: "claude-code", as: "claude-plugin", hook: "claude", before: "mcp__plugin_goal_goal__" },
  Codex: { client: "codex-mcp-client", as: "tools", hook: "codex", before: "mcp__goal.", deferred: true },
  "Codex, tools listed": { client: "codex-mcp-client", as: "tools", hook: "codex", before: "mcp__goal." },
  "Gemini CLI": { client: "gemini-cli-mcp-client", as: "tools", hook: "gemini", before: "mcp_goal_" },
  opencode: { client: "opencode", before: "goal_" },
  "Qwen Code": { client: "qwen-cli-mcp-client-goal", as: "qwen", hook: "claude", before: "mcp__goal__", deferred: true },
  pi: { as: "pi", hook: "pi", before: "" },
};

/** The columns of the table, and the most that any host may take. */
const PHASES = ["no project", "no goal", "active", "another session's goal", "a continuation"];
const MOST = { "no project": () => 100, active: ({ deferred }) => (deferred ? 900 : 1900), "a continuation": () => 130 };

const ask = (p, args, input) => execFileSync(GOAL, args, { cwd: p.root, env: p.env, input, encoding: "utf8" });

/** What a hook puts before the model. */
function hooked(p, { hook, as }, event, session, more = {}) {
  if (!hook) return "";
  const input = JSON.stringify({ session_id: session, cwd: p.root, ...more });
  const answer = ask(p, ["hook", event, "--host", hook, "--as", as, ...(hook === "pi" ? ["--session", session] : [])], input);
  if (!answer) return "";
  const { hookSpecificOutput, reason } = JSON.parse(answer);
  return hookSpecificOutput?.additionalContext ?? reason ?? "";
}

/** The tools and the instructions of the server; pi lists the tools by itself. */
function served(p, { client, before }, session) {
  if (!client) {
    const { tools } = JSON.parse(ask(p, ["tool", "--list", "--session", session, "--json"])).data;
    return { tools: tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })), instructions: "" };
  }
  const request = (id, method, params) => JSON.stringify({ jsonrpc: "2.0", ...(id && { id }), method, params });
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: client, version: "1" } };
  const input = [request(1, "initialize", hello), request(0, "notifications/initialized", {}), request(2, "tools/list", {})].join("\n");
  const answers = ask(p, ["mcp"], `${input}\n`).trim().split("\n").map((line) => JSON.parse(line));
  const of = (id) => answers.find((it) => it.id === id).result;
  const tools = of(2).tools.map(({ name, description, inputSchema }) => ({ name: before + name, description, parameters: inputSchema }));
  return { tools, instructions: of(1).instructions ?? "" };
}

/** What a model reads of our skills before it reads one. Without a plugin there are none. */
function skills({ as, hook }) {
  if (!hook || as === "qwen") return "";
  const text = readFileSync(join(REPOSITORY, ".pi/skills/goal-execute/SKILL.md"), "utf8");
  const [, description] = /^description: (.*)$/m.exec(text);
  return `- goal-execute: ${description} (file: /home/user/.host/plugins/cache/goal-ledger/goal/0.1.0/skills/goal-execute/SKILL.md)\n`;
}

/** What the model has of ours in the first request of this session, where it was asked to go on. */
function first(p, host, session, prompt) {
  // A host whose hooks say nothing is served all the same.
  const texts = [hooked(p, host, "session-start", session), hooked(p, host, "user-prompt-submit", session, { prompt })];
  const { tools, instructions } = served(p, host, session);
  const shown = host.deferred ? tools.map(({ name }) => name).join("\n") : tools.length ? JSON.stringify(tools) : "";
  return tokens([skills(host), instructions, shown, ...texts].join("\n").trim());
}

/** What this host's model is sent in each phase. */
function measured(t, host) {
  const p = project(t);
  p.env.GOAL_BIN = GOAL;
  const prompt = "go on with the goal";
  const goal = ["--criteria", "The README has a section Usage with two examples", "--constraint", "Change no code"];
  const set = () => p.goal("set", "Write the usage section of the README", ...goal);
  rmSync(join(p.root, ".pi/goals"), { recursive: true });
  const numbers = { "no project": first(p, host, "s0", prompt) };
  p.goal("init");
  numbers["no goal"] = first(p, host, "s1", prompt);
  set();
  numbers.active = first(p, host, "s2", prompt);
  hooked(p, host, "stop", "s2");
  p.goal("note", "n", "--session", "s2");
  const transcript = join(p.home, "transcript");
  // The host keeps what it was told before.
  execFileSync("sh", ["-c", 'cat > "$0"', transcript], { input: JSON.stringify({ text: hooked(p, host, "session-start", "s2") }) + "\n" });
  const told = host.hook === "pi" ? ["--told", JSON.parse(p.goal("show", "--json")).data.goal.revision] : [];
  numbers["a continuation"] = tokens(again(p, host, "s2", transcript, told));
  if (host.hook) hooked(p, host, "session-end", "s2");
  p.goal("note", "more", "--session", "s3");
  numbers["another session's goal"] = first(p, host, "s4", "what is 2+2");
  return numbers;
}

/** The prompt after a stop, for a session that has the contract before it. */
function again(p, host, session, transcript, told) {
  if (!host.hook) return "";
  const input = JSON.stringify({ session_id: session, cwd: p.root, transcript_path: transcript });
  const answer = JSON.parse(ask(p, ["hook", "stop", "--host", host.hook, "--as", host.as, ...(host.hook === "pi" ? ["--session", session] : []), ...told], input));
  assert.match(answer.reason, /whose contract you were told/);
  return answer.reason;
}

/** The rows of the table in the page. */
function table() {
  const page = readFileSync(join(REPOSITORY, "docs/hosts/README.md"), "utf8");
  const head = `| tokens of ours, at most | ${PHASES.join(" | ")} |\n`;
  const [, rows] = page.split(head);
  assert.ok(rows, `docs/hosts/README.md has no table ${head}`);
  const read = rows.split("\n\n")[0].split("\n").slice(1).map((row) => row.split("|").slice(1, -1).map((it) => it.trim()));
  return Object.fromEntries(read.map(([name, ...cells]) => [name, cells.map((cell) => (cell === "–" ? 0 : Number(cell)))]));
}

test("the page bounds every host, and within what any host may take", () => {
  const rows = table();
  assert.deepEqual(Object.keys(rows), Object.keys(HOSTS));
  for (const [name, host] of Object.entries(HOSTS))
    for (const [at, phase] of PHASES.entries()) assert.ok(rows[name][at] <= (MOST[phase]?.(host) ?? Infinity), `${name}, ${phase}: ${rows[name][at]}`);
});

for (const [name, host] of Object.entries(HOSTS)) {
  test(`${name}: what a model is sent of ours is as short as the page says`, (t) => {
    const numbers = measured(t, host);
    t.diagnostic(`| ${name} | ${PHASES.map((phase) => numbers[phase] || "–").join(" | ")} |`);
    for (const [at, phase] of PHASES.entries()) assert.ok(numbers[phase] <= table()[name][at], `${phase}: ${numbers[phase]} tokens, and the page says ${table()[name][at]}`);
  });
}
