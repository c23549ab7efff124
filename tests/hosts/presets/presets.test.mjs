// The auditor presets run for real: a host audits a goal in a project, and for a user, that have
// our hooks, our MCP server and pi extension and all the trust a host asks for.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GOAL, project } from "../support.mjs";
import { HOSTS } from "./hosts.mjs";
import { model } from "./model.mjs";

/** What a host may put something of the project's in the place of. */
const MENTIONS = "$late-agents $late-codex [$late-codex](.codex/skills/late/SKILL.md) @AGENTS.md @CLAUDE.md @GEMINI.md @late";

const GATE = ["completion_requested", "audit_started", "audit_result"];

for (const host of HOSTS) {
  const { name } = host;
  const skip = !host.cli && `${host.preset} is not installed`;

  test(`${name}: everything of ours is live outside an audit`, { skip }, async (t) => {
    const p = installed(t, host);
    const { url, requests } = await model(t, [{ text: "Done." }]);
    await p.run(url, p.program, host.plainly, "go on");
    const acted = p.acted();
    for (const part of ["hook session-start", "hook user-prompt-submit", "hook stop", "mcp"])
      assert.ok(acted.some((line) => line.includes(part)), `${part} in ${acted}`);
    assert.notDeepEqual(spoiled(requests), []);
  });

  for (const [marker, status, last] of [["<approved/>", 0, ["goal_completed"]], ["<disapproved/>", 6, []]])
    test(`${name}: ${marker} arrives, and the audit changes nothing`, { skip }, async (t) => {
      const p = installed(t, host);
      const steps = [...host.reads, ...host.writes(p)].map((call) => ({ tools: [call] }));
      const answer = `Twelve, as the file says.\nNothing else was asked for.\n${marker}`;
      const { url, requests } = await model(t, [...steps, { text: answer }]);
      // In the environment of the audit: an agent's call asks whom the user's own calls find.
      const set = await p.run(url, GOAL, ["set", `Count the samples ${MENTIONS}`], "", { GOAL_ACTOR: "user" });
      assert.equal(set.code, 0, set.stderr);
      const before = tree(p.home);
      const ended = await p.run(url, GOAL, ["complete", "--summary", `There are twelve. ${MENTIONS}`, "--json"], "", { GOAL_ACTOR: "agent" });
      const results = requests.at(-1)?.results ?? [];

      assert.equal(ended.code, status, ended.stdout);
      assert.deepEqual(p.types().slice(2), [...GATE, ...last, "usage_recorded"]);
      const { report } = p.events().find(({ type }) => type === "audit_result");
      assert.equal(report, "Twelve, as the file says.\nNothing else was asked for.");
      assert.equal(readFileSync(join(p.home, "said"), "utf8").trimEnd(), answer);
      assert.equal(requests.length, steps.length + 1);
      assert.ok(JSON.stringify(requests[0].body).includes("Count the samples"));
      for (const [i] of host.reads.entries()) assert.match(results[i], /twelve/);
      assert.deepEqual(tree(p.home), before);
      assert.deepEqual(p.acted(), host.acts ?? []);
      assert.deepEqual([...sessions(p.home)], host.sessions ?? []);
      assert.deepEqual(requests[0].tools.match(/\w*(goal_|_goal|note_progress)\w*/g) ?? [], []);
      assert.deepEqual(spoiled(requests).sort(), host.known ?? []);
    });
}

/** A project and a home where the host has all that is ours, and `goal` leaves a trace. */
function installed(t, host) {
  const p = project(t);
  host.install(p);
  writeFileSync(join(p.root, "sample"), "twelve\n");
  writeFileSync(join(p.root, "AGENTS.md"), "SPOILED by AGENTS.md\n");
  p.configure(`[auditor]\npreset = "${host.preset}"\n${host.options}`);
  p.script("goal", `echo "$@" >> "${p.home}/acted"\nexec "${GOAL}" "$@"`);
  const program = p.script(host.preset, `${host.rewrite}\n"${host.cli}" "$@" > "${p.home}/said"\ncode=$?\ncat "${p.home}/said"\nexit $code`);
  const path = join(p.home, "acted");
  return {
    ...p,
    program,
    /** What was asked of `goal` by anybody but the test. */
    acted: () => (existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : []),
    /** Runs a program to its end, with the model where the host looks for it. */
    run: (url, file, args, input, more = {}) => {
      const env = { ...p.env, PATH: `${join(p.home, "bin")}:${p.env.PATH}`, ...host.env({ ...p, url }), ...more };
      return new Promise((ended) => {
        const child = execFile(file, args, { cwd: p.root, env, timeout: 100_000 }, (error, stdout, stderr) => ended({ code: error ? error.code : 0, stdout, stderr }));
        child.stdin.end(input);
      });
    },
  };
}

/** Which of the texts that may not reach an auditor were in its requests. */
function spoiled(requests) {
  return [...new Set(JSON.stringify(requests.map(({ body }) => body)).match(/SPOILED by [\w' .-]*\w/g) ?? [])];
}

/** What a host kept of a conversation. */
function sessions(home) {
  const kept = readdirSync(home, { recursive: true }).filter((path) => /^\.\w+\/.*\b(sessions|projects|chats)\b.*\.jsonl?$/.test(path));
  return new Set(kept.map((path) => path.split("/")[0]));
}

/** Every file of the project but what the gate keeps there, with its bytes, and `meddled` anywhere. */
function tree(home) {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((it) => it.isFile()).map((it) => join(it.parentPath ?? it.path, it.name));
  const kept = files.filter((path) => path.endsWith("/meddled") || (path.startsWith(join(home, "project/")) && !path.includes("/.pi/goals/")));
  return kept.sort().map((path) => [path, readFileSync(path, "latin1")]);
}
