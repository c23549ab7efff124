// Every host but pi, set up by the commands and blocks of its page, with sessions that a person starts,
// takes up again, interrupts or kills, and a model that goes by a script.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GOAL, project, REPOSITORY } from "../support.mjs";
import { model } from "../presets/model.mjs";

const { CODEX_CLI, CLAUDE_CLI, GEMINI_CLI, QWEN_CLI, OPENCODE_CLI, COPILOT_CLI, CN_CLI, CLINE_CLI } = process.env;

/**
 * What the script `goal` begins with. It takes a part of ours out of every host, to see that the tests fail then:
 * `hooks`, `tools`, or `again`, which is what a hook tells at a session's start but for the first time.
 */
const PARTS = {
  hooks: '[ "$1" != hook ] || exit 0\n',
  tools: '[ "$1" != mcp ] || exit 0\n',
  again: '[ "$2" != session-start ] || mkdir "$HOME/began" 2> /dev/null || exit 0\n',
};
export const TAKEN_OUT = PARTS[process.env.GOAL_WITHOUT] ?? "";

/** All that a request tells the model. */
export const told = ({ body }) => JSON.stringify(body);

/** Whether a request is of a session in which the person asks for something else; the model answers at once. */
export const isAside = (request) => told(request).includes("what is 17+4");

/** What a host asks of its model before it takes the session out of its context, and what this model says then. */
const SUMS_UP = new RegExp([
  "CONTEXT CHECKPOINT COMPACTION",
  "Respond with TEXT ONLY",
  "generate the updated <state_snapshot>",
  "<state_snapshot> you just generated",
  "produce the <state_snapshot>",
  "summary of (the|our) conversation so far",
  "a new anchored summary",
  "Summarize this session for continuation",
].join("|"));
export const SUMMED_UP = "<state_snapshot>the host summed up what was done</state_snapshot>";

/** The blocks of a page in this language. */
function blocks(page, language) {
  const text = readFileSync(join(REPOSITORY, `docs/hosts/${page}.md`), "utf8");
  return [...text.matchAll(new RegExp("```" + language + "\n([\\s\\S]*?)```", "g"))].map(([, block]) => block);
}

