// The npm packages on a machine that has Node and neither Rust nor this checkout: installed from a
// registry on loopback, then used as a person uses them. `PACKED` names the directory of the tarballs.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { PI, latest, model, pi, project, told } from "../hosts/support.mjs";
import { registry } from "./registry.mjs";

const { PACKED, NPM } = process.env;
const FIRST = join(import.meta.dirname, "first");
const run = promisify(execFile);

/** A home that has Node, npm and the system's programs, and a registry with our packages. */
async function machine(t) {
  const p = project(t);
  rmSync(join(p.root, ".pi"), { recursive: true });
  delete p.env.GOAL_BIN;
  // Else npm's bin directories are looked for in the prefix of the machine that runs the test.
  const prefix = join(p.home, "npm");
  Object.assign(p.env, {
    PATH: `${prefix}/bin:${dirname(process.execPath)}:${join(p.home, "bin")}:/usr/bin:/bin`,
    npm_config_registry: await registry(t, PACKED),
    npm_config_prefix: prefix,
    npm_config_cache: join(p.home, "npm-cache"),
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
    npm_config_audit: "false",
  });
  mkdirSync(prefix, { recursive: true });
  if (!existsSync(join(dirname(process.execPath), "npm"))) symlinkSync(NPM, join(p.home, "bin/npm"));
  const sh = async (line, env = {}) => {
    const { stdout, stderr } = await run("/bin/sh", ["-c", line], { cwd: p.root, env: { ...p.env, ...env } });
    return stdout + stderr;
  };
  for (const absent of ["goal", "cargo", "rustc"]) await assert.rejects(sh(`command -v ${absent}`), `${absent} is there already`);
  return { p, sh };
}

test("one line installs the program, the first goal is approved, and one line removes it", async (t) => {
  const { p, sh } = await machine(t);
  await sh("npm install --global goal-ledger");
  assert.match(await sh("goal --version"), /^goal \d+\.\d+\.\d+/);
  const home = join(p.home, "new");
  mkdirSync(home);
  t.diagnostic(await sh(`env -i HOME='${home}' PATH="$PATH" '${FIRST}'`));
  await sh("npm uninstall --global goal-ledger");
  assert.equal(await sh(`find '${home}' -type f; find '${p.home}/npm' -name '*goal*'`), "");
});

test("npx runs it without an install", async (t) => {
  const { sh } = await machine(t);
  assert.match(await sh("npx --yes goal-ledger tour"), /approved/);
});

test("the tarballs install without a registry", async (t) => {
  const { p, sh } = await machine(t);
  const tarballs = readdirSync(PACKED).map((name) => `'${join(PACKED, name)}'`);
  await sh(`npm install --global --offline ${tarballs.join(" ")}`);
  assert.match(await sh("goal --version"), /^goal/);
  assert.ok(existsSync(join(p.home, "npm/bin/goal")));
});

test("without the platform's package the launcher says what is missing", async (t) => {
  const { sh } = await machine(t);
  await sh("npm install --omit=optional goal-ledger");
  const failed = await sh("npx goal tour").catch((error) => error);
  assert.equal(failed.code, 127);
  assert.match(failed.stderr, /goal-ledger-\w+-\w+ is not installed[\s\S]*--omit=optional[\s\S]*cargo install/);
});

test("the launcher passes on exit codes, stdin and signals", async (t) => {
  const { p, sh } = await machine(t);
  await sh("npm install --global goal-ledger");
  assert.equal((await sh("goal --goal none show").catch((error) => error)).code, 3);
  const hook = spawn("goal", ["hook", "session-start"], { cwd: p.root, env: p.env, stdio: ["pipe", "pipe", "inherit"] });
  hook.stdin.end('{"hook_event_name":"SessionStart"}');
  assert.equal(await new Promise((ended) => hook.on("close", ended)), 0);
  const server = spawn("goal", ["mcp"], { cwd: p.root, env: p.env, stdio: ["pipe", "pipe", "inherit"] });
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })}\n`);
  assert.match(String(await new Promise((said) => server.stdout.once("data", said))), /"id":1/);
  server.kill("SIGTERM");
  const [code, signal] = await new Promise((ended) => server.on("close", (...how) => ended(how)));
  assert.ok(signal === "SIGTERM" || code !== null, `${code} ${signal}`);
});

test("in pi: installed, drafted, confirmed, worked on, rejected, approved, and no file edited by hand", async (t) => {
  const { p } = await machine(t);
  const begun = Date.now();
  p.script("pi", `exec "${process.execPath}" "${PI}" "$@"`);
  const write = (content) => ({ tools: [["write", { path: "README.md", content }]] });
  const complete = { tools: [["update_goal", { status: "complete", summary: "written" }]] };
  // Nobody configured an auditor: the session's model audits, in a pi of its own.
  const { requests } = await model(t, p, [
    { tools: [["propose_goal_draft", { objective: "Write a README", successCriteria: ["it has a section Usage"] }]] },
    write("# Parser\n"),
    complete,
    { text: "README.md has no section Usage.\n<disapproved/>" },
    write("# Parser\n\n## Usage\n"),
    complete,
    { text: "It has the section.\n<approved/>" },
    { text: "Done." },
  ]);
  await run(process.execPath, [PI, "install", "npm:goal-ledger"], { cwd: p.root, env: { ...p.env, PI_OFFLINE: "" } });

  const host = pi(t, p, { args: [], answer: () => ({ value: "Confirm" }) });
  await host.says("/goals write a README");
  assert.deepEqual(host.errors(), []);
  assert.ok(requests.some((it) => told(it).includes("<name>goal-execute</name>")));
  const verdicts = p.events().filter(({ type }) => type === "audit_result").map(({ verdict }) => verdict);
  assert.deepEqual(verdicts, ["disapproved", "approved"]);
  assert.match(latest(requests[4]), /README.md has no section Usage/);
  assert.ok(p.types().includes("goal_completed"));
  assert.equal(readFileSync(join(p.root, "README.md"), "utf8"), "# Parser\n\n## Usage\n");
  t.diagnostic(`from the install to the approval: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
});

test("the installed program chooses an auditor for whoever wants another", async (t) => {
  const { p, sh } = await machine(t);
  const judge = p.script("judge", "cat > /dev/null; echo '<approved/>'");
  await sh(`npx --yes goal-ledger init --auditor ${judge}`, { GOAL_ACTOR: "user" });
  assert.match(await sh("npx --yes goal-ledger config"), /judge/);
});
