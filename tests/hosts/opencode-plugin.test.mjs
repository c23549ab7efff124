// The plugin for opencode without opencode: a client that a test plays, and the real program.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { GOAL, project, REPOSITORY } from "./support.mjs";

/** A project of a person who has `goal` on the `PATH`. */
function own(t) {
  const p = project(t);
  p.script("goal", `exec "${GOAL}" "$@"`);
  p.env.PATH = `${join(p.home, "bin")}:${p.env.PATH}`;
  return p;
}

/**
 * The plugin as opencode loads it in a project. `S` is the session of the person and `sub` one of a subagent.
 * `says` and `types` are a prompt and a slash command of the person and give what became of the prompt.
 */
async function loaded(t, p) {
  const { GoalPlugin } = await import(pathToFileURL(join(REPOSITORY, "packaging/plugins/opencode/goal.js")));
  const before = { ...process.env };
  t.after(() => (process.env = before));
  process.env = { ...p.env };
  const told = [];
  const wentOn = [];
  const found = { S: { id: "S" }, F: { id: "F" }, sub: { id: "sub", parentID: "S" }, deep: { id: "deep", parentID: "sub" } };
  const asked = [];
  const client = {
    session: {
      get: async ({ path: { id } }) => (asked.push(id), { data: found[id] }),
      promptAsync: async ({ path: { id }, body }) => void wentOn.push({ id, ...body }),
    },
    tui: { showToast: async ({ body }) => void told.push(body.message) },
  };
  const plugin = await GoalPlugin({ client, directory: p.root });
  const config = {};
  await plugin.config(config);
  let prompts = 0;
  const says = async (text, { id = "S", synthetic } = {}) => {
    prompts += 1;
    const message = { id: `msg_${prompts}`, sessionID: id, role: "user" };
    const parts = [{ id: `prt_${prompts}`, messageID: message.id, sessionID: id, type: "text", text, ...(synthetic && { synthetic }) }];
    await plugin["chat.message"]({ sessionID: id, agent: "build", model: { providerID: "loopback", modelID: "scripted" } }, { message, parts });
    return parts;
  };
  /** `template` is what opencode makes the prompt of, and `fails` that it fails with that. */
  const types = async (command, words, { template = config.command[command]?.template, fails } = {}) => {
    // The plugin may write other words into it.
    const part = { type: "text", text: template.replace("$ARGUMENTS", words) };
    await plugin["command.execute.before"]({ command, sessionID: "S", arguments: words }, { parts: [part] });
    return fails ? [] : says(part.text);
  };
  const happens = (type, properties) => plugin.event({ event: { type, properties } });
  /** The turn of a session ends, in which its agent used a tool. */
  const stops = async (id = "S") => {
    await happens("message.part.updated", { part: { sessionID: id, type: "tool" } });
    await happens("session.idle", { sessionID: id });
  };
  return { plugin, config, told, wentOn, asked, says, types, happens, stops };
}

const made = (p) => p.events().filter(({ type }) => type === "goal_created");

