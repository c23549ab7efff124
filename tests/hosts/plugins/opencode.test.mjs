// opencode, set up by its page, in a server as its interactive program starts one: what the person types is
// their act, the agent goes on by itself, and a session that its agent starts is not taken for the person's.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, GOAL } from "../support.mjs";
import { calls, HOSTS, settled, told } from "./sessions.mjs";

const host = HOSTS.find(({ name }) => name === "opencode");
const skip = !host.cli && "opencode is not installed";

/** Its server; `says` sends what the person typed, `types` a slash command as its menu does. */
async function served({ p, atEnd }) {
  const child = spawn(host.cli, ["serve", "--hostname", "127.0.0.1", "--port", "0"], { cwd: p.root, env: p.env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((end) => child.on("exit", end));
  atEnd(() => (child.kill("SIGKILL"), ended));
  const at = await new Promise((listens, fails) => {
    child.stdout.setEncoding("utf8").on("data", (text) => /listening on (\S+)/.test(text) && listens(/listening on (\S+)/.exec(text)[1]));
    ended.then((code) => fails(new Error(`it ended with ${code}`)));
  });
  const post = async (path, body) => (await fetch(`${at}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json();
  const { id } = await post("/session", {});
  return {
    begins: async () => (await post("/session", {})).id,
    says: (text) => post(`/session/${id}/message`, { parts: [{ type: "text", text }] }),
    aborts: () => post(`/session/${id}/abort`, {}),
    compacts: () => post(`/session/${id}/summarize`, { providerID: "loopback", modelID: "scripted", auto: true }),
    commands: async () => (await fetch(`${at}/command`)).json(),
    types: (command, words = "") => post(`/session/${id}/command`, { command, arguments: words }),
  };
}

test("opencode: the server of its page is connected", { skip }, async (t) => {
  const { run } = await settled(t, host);
  assert.match(await run(host.cli, ["mcp", "list"]), /goal.*connected/);
});

test("opencode: what the person types is their act, and the agent goes on by itself until the auditor approves", { skip }, async (t) => {
  const made = await settled(t, host);
  const { p, requests, thinks } = made;
  thinks(function* (request) {
    yield* calls(host, request, "propose_goal_draft", { objective: "Write the file done.txt" });
  });
  const { says, types } = await served(made);
  await types("goal:draft", "a file done.txt");
  thinks(function* () {});
  await says("/goal:confirm");
  assert.match(told(requests.at(-1)), /goal:confirm[^]*Write the file done\.txt/);
  assert.ok(!p.types().includes("goal_created"), "it was confirmed before it was shown");
  thinks(function* (request) {
    request = yield { tools: [host.shell("touch done.txt")] };
    request = yield { text: "I wrote it." };
    assert.match(JSON.stringify(request.body.messages.at(-1)), /# Continue goal/);
    yield* calls(host, request, "update_goal", { status: "complete", summary: "It is written." });
  });
  await types("goal:confirm");
  await eventually(() => p.types().includes("goal_completed"), `completion: ${p.types()}`);
  const created = p.events().find(({ type }) => type === "goal_created");
  assert.deepEqual([created.by, created.via], ["user", "opencode"]);
  assert.equal(p.events().find(({ type }) => type === "completion_requested").by, "agent");
});

test("opencode: what the person types is shown as they typed it, also where a prompt of the server has its name", { skip }, async (t) => {
  const made = await settled(t, host);
  const { p, requests } = made;
  const { types, commands } = await served(made);
  // Once the server is connected, opencode has a command for each of its prompts.
  await types("goal:status");
  await eventually(async () => (await commands()).some(({ name, source }) => name === "goal:draft" && source === "mcp"), "the server's prompts");
  await types("goal:draft", "a file done.txt");
  assert.equal(p.events().find(({ type }) => type === "draft_started")?.topic, "a file done.txt");
  const typed = requests.at(-1).body.messages.findLast(({ role }) => role === "user").content;
  const shown = typeof typed === "string" ? typed : typed[0].text;
  assert.match(shown, /^\/goal:draft a file done\.txt\n\n\[goal\]\nOpened draft /);
});

test("opencode: Escape in a turn that the goal began pauses it", { skip }, async (t) => {
  const made = await settled(t, host);
  const { p, thinks } = made;
  const { says, aborts } = await served(made);
  let goesOn = false;
  thinks(function* () {
    yield { tools: [host.shell("echo begun")] };
    yield { text: "I began." };
    goesOn = true;
    yield { tools: [host.shell("touch runs; sleep 60")] };
  });
  await says("/goal:set Write the file done.txt");
  await eventually(() => goesOn && existsSync(join(p.root, "runs")), "a turn that the goal began");
  await aborts();
  await eventually(() => p.types().includes("goal_paused"), `a pause: ${p.types()}`);
});

test("opencode: after a compaction the agent goes on with the summary of the goal, and without a prompt", { skip }, async (t) => {
  const made = await settled(t, host);
  const { requests, thinks } = made;
  const { says, compacts } = await served(made);
  await says("/goal:set Write the file done.txt");
  const at = requests.length;
  thinks(function* () {
    yield { tools: [host.shell("echo begun")] };
    yield { text: "I began." };
  });
  await compacts();
  // What it asks the model for the summary has no tools, and is not among them.
  const later = requests.slice(at);
  assert.equal(later.length, 2, `${later.length} requests`);
  for (const request of later) assert.equal(told(request).split("# Goal summary").length, 2, told(request));
});

test("opencode: a run that ends leaves what it spent, no turn that nobody takes, and the end of its session", { skip }, async (t) => {
  const { p, says, thinks } = await settled(t, host);
  p.goal("set", "Write the file done.txt");
  const acted = join(p.home, "acted");
  p.script("goal", `echo "$@" >> "${acted}"\nexec "${GOAL}" "$@"`);
  thinks(function* (request) {
    yield* calls(host, request, "note_progress", { note: "begun" });
  });
  await says("go on with the goal");
  assert.deepEqual(p.types().slice(-2), ["goal_noted", "usage_recorded"]);
  assert.match(readFileSync(acted, "utf8"), /hook stop [^]*hook session-end /);
});

test("opencode: a session that its agent starts is not the person", { skip }, async (t) => {
  const { p, says, thinks } = await settled(t, host);
  p.goal("set", "The goal of the person");
  const before = p.types().filter((type) => type === "goal_created").length;
  let result;
  thinks(function* () {
    let request = yield { tools: [host.shell('opencode run "/goal:set Another goal"; echo "actor: $GOAL_ACTOR"')] };
    // The session that it starts asks too, and has called nothing.
    while (!request.results.length) request = yield { text: "Done." };
    result = request.results.at(-1);
  });
  await says("start another session");
  assert.match(result, /actor: agent/);
  assert.equal(p.types().filter((type) => type === "goal_created").length, before, p.types().join(" "));
});

test("opencode: what a subagent is told, and the words of a project's command, are no acts of the person", { skip }, async (t) => {
  const made = await settled(t, host);
  const { p, thinks } = made;
  mkdirSync(join(p.root, ".opencode/command"), { recursive: true });
  for (const name of ["fix", "goal:pause"]) writeFileSync(join(p.root, `.opencode/command/${name}.md`), "/goal:set A goal of the project\n");
  const { begins, says, types } = await served(made);
  const another = await begins();
  let results = 0;
  thinks(function* (request) {
    for (const task_id of [undefined, another]) {
      request = yield { tools: [["task", { description: "set", subagent_type: "general", prompt: "/goal:set A goal of the agent", ...(task_id && { task_id }) }]] };
      while (!request.results.length) request = yield { text: "Done." };
      results += 1;
    }
  });
  await says("ask a subagent");
  assert.equal(results, 2);
  thinks(function* () {});
  await types("fix");
  await types("goal:pause", "no goal is there");
  assert.ok(!p.types().includes("goal_created"), p.types().join(" "));
  await types("goal:set", "Print \"hello\" and `!touch here`");
  assert.equal(p.events().find(({ type }) => type === "goal_created").objective, "Print \"hello\" and `!touch here`");
});
