// The life of a goal in pi: drafted, confirmed, worked on, paused, resumed, and completed past an
// auditor that objects first.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { latest, model, pi, project, told } from "./support.mjs";

const AUDITOR = `cat > /dev/null
if [ -e "$HOME/approve" ]; then echo "It holds."; echo "<approved/>"
else touch "$HOME/approve"; echo "Sample 7 was never read."; echo "<disapproved/>"; fi`;

const NOTES = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => ["note_progress", { note: `sample ${n} is read` }]);

test("a goal from the first word to the archive", async (t) => {
  const p = project(t, { auditor: AUDITOR });
  const complete = { tools: [["update_goal", { status: "complete", summary: "all samples are read" }]] };
  const { requests } = await model(t, p, [
    { tools: [["propose_goal_draft", { objective: "Read every sample", successCriteria: ["no sample fails"] }]] },
    { text: "It is settled." },
    // The goal goes on by itself.
    { tools: NOTES },
    { tools: [["pause_goal", { reason: "the samples of May are missing" }]] },
    { tools: [["note_progress", { note: "too late" }]] },
    { text: "I need the samples of May." },
    // The user resumes it.
    complete,
    complete,
    { text: "Done." },
  ]);
  const host = pi(t, p, { answer: () => ({ value: "Confirm" }) });

  await host.says("/goals read all the samples");
  assert.match(told(requests[0]), /Drafting a goal[\s\S]*read all the samples/);
  const [dialog] = host.shown("select");
  assert.match(dialog.title, /^Objective: Read every sample\nSuccess criteria: no sample fails\n/);
  assert.equal(dialog.title.match(/Read every sample/g).length, 1);
  assert.match(latest(requests[1]), /^The user confirmed it/);
  assert.match(latest(requests[2]), /# Continue goal[\s\S]*update_goal/);
  assert.match(latest(requests[5]), /The turn has ended/);
  assert.equal(requests.length, 6);
  assert.deepEqual(host.results("note_progress").map((it) => it.isError), [...NOTES.map(() => false), true]);
  assert.deepEqual(new Set(noted(p)), new Set(NOTES.map(([, { note }]) => note)));
  assert.match(host.shown("setStatus").at(-1).statusText, /paused/);
  const confirmed = p.events().find(({ type }) => type === "goal_created");
  assert.equal(confirmed.by, "user");
  assert.equal(confirmed.objective, "Read every sample");
  assert.equal(p.events().find(({ type }) => type === "goal_noted").by, "agent");

  await host.says("/goal-resume");
  assert.match(told(requests[6]), /Read every sample/);
  assert.match(latest(requests[7]), /Sample 7 was never read/);
  assert.match(latest(requests[8]), /The auditor approved/);
  assert.equal(requests.length, 9);
  assert.deepEqual(p.types(), [
    ...["draft_started", "draft_proposed", "goal_created", "goal_focused", "draft_resolved", "goal_continued"],
    ...NOTES.map(() => "goal_noted"),
    ...["goal_paused", "goal_resumed"],
    ...["completion_requested", "audit_started", "audit_result", "usage_recorded"],
    ...["completion_requested", "audit_started", "audit_result", "goal_completed", "usage_recorded"],
  ]);
  const sessions = new Set(p.events().flatMap(({ session }) => session ?? []));
  assert.deepEqual([...sessions], [(await host.session()).sessionId]);
  assert.equal(host.shown("setStatus").at(-1).statusText, undefined);
  assert.equal(readdirSync(join(p.root, ".pi/goals/archived")).length, 1);
  assert.ok(!readdirSync(join(p.root, ".pi/goals")).some((name) => name.startsWith("active_goal_")));
  p.goal("verify", "--strict");
  assert.deepEqual(host.errors(), []);
});

test("the context is told once, and again when the goal has changed", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples", "--no-auto-continue");
  const { requests } = await model(t, p, [{ text: "one" }, { text: "two" }, { text: "three" }]);
  const host = pi(t, p);
  await host.says("hello");
  await host.says("hello again");
  assert.equal(times(requests[1], "# Working on a goal"), 1);
  assert.match(told(requests[1]), /note_progress/);
  p.goal("pause", "--reason", "the user waits");
  await host.says("and now?");
  assert.match(told({ messages: requests[2].messages.slice(-2) }), /paused[\s\S]*the user waits/);
  assert.deepEqual(host.errors(), []);
});

test("a goal that gets nowhere is not continued for ever, and the user's word resets it", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const looks = { tools: [["read", { path: "sample" }]] };
  const { requests } = await model(t, p, [looks, ...Array(4).fill({ text: "hm" }), looks]);
  const host = pi(t, p);
  await host.says("go on with the goal");
  const first = requests.length;
  assert.ok(first > 1, "it goes on by itself");
  assert.match(host.shown("notify").at(-1).message, /not continued any more/);
  await host.says("go on");
  assert.equal(requests.length, 2 * first);
  assert.ok(p.types().includes("user_prompted"));
  assert.equal(p.types().filter((type) => type === "goal_continued").length, 2 * (first - 2));
});

