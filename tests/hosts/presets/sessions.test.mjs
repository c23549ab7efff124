// Which sessions go on with a goal, in real hosts: only the one that holds it. What it costs is recorded.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { GOAL, project } from "../support.mjs";
import { HOSTS } from "./hosts.mjs";
import { model } from "./model.mjs";

/** Codex keeps its trust in hooks in the user's configuration, after a review that nobody does here. */
const plainly = ({ preset, plainly }) => (preset === "codex" ? ["exec", "--dangerously-bypass-hook-trust", ...plainly.slice(1)] : plainly);

for (const host of HOSTS.filter(({ name }) => name !== "codex, code")) {
  const skip = !host.cli && `${host.preset} is not installed`;

  /** A project with hooks, and a session in it that is told something. */
  const prepared = async (t, script) => {
    const p = project(t);
    host.install(p);
    p.script("goal", `exec "${GOAL}" "$@"`);
    const { url, requests } = await model(t, script);
    const env = { ...p.env, PATH: `${join(p.home, "bin")}:${p.env.PATH}`, ...host.env({ ...p, url }) };
    const session = (prompt) => new Promise((ended) => {
      const child = execFile(host.cli, plainly(host), { cwd: p.root, env, timeout: 100_000 }, (_, stdout, stderr) => ended(stdout + stderr));
      child.stdin.end(prompt);
    });
    return { p, requests, session };
  };

  test(`${host.name}: sessions that have nothing to do with the goal make one request each`, { skip }, async (t) => {
    const { p, requests, session } = await prepared(t, [{ text: "Four." }, { text: "Six." }]);
    p.goal("set", "Count the samples");
    await session("what is 2+2");
    assert.equal(requests.length, 1);
    await session("what is 3+3");
    assert.equal(requests.length, 2);
    assert.deepEqual(p.types(), ["goal_created", "goal_focused"]);
  });

  test(`${host.name}: the session in which the user names the goal goes on, and another does not`, { skip }, async (t) => {
    const [read] = host.reads;
    const { p, requests, session } = await prepared(t, [{ tools: [read] }, { text: "Looked." }]);
    p.goal("set", "Count the samples");
    await session("go on with the goal");
    // Two requests of the turn, and three turns in vain.
    assert.equal(requests.length, 5);
    assert.equal(p.types().filter((type) => type === "goal_continued").length, 3);
    const before = p.types().length;
    await session("what is 2+2");
    assert.equal(requests.length, 6);
    assert.equal(p.types().length, before);
    assert.match(JSON.stringify(requests.at(-1).body), /is active in another session/);

    const used = p.events().filter(({ type }) => type === "usage_recorded");
    const sum = (name) => used.reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0);
    assert.equal(sum("llmCalls"), 5);
    assert.equal(sum("tokensIn"), 50);
    assert.equal(sum("tokensOut"), 25);

    // The contract is told once: at the start.
    const last = JSON.stringify(requests[4].body);
    const times = (text) => last.split(text).length - 1;
    assert.ok(times("whose contract you were told") >= 1, last);
  });
}
