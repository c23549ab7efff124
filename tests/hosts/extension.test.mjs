// The extension without pi: dialogs that pi shows one way only.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { EXTENSION, project } from "./support.mjs";
import { statusLine } from "../../.pi/extensions/goal/shown.ts";

/** The extension, loaded into nothing but what it registers, in the project's environment. */
async function loaded(t, p, select) {
  const { default: extension } = await import(pathToFileURL(`${EXTENSION}/index.ts`));
  const before = { ...process.env };
  t.after(() => (process.env = before));
  process.env = { ...p.env };
  const tools = {};
  const handlers = {};
  extension({
    on: (event, handler) => (handlers[event] = handler),
    registerTool: (tool) => (tools[tool.name] = tool),
    getActiveTools: () => Object.keys(tools),
    setActiveTools() {},
    registerCommand() {},
    getCommands: () => [],
    getAllTools: () => [],
    appendEntry() {},
    registerEntryRenderer: (_type, renderer) => (handlers.entry = renderer),
    registerMessageRenderer: (_type, renderer) => (handlers.render = renderer),
  });
  const said = [];
  const ui = { select, notify: (message) => said.push(message), setStatus() {}, setWidget() {} };
  const ctx = { cwd: p.root, hasUI: true, ui, sessionManager: { getSessionId: () => "S", getHeader: () => null, getBranch: () => [] } };
  await handlers.session_start({}, ctx);
  const propose = async (objective, id = objective) =>
    (await tools.propose_goal_draft.execute(id, { objective }, undefined, undefined, ctx)).content[0].text;
  return { tools, handlers, said, propose, ctx };
}

test("the footer says what the dialog asks for", () => {
  const proposed = { draftId: "d-1", topic: "x", proposal: {} };
  const discussed = { draftId: "d-2", topic: "y", proposal: null };
  assert.equal(statusLine({ goal: null, openGoals: 0, drafts: [proposed, discussed] }), "goal: 1 to confirm");
  assert.equal(statusLine({ goal: null, openGoals: 0, drafts: [discussed] }), "goal: 1 in discussion");
});

test("a dialog that throws leaves the proposal waiting", async (t) => {
  const p = project(t);
  const { propose, said } = await loaded(t, p, () => Promise.reject(new Error("no screen")));
  assert.match(await propose("A goal"), /Nothing is in force yet/);
  assert.deepEqual(said, ["goal: no screen"]);
  assert.deepEqual(p.types(), ["draft_proposed"]);
});

test("what the person confirms is what they were shown", async (t) => {
  const p = project(t);
  p.goal("draft", "something");
  const shown = [];
  const { propose } = await loaded(t, p, async (title) => {
    shown.push(/Objective: (.*)/.exec(title)[1]);
    // While the dialog is open, the same session proposes anew, and another session something else.
    if (shown.length === 1) {
      p.goal("--session", "S", "propose", "Another goal");
      p.goal("--session", "T", "propose", "Somebody else's goal");
    }
    return "Confirm";
  });
  assert.match(await propose("A goal"), /^The user confirmed it/);
  assert.deepEqual(shown, ["A goal", "Another goal"]);
  const created = p.events().filter(({ type }) => type === "goal_created");
  assert.deepEqual(created.map(({ objective }) => objective), ["Another goal"]);
});

test("eight proposals at once are asked about one after the other", async (t) => {
  const p = project(t);
  let open = 0;
  let most = 0;
  const { propose } = await loaded(t, p, async () => {
    most = Math.max(most, ++open);
    await new Promise((shown) => setImmediate(shown));
    open -= 1;
    return "Decide later";
  });
  const said = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => propose(`Goal ${n}`)));
  assert.equal(most, 1);
  assert.equal(said.filter((text) => /Nothing is in force yet/.test(text)).length, 8);
});

test("the model sees no argument that is the host's", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { tools } = await loaded(t, p);
  assert.ok(Object.keys(tools).length > 8);
  for (const { name, parameters } of Object.values(tools))
    for (const host of ["session", "turn", "key", "calls"]) assert.ok(!(host in parameters.properties), `${name}: ${host}`);
});