test("opencode's plugin: what the person types is their act, and what came of it stands below their words", async (t) => {
  const p = own(t);
  const { says, types, config } = await loaded(t, p);
  assert.ok(config.command["goal:confirm"].description);
  p.goal("--session", "S", "propose", "Write the file done.txt");
  const [shown] = await types("goal:confirm", "");
  assert.match(shown.text, /^\/goal:confirm\s+\[goal\]\n[^]*Write the file done\.txt/);
  assert.deepEqual(made(p), [], "it was confirmed before it was shown");
  const [confirmed, context] = await says("/goal:confirm");
  assert.match(confirmed.text, /\[goal\]/);
  assert.deepEqual(made(p).map(({ by, via, objective }) => [by, via, objective]), [["user", "opencode", "Write the file done.txt"]]);
  assert.ok(context.synthetic, "what the model is told is not shown as the person's word");
  assert.match(context.text, /# Goal summary[^]*Write the file done\.txt/);
});

test("opencode's plugin: the words behind a command are the person's as they typed them", async (t) => {
  const p = own(t);
  const { types, says } = await loaded(t, p);
  await types("goal:set", "Print `!date` and \"x\"", { template: "/goal:set Print `Monday` and \"x\"" });
  assert.deepEqual(made(p).map(({ objective }) => objective), ["Print `!date` and \"x\""]);
  // `opencode run` quotes an argument with spaces; a prompt that was taken back comes with the answer.
  await says("\"/goal:pause not \\\"now\\\"\"\n\n[goal]\nPaused.");
  assert.equal(p.events().findLast(({ type }) => type === "goal_paused")?.reason, "not \"now\"");
});

test("opencode's plugin: what a subagent is told, what is synthetic, and a project's own command are no acts", async (t) => {
  const p = own(t);
  const { says, types, plugin } = await loaded(t, p);
  const prompt = "/goal:set A goal of the agent";
  assert.equal((await says(prompt, { id: "sub" })).length, 1, "a subagent is told nothing");
  await says(prompt, { synthetic: true });
  await says(prompt, { id: "unknown" });
  await types("fix", "it", { template: prompt });
  // A project that takes one of our names away, with a template of its own.
  await types("goal:pause", "no goal is there", { template: prompt });
  assert.deepEqual(p.types().filter((type) => /^goal_/.test(type)), []);
  // In a session that is there an agent would speak as its user.
  const task = async (args) => (await plugin["tool.execute.before"]({ tool: "task" }, { args }), args.task_id);
  assert.deepEqual([await task({ task_id: "S" }), await task({ task_id: "sub" })], [undefined, "sub"]);
  const output = { env: {} };
  await plugin["shell.env"]({}, output);
  assert.equal(output.env.GOAL_ACTOR, "agent");
});

test("opencode's plugin: a command that failed is not taken for the next prompt", async (t) => {
  const p = own(t);
  const { says, types } = await loaded(t, p);
  await types("goal:set", "A goal that was not set", { fails: true });
  await says("what is 17+4");
  assert.deepEqual(made(p), []);
  await types("goal:set", "A goal that was not set", { fails: true });
  await says("/goal:set Another goal");
  assert.deepEqual(made(p).map(({ objective }) => objective), ["Another goal"]);
});

test("opencode's plugin: it goes on, and Escape pauses a turn that the goal began, not one of the person", async (t) => {
  const p = own(t);
  const { says, types, stops, happens, wentOn, told } = await loaded(t, p);
  const escape = () => happens("session.error", { sessionID: "S", error: { name: "MessageAbortedError" } });
  await types("goal:set", "Write the file done.txt");
  await escape();
  await stops();
  assert.deepEqual([p.goal("status").includes("active"), wentOn.length], [true, 0]);
  await says("go on with the goal");
  await stops();
  assert.equal(wentOn.length, 1);
  const [{ id, agent, model, parts }] = wentOn;
  assert.deepEqual([id, agent, model.modelID, parts[0].synthetic], ["S", "build", "scripted", true]);
  assert.match(parts[0].text, /# Continue goal/);
  await escape();
  await happens("session.idle", { sessionID: "S" });
  assert.equal(wentOn.length, 1);
  assert.match(p.events().findLast(({ type }) => type === "goal_paused")?.reason ?? "it is not paused", /Escape/);
  assert.match(told.at(-1), /paused/i);
});

/** An answer of the model, as opencode tells of it more than once. */
async function answers(happens, id, { sessionID = "S", created = 1000, ...more } = {}) {
  const tokens = { input: 10, output: 5, reasoning: 2, cache: { read: 7, write: 1 } };
  const info = { id, sessionID, role: "assistant", providerID: "loopback", modelID: "scripted", cost: 0.25, tokens, time: { created }, ...more };
  await happens("message.updated", { info });
  for (let i = 0; i < 2; i++) await happens("message.updated", { info: { ...info, time: { created, completed: created + 1500 } } });
}

const costs = (p) => p.events().filter(({ type, role }) => type === "usage_recorded" && !role);
const calls = (p) => costs(p).map(({ counters }) => counters.llmCalls);

test("opencode's plugin: what each answer cost is recorded once, with that of subagents, and a limit stops the work", async (t) => {
  const p = own(t);
  const { types, says, stops, happens, wentOn, told } = await loaded(t, p);
  await types("goal:set", "Write the file done.txt");
  p.goal("budget", "--max-llm-calls", "4");
  await answers(happens, "msg_a");
  await happens("session.created", { info: { id: "sub", parentID: "S" } });
  await answers(happens, "msg_b", { sessionID: "sub" });
  await answers(happens, "msg_none", { tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } } });
  await stops();
  const counters = { llmCalls: 2, tokensIn: 22, tokensCached: 14, tokensOut: 14, costUsd: 0.5, seconds: 1.5 };
  assert.deepEqual(costs(p).map(({ counters, model, session }) => [counters, model, session]), [[counters, "loopback/scripted", "S"]]);
  assert.equal(wentOn.length, 1);
  assert.doesNotMatch(told.join(), /reports no cost/);
  // A turn that broke off tells nothing, and the next one tells it too.
  await answers(happens, "msg_c");
  await happens("session.error", { sessionID: "S", error: { name: "ProviderError" } });
  await stops();
  assert.equal(costs(p).length, 1);
  await says("go on with the goal");
  await answers(happens, "msg_d");
  await answers(happens, "msg_e");
  await stops();
  assert.equal(costs(p)[1].counters.llmCalls, 3);
  assert.match(p.goal("status"), /paused/);
  assert.match(told.at(-1), /over budget: 5 of 4 model calls/);
  assert.match(wentOn.at(-1).parts[0].text, /the last turn/);
});

