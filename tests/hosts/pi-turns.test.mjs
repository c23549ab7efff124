// Where a turn of the agent ends, and what the model and the person are told, once each.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { latest, model, pi, project, told } from "./support.mjs";

const APPROVES = `cat > /dev/null; echo "It holds."; echo "<approved/>"`;
const complete = { tools: [["update_goal", { status: "complete", summary: "done" }]] };
const write = (path) => ["write", { path, content: "x" }];

const warnings = (host) => host.shown("notify").filter((it) => it.notifyType === "warning").map((it) => it.message);
const times = (request, text) => told(request).split(text).length - 1;

test("a turn that has ended has ended: the agent reads and says why, and does nothing more", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  writeFileSync(join(p.root, "sample"), "twelve");
  const { requests } = await model(t, p, [
    { tools: [["pause_goal", { reason: "the samples of May are missing", blocked: true, suggestedAction: "put them into data/" }]] },
    { tools: [write("after.txt"), ["read", { path: "sample" }]] },
    { tools: [["bash", { command: "touch after2.txt" }]] },
    { text: "never asked for" },
  ]);
  const host = pi(t, p);
  await host.says("go");
  assert.match(told(requests[2]), /The turn has ended[\s\S]*in words/);
  assert.deepEqual(host.results().map((it) => [it.toolName, it.isError]).sort(), [["bash", true], ["pause_goal", false], ["read", false], ["write", true]]);
  assert.ok(!existsSync(join(p.root, "after.txt")) && !existsSync(join(p.root, "after2.txt")));
  assert.equal(requests.length, 3, "an agent that goes on all the same is not asked again");
  const said = host.shown("notify").map((it) => it.message);
  assert.ok(said.includes("goal: blocked: the samples of May are missing\nsuggested: put them into data/\n/goal-resume goes on with it"), JSON.stringify(said));
  await host.says("what now?");
  assert.equal(requests.length, 4, "the user's word begins another turn");
});

test("an agent that stops may say why", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { requests } = await model(t, p, [{ tools: [["pause_goal", { reason: "enough" }]] }, { text: "I have paused it." }]);
  const host = pi(t, p);
  await host.says("go");
  assert.equal(requests.length, 2);
  assert.match(latest(requests[1]), /goal is paused/);
});

test("what the user pauses in the middle of a turn, the agent does not go on with", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  let host;
  await model(t, p, [async () => (await host.types("/goal-pause lunch"), { tools: [["bash", { command: "touch after.txt" }]] }), { text: "All right." }]);
  host = pi(t, p);
  await host.says("go");
  assert.ok(!existsSync(join(p.root, "after.txt")));
});

test("nothing is warned of after a goal's end or after the focus went elsewhere", async (t) => {
  const p = project(t, { auditor: APPROVES });
  await model(t, p, [complete, { text: "done" }, { text: "welcome" }, { text: "the other" }, { text: "yes" }]);
  const host = pi(t, p);
  await host.says("/goals-set quick");
  await host.says("thanks");
  const one = JSON.parse(p.goal("set", "One", "--no-auto-continue", "--json")).data.goalId;
  p.goal("set", "Another", "--no-auto-continue");
  await host.says("which?");
  await host.types(`/goal-focus ${one}`);
  await host.says("go");
  assert.deepEqual(warnings(host), []);
});

for (const command of ["/goals-set Count the samples", "/sisyphus-set Count the samples", "/goal-resume"]) {
  test(`${command} tells the model once`, async (t) => {
    const p = project(t);
    if (command === "/goal-resume") {
      p.goal("set", "Count the samples");
      p.goal("pause", "--reason", "lunch");
    }
    const { requests } = await model(t, p, [{ tools: [["pause_goal", { reason: "enough" }]] }, { text: "paused" }]);
    const host = pi(t, p);
    await host.says(command);
    assert.equal(times(requests[0], "## How to work"), 1);
    assert.equal(times(requests[0], "Objective:"), 1);
    assert.equal(times(requests[0], "# Goal summary"), 0);
  });
}

test("a text of an earlier revision is a stub by the next", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples", "--no-auto-continue");
  const { requests } = await model(t, p, [{ text: "one" }, { text: "two" }]);
  const host = pi(t, p);
  await host.says("hello");
  p.goal("tweak", "--objective", "Weigh the samples");
  await host.says("hello again");
  assert.equal(times(requests[1], "Weigh the samples") > 0, true);
  assert.equal(times(requests[1], "## How to work"), 1);
  assert.equal(times(requests[1], "What stood here about the goal is out of date"), 1);
});

test("Escape in a list of goals does nothing", async (t) => {
  const p = project(t);
  p.goal("set", "First", "--no-auto-continue");
  p.goal("set", "Second", "--no-auto-continue");
  const before = p.events().length;
  await model(t, p, []);
  const host = pi(t, p, { answer: () => ({ cancelled: true }) });
  await host.types("/goal-focus");
  assert.match(host.shown("select")[0].options.join("\n"), /quiet +First\n.*quiet +Second/);
  assert.deepEqual(host.shown("notify"), []);
  assert.equal(p.events().length, before);
});

test("the person is told pi's commands where pi has one", async (t) => {
  const p = project(t);
  p.goal("set", "First", "--no-auto-continue");
  p.goal("pause", "--reason", "lunch");
  await model(t, p, []);
  const host = pi(t, p);
  await host.types("/goal-pause");
  assert.doesNotMatch(host.shown("notify").at(-1).message, /`goal /);
});

test("the contract is told once a revision, and a continuation is short", async (t) => {
  const p = project(t);
  const objective = `Count the samples ${"of every month ".repeat(40)}and say which are missing`;
  p.goal("set", objective);
  const note = (text) => ({ tools: [["note_progress", { note: text }]] });
  const { requests } = await model(t, p, [note("one"), { text: "noted" }, note("two"), { text: "noted" }, { tools: [["pause_goal", { reason: "tired" }]] }, { text: "I rest." }]);
  const host = pi(t, p);
  await host.says("go");
  assert.equal(requests.length, 6);
  for (const request of requests) assert.equal(told(request).split("say which are missing").length - 1, 1, told(request));
  for (const at of [2, 4]) assert.ok(latest(requests[at]).length < 800, latest(requests[at]));
});
