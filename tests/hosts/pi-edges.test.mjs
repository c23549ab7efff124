// What must hold in pi where things end early, go wrong, or come another way.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EXTENSION, GOAL, MODEL, REPOSITORY, eventually, latest, model, PI, pi, piOnce, project, told } from "./support.mjs";

const note = (text) => ({ tools: [["note_progress", { note: text }]] });
/** An auditor that approves once it is let go; it also ends with its test. */
const WAITING = `cat > /dev/null; until [ -e "$HOME/go" ] || [ ! -d "$HOME" ]; do sleep 0.05; done; echo "<approved/>"`;

const quiet = ["Count the samples", "--no-auto-continue"];

test("a compaction keeps pi's own summary, and the goal is told behind it once", async (t) => {
  const p = project(t);
  p.goal("set", ...quiet, "--criteria", "a number is written down");
  const { requests } = await model(t, p, [note("twelve so far"), { text: "noted" }, { text: "PI SUMS UP" }, { text: "PI SUMS UP THE TURN" }, { text: "going on" }, { text: "further" }]);
  const host = pi(t, p);
  await host.says("a word that is gone after the compaction");
  const { data } = await host.ask({ type: "compact", customInstructions: "keep the passwords thing" });
  assert.match(data.summary, /PI SUMS UP/);
  assert.match(told(requests[2]), /keep the passwords thing/);
  await host.says("go on");
  await host.says("and further");
  for (const request of requests.slice(4)) {
    const sent = told(request);
    for (const once of ["<summary>\nPI SUMS UP\n", "# Goal summary", "twelve so far", "## How to work"]) assert.equal(sent.split(once).length, 2, once);
    assert.ok(!sent.includes("a word that is gone"));
  }
  assert.equal(requests.length, 6);
  assert.deepEqual(host.errors(), []);
});

test("an abort while the auditor runs pauses the goal, and its verdict comes too late", async (t) => {
  const p = project(t, { auditor: WAITING });
  p.goal("set", "Count the samples");
  const { requests } = await model(t, p, [{ tools: [["update_goal", { status: "complete" }]] }]);
  const host = pi(t, p);
  const settled = host.until(({ type }) => type === "agent_settled", "settle");
  await host.ask({ type: "prompt", message: "complete it" });
  await eventually(() => p.types().includes("audit_started"), "the audit");
  await host.ask({ type: "abort" });
  await settled;
  assert.equal(host.results("update_goal")[0].isError, true);
  assert.match(host.results("update_goal")[0].result.content[0].text, /abort/i);
  const paused = p.events().at(-1);
  assert.deepEqual([paused.type, paused.by], ["goal_paused", "user"]);
  writeFileSync(join(p.home, "go"), "");
  await eventually(() => p.types().includes("audit_result"), "the verdict");
  const { verdict, cause } = p.events().find(({ type }) => type === "audit_result");
  assert.deepEqual([verdict, cause], ["error", "stale"]);
  assert.equal(requests.length, 1, "what the user stopped is not gone on with");
  assert.ok(!p.types().includes("goal_continued"));
});

test("an abort while the model speaks pauses the goal", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  let speaks;
  const asked = new Promise((resolve) => (speaks = resolve));
  await model(t, p, [() => (speaks(), new Promise(() => {}))]);
  const host = pi(t, p);
  const settled = host.until(({ type }) => type === "agent_settled", "settle");
  await host.ask({ type: "prompt", message: "go on with the goal" });
  await asked;
  await host.ask({ type: "abort" });
  await settled;
  assert.equal(p.types().at(-1), "goal_paused");
  assert.ok(!p.types().includes("goal_continued"));
});

test("what an error of the provider broke off is not gone on with", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { requests } = await model(t, p, [{ status: 400 }]);
  await pi(t, p).says("go");
  assert.equal(requests.length, 1);
  assert.deepEqual(p.types(), ["goal_created", "goal_focused"]);
});

test("an audit that outlasts its call goes on, and the next call gets its verdict", async (t) => {
  const p = project(t, { auditor: WAITING });
  p.goal("set", ...quiet);
  const complete = (waitSeconds) => ({ tools: [["update_goal", { status: "complete", summary: "twelve", waitSeconds }]] });
  const { requests } = await model(t, p, [complete(1), () => (writeFileSync(join(p.home, "go"), ""), complete(45)), { text: "done" }]);
  const host = pi(t, p);
  await host.says("complete it");
  assert.match(latest(requests[1]), /still running/);
  assert.match(latest(requests[2]), /The auditor approved/);
  assert.deepEqual(p.types().slice(2), ["completion_requested", "audit_started", "audit_result", "goal_completed", "usage_recorded"]);
});