test("opencode's plugin: what a fork copies is not spent again", async (t) => {
  const p = own(t);
  const { says, stops, happens } = await loaded(t, p);
  await happens("session.created", { info: { id: "F", time: { created: 3000, updated: 3000 } } });
  await answers(happens, "msg_copy", { sessionID: "F" });
  await says("/goal:set Write the file done.txt", { id: "F" });
  await stops("F");
  assert.deepEqual(calls(p), []);
  await answers(happens, "msg_own", { sessionID: "F", created: 4000 });
  await stops("F");
  assert.deepEqual(costs(p).map(({ counters }) => [counters.llmCalls, counters.seconds]), [[1, 1.5]]);
});

test("opencode's plugin: a subagent's session of before costs the session of the person, and who that is is asked once", async (t) => {
  const p = own(t);
  const { types, says, stops, happens, asked } = await loaded(t, p);
  await types("goal:set", "Write the file done.txt");
  await says("go on with it", { id: "sub" });
  const before = asked.length;
  await answers(happens, "msg_a", { sessionID: "sub" });
  assert.deepEqual(asked.slice(before), [], "it was asked when the subagent was told its work");
  await answers(happens, "msg_b", { sessionID: "deep" });
  // Nobody knows it, so what it costs is nobody's.
  await answers(happens, "msg_c", { sessionID: "unknown" });
  assert.deepEqual(asked.slice(before), ["deep", "unknown"]);
  await stops();
  assert.deepEqual(costs(p).map(({ counters, session }) => [counters.llmCalls, session]), [[2, "S"]]);
});

test("opencode's plugin: what was spent is told again where the program did not answer, and recorded once", async (t) => {
  const p = own(t);
  const { types, says, stops, happens, plugin, told } = await loaded(t, p);
  const works = `exec "${GOAL}" "$@"`;
  /** A turn in which the model answers once, and at whose end the program is this. */
  const turn = async (id, body) => {
    await answers(happens, id);
    p.script("goal", body);
    await stops();
    p.script("goal", works);
  };
  await types("goal:set", "Write the file done.txt");
  p.goal("budget", "--max-llm-calls", "3");
  // Another process has the ledger locked.
  await turn("msg_a", `echo '{"systemMessage":"goal did nothing"}'; exit 1`);
  assert.deepEqual(told.slice(-1), ["goal did nothing"]);
  await turn("msg_b", "echo 'Algorand goal v3'");
  assert.deepEqual(calls(p), []);
  // It was recorded before the program failed.
  await turn("msg_c", `"${GOAL}" "$@" > ${join(p.home, "out")}; exit 1`);
  assert.deepEqual(calls(p), [1]);
  await turn("msg_d", works);
  assert.deepEqual(calls(p), [1, 3]);
  assert.match(told.join("\n"), /over budget: 4 of 3 model calls/);
  // What is counted while the program is asked stays, and opencode's end waits for both.
  p.goal("budget", "--max-llm-calls", "99");
  await says("/goal:resume");
  const acted = join(p.home, "acted");
  const acts = () => (existsSync(acted) ? readFileSync(acted, "utf8").trim().split("\n") : []);
  const asked = async (times) => {
    while (acts().length < times) await new Promise((later) => setTimeout(later, 20));
  };
  p.script("goal", `echo "$2" >> "${acted}"\nsleep 0.5\n[ "$(wc -l < "${acted}")" -gt 1 ] || exit 1\n${works}`);
  await answers(happens, "msg_e");
  const failed = stops();
  await asked(1);
  await answers(happens, "msg_f");
  await failed;
  assert.deepEqual(calls(p), [1, 3]);
  const stopped = stops();
  await asked(2);
  await plugin.dispose();
  await stopped;
  assert.deepEqual(acts(), ["stop", "stop", "stop", "session-end"]);
  assert.deepEqual(calls(p), [1, 3, 1, 1]);
});

