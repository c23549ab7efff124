// The tools that the model is shown: about ten, by the goal's phase.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { MODEL, latest, model, pi, piOnce, project } from "./support.mjs";

/** So many bytes of a list of tools are a token at least (docs/design/surfaces.md). */
const BYTES = 4;

/** pi's own tools. */
const PIS = ["bash", "edit", "find", "grep", "ls", "read", "write"];

const ours = (request) => (request.tools ?? []).filter((it) => !PIS.includes(it.function.name));

const names = (request) => ours(request).map((it) => it.function.name);

function assertShort(request, most) {
  const tokens = JSON.stringify(ours(request).map((it) => it.function)).length / BYTES;
  assert.ok(tokens <= most, `${tokens} tokens of tools, at most ${most}`);
}

test("in a project without goals the model is shown no tool of ours", async (t) => {
  const p = project(t);
  rmSync(join(p.root, ".pi/goals"), { recursive: true });
  const { requests } = await model(t, p, [{ text: "4" }]);
  await piOnce(p, [...MODEL, "--approve", "-p", "what is 2+2"]);
  assert.deepEqual(names(requests[0]), []);
});

test("the tools follow the goal through its phases", async (t) => {
  const p = project(t);
  const { requests } = await model(t, p, [
    { text: "hello" },
    { tools: [["pause_goal", { reason: "tired" }]] },
    { text: "I rest." },
    { text: "hello again" },
  ]);
  const host = pi(t, p);
  await host.says("hi");
  assert.deepEqual(names(requests[0]), ["get_goal", "propose_goal_draft"]);
  assertShort(requests[0], 700);
  await host.says("/goals-set Count the samples");
  assert.ok(names(requests[1]).includes("update_goal") && names(requests[1]).includes("ask_user"));
  assert.ok(names(requests[1]).length <= 11, names(requests[1]).join(" "));
  assertShort(requests[1], 1300);
  assert.ok(!names(requests[2]).includes("update_goal"), "it rests");
  await host.says("hi again");
  assert.deepEqual(names(requests[3]), names(requests[2]));
  assertShort(requests[3], 700);
});

test("pi itself refuses a tool that it does not show, before any event of an extension", async (t) => {
  const p = project(t);
  p.goal("set", "Count the samples");
  const { requests } = await model(t, p, [{ tools: [["list_goals", {}]] }, { text: "I see." }]);
  const host = pi(t, p);
  await host.says("hi");
  assert.match(latest(requests[1]), /^Tool list_goals not found$/);
  assert.equal(requests.length, 2);
});
