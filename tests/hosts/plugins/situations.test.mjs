// Every situation of a goal's life, in every host but pi, set up by its page: a row of the table in
// docs/hosts/README.md each (../table.mjs). `GOAL_WITHOUT=hooks` or `=tools` takes ours out, and they fail.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { calls, HOSTS, isAside, settled, SUMMED_UP, told } from "./sessions.mjs";

const OBJECTIVE = "Write the file done.txt";
const guide = ({ root }) => (existsSync(join(root, "AGENTS.md")) ? readFileSync(join(root, "AGENTS.md"), "utf8") : "");
const GATE = ["completion_requested", "audit_started", "audit_result", "goal_completed"];

/** What the model must know before it works: told by a hook, or by the tool with which `AGENTS.md` lets it begin. */
function* learns(host, request) {
  if (!host.hooks) {
    request = yield* calls(host, request, "get_goal", {});
    assert.ok(request.results.at(-1).includes(OBJECTIVE), request.results.at(-1));
  }
  assert.ok(told(request).includes(OBJECTIVE), "the model is not told of the goal");
  const named = new Set([...told(request).matchAll(/request completion with `([^`]*)`/gi)].map(([, tool]) => tool));
  assert.ok(named.has(host.tool("update_goal")), `our texts name ${[...named]}`);
  return request;
}

/** Requests completion. */
const completes = (host, request) => calls(host, request, "update_goal", { status: "complete", summary: "It is written." });

/** A session that learns of the goal, writes the file and completes it. */
const finishes = (host) => function* (request) {
  request = yield* learns(host, request);
  request = yield { tools: [host.shell("touch done.txt")] };
  yield* completes(host, request);
};

/** What we put before the model is there: else nothing of it can be seen to go, or to stay away. */
function present(host, request) {
  if (host.hooks) assert.ok(told(request).includes(OBJECTIVE), "the model is not told of the goal");
  if (!host.loads) assert.ok(request.names.includes(host.tool("get_goal")), `our tools are not there: ${request.names.join(" ")}`);
}

const completed = (p, requests, said) => assert.deepEqual(p.types().filter((type) => GATE.includes(type)), GATE, [said, ...(requests.at(-1)?.results ?? [])].join("\n"));
/** Nothing is wrong with the ledger; what was typed in a host is named. */
const whole = (p) => assert.match(p.goal("verify"), /no findings|For information \(1\):\n {2}user_act_via_agent /);

for (const host of HOSTS) describe(host.name, { concurrency: 3 }, () => {
  const situation = (name, check) => test(`${host.name}: ${name}`, { skip: !host.cli && `${host.name} is not installed` }, check);

  situation("a goal is drafted, confirmed, rejected, mended and approved", async (t) => {
    const { p, says, thinks, set } = await settled(t, host);
    p.goal("draft", "a file done.txt");
    thinks(function* (request) {
      yield* calls(host, request, "propose_goal_draft", { objective: OBJECTIVE });
    });
    let said = await says("let us draft a goal about done.txt");
    const [draft] = JSON.parse(p.goal("drafts", "--json")).data.drafts;
    assert.ok(draft?.revision, `${set}\n${said}`);
    p.goal("confirm", draft.id ?? draft.draftId, "--expect", draft.revision);
    thinks(function* (request) {
      request = yield* learns(host, request);
      request = yield* completes(host, request);
      assert.match(request.results.at(-1), /done\.txt does not exist/);
      request = yield { tools: [host.shell("touch done.txt")] };
      yield* completes(host, request);
    });
    said = await says("go on with the goal");
    const gate = GATE.slice(0, 3);
    assert.deepEqual(p.types().filter((type) => GATE.includes(type)), [...gate, ...gate, "goal_completed"], said);
    assert.equal(p.events().find(({ type }) => type === "completion_requested").by, "agent");
    whole(p);
  });

  // plugins.test.mjs measures the others, without what the host itself adds for a plugin.
  if (!host.measured)
    situation("in a project without goals the model is sent next to nothing of ours", async (t) => {
      const sent = async (given) => {
        const { p, says, requests } = await settled(t, host, given);
        rmSync(join(p.root, ".pi/goals"), { recursive: true });
        const said = await says("what is 17+4");
        assert.equal(requests.length, 1, said);
        // What the person put into `AGENTS.md` is theirs.
        return { names: requests[0].names, size: encode(told(requests[0])).length - (given.bare ? 0 : encode(guide(p)).length) };
      };
      const there = await settled(t, host);
      there.p.goal("set", OBJECTIVE);
      await there.says("what is 17+4");
      present(host, there.requests.at(-1));
      const [bare, ours] = [await sent({ bare: true }), await sent({})];
      assert.deepEqual(ours.names.filter((name) => !/^(list|read)_mcp_resource/.test(name)), bare.names);
      t.diagnostic(`${host.name}: ${ours.size - bare.size} tokens`);
      assert.ok(ours.size - bare.size <= (host.most ?? 100), `${ours.size - bare.size} tokens`);
    });

  situation("a session that has nothing to do with the goal is left alone", async (t) => {
    const { p, says, thinks, requests } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    let asked = false;
    thinks(function* (request) {
      request = yield* learns(host, request);
      yield* calls(host, request, "note_progress", { note: "begun" });
      // While this session works.
      const types = p.types();
      yield says("what is 17+4").then(() => {
        assert.deepEqual(p.types(), types);
        asked = true;
        return { text: "Done." };
      });
    });
    const said = await says("go on with the goal");
    assert.ok(asked, said);
    const other = requests.filter(isAside);
    assert.equal(other.length, 1);
    const last = told(other[0]);
    if (host.hooks) assert.match(/[^"]{0,300}Write the file done\.txt[^"]{0,500}/.exec(last)?.[0] ?? "nothing is told", /is active in another session/);
    assert.doesNotMatch(last, /# Working on a goal|# Continue goal/);
  });

  situation("after a restart the work goes on", async (t) => {
    const { p, says, thinks, requests } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    thinks(function* (request) {
      request = yield* learns(host, request);
      yield* calls(host, request, "note_progress", { note: "begun" });
    });
    await says("go on with the goal");
    thinks(finishes(host));
    completed(p, requests, await says("go on with the goal", { again: true }));
    whole(p);
  });

  situation("after a compaction in mid-turn the model has the contract again", async (t) => {
    const { p, says, thinks, requests } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    const isAfter = (request) => told(request).includes(SUMMED_UP);
    const has = (request) => told(request).includes("contract is of revision");
    let learned = false;
    thinks(function* (request) {
      request = yield* learns(host, request);
      request = yield* calls(host, request, "note_progress", { note: "begun" });
      for (let i = 1; i <= (host.fills ?? 2) && !isAfter(request); i++) request = yield { tools: [host.shell(`seq ${i} 9000`)], used: host.full };
      // Gemini CLI takes nothing out of its first turn while tools are called in it.
      if (!isAfter(request)) request = yield { text: "I counted.", used: host.full };
      if (host.hooks) return;
      assert.ok(!has(request), "the compaction left the contract");
      yield* learns(host, request);
      learned = true;
    });
    const said = await says("go on with the goal");
    const first = requests.findIndex(isAfter);
    assert.ok(first > 0, `nothing was compacted: ${said}`);
    if (!host.hooks) return assert.ok(learned, said);
    const knows = requests.findIndex((request, at) => at >= first && has(request));
    assert.ok(host.forgets ? knows > first : knows === first, `request ${first} is the first one, and ${knows} has the contract: ${told(requests[first])}`);
    whole(p);
  });

  situation("an interrupt in mid-turn loses nothing, and the work goes on", async (t) => {
    const { p, says, thinks, signal, requests } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    thinks(function* (request) {
      request = yield* learns(host, request);
      request = yield* calls(host, request, "note_progress", { note: "begun" });
      signal("SIGINT");
      yield new Promise((wait) => setTimeout(wait, 3000, { text: "Done." }));
    });
    const said = await says("go on with the goal");
    assert.ok(p.types().includes("goal_noted"), [said, ...requests.flatMap(({ results }) => results)].join("\n"));
    assert.match(p.goal("status"), /active/);
    thinks(finishes(host));
    completed(p, requests, await says("go on with the goal", { again: true }));
    whole(p);
  });

  situation("a killed session loses nothing, and a new one goes on", async (t) => {
    const { p, says, thinks, signal, requests } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    thinks(function* (request) {
      request = yield* learns(host, request);
      yield* calls(host, request, "note_progress", { note: "begun" });
      signal("SIGKILL");
    });
    const said = await says("go on with the goal");
    assert.ok(p.types().includes("goal_noted"), [said, ...requests.flatMap(({ results }) => results)].join("\n"));
    whole(p);
    thinks(finishes(host));
    completed(p, requests, await says("go on with the goal"));
    whole(p);
  });

  situation("a limit stops the work, or it is said that the host reports nothing", async (t) => {
    const { p, says, thinks, requests } = await settled(t, host);
    const set = p.goal("set", OBJECTIVE, "--max-llm-calls", "3");
    let learned = false;
    thinks(function* (request) {
      request = yield* learns(host, request);
      learned = true;
      for (let i = 0; i < 5; i++) request = yield { tools: [host.shell(`echo ${i}`)] };
    });
    const said = await says("go on with the goal");
    assert.ok(learned, said);
    if (host.counts) {
      assert.ok(p.events().some(({ type, role, counters }) => type === "usage_recorded" && !role && counters.llmCalls > 3), said);
      assert.match(p.goal("status"), /paused|limit/);
      assert.ok(requests.length <= 8, `${requests.length} requests`);
    } else assert.match(set + said + requests.map(told).join("\n") + p.goal("budget"), /Other hosts, and MCP alone, report none|(reports?|records?|counts?) nothing|does not (report|count)|not (recorded|counted|reported)/i);
  });

  situation("an agent neither decides nor completes past the auditor", async (t) => {
    const { p, says, thinks, requests } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    p.goal("propose", "Another goal");
    const [draft] = JSON.parse(p.goal("drafts", "--json")).data.drafts;
    const before = p.types();
    const tries = [`confirm ${draft.id ?? draft.draftId} --expect ${draft.revision}`, "set mine", "focus --none", "complete --summary x --auditor /bin/true"];
    thinks(function* (request) {
      request = yield* learns(host, request);
      for (const args of tries) {
        request = yield { tools: [host.shell(`goal ${args}; echo "it ended: $?"`)] };
        assert.match(request.results.at(-1), /it ended: [1-9]|Permission denied/, args);
      }
      request = yield* completes(host, request);
      assert.match(request.results.at(-1), /done\.txt does not exist/);
    });
    const said = await says("go on with the goal");
    assert.ok(p.types().includes("audit_result"), said);
    const allowed = /^(usage_recorded|user_prompted|goal_continued|completion_requested|audit_|lease|session|completion_)/;
    assert.deepEqual(p.events().slice(before.length).filter(({ type, by }) => by === "user" && !allowed.test(type)), [], requests.flatMap(({ results }) => results).join("\n"));
    assert.ok(!p.types().some((type) => /goal_completed|draft_confirmed/.test(type)));
    assert.equal(p.types().filter((type) => type === "goal_created").length, 1);
  });

  situation("where goal is missing, broken or another program, the host works as without it", async (t) => {
    const { p, says, requests } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    const answered = async (why) => {
      const before = requests.length;
      const said = await says("what is 17+4");
      // Continue answers nothing without a screen where any server fails, and names it.
      if (host.name === "continue" && why !== "goal is there" && /MCP server\(s\) failed to load:\s+goal: /.test(said.replaceAll("\\n", "\n"))) return;
      assert.equal(requests.length, before + 1, `${why}: ${said}\n${requests.slice(before).map(({ body }) => JSON.stringify((body.messages ?? body.contents ?? body.input).at(-1)).slice(-1500)).join("\n")}`);
    };
    await answered("goal is there");
    present(host, requests[0]);
    rmSync(join(p.home, "bin/goal"));
    await answered("goal is missing");
    p.script("goal", 'echo "goal broke" >&2\nexit 101');
    await answered("goal breaks");
    assert.doesNotMatch(told(requests.at(-1)), /goal broke/);
    p.script("goal", 'echo "Algorand goal v3"');
    await answered("another program is called goal");
    assert.doesNotMatch(told(requests.at(-1)), /Algorand/);
  });

  situation("removed by its page, nothing of ours is left before the model", async (t) => {
    const { p, says, requests, removes } = await settled(t, host);
    p.goal("set", OBJECTIVE);
    await says("what is 17+4");
    present(host, requests.at(-1));
    const said = await removes();
    await says("what is 17+4");
    // Codex has a `get_goal` of its own.
    assert.doesNotMatch(told(requests.at(-1)), /done\.txt|goal-execute|propose_goal|goal_get_goal|mcp__goal/, said);
    assert.ok(existsSync(join(p.root, ".pi/goals/goal_events.jsonl")));
  });
});
