// Beside an extension that has the same commands and tools: said once, with the line that resolves it.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EXTENSION, REPOSITORY, model, pi, piOnce, project } from "./support.mjs";

/** An extension of the family, as it registers itself. */
const THEIRS = `export default (pi) => {
  pi.registerCommand("goals-set", { description: "theirs", handler: async () => {} });
  for (const name of ["get_goal", "update_goal"])
    pi.registerTool({ name, label: name, description: "theirs", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [{ type: "text", text: "No goal is set" }], details: {} }) });
};
`;

function theirs(p) {
  const dir = join(p.home, "theirs");
  mkdirSync(dir);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "pi-goal-of-old", version: "0.6.0", pi: { extensions: ["./index.ts"] } }));
  writeFileSync(join(dir, "index.ts"), THEIRS);
  return dir;
}

for (const order of ["before", "after"]) {
  test(`installed ${order} ours`, async (t) => {
    const p = project(t);
    const dir = theirs(p);
    p.goal("set", "Count the samples");
    const before = p.events();
    const { requests } = await model(t, p, [{ text: "hello" }]);
    await piOnce(p, ["install", order === "before" ? dir : REPOSITORY]);
    await piOnce(p, ["install", order === "before" ? REPOSITORY : dir]);
    const host = pi(t, p, { args: ["--no-approve"] });
    await host.says("hi");
    const said = host.shown("notify").map((it) => it.message);
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0], /^goal is off in this session: the extension .*theirs has the same commands and tools[\s\S]*\npi remove \S*theirs$/);
    assert.deepEqual(host.shown("setWidget").at(-1).widgetLines.map((it) => it.replace(/\S*theirs/g, "theirs")), ["goal is off beside theirs; resolve it with:", "pi remove theirs"]);
    const { commands } = (await host.ask({ type: "get_commands" })).data;
    assert.deepEqual(commands.map(({ name }) => name).filter((name) => name.startsWith("goal")), ["goals-set"]);
    assert.deepEqual(requests[0].tools.filter((it) => /goal/.test(it.function.name)).map((it) => it.function.description), ["theirs", "theirs"]);
    assert.equal(requests.length, 1);
    assert.deepEqual(p.events(), before);
    assert.deepEqual(host.errors(), []);
    // The line resolves it.
    await piOnce(p, said[0].split("\n").at(-1).split(" ").slice(1));
    const again = pi(t, p, { args: ["--no-approve"] });
    await again.types("/goal-status");
    assert.match(again.shown("notify").at(-1).message, /Count the samples/);
  });
}

test("ours twice, as a package and in the project, is ours once", async (t) => {
  const p = project(t);
  cpSync(EXTENSION, join(p.root, ".pi/extensions/goal"), { recursive: true });
  const { requests } = await model(t, p, [{ text: "hello" }]);
  await piOnce(p, ["install", REPOSITORY]);
  const host = pi(t, p);
  await host.says("hi");
  assert.match(host.shown("notify").map((it) => it.message).join("\n"), /has the same commands and tools/);
  const { commands } = (await host.ask({ type: "get_commands" })).data;
  assert.equal(commands.filter(({ name }) => /^goals-set/.test(name)).length, 1);
  assert.equal(requests.length, 1);
});
