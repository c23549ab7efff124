// The agent preset `pi` run for real: `goal run` reads pi's last message and what its turn cost from the
// events that pi writes.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GOAL, PI, model, project } from "./support.mjs";

const run = (p, ...args) =>
  new Promise((ended) => {
    const child = execFile(GOAL, ["run", ...args], { cwd: p.root, env: { ...p.env, GOAL_ACTOR: "user" }, timeout: 100_000 }, (error, stdout, stderr) => ended({ code: error ? error.code : 0, stdout, stderr }));
    child.stdin.end();
  });

function working(t) {
  const p = project(t);
  const auditor = p.script("auditor", "cat > /dev/null; echo '<approved/>'");
  p.script("pi", `exec "${process.execPath}" "${PI}" "$@"`);
  p.configure(`[auditor]\ncommand = [${JSON.stringify(auditor)}]\n[runner]\npauseBetweenCheckpoints = 0\n[runner.agent]\npreset = "pi"\nprovider = "loopback"\nmodel = "scripted"\n`);
  p.env.PATH = `${join(p.home, "bin")}:${p.env.PATH}`;
  p.goal("set", "Count the samples");
  return p;
}

test("a run reads the last message and the cost", async (t) => {
  const p = working(t);
  const { requests } = await model(t, p, [{ tools: [["bash", { command: "echo twelve > sample" }]] }, { text: "There are twelve.\n\n<promise>COMPLETE</promise>" }]);
  const ran = await run(p, "--max-iterations", "1");
  assert.equal(ran.code, 0, ran.stdout + ran.stderr);
  assert.equal(requests.length, 2);
  const events = p.events();
  assert.equal(events.find(({ type }) => type === "iteration_validated").said, "There are twelve.");
  const [turn, auditor] = events.filter(({ type }) => type === "usage_recorded");
  const { seconds, ...counters } = turn.counters;
  assert.deepEqual(counters, { llmCalls: 2, tokensIn: 20, tokensOut: 10 });
  assert.ok(seconds > 0);
  assert.equal(auditor.role, "auditor");
  // What pi writes for each word of its model is not kept.
  const runs = join(p.root, ".git/goal/runs");
  const [id] = readdirSync(runs).filter((name) => !name.startsWith("."));
  const kept = readFileSync(join(runs, id, "1/stdout.txt"), "utf8");
  assert.ok(kept.includes('"type":"message_end"') && !kept.includes('"type":"message_update"'));
});

test("a model that cannot be asked is a failed turn, although pi exits 0", async (t) => {
  const p = working(t);
  await model(t, p, Array.from({ length: 8 }, () => ({ status: 400 })));
  const ran = await run(p, "--max-iterations", "1", "--retry-for", "0");
  assert.equal(ran.code, 6, ran.stdout + ran.stderr);
  const { agent, said } = p.events().find(({ type }) => type === "iteration_validated");
  assert.match(agent, /^its host says: 400/);
  assert.match(said, /the script says so/);
});
