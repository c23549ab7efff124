// Clients that generators make of the schemas: each reads the program's own answers, and those of a
// later version, with codes, values and fields that no schema knows.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { compileFromFile } from "json-schema-to-typescript";

const { GOAL, PYTHON, KEPT } = process.env;
const made = join(KEPT, "made");
const ours = (path) => join(import.meta.dirname, path);

/** What is asked, in this order: the exit code, and a field of the data. */
const ASKED = [
  { args: ["note", "n"], exit: 3, field: "goalId" },
  { args: ["set", "Make it so"], exit: 0, field: "goalId" },
  { args: ["list"], exit: 0, field: "goals" },
  { args: ["show"], exit: 0, field: "id" },
  { args: ["verify"], exit: 7, field: "findings" },
];

/** The answer as a later version could give it. */
function later(answer) {
  const own = structuredClone(answer);
  const { data, error } = own;
  const items = [...(data?.goals ?? []), ...(data?.findings ?? []), ...(data?.notices ?? [])];
  for (const object of [own, data, error, ...items]) {
    if (!object) continue;
    for (const word of ["code", "status", "severity"]) if (typeof object[word] === "string") object[word] = "brand_new";
    object.brandNew = { is: ["new"] };
  }
  return own;
}

function answers() {
  const home = mkdtempSync(join(tmpdir(), "goal-clients-"));
  const env = { PATH: process.env.PATH, HOME: home, GOAL_ACTOR: "user", GOAL_TEST: "1" };
  try {
    return ASKED.map(({ args, exit, field }) => {
      if (args[0] === "verify") appendFileSync(join(home, ".pi/goals/goal_events.jsonl"), "no JSON\n");
      const { status, stdout } = spawnSync(GOAL, [...args, "--json", "--root", home], { cwd: home, env, encoding: "utf8" });
      const answer = JSON.parse(stdout);
      assert.equal(status, exit, stdout);
      const name = args[0];
      const schema = execFileSync(GOAL, ["schema", name, "--answer"], { cwd: home, env, encoding: "utf8" });
      const file = join(made, `${name}.json`);
      writeFileSync(file, schema);
      return { name, field, file, answers: [answer, later(answer)], wrong: { ...answer, data: 5, error: 5 } };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

rmSync(made, { recursive: true, force: true });
mkdirSync(made, { recursive: true });
const asked = answers();

test("json-schema-to-typescript: types that narrow and take what is new", async () => {
  const checks = [];
  for (const { name, field, file, answers, wrong } of asked) {
    const types = await compileFromFile(file);
    writeFileSync(join(made, `${name}.ts`), types);
    const [, type] = /export type (Goal\w+Answer)\b/.exec(types);
    const check = join(made, `${name}.check.ts`);
    const texts = answers.map((answer) => JSON.stringify(answer));
    writeFileSync(check, `
import type { ${type} as Answer } from "./${name}";
export const answers: Answer[] = [${texts.join(",\n")}];
// @ts-expect-error: data and error are objects
export const wrong: Answer = ${JSON.stringify(wrong)};
export const read = (answer: Answer) => (answer.ok ? answer.data.${field} : answer.error.code);
`);
    checks.push(check);
  }
  const tsc = spawnSync(process.execPath, [ours("node_modules/typescript/bin/tsc"), "--strict", "--noEmit", "--typeRoots", made, "--module", "esnext", "--moduleResolution", "bundler", ...checks], { encoding: "utf8" });
  assert.equal(tsc.status, 0, tsc.stdout);
});

test("quicktype: what it makes checks each answer as it runs, and takes what is new", () => {
  const require = createRequire(import.meta.url);
  for (const { name, file, answers, wrong } of asked) {
    const client = join(made, `${name}.cjs`);
    execFileSync(process.execPath, [ours("node_modules/quicktype/dist/index.js"), "--src-lang", "schema", "--lang", "javascript", file, "--out", client]);
    const exported = require(client);
    const read = exported[Object.keys(exported).find((key) => key.startsWith("to"))];
    for (const answer of answers) read(JSON.stringify(answer));
    assert.throws(() => read(JSON.stringify(wrong)), name);
  }
});

test("datamodel-codegen: models that tell the two kinds of answer apart and take what is new", { skip: !PYTHON }, () => {
  for (const { name, file, answers, wrong } of asked) {
    const client = join(made, `${name}.py`);
    execFileSync(PYTHON, ["-W", "ignore", "-m", "datamodel_code_generator", "--input", file, "--input-file-type", "jsonschema", "--output-model-type", "pydantic_v2.BaseModel", "--output", client]);
    const input = [...answers, wrong].map((answer) => JSON.stringify(answer)).join("\n");
    execFileSync(PYTHON, [ours("read.py"), client], { input, stdio: ["pipe", "inherit", "inherit"] });
  }
});
