// What pi's messages cost is recorded at the goal, once a turn, and limits stop the next turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { model, pi, project } from "./support.mjs";

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

test("a limit stops the next turn, and the person is told which", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [() => (p.goal("budget", "--max-llm-calls", "2"), note("one")), note("two"), { text: "turn over" }, { text: "never" }]);
  const host = pi(t, p);
  await host.says("/goals-set Count the samples");
  assert.equal(requests.length, 3);
  assert.equal(p.types().at(-1), "goal_paused");
  assert.match(host.shown("notify").at(-1).message, /paused: .*(llmCalls|model calls)/i);
  await host.says("and now?");
  assert.equal(requests.length, 4);
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