test("get_goal is told how often it was called in the turn", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { tools, handlers } = await loaded(t, p);
  const ctx = { cwd: p.root, hasUI: false, sessionManager: { getSessionId: () => "S", getHeader: () => null }, ui: {} };
  const ask = async (id) => (await tools.get_goal.execute(id, {}, undefined, undefined, ctx)).details.nudge;
  assert.equal(await ask("a"), null);
  assert.match(await ask("b"), /\w/);
  await handlers.message_start({ message: { role: "user" } }, { ...ctx, hasUI: false });
  assert.equal(await ask("c"), null);
  await handlers.session_shutdown({}, ctx);
});

test("what is put before the model takes one line on the screen, unless it is expanded", async (t) => {
  const { handlers } = await loaded(t, project(t));
  const theme = { fg: (_colour, text) => text };
  const message = { content: "a long prompt", details: { label: "going on" } };
  assert.deepEqual(handlers.render(message, { expanded: false }, theme).render(80), ["goal: going on"]);
  assert.deepEqual(handlers.render(message, { expanded: false }, theme).render(6), ["goal: "]);
  assert.equal(handlers.render(message, { expanded: true }, theme), undefined);
});

test("what the auditor said fits the screen, and is broken between words", async (t) => {
  const { handlers } = await loaded(t, project(t));
  const render = (text, width) => handlers.entry({ data: { text } }, { expanded: false }, {}).render(width);
  assert.deepEqual(render("goal: complete\nEvery sample was read.", 12), ["goal:", "complete", "Every sample", "was read."]);
  assert.deepEqual(render("一二三四", 4), ["一二", "三四"]);
  assert.deepEqual(render("abcdef", 4), ["abcd", "ef"]);
});

test("a lease that the user gave to another session ends going on", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples", "--session", "S");
  const { handlers, said, ctx } = await loaded(t, p);
  const settles = { ...ctx, hasPendingMessages: () => false };
  const stop = () => handlers.agent_before_settle({ outcome: "completed" }, settles);
  assert.equal((await stop()).continue, true);
  p.goal("lease", "acquire", "--session", "T", "--pid", String(process.ppid), "--take-over");
  assert.equal(await stop(), undefined);
  assert.match(said.at(-1), /worked on in session T/);
  assert.equal(p.types().filter((type) => type === "goal_continued").length, 1);
  p.goal("lease", "release", "--session", "T");
  assert.equal((await stop()).continue, true, "it goes on once the lease is free");
  await handlers.session_shutdown({}, ctx);
});

test("the end of a session is reported, so that it holds nothing", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { handlers, ctx } = await loaded(t, p);
  p.goal("note", "half of them", "--session", "S");
  const known = () => p.goal("status", "--session", "T");
  assert.match(known(), /do no work for it here/);
  await handlers.session_shutdown({ reason: "quit" }, ctx);
  assert.doesNotMatch(known(), /do no work for it here/);
  assert.match(known(), /Nobody works on/);
});

test("a fork of a fork goes back to both, and a circle ends", async (t) => {
  const { inSession } = await import(pathToFileURL(`${EXTENSION}/session.ts`));
  const { home } = project(t);
  const file = (id) => join(home, `2026-01-01_${id}.jsonl`);
  const forked = (id, parent) => writeFileSync(file(id), JSON.stringify({ type: "session", id, parentSession: parent && file(parent) }) + "\n{}\n");
  forked("first");
  forked("second", "first");
  forked("round", "about");
  forked("about", "round");
  const continued = (parent) => inSession({ sessionManager: { getSessionId: () => "S", getHeader: () => ({ parentSession: parent && file(parent) }) } });
  const said = (...ids) => ["--session", "S", ...ids.flatMap((id) => ["--continues", id])];
  assert.deepEqual(continued(), said());
  assert.deepEqual(continued("second"), said("second", "first"));
  assert.deepEqual(continued("round"), said("round", "about"));
  assert.deepEqual(continued("gone"), said("gone"));
});
