// The extension and the program that it needs: without the right one nothing of ours is there, and the
// person is told once what to run.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EXTENSION, MODEL, REPOSITORY, model, pi, piOnce, project, told } from "./support.mjs";

/** Programs that are not the one, and what is said of them. */
const WRONG = {
  missing: [() => "/nowhere/goal", /`\/nowhere\/goal` was not found/],
  older: [(p) => p.script("goal", 'echo "goal 0.0.9"'), /is version 0\.0\.9, and the extension needs \d+\.\d+\.\d+ or newer/],
  foreign: [(p) => p.script("goal", 'printf "8590065671\\n3.18.0.stable [rel/stable]\\n"'), /is another program of that name/],
};

const OURS = /goal|sisyphus/;

for (const [kind, [program, said]] of Object.entries(WRONG)) {
  test(`${kind}: one message with the line to run, and nothing of ours`, async (t) => {
    const p = project(t);
    p.goal("set", "Count the samples");
    rmSync(join(p.root, ".pi/extensions"), { recursive: true });
    const { requests } = await model(t, p, [{ text: "hello" }, { text: "hello" }]);
    await piOnce(p, ["install", REPOSITORY]);
    const env = { GOAL_BIN: program(p) };
    const host = pi(t, p, { env });
    await host.says("go");
    await host.ask({ type: "new_session" });
    await host.says("go");
    assert.equal(host.shown("notify").length, 1);
    const [{ message }] = host.shown("notify");
    assert.match(message, said);
    assert.match(message, /^goal is off in this session[\s\S]*\n(cargo install|npm install) \S.*$/);
    const { commands } = (await host.ask({ type: "get_commands" })).data;
    assert.deepEqual(commands.filter(({ name }) => OURS.test(name)), []);
    for (const { tools, messages } of requests) {
      assert.deepEqual(tools.map((it) => it.function.name).filter((name) => OURS.test(name)), []);
      assert.ok(!told({ messages }).includes("goal-execute"));
    }
    assert.equal(host.shown("setStatus").length + host.shown("setWidget").length, 0);
    assert.deepEqual(host.errors(), []);
    const { stderr } = await piOnce(p, [...MODEL, "-p", "go"], { env });
    assert.equal(stderr.match(/goal is off/g).length, 1);
  });
}

test("extension and skills name one version, which this program has", (t) => {
  const needs = /NEEDS = "(\d+\.\d+\.\d+(?:\+\d+)?)"/.exec(readFileSync(join(EXTENSION, "version.ts"), "utf8"))[1];
  const has = /^goal (\d+\.\d+\.\d+(?:\+\d+)?)/.exec(project(t).goal("--version"))[1];
  const [needed, there] = [needs, has].map((it) => [...it.split(/[.+]/).map(Number), 0].slice(0, 4));
  assert.ok(needed.reduce((order, number, at) => order || there[at] - number, 0) >= 0, `${needs} is newer than ${has}`);
  const skills = join(REPOSITORY, ".pi/skills");
  for (const name of readdirSync(skills)) {
    const [, head] = readFileSync(join(skills, name, "SKILL.md"), "utf8").split("---\n");
    assert.ok(head.includes(`\ncompatibility: Needs the program goal, version ${needs} or newer.\n`), name);
  }
});
