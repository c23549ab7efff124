// Qwen Code, set up by its page: the extension's hooks run, its server is started, and the tool that our
// text names completes the goal, although Qwen Code has an `update_goal` of its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { GOAL, model, project, REPOSITORY, told } from "../support.mjs";

const { QWEN_CLI } = process.env;

/** The commands that the page shows, and its settings. */
function shown() {
  const page = readFileSync(join(REPOSITORY, "docs/hosts/qwen-code.md"), "utf8");
  const [install, remove] = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block.trim());
  const [, settings] = /```json\n([\s\S]*?)```/.exec(page);
  return { install, remove, settings: JSON.parse(settings) };
}

/** A project with Qwen Code set up in it, whose model goes by `script`; `says` is what the person types. */
async function qwen(t, given, script, own) {
  const p = project(t, given);
  rmSync(join(p.root, ".pi/extensions"), { recursive: true });
  p.script("goal", `exec "${GOAL}" "$@"`);
  const { requests } = await model(t, p, script);
  const { baseUrl } = JSON.parse(readFileSync(join(p.home, "agent/models.json"), "utf8")).providers.loopback;
  const { install, remove, settings } = shown();
  assert.deepEqual(settings, { tools: { disabled: ["get_goal", "update_goal"] } });
  mkdirSync(join(p.home, ".qwen"));
  writeFileSync(join(p.home, ".qwen/settings.json"), JSON.stringify({ ...(own ? {} : settings), security: { auth: { selectedType: "openai" } } }));
  const PATH = [join(p.home, "bin"), dirname(QWEN_CLI), p.env.PATH].join(":");
  const env = { ...p.env, PATH, OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" };
  // The person has it in their own shell: what leads the host elsewhere would lead an auditor, too.
  p.env = env;
  const run = (file, args, cwd = p.root) =>
    new Promise((ended) => execFile(file, args, { cwd, env, timeout: 200_000 }, (_error, stdout, stderr) => ended(stdout + stderr)).stdin.end());
  const says = (prompt) => run(QWEN_CLI, ["--auth-type", "openai", "--model", "scripted", "--yolo", "--prompt", prompt]);
  await run("sh", ["-ec", `${install} --consent`], REPOSITORY);
  return { p, requests, says, run, remove };
}

const skip = !QWEN_CLI && "Qwen Code is not installed";

for (const own of [true, false]) {
  test(`qwen: the tool that our text names completes the goal, ${own ? "beside" : "without"} its own tools`, { skip }, async (t) => {
    const steps = [
      (request) => {
        const tools = [...told(request).matchAll(/request completion with `([^`]*)`/gi)].map(([, tool]) => tool);
        assert.deepEqual([...new Set(tools)], ["mcp__goal__update_ledger_goal"]);
        // Its tools are hidden, and ours are called through the one that shows them.
        steps.push(() => ({ tools: [["tool_call", { name: tools[0], arguments: { status: "complete", summary: "There are twelve." } }]] }));
        return { tools: [["tool_search", { query: `select:${tools[0]}` }]] };
      },
    ];
    const script = Array(9).fill((request) => (request.tools ? steps.shift()?.(request) : undefined) ?? { text: "Done." });
    const { p, requests, says, run, remove } = await qwen(t, { auditor: "cat > /dev/null; echo Twelve.; echo '<approved/>'" }, script, own);
    p.goal("set", "Count the samples");
    const said = await says("go on with the goal");
    const names = requests.find((it) => it.tools).tools.map((tool) => tool.function.name);
    assert.equal(names.includes("update_goal"), own, names.join(" "));
    const gate = ["completion_requested", "audit_started", "audit_result", "goal_completed"];
    assert.deepEqual(p.types().filter((type) => gate.includes(type)), gate, said + requests.map(told).join("\n"));
    await run("sh", ["-ec", remove]);
    assert.doesNotMatch(await run(QWEN_CLI, ["extensions", "list"]), /goal/);
  });
}

test("qwen: what the user types about a goal is their act", { skip }, async (t) => {
  const { p, requests, says } = await qwen(t, {}, Array(9).fill({ text: "Done." }), false);
  p.goal("set", "Count the samples");
  const said = await says("goal:pause lunch");
  const paused = p.events().findLast((it) => it.type === "goal_paused");
  assert.equal(paused?.reason, "lunch", said);
  assert.equal(paused.by, "user");
  assert.ok(paused.via);
  assert.ok(requests.some((request) => /carried that out as the user's own act/.test(told(request))));
});
