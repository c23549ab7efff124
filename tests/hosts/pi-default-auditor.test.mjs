// Who audits where nobody chose an auditor: the session's model in a pi of its own. It is chosen by what
// the person does, said when a goal is created, and changed with /goal-settings.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PI, latest, model, pi, piOnce, MODEL, project, told } from "./support.mjs";

/** A project whose user has `pi` on the PATH and has chosen no auditor. */
function fresh(t) {
  const p = project(t);
  p.script("pi", `exec "${process.execPath}" "${PI}" "$@"`);
  p.env.PATH = `${join(p.home, "bin")}:${p.env.PATH}`;
  return p;
}
const file = (p) => join(p.home, "config/goal/config.toml");
const chosen = (p) => (existsSync(file(p)) ? readFileSync(file(p), "utf8").match(/^\w+ = .*$/gm) : undefined);
const SESSIONS = ['preset = "pi"', 'provider = "loopback"', 'model = "scripted"'];
const said = (host) => host.shown("notify").map((it) => it.message).join("\n");
const complete = { tools: [["update_goal", { status: "complete", summary: "done" }]] };
const READING = ["find", "grep", "ls", "read"];

test("a first goal is drafted, confirmed, worked, rejected and approved, with no file edited", async (t) => {
  const p = fresh(t);
  const { requests } = await model(t, p, [
    { tools: [["propose_goal_draft", { objective: "Write hello.txt", successCriteria: ["it says hello"] }]] },
    { tools: [["write", { path: "hello.txt", content: "hallo" }]] },
    complete,
    { text: "It says hallo.\n<disapproved/>" },
    { tools: [["write", { path: "hello.txt", content: "hello" }]] },
    complete,
    { text: "It says hello.\n<approved/>" },
    { text: "Done." },
  ]);
  const host = pi(t, p, { answer: () => ({ value: "Confirm" }) });
  await host.says("/goals a greeting");
  assert.match(said(host), /no auditor was chosen.*\n?.*pi, loopback\/scripted[\s\S]*\/goal-settings/i);
  assert.deepEqual(chosen(p), SESSIONS);
  for (const at of [3, 6]) {
    assert.deepEqual(requests[at].tools.map((it) => it.function.name).sort(), READING);
    assert.match(told(requests[at]), /Write hello\.txt/);
  }
  assert.match(latest(requests[4]), /It says hallo/);
  assert.equal(p.events().filter(({ type }) => type === "goal_completed").length, 1);
  const started = p.events().find(({ type }) => type === "audit_started");
  assert.deepEqual([started.provider, started.model], ["loopback", "scripted"]);
  assert.deepEqual(host.errors(), []);
});

test("who audits is said at each creation, and what was chosen before stays", async (t) => {
  const p = fresh(t);
  p.configure(`[auditor]\ncommand = [${JSON.stringify(p.script("judge", "cat > /dev/null; echo '<approved/>'"))}]\n`);
  const before = readFileSync(file(p), "utf8");
  await model(t, p, [complete, { text: "done" }]);
  const host = pi(t, p);
  await host.says("/goals-set quick");
  assert.match(said(host), /audited by .*bin\/judge/);
  assert.equal(readFileSync(file(p), "utf8"), before);
});

test("without a pi on the PATH it is said at creation that nobody audits", async (t) => {
  const p = project(t);
  await model(t, p, [{ tools: [["pause_goal", { reason: "enough" }]] }, { text: "done" }]);
  const host = pi(t, p);
  await host.says("/goals-set quick");
  assert.match(said(host), /no auditor is chosen, so the goal cannot be completed[\s\S]*\/goal-settings/);
  assert.equal(chosen(p), undefined);
});

test("a goal from a terminal: that nobody audits is said before the work, once", async (t) => {
  const p = fresh(t);
  p.goal("set", "Count the samples", "--no-auto-continue");
  await model(t, p, [{ text: "one" }, { text: "two" }]);
  const host = pi(t, p);
  await host.says("go");
  await host.says("go on");
  assert.equal(said(host).match(/no auditor is chosen/g).length, 1);
  assert.equal(chosen(p), undefined);
});

test("an agent chooses no auditor: neither its proposals nor a pi that it starts", async (t) => {
  const p = fresh(t);
  await model(t, p, [{ tools: [["propose_goal_draft", { objective: "A goal" }]] }, { text: "waits" }]);
  await pi(t, p, { answer: () => ({ value: "Decide later" }) }).says("make a goal");
  assert.equal(chosen(p), undefined);
  const { stderr } = await piOnce(p, [...MODEL, "--approve", "-p", "/goals-set mine"], { env: { PI_SESSION_ID: "outer" } });
  assert.match(stderr, /only the user may/);
  assert.equal(chosen(p), undefined);
  assert.deepEqual(p.types(), ["draft_proposed"]);
});

test("/goal-settings shows who audits, and changes it", async (t) => {
  const p = fresh(t);
  p.script("claude", "exit 0");
  await model(t, p, []);
  const picks = [];
  const host = pi(t, p, {
    answer: ({ method, options }) => (method === "input" ? { value: picks.shift() } : { value: options.find((it) => it.startsWith(picks[0]) && picks.shift()) }),
  });
  const pick = async (...rows) => {
    picks.push(...rows);
    await host.types("/goal-settings");
    return host.shown("select").at(-1).title;
  };
  await pick("Audit with this session's model");
  assert.match(host.shown("select").at(-1).title, /^Nobody audits/);
  assert.deepEqual(chosen(p), SESSIONS);
  await pick("Audit with claude");
  assert.match(host.shown("select").at(-1).title, /audited by pi, loopback\/scripted/i);
  assert.deepEqual(chosen(p), ['preset = "claude"']);
  await pick("Audit with another model of pi", "loopback/scripted");
  assert.deepEqual(chosen(p), SESSIONS);
  p.goal("set", "Count the samples", "--no-auto-continue");
  await pick("Limit what the goal may cost", "Tokens", "5000");
  assert.match(p.goal("budget"), /5000|5,000/);
  await pick("Show everything");
  assert.match(said(host), /auditor/);
  assert.deepEqual(host.errors(), []);
});
