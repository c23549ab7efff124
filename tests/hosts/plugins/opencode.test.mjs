// opencode, set up by the block of its page: the server is started, and the model calls a tool of it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { GOAL, model, project, REPOSITORY, told } from "../support.mjs";

const { OPENCODE_CLI } = process.env;

test("opencode: the block of its page starts the server, and a proposal waits", { skip: !OPENCODE_CLI && "opencode is not installed" }, async (t) => {
  const p = project(t);
  rmSync(join(p.root, ".pi/extensions"), { recursive: true });
  p.script("goal", `exec "${GOAL}" "$@"`);
  // It also asks for a title, without tools, whenever it likes.
  const steps = [{ tools: [["goal_propose_goal_draft", { objective: "Count the samples" }]] }, { text: "It waits for you." }];
  const { requests } = await model(t, p, Array(6).fill((request) => (request.tools ? steps.shift() : undefined) ?? { text: "Samples" }));
  const page = readFileSync(join(REPOSITORY, "docs/hosts/opencode.md"), "utf8");
  const block = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)[1]);
  const { baseUrl } = JSON.parse(readFileSync(join(p.home, "agent/models.json"), "utf8")).providers.loopback;
  const provider = { loopback: { npm: "@ai-sdk/openai-compatible", options: { baseURL: baseUrl, apiKey: "none" }, models: { scripted: { tool_call: true } } } };
  writeFileSync(join(p.root, "opencode.json"), JSON.stringify({ ...block, provider, model: "loopback/scripted", small_model: "loopback/scripted", share: "disabled", autoupdate: false }));
  const env = { ...p.env, PATH: `${join(p.home, "bin")}:${p.env.PATH}`, OPENCODE_DISABLE_MODELS_FETCH: "1", XDG_DATA_HOME: join(p.home, "data") };
  const run = (args) =>
    new Promise((ended) => execFile(OPENCODE_CLI, args, { cwd: p.root, env, timeout: 100_000 }, (_error, stdout, stderr) => ended(stdout + stderr)).stdin.end());
  assert.match(await run(["mcp", "list"]), /goal.*connected/);
  const said = await run(["run", "propose a goal"]);
  const called = requests.filter((it) => it.tools?.some((tool) => tool.function.name === "goal_propose_goal_draft"));
  assert.ok(called.length > 0, said);
  assert.match(requests.map(told).join("\n"), /goal confirm/);
  assert.ok(p.types().includes("draft_proposed"), said);
});