/** The variables that the page's first block exports, which a person has in every session. */
export const exported = (page) => Object.fromEntries([...blocks(page, "sh")[0].matchAll(/^export (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]));

/** What the page says to run for removal. */
function removal(page) {
  const text = readFileSync(join(REPOSITORY, `docs/hosts/${page}.md`), "utf8");
  const [, section] = /## Remove it\n([\s\S]*)/.exec(text);
  const [, block] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  return block ?? [...section.split(", and")[0].matchAll(/`((?:copilot|cline|rm) [^`]*)`/g)].map(([, line]) => line).join("\n");
}

const put = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const json = (path, value) => put(path, JSON.stringify(value));

/** Our tool's name in a host that has tools of the same name. */
const second = (name) => name.replace(/^(get|update)_goal$/, "$1_ledger_goal");

/**
 * The hosts. `prepare` writes what the user of the host has before; `setUp` follows the page; `takeOut` does
 * what its last section says beside commands; `starts` gives arguments and stdin of a session, `again` of the
 * latest one; `tool` gives what the model calls one of ours; `loads` how it finds one that it is not shown.
 * A host whose model reports `full` tokens compacts, or one that counts itself, after `fills` long results;
 * where it `forgets`, it calls none of our hooks then.
 */
export const HOSTS = [
  {
    name: "claude",
    measured: true,
    cli: CLAUDE_CLI,
    full: 990_000,
    page: "claude-code",
    hooks: true,
    counts: true,
    env: ({ home, url }) => ({ CLAUDE_CONFIG_DIR: join(home, ".claude"), ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none", IS_SANDBOX: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" }),
    starts: (prompt, { again }) => [["--print", "--model", "scripted", ...(again ? ["--continue"] : []), "--allowedTools", "mcp__plugin_goal_goal,Bash", "--", prompt]],
    tool: (name) => `mcp__plugin_goal_goal__${name}`,
    loads: (tool) => ["ToolSearch", { query: `select:${tool}`, max_results: 5 }],
    shell: (command) => ["Bash", { command, description: "x" }],
  },
  {
    name: "codex",
    measured: true,
    cli: CODEX_CLI,
    full: 260_000,
    page: "codex",
    hooks: true,
    counts: true,
    env: ({ home, url }) => ({ CODEX_HOME: join(home, ".codex"), CODEX_OSS_BASE_URL: `${url}/v1` }),
    prepare: ({ home }) => mkdirSync(join(home, ".codex"), { recursive: true }),
    starts: (prompt, { again, more = [] }) => [["exec", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "--config", 'model_provider="ollama"', "--model", "gpt-5.5", ...more, ...(again ? ["resume", "--last"] : []), "-"], prompt],
    tool: (name) => `mcp__goal.${second(name)}`,
    // As our text says it.
    loads: (_, request) => {
      const [, query, limit] = /`tool_search` with the query `([^`]*)` and the limit (\d+)/.exec(told(request)) ?? [, "goal", 12];
      return ["tool_search", { query, limit: Number(limit) }];
    },
    shell: (cmd) => ["exec_command", { cmd }],
  },
  {
    name: "gemini",
    measured: true,
    cli: GEMINI_CLI,
    full: 900_000,
    forgets: true,
    page: "gemini",
    hooks: true,
    counts: true,
    env: ({ url }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }),
    prepare: ({ home }, bare) => bare || json(join(home, ".gemini/settings.json"), { security: { auth: { selectedType: "gemini-api-key" } } }),
    setUp: (lines) => `${lines.trim()} --consent`,
    starts: (prompt, { again }) => [["--skip-trust", "--model", "gemini-2.5-pro", "--yolo", ...(again ? ["--resume", "latest"] : []), "--prompt", prompt]],
    tool: (name) => `mcp_goal_${name}`,
    shell: (command) => ["run_shell_command", { command, description: "x" }],
  },
  {
    name: "qwen",
    cli: QWEN_CLI,
    full: 169_000,
    page: "qwen-code",
    hooks: true,
    env: ({ url }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" }),
    prepare: ({ home }) => json(join(home, ".qwen/settings.json"), { ...JSON.parse(blocks("qwen-code", "json")[0]), security: { auth: { selectedType: "openai" } } }),
    setUp: (lines) => `${lines.trim()} --consent`,
    starts: (prompt, { again }) => [["--auth-type", "openai", "--model", "scripted", "--yolo", ...(again ? ["--continue"] : []), "--prompt", prompt]],
    tool: (name) => `mcp__goal__${second(name)}`,
    loads: (tool) => ["tool_search", { query: `select:${tool}` }],
    through: (name, args) => ["tool_call", { name, arguments: args }],
    shell: (command) => ["run_shell_command", { command, description: "x", is_background: false }],
  },
  {
    name: "copilot",
    cli: COPILOT_CLI,
    full: 1_000_000,
    forgets: true,
    page: "copilot",
    hooks: true,
    counts: true,
    env: ({ url }) => ({ COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_API_KEY: "none", COPILOT_MODEL: "gpt-5" }),
    setUp: (lines) => `packaging/plugins/assemble "$HOME/plugins"\n${lines.replace("$(npm root --global)/goal-ledger/plugins", "$HOME/plugins")}`,
    starts: (prompt, { again }) => [["--allow-all-tools", ...(again ? ["--continue"] : []), "--prompt", prompt]],
    tool: (name) => `goal-${name}`,
    shell: (command) => ["bash", { command, description: "x" }],
  },
  {
    name: "opencode",
    cli: OPENCODE_CLI,
    full: 195_000,
    page: "opencode",
    hooks: true,
    counts: true,
    // Beside a plugin it fetches a package for those who write one, and waits for that.
    env: ({ home }) => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", npm_config_fetch_retries: "0", XDG_DATA_HOME: join(home, "data") }),
    prepare: ({ root, url }, bare) => {
      const provider = { loopback: { npm: "@ai-sdk/openai-compatible", options: { baseURL: `${url}/v1`, apiKey: "none" }, models: { scripted: { tool_call: true, limit: { context: 200_000, output: 8_000 } } } } };
      const own = { provider, model: "loopback/scripted", small_model: "loopback/scripted", share: "disabled", autoupdate: false };
      json(join(root, "opencode.json"), { ...own, ...(bare ? {} : JSON.parse(blocks("opencode", "json")[0])) });
    },
    setUp: (lines) => `packaging/plugins/assemble "$HOME/plugins"\n${lines.replace("$(npm root --global)/goal-ledger/plugins", "$HOME/plugins")}`,
    starts: (prompt, { again }) => [["run", ...(again ? ["--continue"] : []), prompt]],
    tool: (name) => `goal_${name}`,
    shell: (command) => ["bash", { command, description: "x" }],
  },
  {
    name: "continue",
    cli: CN_CLI,
    fills: 5,
    page: "continue",
    env: () => ({}),
    prepare: ({ home, root, url }, bare) => {
      const models = `models:\n  - name: scripted\n    provider: openai\n    model: scripted\n    apiBase: ${url}/v1\n    apiKey: none\n    defaultCompletionOptions:\n      contextLength: 24000\n      maxTokens: 4000\n`;
      put(join(home, ".continue/config.yaml"), `name: own\nversion: 1.0.0\nschema: v1\n${models}${bare ? "" : blocks("continue", "yaml")[0]}`);
      if (!bare) put(join(root, "AGENTS.md"), blocks("continue", "markdown")[0]);
    },
    setUp: () => "",
    starts: (prompt, { again }, { home }) => [["--config", join(home, ".continue/config.yaml"), "--auto", ...(again ? ["--resume"] : []), "--print", prompt]],
    tool: (name) => name,
    shell: (command) => ["Bash", { command }],
  },
  {
    name: "cline",
    cli: CLINE_CLI,
    full: 900_000,
    fills: 14,
    page: "cline",
    // Its hub, which outlives a session, has one port on a machine; here one for each model, below what is given out.
    env: ({ url }) => ({ CLINE_TELEMETRY_DISABLED: "1", CLINE_HUB_PORT: String(new URL(url).port - 30_000), ...exported("cline") }),
    before: (url) => ["auth", "--provider", "openai-compatible", "--apikey", "none", "--modelid", "scripted", "--baseurl", `${url}/v1`],
    prepare: ({ root }, bare) => !bare && put(join(root, "AGENTS.md"), blocks("cline", "markdown")[0]),
    starts: (prompt, { again }) => [["--provider", "openai-compatible", "--model", "scripted", ...(again ? ["--id", again] : [prompt])]],
    // It takes a session up again only on a screen, which stays open after the turn, and drops the prompt then.
    screen: ({ again }) => again,
    ready: /Ask anything/,
    // It leaves a process behind, which serves its other windows.
    after: ["hub", "stop"],
    tool: (name) => `goal__${name}`,
    shell: (command) => ["run_commands", { commands: [command] }],
  },
];

/** An auditor that approves when there is a file `done.txt`. */
export const AUDITOR = "cat > /dev/null\nif [ -f done.txt ]; then echo 'done.txt is there.'; echo '<approved/>'; else echo '1. done.txt does not exist.'; echo '<disapproved/>'; fi";

/**
 * A project, and the host set up by its page. `thinks` gives the model its steps for the sessions that follow: a
 * generator that is given the first request, and each next one where it yields a step.
 */
export async function settled(t, host, { bare } = {}) {
  let run;
  // Before what they run in is removed.
  const ends = [];
  t.after(async () => {
    for (const end of ends) await end();
  });
  if (host.after) ends.push(() => run?.(host.cli, host.after));
  const p = project(t, { auditor: AUDITOR });
  rmSync(join(p.root, ".pi/extensions"), { recursive: true });
  let brain;
  let wrong;
  let over;
  const step = async (request) => {
    if (isAside(request)) return { text: "Four." };
    try {
      const given = typeof brain === "function" ? await (brain = brain(request)).next() : await brain?.next(request);
      if (given?.done) setTimeout(() => over?.(), 2000);
      return given?.value ?? { text: "Done." };
    } catch (error) {
      wrong ??= error;
      return { text: "Done." };
    }
  };
  const aside = (body) => {
    const last = JSON.stringify((body.messages ?? body.contents ?? body.input).at(-1));
    if (SUMS_UP.test(last)) return { text: SUMMED_UP, used: 100_000 };
    // Qwen Code also asks what to remember of a session.
    return /managed memory files/.test(last);
  };
  const { url, requests } = await model(t, Array(80).fill(step), aside);
  p.script("goal", `${TAKEN_OUT}exec "${GOAL}" "$@"`);
  const others = p.env.PATH.split(":").filter((dir) => !existsSync(join(dir, "goal")));
  p.env = { ...p.env, NO_COLOR: "1", PATH: [join(p.home, "bin"), dirname(host.cli ?? ""), ...others].join(":"), ...host.env({ ...p, url }) };
  // Some hosts pass no `XDG_…` to a server.
  symlinkSync("config", join(p.home, ".config"));
  mkdirSync(join(p.home, ".local"));
  symlinkSync("../state", join(p.home, ".local/state"));

  /** Runs a program to its end, in a group of processes of its own. */
  run = (file, args, input = "", cwd = p.root) => {
    const child = spawn(file, args, { cwd, env: p.env, detached: true });
    const late = setTimeout(() => process.kill(-child.pid, "SIGKILL"), 90_000);
    let said = "";
    for (const out of [child.stdout, child.stderr]) out.setEncoding("utf8").on("data", (text) => (said += text));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    current = child;
    // Not `close`: a process that the host leaves behind may hold its output open.
    return new Promise((ended) => child.on("exit", () => (clearTimeout(late), setTimeout(ended, 200)))).then(() => (child.stdout.destroy(), child.stderr.destroy(), said));
  };
  let current;
  /** A session on a screen, in which the person types the prompt; it is ended when the model has done its steps. */
  const onScreen = (args, prompt) => {
    const line = [host.cli, ...args].map((arg) => `'${arg}'`).join(" ");
    const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], { cwd: p.root, env: { ...p.env, TERM: "xterm" }, detached: true });
    over = () => process.kill(-child.pid, "SIGTERM");
    const late = setTimeout(over, 90_000);
    let said = "";
    let typed = false;
    const type = async () => {
      for (const keys of [prompt, "\r"]) {
        await new Promise((wait) => setTimeout(wait, 1000));
        child.stdin.write(keys);
      }
    };
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
      if (!typed && host.ready.test(said)) typed = type();
    });
    return new Promise((ended) => child.on("exit", () => (clearTimeout(late), (over = undefined), setTimeout(ended, 200)))).then(() => (child.stdin.destroy(), child.stdout.destroy(), said));
  };
  const made = {
    p,
    requests,
    thinks: (steps) => (brain = steps),
    /** A session: what the person says, and what the host printed. */
    says: async (prompt, given = {}) => {
      const [args, input] = host.starts(prompt, { ...given, again: given.again && (host.name === "cline" ? await latest() : true) }, p);
      const said = await (host.screen?.(given) ? onScreen(args, prompt) : run(host.cli, args, input));
      if (wrong) throw wrong;
      return said;
    },
    /** What is done when the test ends, before its home is removed. */
    atEnd: (end) => ends.push(end),
    /** Sends a signal to the session that runs. */
    signal: (name) => process.kill(-current.pid, name),
    removes: async () => {
      const said = await run("sh", ["-ec", removal(host.page)]);
      host.prepare?.({ ...p, url }, true);
      rmSync(join(p.root, "AGENTS.md"), { force: true });
      return said;
    },
    run,
  };
  const latest = async () => /"(?:id|sessionId)":\s*"([^"]+)"/.exec(await run(host.cli, ["history", "--json"]))?.[1];
  host.prepare?.({ ...p, url }, bare);
  if (host.before) await run(host.cli, host.before(url));
  if (!bare) {
    const [lines] = blocks(host.page, "sh");
    const script = host.setUp ? host.setUp(lines) : lines;
    made.set = await run("sh", ["-ec", script], "y\ny\n", REPOSITORY);
  }
  return made;
}

/** The model calls a tool of ours, which it loads before if it is not shown it; the request with the result. */
export function* calls(host, request, tool, args) {
  const name = host.tool(tool);
  if (host.loads && !request.names.includes(name)) request = yield { tools: [host.loads(name, request)] };
  if (!host.through) assert.ok(request.names.includes(name) || request.results.at(-1)?.includes(name), `${name} is not offered: ${request.names.join(" ")}`);
  return yield { tools: [host.through ? host.through(name, args) : [name, args]] };
}