test("what came in between is not acted on", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples", "--no-auto-continue");
  const note = (text) => ({ tools: [["note_progress", { note: text }]] });
  let session;
  const { requests } = await model(t, p, [
    () => (p.goal("--session", session, "set", "Weigh the samples", "--no-auto-continue"), note("meant for the first")),
    { tools: [["get_goal", {}]] },
    note("meant for the second"),
    () => (p.goal("--session", session, "tweak", "--objective", "Weigh all samples"), note("meant for the old contract")),
    { text: "so be it" },
  ]);
  const host = pi(t, p);
  session = (await host.session()).sessionId;
  await host.says("go");
  assert.deepEqual(host.results("note_progress").map((it) => it.isError), [true, false, true]);
  assert.deepEqual(noted(p), ["meant for the second"]);
  assert.match(latest(requests[1]), /stale|not the focused/i);
});

test("the goal is leased while the agent works, and nobody else's lease is worked against", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const leases = () => JSON.parse(p.goal("lease", "list", "--json")).data.leases;
  let during;
  const { requests } = await model(t, p, [{ tools: [["read", { path: "sample" }]] }, { text: "hello" }, () => ((during = leases()), { tools: [["pause_goal", { reason: "enough" }]] }), { text: "paused" }]);
  const host = pi(t, p);
  await host.says("go on with the goal");
  const { sessionId } = await host.session();
  assert.deepEqual(during.map(({ session, standing }) => [session, standing]), [[sessionId, "held"]]);
  assert.deepEqual(leases(), []);
  p.goal("resume");
  p.goal("lease", "acquire", "--session", "another", "--pid", String(process.pid));
  await host.says("go");
  assert.match(host.shown("notify").at(-1).message, /another/);
  assert.equal(requests.length, 5, "it does not go on by itself");
  assert.deepEqual(leases().map(({ session }) => session), ["another"]);
});

test("a session that is taken up again knows what it was told", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples", "--no-auto-continue");
  const { requests } = await model(t, p, [{ text: "one" }, { text: "two" }]);
  const first = pi(t, p);
  await first.says("hello");
  await first.end();
  const second = pi(t, p, { args: ["--approve", "--continue"] });
  await second.says("hello again");
  assert.match(told(requests[1]), /hello\n\n[\s\S]*hello again/);
  assert.equal(times(requests[1], "# Working on a goal"), 1);
});

test("a new session in the same pi begins anew", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples", "--no-auto-continue");
  const note = { tools: [["note_progress", { note: "here" }]] };
  const { requests } = await model(t, p, [{ text: "one" }, note, { text: "two" }]);
  const host = pi(t, p);
  await host.says("hello");
  await host.ask({ type: "new_session" });
  await host.says("hello again");
  assert.equal(times(requests[1], "# Working on a goal"), 1);
  assert.equal(p.events().at(-1).session, (await host.session()).sessionId);
  assert.deepEqual(host.errors(), []);
});

test("a fork has the drafts of the session that it was forked from", async (t) => {
  const p = project(t);
  const propose = { tools: [["propose_goal_draft", { objective: "Count the samples" }]] };
  await model(t, p, [{ text: "one" }, propose, { text: "waits" }]);
  const host = pi(t, p, { answer: () => ({ cancelled: true }) });
  await host.says("hello");
  const before = (await host.session()).sessionId;
  p.goal("--session", before, "draft", "samples");
  p.goal("--session", "another", "draft", "something else");
  await host.ask({ type: "clone" });
  const { sessionId } = await host.session();
  assert.notEqual(sessionId, before);
  await host.says("propose it");
  const [opened] = p.events();
  const proposed = p.events().at(-1);
  assert.deepEqual([proposed.type, proposed.draftId, proposed.session], ["draft_proposed", opened.draftId, sessionId]);
  assert.deepEqual(host.errors(), []);
});

test("a proposal without a dialog waits, and a rejected one can be followed by another", async (t) => {
  const p = project(t);
  const propose = (objective) => ({ tools: [["propose_goal_draft", { objective }]] });
  const { requests } = await model(t, p, [propose("First"), { text: "waits" }, propose("Second"), { text: "rejected" }]);
  const answers = [{ cancelled: true }, { value: "Reject" }];
  const host = pi(t, p, { answer: () => answers.shift() });
  await host.says("/goals something");
  assert.match(latest(requests[1]), /Nothing is in force yet/);
  await host.says("again");
  assert.match(latest(requests[3]), /^The user rejected it/);
  assert.deepEqual(p.types(), ["draft_started", "draft_proposed", "draft_proposed", "draft_resolved"]);
});

/** Notes of the ledger, in order. */
const noted = (p) => p.events().flatMap(({ type, note }) => (type === "goal_noted" ? [note] : []));

const times = (request, text) => told(request).split(text).length - 1;