test("a child without a receipt is a failure, whatever its exit status", async (t) => {
  const p = project(t);
  p.goal("set", ...quiet);
  const wrapped = p.script("goal", `case "$*" in
*note_progress*) kill -9 $$ ;;
*set_goal_tasks*) exit 0 ;;
*abort_goal*) echo '{"ok":true'; exit 0 ;;
*pause_goal*) "${GOAL}" "$@" > /dev/null; kill -TERM $$ ;;
*) exec "${GOAL}" "$@" ;;
esac`);
  const tools = [["note_progress", { note: "x" }], ["set_goal_tasks", { tasks: [] }], ["abort_goal", { reason: "y" }], ["pause_goal", { reason: "y" }], ["get_goal", {}]];
  const { requests } = await model(t, p, [{ tools }, { text: "so be it" }]);
  const host = pi(t, p, { env: { GOAL_BIN: wrapped } });
  await host.says("go");
  const said = Object.fromEntries(host.results().map((it) => [it.toolName, [it.isError, it.result.content[0].text]]));
  assert.match(said.note_progress[1], /killed by SIGKILL without a receipt; whether it was recorded is not known/);
  assert.match(said.set_goal_tasks[1], /ended with 0 without a receipt/);
  assert.match(said.abort_goal[1], /ended with 0 without a receipt/);
  assert.match(said.pause_goal[1], /killed by SIGTERM/);
  assert.deepEqual(Object.values(said).map(([isError]) => isError).sort(), [false, true, true, true, true]);
  assert.equal(requests.length, 2);
});

test("pi in a subdirectory writes to the project's ledger", async (t) => {
  const p = project(t);
  p.goal("set", ...quiet);
  const cwd = join(p.root, "deep/down");
  mkdirSync(cwd, { recursive: true });
  await model(t, p, [note("from below"), { text: "done" }]);
  await piOnce(p, [...MODEL, "-e", EXTENSION, "-p", "go"], { cwd });
  assert.deepEqual([p.events().at(-1).type, p.events().at(-1).note], ["goal_noted", "from below"]);
  assert.deepEqual(readdirSync(cwd), []);
});

test("without a person to ask, a proposal waits and nothing is created", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [{ tools: [["propose_goal_draft", { objective: "A goal" }]] }, { text: "done" }]);
  await piOnce(p, [...MODEL, "--approve", "-p", "make a goal"]);
  assert.deepEqual(p.types(), ["draft_proposed"]);
  assert.match(latest(requests[1]), /goal confirm/);
});

test("other tools do not write what goal keeps", async (t) => {
  const p = project(t);
  p.goal("set", ...quiet);
  const goals = join(p.root, ".pi/goals");
  const document = readdirSync(goals).find((name) => name.startsWith("active_goal_"));
  symlinkSync(goals, join(p.root, "elsewhere"));
  const paths = [".pi/goals/goal_events.jsonl", "@.pi/goals/../goals/goal_events.jsonl", join(goals, document), "elsewhere/goal_events.jsonl", ".pi/goals/archived/goal_1_x.md", ".git/goal/goal_events.jsonl"];
  const before = readFileSync(join(goals, "goal_events.jsonl"), "utf8");
  const write = (path) => ["write", { path, content: "forged" }];
  const edit = ["edit", { path: paths[0], edits: [{ oldText: "goal_created", newText: "goal_completed" }] }];
  await model(t, p, [{ tools: [...paths.map(write), edit, write("notes.md")] }, { text: "done" }]);
  const host = pi(t, p);
  await host.says("write");
  const blocked = host.results().filter((it) => /is kept by goal/.test(it.result.content[0].text));
  assert.equal(blocked.length, paths.length + 1);
  assert.equal(readFileSync(join(p.root, "notes.md"), "utf8"), "forged");
  assert.equal(readFileSync(join(goals, "goal_events.jsonl"), "utf8").slice(0, before.length), before);
});

test("each command shows or does what it says", async (t) => {
  const p = project(t);
  await model(t, p, []);
  const host = pi(t, p, { answer: ({ options }) => ({ value: options.find((option) => /Second|Show everything/.test(option)) }) });
  const said = async (command) => {
    await host.types(command);
    return host.shown("notify").at(-1).message;
  };
  p.goal("set", "First", "--no-auto-continue");
  p.goal("set", "Second", "--no-auto-continue");
  assert.match(await said("/goal-list"), /First[\s\S]*Second/);
  assert.match(await said("/goal-focus First of all"), /no goal|nothing|matches/i);
  assert.match(await said("/goal-focus"), /is active/);
  assert.match(await said("/goal-status"), /Second/);
  assert.match(await said("/goal"), /Second/);
  assert.match(await said("/goal-pause --reason"), /is paused/);
  assert.equal(p.events().at(-1).reason, "--reason");
  assert.match(await said("/goal-pause"), /already paused/);
  assert.match(await said("/goal-unfocus"), /no goal is focused/);
  assert.match(await said("/goal-settings"), /auditor/);
  assert.match(await said("/goals"), /TOPIC/);
  await said("/goal-focus");
  assert.match(await said("/goal-abort not worth it"), /is aborted/);
  // The focus returns to the goal that Second was set under.
  assert.deepEqual(host.shown("setWidget").at(-1).widgetLines, ["○ active: First"]);
  await host.says("/sisyphus-set Third");
  await host.says("/goal-tweak a better third");
  assert.match(host.shown("setWidget").at(-1).widgetLines.join("\n"), /Third[\s\S]*a better third/);
  const user = p.events().filter(({ type }) => type !== "goal_continued");
  assert.deepEqual([...new Set(user.map(({ by }) => by))], ["user"]);
  assert.deepEqual(host.errors(), []);
});

