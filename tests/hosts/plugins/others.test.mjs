// GitHub Copilot CLI, Continue and Cline, set up by what their pages show: the model learns of the goal, and
// the tool that our text names completes it past the auditor.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { exported } from "./sessions.mjs";
import { GOAL, model, project, REPOSITORY, told } from "../support.mjs";

/** The blocks of a page in this language. */
function blocks(page, language) {
  const text = readFileSync(join(REPOSITORY, `docs/hosts/${page}.md`), "utf8");
  return [...text.matchAll(new RegExp("```" + language + "\n([\\s\\S]*?)```", "g"))].map(([, block]) => block);
}

const names = (request) => request.tools.map((tool) => tool.function.name);

/** What our texts name for requesting completion, each once. */
const named = (request) => [...new Set([...told(request).matchAll(/request completion with `([^`]*)`/gi)].map(([, tool]) => tool))];

/** A project in which this host is installed; `run` runs a program of it. */
async function installed(t, cli, steps) {
  const p = project(t, { auditor: "cat > /dev/null; echo Twelve.; echo '<approved/>'" });
  rmSync(join(p.root, ".pi/extensions"), { recursive: true });
  p.script("goal", `exec "${GOAL}" "$@"`);
  // Some also ask for a title, without tools, whenever they like.
  const { requests } = await model(t, p, Array(12).fill((request) => (request.tools ? steps.shift()?.(request) : undefined) ?? { text: "Done." }));
  const url = JSON.parse(readFileSync(join(p.home, "agent/models.json"), "utf8")).providers.loopback.baseUrl;
  p.env = { ...p.env, PATH: [join(p.home, "bin"), dirname(cli), p.env.PATH].join(":"), NO_COLOR: "1" };
  const run = (file, args, cwd = p.root) =>
    new Promise((ended) => execFile(file, args, { cwd, env: p.env, timeout: 100_000 }, (_error, stdout, stderr) => ended(stdout + stderr)).stdin.end());
  return { p, requests, url, run };
}

/** The goal went through the auditor, because the agent asked for it. */
function completed(p, said) {
  const gate = ["completion_requested", "audit_started", "audit_result", "goal_completed"];
  assert.deepEqual(p.types().filter((type) => gate.includes(type)), gate, said);
  assert.equal(p.events().find(({ type }) => type === "completion_requested").by, "agent");
}

/** The steps of a model that is told in `AGENTS.md` where to begin, and then by the tool what to do. */
const byTools = (before) => [
  (request) => {
    assert.match(told(request), /Goals of this project: begin with the tool/);
    assert.ok(names(request).includes(`${before}get_goal`), names(request).join(" "));
    return { tools: [[`${before}get_goal`, {}]] };
  },
  (request) => {
    assert.deepEqual(named(request), [`${before}update_goal`]);
    return { tools: [[`${before}update_goal`, { status: "complete", summary: "There are twelve." }]] };
  },
];

const { COPILOT_CLI, CN_CLI, CLINE_CLI } = process.env;

test("copilot: it goes on by itself, and the tool that our text names completes the goal", { skip: !COPILOT_CLI && "GitHub Copilot CLI is not installed" }, async (t) => {
  const { p, requests, url, run } = await installed(t, COPILOT_CLI, [
    (request) => {
      for (const part of ["# Goal summary", "The focused goal is `Count the samples`"]) assert.ok(told(request).includes(part), part);
      assert.deepEqual(named(request), ["goal-update_goal"]);
      return { tools: [["bash", { command: "echo twelve", description: "Count" }]] };
    },
    () => ({ text: "I counted." }),
    (request) => {
      assert.match(told({ messages: request.messages.slice(-1) }), /# Continue goal `Count the samples`/);
      return { tools: [["goal-update_goal", { status: "complete", summary: "There are twelve." }]] };
    },
  ]);
  Object.assign(p.env, { COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_API_KEY: "none", COPILOT_MODEL: "gpt-5" });
  const plugins = join(p.home, "plugins");
  execFileSync(join(REPOSITORY, "packaging/plugins/assemble"), [plugins]);
  const [setUp] = blocks("copilot", "sh");
  await run("sh", ["-ec", setUp.replace("$(npm root --global)/goal-ledger/plugins", plugins)]);
  p.goal("set", "Count the samples");
  const said = await run(COPILOT_CLI, ["--allow-all-tools", "--prompt", "go on with the goal"]);
  completed(p, said + requests.map(told).join("\n"));
  assert.ok(p.types().includes("goal_continued"), said);
  // What a turn cost is read from its transcript.
  assert.ok(p.events().some(({ type, role, counters }) => type === "usage_recorded" && !role && counters.llmCalls > 0));
});

test("continue: the tool that our text names completes the goal", { skip: !CN_CLI && "Continue is not installed" }, async (t) => {
  const { p, requests, url, run } = await installed(t, CN_CLI, byTools(""));
  const [servers] = blocks("continue", "yaml");
  mkdirSync(join(p.home, ".continue"));
  const models = `models:\n  - name: scripted\n    provider: openai\n    model: scripted\n    apiBase: ${url}\n    apiKey: none\n`;
  writeFileSync(join(p.home, ".continue/config.yaml"), `name: own\nversion: 1.0.0\nschema: v1\n${models}${servers}`);
  writeFileSync(join(p.root, "AGENTS.md"), blocks("continue", "markdown")[0]);
  p.goal("set", "Count the samples");
  const said = await run(CN_CLI, ["--config", join(p.home, ".continue/config.yaml"), "--auto", "--print", "go on with the goal"]);
  completed(p, said + requests.map(told).join("\n"));
});

test("cline: the tool that our text names completes the goal", { skip: !CLINE_CLI && "Cline is not installed" }, async (t) => {
  const { p, requests, url, run } = await installed(t, CLINE_CLI, byTools("goal__"));
  Object.assign(p.env, { CLINE_TELEMETRY_DISABLED: "1", CLINE_HUB_PORT: "25464" }, exported("cline"));
  const provider = ["--provider", "openai-compatible", "--apikey", "none", "--modelid", "scripted", "--baseurl", url];
  await run(CLINE_CLI, ["auth", ...provider]);
  await run("sh", ["-ec", blocks("cline", "sh")[0]]);
  writeFileSync(join(p.root, "AGENTS.md"), blocks("cline", "markdown")[0]);
  p.goal("set", "Count the samples");
  const said = await run(CLINE_CLI, ["--provider", "openai-compatible", "--model", "scripted", "go on with the goal"]);
  completed(p, said + requests.map(told).join("\n"));
  // A session elsewhere is not shown the goals of this project.
  const elsewhere = join(p.home, "elsewhere");
  execFileSync("git", ["init", "-q", elsewhere]);
  p.goal("set", "Count them again");
  for (const [cwd, shown] of [[p.root, true], [elsewhere, false]]) {
    const before = requests.length;
    await run(CLINE_CLI, ["--cwd", cwd, "--provider", "openai-compatible", "--model", "scripted", "what is 17+4"], cwd);
    assert.equal(names(requests[before]).includes("goal__get_goal"), shown, cwd);
  }
  // It may leave a process behind, which serves its other windows.
  await run(CLINE_CLI, ["hub", "stop"]);
});
