// Sessions that share a project: the one that has nothing to do with the goal is asked once and not
// driven on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MODEL, latest, model, pi, piOnce, project, told } from "./support.mjs";

const note = (text) => ({ tools: [["note_progress", { note: text }]] });

test("an unrelated second session makes one request, gets one line, and is not driven on", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [note("one"), { tools: [["ask_user", { question: "which samples?" }]] }, { text: "I wait." }, { text: "4" }, { text: "8" }]);
  const first = pi(t, p);
  await first.says("/goals-set Count the samples");
  const before = p.events().length;
  const asked = requests.length;
  const { stdout, stderr } = await piOnce(p, [...MODEL, "--approve", "-p", "what is 2+2"]);
  assert.equal(requests.length, asked + 1);
  assert.match(stdout, /^(4|8)/);
  assert.equal(stderr.match(/is worked on in session/g).length, 1);
  const sent = told(requests[asked]);
  assert.match(sent, /Goal `Count the samples` \(`[\w-]+`\) is active in another session: do no work for it here/);
  assert.ok(!sent.includes("# Goal summary") && !sent.includes("## How to work"));
  assert.equal(p.events().length, before);
  assert.equal(p.costs().filter(({ session }) => session !== p.events()[0].session).length, 0);
});

test("a session in which the person names the goal works on it", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [{ tools: [["ask_user", { question: "which?" }]] }, { text: "I wait." }, { text: "4" }, note("here"), { text: "noted" }]);
  // A session that has ended would hold nothing.
  const first = pi(t, p);
  await first.says("/goals-set Count the samples");
  const at = requests.length;
  const { goalId } = p.events().find(({ type }) => type === "goal_created");
  const second = pi(t, p);
  await second.says("what is 2+2");
  assert.doesNotMatch(told(requests[at]), /# Working on a goal/);
  await second.says(`go on with ${goalId}`);
  assert.match(told(requests[at + 1]), /# Working on a goal/);
  assert.equal(p.events().at(-1).session, (await second.session()).sessionId);
});

test("a goal set at a terminal is gone on with once the session works on it", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { requests } = await model(t, p, [{ tools: [["read", { path: "sample" }]] }, { text: "It is not there." }, note("looked"), { text: "noted" }, { tools: [["pause_goal", { reason: "enough" }]] }, { text: "I rest." }]);
  const host = pi(t, p);
  await host.says("what is in the file sample?");
  assert.equal(requests.length, 2, "the session has not worked on it");
  assert.match(told(requests[0]), /# Working on a goal/);
  assert.deepEqual(JSON.parse(p.goal("lease", "list", "--json")).data.leases, []);
  await host.says("and now?");
  assert.equal(requests.length, 6);
});

test("a fork of the session that worked on the goal works on it", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [{ tools: [["ask_user", { question: "which?" }]] }, { text: "I wait." }, { text: "4" }]);
  const first = pi(t, p);
  await first.says("/goals-set Count the samples");
  const { sessionFile, sessionId } = await first.session();
  await first.end();
  const fork = pi(t, p, { args: ["--approve", "--fork", sessionFile] });
  await fork.says("what is 2+2");
  assert.notEqual((await fork.session()).sessionId, sessionId);
  assert.doesNotMatch(told(requests.at(-1)), /in another session/);
  assert.ok(!fork.shown("notify").some((it) => /is worked on in session/.test(it.message)));
});

test("Escape in a session that has nothing to do with the goal leaves it alone", async (t) => {
  const p = project(t);
  p.goal("--session", "elsewhere", "set", "Count the samples");
  let speaks;
  const asked = new Promise((resolve) => (speaks = resolve));
  await model(t, p, [() => (speaks(), new Promise(() => {}))]);
  const host = pi(t, p);
  const settled = host.until(({ type }) => type === "agent_settled", "settle");
  await host.ask({ type: "prompt", message: "what is 2+2" });
  await asked;
  await host.ask({ type: "abort" });
  await settled;
  assert.ok(!p.types().includes("goal_paused"));
});

test("an answer to the user for which the agent used no tool is not gone on from", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { requests } = await model(t, p, [{ text: "Hello." }, { text: "never" }]);
  const host = pi(t, p);
  await host.says("hi");
  assert.equal(requests.length, 1);
  assert.match(latest({ messages: requests[0].messages }), /\w/);
  assert.ok(!p.types().includes("goal_continued"));
});
