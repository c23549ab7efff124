// The plugins in their hosts: installed from a local directory, as a user does it, and then live. Their
// hooks call `goal`, their MCP server is started, and the model is told of the goal, tools and skills.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GOAL, project, REPOSITORY } from "../support.mjs";
import { HOSTS } from "../presets/hosts.mjs";
import { model } from "../presets/model.mjs";

/** How each host installs a plugin from a directory, and what it prints of it then. */
const SET_UP = {
  claude: {
    install: (dir) => [["plugin", "validate", `${dir}/claude`], ["plugin", "marketplace", "add", dir], ["plugin", "install", "goal@goal-ledger"]],
    list: [["plugin", "details", "goal@goal-ledger"], /Hooks \(3\)[\s\S]*MCP servers \(1\)  goal/],
    program: "claude",
    command: ["/goal:status"],
    args: ["--print", "--model", "scripted"],
  },
  "codex, tools": {
    install: (dir) => [["plugin", "marketplace", "add", dir], ["plugin", "add", "goal@goal-ledger"]],
    list: [["mcp", "list"], /^goal +goal +mcp .*enabled/m],
    program: "codex",
    args: ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "--config", 'model_provider="ollama"', "--model", "gpt-5.5", "-"],
  },
  gemini: {
    install: (dir) => [["extensions", "validate", `${dir}/gemini`], ["extensions", "install", "--consent", `${dir}/gemini`]],
    list: [["extensions", "list"], /goal \(\d+\.\d+\.\d+\)[\s\S]*MCP servers:\s+goal[\s\S]*goal-execute/],
    program: "gemini",
    args: ["--skip-trust", "--model", "gemini-2.5-pro"],
  },
};

/** With a program that is older than its hooks need, the model is told nothing by them, and the person once. */
async function saysOnce({ p, run, host, setUp, acted, requests }) {
  const at = requests.length;
  p.script("goal", `[ "$1" = hook ] || exec "${GOAL}" "$@"\nset -- $(echo "$@" | sed "s/--needs .*/--needs 99.0.0/")\necho "$@" >> "${acted}.older"\n"${GOAL}" "$@" | tee -a "${acted}.said"`);
  await run(host.cli, setUp.args, "go on").catch(() => {});
  assert.match(readFileSync(`${acted}.older`, "utf8"), /hook session-start[\s\S]*hook user-prompt-submit/);
  const said = readFileSync(`${acted}.said`, "utf8");
  assert.equal(said.match(/the hooks need 99\.0\.0 or newer[^"]*npm install --global goal-ledger/g)?.length, 1, said);
  assert.doesNotMatch(JSON.stringify(requests[at].body), /Count the samples/);
}

for (const [name, setUp] of Object.entries(SET_UP)) {
  const host = HOSTS.find((it) => it.name === name);
  test(`${setUp.program}: installed from a directory, its hooks and its server are live`, { skip: !host.cli && `${setUp.program} is not installed` }, async (t) => {
    const p = project(t);
    rmSync(join(p.root, ".pi/extensions"), { recursive: true });
    const plugins = join(p.home, "plugins");
    const acted = join(p.home, "acted");
    p.script("goal", `echo "$@" >> "${acted}"\nexec "${GOAL}" "$@"`);
    const { url, requests } = await model(t, [{ text: "Done." }]);
    const env = { ...p.env, PATH: `${join(p.home, "bin")}:${p.env.PATH}`, ...host.env({ ...p, url }) };
    for (const dir of [".codex", ".gemini"]) mkdirSync(join(p.home, dir));
    // What a user of Gemini CLI chose before.
    writeFileSync(join(p.home, ".gemini/settings.json"), '{"security":{"auth":{"selectedType":"gemini-api-key"}}}');
    const run = (file, args, input = "") =>
      new Promise((ended, failed) => {
        const child = execFile(file, args, { cwd: p.root, env, timeout: 100_000 }, (error, stdout, stderr) => (error ? failed(new Error(`${args.join(" ")}: ${error.code}\n${stdout}\n${stderr}`)) : ended(stdout + stderr)));
        child.stdin.on("error", () => {});
        child.stdin.end(input);
      });

    await run(join(REPOSITORY, "packaging/plugins/assemble"), [plugins]);
    for (const args of setUp.install(plugins)) await run(host.cli, args, "y\n");
    const [list, shown] = setUp.list;
    assert.match(await run(host.cli, list), shown);

    p.goal("set", "Count the samples");
    // Else the hooks let the agent go on for three turns.
    p.goal("pause", "--reason", "to see what the model is told");
    // How a host ends whose agent is told to go on is its own affair.
    await run(host.cli, setUp.args, "go on").catch(() => {});
    const calls = existsSync(acted) ? readFileSync(acted, "utf8") : "";
    for (const call of ["hook session-start", "hook user-prompt-submit", "hook stop", "mcp"]) assert.ok(calls.includes(call), `${call} in:\n${calls}`);
    assert.match(requests[0].tools + JSON.stringify(requests[0].body), /get_goal/);
    const told = JSON.stringify(requests[0].body);
    for (const part of ["Count the samples", "goal-execute"]) assert.ok(told.includes(part), part);

    await saysOnce({ p, run, host, setUp, acted, requests });
    if (!setUp.command) return;
    await run(host.cli, [...setUp.args, ...setUp.command]);
    const asked = JSON.stringify(requests.at(-1).body);
    assert.match(asked, /Count the samples[\s\S]*paused[\s\S]*Change nothing/);
  });
}
