// What the person sees in pi: how a goal stands, an audit and its verdict, questions, a goal that rests.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, latest, model, pi, project, told } from "./support.mjs";

const widget = (host) => host.shown("setWidget").at(-1)?.widgetLines ?? [];
const said = (host) => host.shown("notify").map((it) => it.message).join("\n");
const complete = { tools: [["update_goal", { status: "complete", summary: "done" }]] };

test("the widget shows the standing, time, tokens, tasks, why it rests, and what else waits", async (t) => {
  const p = project(t);
  p.goal("set", "Elsewhere", "--no-auto-continue");
  p.goal("block", "--reason", "no key");
  await model(t, p, [
    { tools: [["set_goal_tasks", { tasks: [{ id: "1", title: "read" }, { id: "2", title: "count" }] }]] },
    { tools: [["update_goal_task", { taskId: "1", status: "complete", evidence: "read" }]] },
    { tools: [["note_progress", { note: "n", nextAction: "count" }]] },
    { text: "so far" },
    { tools: [["pause_goal", { reason: "the samples of May are missing", blocked: true, suggestedAction: "put them into data/" }]] },
    { text: "blocked" },
  ]);
  const host = pi(t, p);
  await host.says("/goals-set Count the samples");
  const shown = widget(host).join("\n");
  assert.match(shown, /^! blocked: Count the samples\n\d+s · \d+ tokens · 1 of 2 tasks done\nwhy: the samples of May are missing\nsuggested: put them into data\/\n/);
  assert.match(shown, /\n\+1 needs you: goal inbox/);
  assert.match(host.shown("setStatus").at(-1).statusText, /^goal: blocked · \d+s · \d+ tokens$/);
});

test("an audit under way and its verdicts are shown", async (t) => {
  const p = project(t, { auditor: `cat > /dev/null
if [ -e "$HOME/second" ]; then echo "Every sample was read."; echo "<approved/>"; exit; fi
until [ -e "$HOME/go" ] || [ ! -d "$HOME" ]; do sleep 0.05; done
touch "$HOME/second"; echo "Sample 7 was never read."; echo "<disapproved/>"` });
  const { requests } = await model(t, p, [complete, complete, { text: "Done." }]);
  const host = pi(t, p);
  const settled = host.until(({ type }) => type === "agent_settled", "settle");
  await host.ask({ type: "prompt", message: "/goals-set Count the samples" });
  await eventually(() => widget(host).some((line) => /^audit running/.test(line)), "an audit in the widget");
  assert.match(host.shown("setStatus").at(-1).statusText, /audit under way/);
  writeFileSync(join(p.home, "go"), "");
  await settled;
  assert.ok(existsSync(join(p.home, "second")));
  // The verdicts are in the chat and no notifications; no model is sent them.
  const chat = host.seen.filter((it) => it.type === "entry_appended" && it.entry.customType === "goal-report").map((it) => it.entry.data.text);
  assert.deepEqual(chat, ["goal: the auditor objects: Count the samples\nSample 7 was never read.", "goal: complete: Count the samples\nThe auditor says: Every sample was read."]);
  assert.doesNotMatch(said(host), /auditor objects|The auditor says/);
  assert.equal(requests.length, 3);
  assert.ok(!requests.some((it) => told(it).includes("The auditor says: Every sample")));
  assert.deepEqual(host.errors(), []);
});

test("a question of the agent is answered in a dialog, or waits", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [
    { tools: [["ask_user", { question: "which month?", suggestions: ["May", "June"] }]] },
    { tools: [["ask_user", { question: "which year?" }]] },
    { tools: [["ask_user", { question: "may I delete it?", approval: true }]] },
    { text: "I wait." },
  ]);
  const host = pi(t, p, { answer: ({ method, options, title }) => (method === "input" ? { value: "1984" } : /delete/.test(title) ? { cancelled: true } : { value: options.find((it) => it === "June") }) });
  await host.says("/goals-set Count the samples");
  assert.equal(latest(requests[1]), "The user answered: June");
  assert.equal(latest(requests[2]), "The user answered: 1984");
  assert.doesNotMatch(latest(requests[3]), /answered/);
  const answered = p.events().filter(({ type }) => /answered/.test(type));
  assert.deepEqual(answered.map(({ by }) => by), ["user", "user"]);
  assert.deepEqual(host.errors(), []);
});

test("a session that is taken up again asks whether its goal goes on", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [{ tools: [["pause_goal", { reason: "enough" }]] }, { text: "paused" }, { tools: [["pause_goal", { reason: "again" }]] }, { text: "paused" }]);
  const first = pi(t, p);
  await first.says("/goals-set Count the samples");
  await first.end();
  assert.equal(first.shown("select").length, 0);
  const second = pi(t, p, { args: ["--approve", "--continue"], answer: ({ title }) => (/is paused: enough/.test(title) ? { value: "Go on with it" } : { cancelled: true }) });
  await eventually(() => requests.length === 4, "the goal goes on");
  assert.ok(p.types().includes("goal_resumed"));
  assert.deepEqual(second.errors(), []);
});
