// What pi's messages cost is recorded at the goal, once a turn, and limits stop it between two messages.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { latest, model, pi, project } from "./support.mjs";

const APPROVES = `cat > /dev/null; echo "<approved/>"`;
const note = (text) => ({ tools: [["note_progress", { note: text }]] });
const used = (p) => p.costs();
/** What was counted, without the time. */
const counted = (p) => used(p).map(({ counters: { seconds: _, ...counters } }) => counters);
const sum = (p, name) => used(p).reduce((all, { counters }) => all + (counters[name] ?? 0), 0);

test("one write a turn, every message once, at the goal and the task under way", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [
    { tools: [["set_goal_tasks", { tasks: [{ id: "1", title: "read" }] }]] },
    { tools: [["update_goal_task", { taskId: "1", status: "active" }]] },
    { text: "one" },
    note("two"),
    { tools: [["pause_goal", { reason: "enough" }]] },
    { text: "paused" },
  ]);
  const host = pi(t, p);
  await host.says("/goals-set Count the samples");
  assert.equal(requests.length, 6);
  assert.deepEqual(counted(p), [3, 3].map((calls) => ({ llmCalls: calls, tokensIn: 10 * calls, tokensOut: 5 * calls })));
  const [first] = used(p);
  assert.equal(first.model, "loopback/scripted");
  assert.equal(first.taskId, "1");
  assert.ok(first.counters.seconds > 0);
  assert.deepEqual(host.errors(), []);
});

test("what follows a completion in its turn is the goal's, and later turns are nobody's", async (t) => {
  const p = project(t, { auditor: APPROVES });
  await model(t, p, [{ tools: [["update_goal", { status: "complete", summary: "done" }]] }, { text: "Done." }, { text: "You are welcome." }]);
  const host = pi(t, p);
  await host.says("/goals-set Count the samples");
  assert.equal(sum(p, "llmCalls"), 2);
  await host.says("thanks");
  assert.equal(sum(p, "llmCalls"), 2);
});

/** What a turn past the limit would do. */
const works = { tools: [["bash", { command: "touch worked" }]] };

test("a limit ends a turn between two messages, and one turn more says where things stand", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [
    () => (p.goal("budget", "--max-llm-calls", "2"), note("one")),
    note("two"),
    note("three"),
    works,
    note("half is done"),
    { text: "I stop here." },
    { text: "It is paused." },
  ]);
  const host = pi(t, p);
  await host.says("/goals-set Count the samples");
  assert.equal(requests.length, 6);
  assert.match(latest(requests[3]), /is paused: over budget: 3 of 2 model calls[^]*last turn[^]*`note_progress`/);
  // Nothing but the note is carried out in it.
  assert.equal(existsSync(join(p.root, "worked")), false);
  assert.match(latest(requests[4]), /The turn has ended: the goal is paused: over budget/);
  assert.deepEqual(p.types().slice(-2), ["goal_paused", "goal_noted"]);
  // The person is told once, with what helps.
  const said = host.shown("notify").filter(({ message }) => /over budget/.test(message));
  assert.equal(said.length, 1);
  assert.match(said[0].message, /`goal budget --max-llm-calls 5`/);
  assert.match(said[0].message, /\/goal-settings raises the limit, and then \/goal-resume goes on with it/);
  assert.equal(sum(p, "llmCalls"), 6);
  await host.says("and now?");
  assert.equal(requests.length, 7);
  assert.deepEqual(host.errors(), []);
});

test("a limit that the last message goes over leaves a turn, too, and none where the goal does not go on by itself", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [() => (p.goal("budget", "--max-llm-calls", "1"), note("one")), { text: "done for now" }, note("half is done"), { text: "I stop." }]);
  await pi(t, p).says("/goals-set Count the samples");
  assert.equal(requests.length, 4);
  assert.equal(p.types().at(-1), "goal_noted");
  const byHand = project(t);
  byHand.goal("set", "Count the samples", "--no-auto-continue", "--max-llm-calls", "1");
  const asked = await model(t, byHand, [note("one"), note("two"), works, { text: "I stop." }]);
  await pi(t, byHand).says("go on with the goal");
  assert.equal(asked.requests.length, 4);
  assert.equal(existsSync(join(byHand.root, "worked")), false);
  assert.equal(byHand.types().at(-1), "goal_paused");
});

test("Escape loses nothing of what was spent", async (t) => {
  const p = project(t);
  let speaks;
  const asked = new Promise((resolve) => (speaks = resolve));
  await model(t, p, [note("one"), () => (speaks(), new Promise(() => {}))]);
  const host = pi(t, p);
  const settled = host.until(({ type }) => type === "agent_settled", "settle");
  await host.ask({ type: "prompt", message: "/goals-set Count the samples" });
  await asked;
  await host.ask({ type: "abort" });
  await settled;
  assert.equal(sum(p, "llmCalls"), 1);
});

test("what is said in a project without a goal is recorded nowhere", async (t) => {
  const p = project(t);
  await model(t, p, [{ text: "hello" }]);
  await pi(t, p).says("hi");
  assert.deepEqual(p.events(), []);
});
