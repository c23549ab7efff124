// What a model is sent over the whole life of a goal: draft, confirmation, work, objection, approval.
// Every request is judged, and of it only what is ours: tools, messages, and results of our tools.

import assert from "node:assert/strict";
import { test } from "node:test";
import { model, pi, project } from "./support.mjs";

/** So many bytes are a token at least (docs/design/surfaces.md). */
const BYTES = 4;

const tokens = (text) => Math.ceil(Buffer.byteLength(text) / BYTES);
const text = ({ content }) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n"));

const PIS = ["bash", "edit", "find", "grep", "ls", "read", "write"];

/** The texts of ours in a request: the person said nothing but commands, so all messages are. */
function ours(request) {
  const calls = new Map(request.messages.flatMap((it) => it.tool_calls ?? []).map((it) => [it.id, it.function.name]));
  return request.messages
    .filter(({ role, tool_call_id }) => role === "user" || (role === "tool" && !PIS.includes(calls.get(tool_call_id))))
    .map(text);
}

const OBJECTIVE = "Write into hello.txt one friendly greeting for everybody who reads it";
const CRITERION = "the file hello.txt says hello in lower case letters and nothing else";
const write = (content) => ["write", { path: "hello.txt", content }];
const complete = { tools: [["update_goal", { status: "complete", summary: "it is written" }]] };

/** Bounds, in tokens: our tools with a goal, and all our texts in one request. */
const TOOLS = 2200;
const TEXTS = 1600;

/**
 * Texts up to this length are not compared: a continuation without the contract, which names the next
 * step anew and stays as it is for the provider's cache, and answers to calls, which say what came of them.
 */
const SHORT = 600;

/** Sentences of more than eight words, outside fences, without marks and letter case. */
const sentences = (text) =>
  text
    .replace(/^```[\s\S]*?^```/gm, "")
    .split(/(?<=[.:;?!])\s|\n/)
    .map((it) => it.replace(/[`*_#-]/g, "").trim().toLowerCase())
    .filter((it) => it.split(/\s+/).length > 8);

test("over a goal's whole life the model is sent the contract once, and no sentence of ours twice", async (t) => {
  const p = project(t, { auditor: `cat > /dev/null
if [ -e "$HOME/second" ]; then echo "It holds."; echo "<approved/>"; exit; fi
touch "$HOME/second"; echo "The file says hallo."; echo "<disapproved/>"` });
  const { requests } = await model(t, p, [
    { tools: [["propose_goal_draft", { title: "Greeting", objective: OBJECTIVE, successCriteria: [CRITERION] }]] },
    { tools: [["get_goal", {}]] },
    { tools: [["set_goal_tasks", { tasks: [{ id: "1", title: "write" }] }]] },
    { tools: [write("hallo")] },
    { text: "Written." },
    { tools: [["note_progress", { note: "written" }]] },
    { tools: [["update_goal_task", { taskId: "1", status: "complete", evidence: "written" }]] },
    complete,
    { tools: [["get_goal", {}]] },
    { tools: [write("hello")] },
    { text: "Corrected." },
    complete,
    { text: "Done." },
  ]);
  const host = pi(t, p, { answer: () => ({ value: "Confirm" }) });
  await host.says("/goals a greeting");
  assert.equal(requests.length, 13);
  assert.equal(p.types().filter((it) => it === "audit_result").length, 2);
  assert.equal(p.types().at(-2), "goal_completed", p.types().join(" "));

  for (const [at, request] of requests.entries()) {
    const tools = (request.tools ?? []).filter((it) => !PIS.includes(it.function.name)).map((it) => it.function);
    assert.ok(tokens(JSON.stringify(tools)) <= TOOLS, `request ${at}: tools`);
    const texts = ours(request);
    const all = texts.join("\n");
    assert.ok(tokens(all) <= TEXTS, `request ${at}: ${tokens(all)} tokens of texts`);
    for (const part of [OBJECTIVE, CRITERION]) assert.ok(all.split(part).length <= 2, `request ${at}: ${part}\n${all}`);
    const seen = new Set();
    for (const sentence of texts.filter((it) => it.length > SHORT).flatMap(sentences)) {
      assert.ok(!seen.has(sentence), `request ${at} says twice: ${sentence}`);
      seen.add(sentence);
    }
    // Words for a terminal are for the user alone.
    const commands = [...all.matchAll(/`goal ([a-z]+)/g)].map(([, name]) => name);
    assert.deepEqual(commands.filter((it) => !["confirm", "reject"].includes(it)), [], `request ${at}`);
  }
});