test("under GOAL_ACTOR=auditor nothing of ours is there", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const before = p.events();
  const { requests } = await model(t, p, [{ text: "hello" }]);
  const host = pi(t, p, { env: { GOAL_ACTOR: "auditor" } });
  await host.says("go");
  assert.ok(!JSON.stringify(requests[0]).includes("goal"), JSON.stringify(requests[0].tools.map((it) => it.function.name)));
  assert.deepEqual(p.events(), before);
  assert.equal(host.shown("setStatus").length, 0);
});

test("the repository is a pi package, skills and all", async (t) => {
  const p = project(t);
  rmSync(join(p.root, ".pi/extensions"), { recursive: true });
  p.goal("set", ...quiet);
  const { requests } = await model(t, p, [note("from a package"), { text: "done" }]);
  await piOnce(p, ["install", REPOSITORY]);
  await piOnce(p, [...MODEL, "-p", "go"]);
  assert.equal(p.events().at(-1).note, "from a package");
  // The model is told of one; the others are pages that it leads to.
  const shown = [...told(requests[0]).matchAll(/<name>(goal-[a-z-]+)<\/name>/g)].map(([, name]) => name);
  assert.deepEqual(shown, ["goal-execute"]);
});

test("pi removes what it installed, and nothing of ours is left before the model", async (t) => {
  const p = project(t);
  rmSync(join(p.root, ".pi/extensions"), { recursive: true });
  p.goal("set", ...quiet);
  const { requests } = await model(t, p, [{ text: "ours" }, { text: "gone" }]);
  await piOnce(p, ["install", REPOSITORY]);
  await piOnce(p, [...MODEL, "-p", "go"]);
  assert.match(JSON.stringify(requests[0]), /goal-execute/);
  await piOnce(p, ["remove", REPOSITORY]);
  await piOnce(p, [...MODEL, "-p", "go"]);
  assert.doesNotMatch(JSON.stringify(requests[1]), /get_goal|goal-execute/);
});

test("a pi that is killed in mid-turn loses nothing, and a new one goes on", async (t) => {
  const p = project(t, { auditor: "cat > /dev/null; echo '<approved/>'" });
  let first;
  const { requests } = await model(t, p, [
    note("begun"),
    () => {
      first.kill("SIGKILL");
      return { text: "nobody hears it" };
    },
    { tools: [["update_goal", { status: "complete", summary: "There are twelve." }]] },
    { text: "Done." },
  ]);
  first = spawn(process.execPath, [PI, ...MODEL, "--approve", "-p", "/goals-set Count the samples"], { cwd: p.root, env: p.env, stdio: "ignore" });
  await new Promise((ended) => first.on("close", ended));
  assert.ok(p.types().includes("goal_noted"));
  assert.match(p.goal("verify"), /no findings|For information/);
  const { stderr } = await piOnce(p, [...MODEL, "--approve", "-p", "go on with the goal"]);
  assert.match(told(requests[2]), /Count the samples[\s\S]*# Working on a goal/, stderr);
  assert.equal(p.types().filter((type) => type === "goal_completed").length, 1, stderr);
});

test("a command with --print begins the work and waits for its end", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [note("one"), { text: "turn over" }, { tools: [["pause_goal", { reason: "enough" }]] }, { text: "I stop." }]);
  const { stdout, stderr } = await piOnce(p, [...MODEL, "--approve", "-p", "/goals-set Count the samples"]);
  assert.equal(requests.length, 4, stderr);
  assert.match(stdout, /I stop/);
  assert.deepEqual(p.types().slice(-3), ["goal_noted", "goal_continued", "goal_paused"]);
  assert.doesNotMatch(stderr, /Extension error/);
  const drafted = project(t);
  const asked = await model(t, drafted, [{ text: "What is to be counted?" }]);
  const draft = await piOnce(drafted, [...MODEL, "--approve", "-p", "/goals counting"]);
  assert.equal(asked.requests.length, 1);
  assert.match(draft.stdout, /What is to be counted/);
  assert.deepEqual(drafted.types(), ["draft_started"]);
  assert.doesNotMatch(draft.stderr, /Extension error/);
});