test("opencode's plugin: after a compaction the summary goes before the model, once in each request", async (t) => {
  const p = own(t);
  const { types, plugin, happens } = await loaded(t, p);
  await types("goal:set", "Write the file done.txt");
  const request = async (...ids) => {
    const messages = ids.map((id) => ({ info: { id, sessionID: "S", role: "user" }, parts: [] }));
    for (let i = 0; i < 2; i++) await plugin["experimental.chat.messages.transform"]({}, { messages });
    return messages.map(({ parts }) => parts.map(({ text }) => text));
  };
  assert.deepEqual(await request("msg_a"), [[]]);
  await happens("session.compacted", { sessionID: "S" });
  const [[text, ...more]] = await request("msg_b");
  assert.match(text, /# Goal summary[^]*Write the file done\.txt[^]*# Working on/);
  assert.deepEqual(more, []);
  assert.deepEqual(await request("msg_b", "msg_c"), [[text], []]);
  assert.deepEqual(await request("msg_d"), [[]]);
});

test("opencode's plugin: a compaction of which two signs come is told once, and the next one again", async (t) => {
  const p = own(t);
  const { types, says, plugin, happens } = await loaded(t, p);
  await types("goal:set", "Write the file done.txt");
  const goesOn = () => plugin["experimental.compaction.autocontinue"]({ sessionID: "S" }, { enabled: true });
  const compacted = () => happens("session.compacted", { sessionID: "S" });
  const isTold = async (id) => {
    const messages = [{ info: { id, sessionID: "S", role: "user" }, parts: [] }];
    await plugin["experimental.chat.messages.transform"]({}, { messages });
    return messages[0].parts.length === 1;
  };
  await goesOn();
  assert.ok(await isTold("msg_a"));
  await compacted();
  assert.ok(!(await isTold("msg_b")));
  const [, context] = await says("what is 17+4");
  assert.doesNotMatch(context.text, /# Goal summary/);
  // The event comes before the request.
  await goesOn();
  await compacted();
  assert.ok(await isTold("msg_c"));
  assert.ok(!(await isTold("msg_d")));
  // The person compacts, and nothing goes on.
  await compacted();
  assert.ok(await isTold("msg_e"));
  // It is broken off before its event, and the person compacts later.
  await goesOn();
  assert.ok(await isTold("msg_f"));
  await happens("session.error", { sessionID: "S", error: { name: "MessageAbortedError" } });
  await happens("session.idle", { sessionID: "S" });
  await compacted();
  assert.ok(await isTold("msg_g"));
});

test("opencode's plugin: when opencode ends, its sessions hold nothing, and what they spent is recorded", async (t) => {
  const p = own(t);
  const { types, plugin, happens } = await loaded(t, p);
  await types("goal:set", "Write the file done.txt");
  p.goal("note", "half of it", "--session", "S");
  const known = () => p.goal("status", "--session", "T");
  assert.match(known(), /do no work for it here/);
  await answers(happens, "msg_a");
  await plugin.dispose();
  assert.doesNotMatch(known(), /do no work for it here/);
  assert.equal(costs(p)[0].counters.llmCalls, 1);
});

test("opencode's plugin: where the program is missing, broken or another one, nothing is said to the model", async (t) => {
  const p = own(t);
  const here = await loaded(t, p);
  p.goal("set", "Write the file done.txt");
  assert.equal((await here.says("what is 17+4")).length, 2, "ours is not there");
  for (const [body, heard] of [["echo 'goal broke' >&2; echo '{\"systemMessage\":\"x\"}'; exit 101"], ["echo 'Algorand goal v3'"], ["echo '{\"systemMessage\":\"x\"'"], [undefined, /not on the PATH/]]) {
    if (body) p.script("goal", body);
    // No other program of that name either.
    else p.env.PATH = join(p.home, "nothing");
    const { says, types, stops, told, wentOn } = await loaded(t, p);
    const parts = await says("what is 17+4");
    assert.deepEqual(parts.map(({ text }) => text), ["what is 17+4"], body);
    assert.deepEqual((await types("goal:confirm", "")).map(({ text }) => text), ["/goal:confirm"], body);
    await stops();
    assert.equal(wentOn.length, 0, body);
    assert.equal(told.length, heard ? 1 : 0, told.join("\n"));
    if (heard) assert.match(told[0], heard);
  }
});
