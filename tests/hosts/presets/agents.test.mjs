// The agent presets run for real: `goal run` lets a host work a goal, reads its last message and what
// the turn cost from its own JSON, and has the goal audited.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { GOAL, project } from "../support.mjs";
import { HOSTS } from "./hosts.mjs";
import { model } from "./model.mjs";

/** What each host tells of two answers of the scripted model, of 10 tokens in and 5 out each. */
const TOLD = {
  claude: { llmCalls: 2, tokensIn: 20, tokensOut: 10 },
  codex: { llmCalls: 1, tokensIn: 20, tokensOut: 10 },
  gemini: { llmCalls: 1, tokensIn: 20, tokensOut: 10 },
};

for (const host of HOSTS) {
  const { name, preset } = host;
  test(`${name}: a run reads the last message and the cost`, { skip: !host.cli && `${preset} is not installed` }, async (t) => {
    const p = project(t);
    host.install(p);
    const auditor = p.script("auditor", "cat > /dev/null; echo '<approved/>'");
    p.configure(`[auditor]\ncommand = [${JSON.stringify(auditor)}]\n[runner]\npauseBetweenCheckpoints = 0\n[runner.agent]\npreset = "${preset}"\n${host.options}`);
    p.script(preset, `exec "${host.cli}" "$@"`);
    p.script("goal", `exec "${GOAL}" "$@"`);
    const [read] = host.reads;
    const { url, requests } = await model(t, [{ tools: [read] }, { text: "There is nothing left to do.\n\n<promise>COMPLETE</promise>" }]);
    const env = { ...p.env, PATH: `${join(p.home, "bin")}:${p.env.PATH}`, ...host.env({ ...p, url }), GOAL_ACTOR: "user" };
    const goal = (...args) => new Promise((ended) => {
      const child = execFile(GOAL, args, { cwd: p.root, env, timeout: 100_000 }, (error, stdout, stderr) => ended({ code: error ? error.code : 0, stdout, stderr }));
      child.stdin.end();
    });
    await goal("set", "Count the samples");
    const ran = await goal("run", "--max-iterations", "1");

    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    assert.ok(requests.length >= 2);
    const events = p.events();
    const { said } = events.find(({ type }) => type === "iteration_validated");
    assert.equal(said, "There is nothing left to do.");
    const used = events.filter(({ type }) => type === "usage_recorded");
    const { seconds, costUsd, ...counters } = used[0].counters;
    assert.deepEqual(counters, TOLD[preset]);
    assert.ok(seconds > 0);
    // The prices are the host's own; the model's name decides whether it knows one.
    assert.ok(costUsd === undefined || preset === "claude");
    assert.deepEqual([used[1].role, used[1].counters.llmCalls], ["auditor", 1]);
  });
}
