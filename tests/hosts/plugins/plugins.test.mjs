// The plugins in their hosts: installed from a local directory, as a user does it, and then live. Their
// hooks call `goal`, their MCP server is started, the model is told of the goal, tools and skills, and
// what our texts name is what completes the goal.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { eventually, GOAL, project, REPOSITORY } from "../support.mjs";
import { TAKEN_OUT } from "./sessions.mjs";
import { HOSTS } from "../presets/hosts.mjs";
import { model } from "../presets/model.mjs";

/**
 * How each host installs a plugin from a directory, what it prints of it then, and how its model loads
 * a tool that it was not shown.
 */
const SET_UP = {
  claude: {
    install: (dir) => [["plugin", "validate", `${dir}/claude`], ["plugin", "marketplace", "add", dir], ["plugin", "install", "goal@goal-ledger"]],
    list: [["plugin", "details", "goal@goal-ledger"], /Hooks \(4\)[\s\S]*MCP servers \(1\)  goal/],
    page: "claude-code",
    left: [["plugin", "marketplace", "list"], /goal-ledger/],
    program: "claude",
    commands: (name, topic) => ["--allowedTools", "mcp__plugin_goal_goal", "--", `/goal:${name} ${topic}`],
    types: (line) => [["--", `/goal:${line}`]],
    again: ["--continue"],
    args: ["--print", "--model", "scripted"],
    works: ["--allowedTools", "mcp__plugin_goal_goal"],
    loads: (tool) => ["ToolSearch", { query: `select:${tool}`, max_results: 5 }],
    called: "mcp__plugin_goal_goal__",
  },
  "codex, tools": {
    install: (dir) => [["plugin", "marketplace", "add", dir], ["plugin", "add", "goal@goal-ledger"]],
    list: [["mcp", "list"], /^goal +goal +mcp .*enabled/m],
    page: "codex",
    left: [["plugin", "marketplace", "list"], /goal-ledger/],
    program: "codex",
    // Its screen takes no slash command that it does not know.
    types: (line) => [[], `goal:${line}`],
    args: ["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "--config", 'model_provider="ollama"', "--model", "gpt-5.5", "-"],
    works: [],
    // As our text says it.
    loads: (_, told) => {
      const [, query, limit] = /`tool_search` with the query `([^`]*)` and the limit (\d+)/.exec(told);
      return ["tool_search", { query, limit: Number(limit) }];
    },
    called: "mcp__goal.",
    // It has tools of its own called `get_goal` and `update_goal`.
    reads: "get_ledger_goal",
    completes: "update_ledger_goal",
  },
  gemini: {
    install: (dir) => [["extensions", "validate", `${dir}/gemini`], ["extensions", "install", "--consent", `${dir}/gemini`]],
    page: "gemini",
    left: [["extensions", "list"], /goal \(/],
    list: [["extensions", "list"], /goal \(\d+\.\d+\.\d+\)[\s\S]*MCP servers:\s+goal[\s\S]*goal-execute/],
    program: "gemini",
    commands: (name, topic) => ["--yolo", "--prompt", `/goal:${name} ${topic}`],
    types: (line) => [["--yolo", "--prompt", `/goal:${line}`]],
    args: ["--skip-trust", "--model", "gemini-2.5-pro"],
    works: ["--yolo"],
    loads: () => assert.fail("Gemini CLI shows all tools"),
    called: "mcp_goal_",
  },
};

/** What a request tells the model. */
const told = ({ body }) => JSON.stringify(body);

/** What Codex gives its model with any MCP server, also one that declares no resources, and with any plugin. */
const OF_CODEX = /^(list|read)_mcp_resource/;
const OF_CODEX_PLUGINS = /<plugins_instructions>[^]*?<\/plugins_instructions>/;

/** How many tokens a request has without that: tools, and all texts beside them. */
function size({ body: { system, systemInstruction, instructions, messages, contents, input }, tools }) {
  const own = JSON.stringify(JSON.parse(tools).filter(({ name }) => !OF_CODEX.test(name)));
  const texts = (value) => (typeof value === "string" ? [value.replace(OF_CODEX_PLUGINS, "")] : value && typeof value === "object" ? Object.values(value).flatMap(texts) : []);
  const all = texts([system, systemInstruction, instructions, messages, contents, input]);
  return [own, ...all].reduce((sum, text) => sum + encode(text).length, 0);
}

/** Steps in which the model calls what `call` gives, which it loads before if it does not see it, and then says that it is done. */
function calling(setUp, call) {
  let called;
  const left = [
    (request) => {
      called = call(request);
      if (request.names.includes(called[0])) left.shift();
      else return { tools: [setUp.loads(called[0], told(request))] };
    },
    (request) => assert.ok(request.names.includes(called[0]) || request.results.at(-1).includes(called[0]), request.results.at(-1)),
    () => ({ tools: [called] }),
  ];
  // A step that gives nothing leaves the request to the next one.
  const next = (request) => (left.length ? left.shift()(request) ?? next(request) : { text: "Done." });
  return Array(3).fill(next);
}

for (const [name, setUp] of Object.entries(SET_UP)) {
  const host = HOSTS.find((it) => it.name === name);
  const skip = !host.cli && `${setUp.program} is not installed`;

  /** A host with the plugin, unless it is to be `bare`, in a project; `run` runs it, and `acted` holds how `goal` was called. */
  const installed = async (t, script, given = {}) => {
    const p = project(t, given);
    rmSync(join(p.root, ".pi/extensions"), { recursive: true });
    const plugins = join(p.home, "plugins");
    const acted = join(p.home, "acted");
    p.script("goal", `echo "$@" >> "${acted}"\n${TAKEN_OUT}exec "${GOAL}" "$@"`);
    const { url, requests } = await model(t, script);
    // Not a `goal` that the developer has installed.
    const others = p.env.PATH.split(":").filter((dir) => !existsSync(join(dir, "goal")));
    const env = { ...p.env, PATH: [join(p.home, "bin"), ...others].join(":"), ...host.env({ ...p, url }) };
    // The person has it in their own shell: what leads the host elsewhere would lead an auditor, too.
    p.env = env;
    for (const dir of [".codex", ".gemini"]) mkdirSync(join(p.home, dir));
    // Codex passes no `XDG_…` to a server.
    symlinkSync("config", join(p.home, ".config"));
    mkdirSync(join(p.home, ".local"));
    symlinkSync("../state", join(p.home, ".local/state"));
    // What a user of Gemini CLI chose before.
    writeFileSync(join(p.home, ".gemini/settings.json"), '{"security":{"auth":{"selectedType":"gemini-api-key"}}}');
    const run = (file, args, input = "") =>
      new Promise((ended, failed) => {
        const child = execFile(file, args, { cwd: p.root, env, timeout: 100_000 }, (error, stdout, stderr) => (error ? failed(new Error(`${args.join(" ")}: ${error.code}\n${stdout}\n${stderr}`)) : ended(stdout + stderr)));
        child.stdin.on("error", () => {});
        child.stdin.end(input);
      });
    await run(join(REPOSITORY, "packaging/plugins/assemble"), [plugins]);
    for (const args of given.bare ? [] : setUp.install(plugins)) await run(host.cli, args, "y\n");
    return { p, run, requests, acted: () => (existsSync(acted) ? readFileSync(acted, "utf8") : "") };
  };

  test(`${setUp.program}: in a project without goals the model is sent one line of ours`, { skip }, async (t) => {
    const sent = async (given) => {
      const { p, run, requests } = await installed(t, [{ text: "Four." }], given);
      rmSync(join(p.root, ".pi/goals"), { recursive: true });
      await run(host.cli, setUp.args, "what is 2+2");
      return requests[0];
    };
    // Ours is there: with a goal it is told, and not by the user's word.
    const there = await installed(t, Array(9).fill({ text: "Four." }));
    there.p.goal("set", "Count the samples");
    there.p.goal("pause", "--reason", "to see what the model is told");
    await there.run(host.cli, setUp.args, "what is 2+2").catch(() => {});
    assert.ok(told(there.requests[0]).includes("Count the samples"), "the model is not told of the goal");
    const [bare, ours] = [await sent({ bare: true }), await sent({})];
    assert.deepEqual(ours.names.filter((it) => !OF_CODEX.test(it)), bare.names);
    const added = size(ours) - size(bare);
    t.diagnostic(`${setUp.program}: ${added} tokens`);
    assert.ok(added <= 100, `${added} tokens`);
  });

  test(`${setUp.program}: installed from a directory, its hooks and its server are live`, { skip }, async (t) => {
    const { p, run, requests, acted } = await installed(t, [{ text: "Done." }]);
    const [list, shown] = setUp.list;
    assert.match(await run(host.cli, list), shown);

    p.goal("set", "Count the samples");
    // Else the hooks let the agent go on for three turns.
    p.goal("pause", "--reason", "to see what the model is told");
    // How a host ends whose agent is told to go on is its own affair.
    await run(host.cli, setUp.args, "go on").catch(() => {});
    const calls = acted();
    for (const call of ["hook session-start", "hook user-prompt-submit", "hook stop", "mcp"]) assert.ok(calls.includes(call), `${call} in:\n${calls}`);
    for (const part of ["Count the samples", "goal-execute", `\`${setUp.called}${setUp.reads ?? "get_goal"}\``]) assert.ok(told(requests[0]).includes(part), part);

    // With a program that is older than its hooks need, the model is told nothing by them, and the person once.
    const at = requests.length;
    const older = join(p.home, "older");
    p.script("goal", `[ "$1" = hook ] || exec "${GOAL}" "$@"\nset -- $(echo "$@" | sed "s/--needs .*/--needs 99.0.0/")\necho "$@" >> "${older}"\n"${GOAL}" "$@" | tee -a "${older}.said"`);
    await run(host.cli, setUp.args, "go on").catch(() => {});
    assert.match(readFileSync(older, "utf8"), /hook session-start[\s\S]*hook user-prompt-submit/);
    const said = readFileSync(`${older}.said`, "utf8");
    assert.equal(said.match(/the hooks need 99\.0\.0 or newer[^"]*(cargo install --path \.|npm install --global goal-ledger)/g)?.length, 1, said);
    assert.doesNotMatch(told(requests[at]), /Count the samples/);
  });

  test(`${setUp.program}: its page says how to remove what was installed`, { skip }, async (t) => {
    const { run } = await installed(t, []);
    const [list, shown] = setUp.left;
    assert.match(await run(host.cli, list), shown);
    const page = readFileSync(join(REPOSITORY, `docs/hosts/${setUp.page}.md`), "utf8");
    const [, removal] = /## Remove it\n\n```sh\n([\s\S]*?)```/.exec(page);
    for (const line of removal.trim().split("\n")) await run(host.cli, line.split(" ").slice(1));
    assert.doesNotMatch(await run(host.cli, list), shown);
  });

  test(`${setUp.program}: the tool that our text names completes the goal past the auditor`, { skip }, async (t) => {
    const named = (request) => {
      const tools = [...told(request).matchAll(/request completion with `([^`]*)`/gi)].map(([, tool]) => tool);
      assert.ok(tools.length > 0, told(request));
      assert.deepEqual([...new Set(tools)], [`${setUp.called}${setUp.completes ?? "update_goal"}`]);
      return [tools[0], { status: "complete", summary: "There are twelve.", evidence: ["sample: twelve"] }];
    };
    const { p, run, requests } = await installed(t, calling(setUp, named), { auditor: "cat > /dev/null; echo Twelve.; echo '<approved/>'" });
    p.goal("set", "Count the samples");
    await run(host.cli, [...setUp.works, ...setUp.args], "go on with the goal").catch(() => {});
    const types = p.types();
    const gate = ["completion_requested", "audit_started", "audit_result", "goal_completed"];
    assert.deepEqual(types.filter((type) => gate.includes(type)), gate, requests.flatMap(({ results }) => results).join("\n"));
    assert.equal(p.events().find(({ type }) => type === "completion_requested").by, "agent");
  });

  test(`${setUp.program}: where goal is missing or fails, the host works as without it`, { skip }, async (t) => {
    const { p, run, requests } = await installed(t, Array(9).fill({ text: "Four." }));
    rmSync(join(p.home, "bin/goal"));
    const answered = async (why) => {
      const before = requests.length;
      await run(host.cli, setUp.args, "what is 2+2").catch(() => {});
      assert.equal(requests.length, before + 1, why);
    };
    await answered("goal is missing");
    for (const code of [2, 101]) {
      p.script("goal", `echo "goal broke" >&2\nexit ${code}`);
      await answered(`goal exits ${code}`);
      assert.doesNotMatch(told(requests.at(-1)), /goal broke/);
    }
    p.script("goal", 'echo "Algorand goal v3"');
    await answered("another program is called goal");
    assert.doesNotMatch(told(requests.at(-1)), /Algorand/);
  });

  test(`${setUp.program}: its slash commands act in a project without goals`, { skip: skip || (!setUp.commands && `${setUp.program} has no slash commands of ours`) }, async (t) => {
    const topic = `it's "slow" $(touch pwned) \`touch pwned\`; touch pwned`;
    const proposal = [`${setUp.called}propose_goal_draft`, { objective: "The tests take a minute" }];
    let listed;
    const { p, run, requests, acted } = await installed(t, [
      // The tools come when the server has seen that there is a project.
      async () => {
        await eventually(() => existsSync(listed) && readFileSync(listed, "utf8").includes('"propose_goal_draft"'), "the tools");
        return { tools: [host.reads[0]] };
      },
      ...calling(setUp, () => proposal),
    ]);
    listed = join(p.home, "listed");
    p.script("goal", `echo "$@" >> "${join(p.home, "acted")}"\n[ "$1" = mcp ] || exec "${GOAL}" "$@"\n"${GOAL}" "$@" | tee -a "${listed}"`);
    writeFileSync(join(p.root, "sample"), "twelve\n");
    rmSync(join(p.root, ".pi"), { recursive: true });
    const said = await run(host.cli, [...setUp.args, ...setUp.commands("draft", topic)]).catch(String);
    assert.deepEqual(p.types(), ["draft_started", "draft_proposed"], `${said}\n${acted()}\n${requests.flatMap(({ results }) => results).join("\n")}`);
    const [started, proposed] = p.events();
    assert.equal(started.topic, topic);
    assert.equal(started.by, "user");
    assert.equal(proposed.draftId, started.draftId);
    assert.equal(proposed.by, "agent");
    assert.ok(!existsSync(join(p.root, "pwned")));
    // What the user types to decide, where this host's hooks hear it.
    const answer = requests.flatMap(({ results }) => results).join("\n");
    assert.match(answer, setUp.program === "claude" ? /accept it with `\/goal:confirm / : /accept it with `goal:confirm /);
    const rules = told(requests[0]);
    for (const part of ["Drafting a goal", "touch pwned", `\`${proposal[0]}\``]) assert.ok(rules.includes(part), part);
    // Nothing was there when the session began, so nothing was said of a tool that is not there.
    assert.doesNotMatch(rules, /Begin with/);

    const [draft] = p.events();
    p.goal("confirm", draft.draftId, "--expect", JSON.parse(p.goal("drafts", "--json")).data.drafts[0].revision);
    p.goal("pause", "--reason", "to see");
    if (setUp.program !== "claude") return;
    await run(host.cli, [...setUp.args, ...setUp.commands("status", "")]);
    assert.match(told(requests.at(-1)), /The tests take a minute[\s\S]*paused[\s\S]*Change nothing/);
  });

  test(`${setUp.program}: what the user types about a goal is their act`, { skip }, async (t) => {
    const { p, run, requests } = await installed(t, Array(9).fill({ text: "Done." }));
    rmSync(join(p.root, ".pi"), { recursive: true });
    const types = async (line, again = []) => {
      const [args, input] = setUp.types(line);
      const said = await run(host.cli, [...setUp.args, ...again, ...args], input).catch(String);
      // What came of it is told to the model too.
      assert.match(told(requests.at(-1)), /The program carried that out as the user's own act/, `${line}\n${said}`);
      return told(requests.at(-1));
    };
    const acted = (type) => {
      const event = p.events().findLast((it) => it.type === type);
      assert.equal(event?.by, "user", `${type} in ${p.types()}`);
      assert.match(event.via, new RegExp(setUp.program), type);
      return event;
    };
    assert.match(await types("set Count the $(touch pwned) samples"), /Created and focused/);
    // The model that is asked at once is shown the tools of the goal; the other two load them.
    if (setUp.program === "gemini") assert.ok(requests.at(-1).names.includes(`${setUp.called}update_goal`), requests.at(-1).names.join(" "));
    const { goalId } = acted("goal_created");
    assert.ok(!existsSync(join(p.root, "pwned")));
    await types("pause lunch, then a walk");
    assert.equal(acted("goal_paused").reason, "lunch, then a walk");
    assert.match(await types("resume"), /Working on a goal/);
    acted("goal_resumed");
    p.goal("pause", "--reason", "to see");
    p.goal("propose", "Sort the samples", "--boundary", "none is thrown away");
    assert.match(await types("confirm"), /none is thrown away[\s\S]*Nothing is decided yet/);
    assert.deepEqual(p.events().filter(({ type }) => type === "goal_created").map((it) => it.goalId), [goalId]);
    if (!setUp.again) return;
    assert.match(await types("confirm", setUp.again), /Confirmed goal/);
    assert.notEqual(acted("goal_created").goalId, goalId);
  });

  test(`${setUp.program}: why a typed act was refused the person sees without a screen, or the model tells them`, { skip }, async (t) => {
    const { run, requests } = await installed(t, Array(9).fill({ text: "Done." }));
    const [args, input] = setUp.types("confirm");
    const said = await run(host.cli, [...setUp.args, ...args], input);
    const why = /did nothing: there is no open draft/;
    // The model is not asked for what the host shows itself.
    if (setUp.program === "claude") assert.equal(requests.length, 0);
    else assert.match(told(requests[0]), /nothing was done[\s\S]*did nothing[\s\S]*Tell the user in one sentence/);
    // Codex prints no message of a hook without its screen.
    if (setUp.program !== "codex") assert.match(said, why);
  });
}
