// Projects of the tests' own, filled by the program itself: one with words that would break out of a page,
// a night of forty goals, and a project of minutes.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const GOAL = process.env.GOAL_BIN || join(REPOSITORY, "target/debug/goal");

/** A script's end, mark-up, quotes, a template, ANSI, and a character that turns text around. */
export const HOSTILE = "</script><img src=x onerror=\"window.broken=1\">'\"` {{ 7*7 }} \u001b[31m\u202e";

/** An empty project with an auditor: what the user and an agent do in it, and its page. */
function project(judge) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "page-")));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  const root = join(home, "atlas");
  for (const dir of ["atlas", "config/goal"]) mkdirSync(join(home, dir), { recursive: true });
  const identity = { GIT_AUTHOR_NAME: "ann", GIT_AUTHOR_EMAIL: "ann@example.org", GIT_COMMITTER_NAME: "ann", GIT_COMMITTER_EMAIL: "ann@example.org" };
  const env = { PATH: process.env.PATH, HOME: home, TERM: "dumb", TZ: "UTC", XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state"), XDG_CACHE_HOME: join(home, "cache"), ...identity };
  const run = (program, args, more) => execFileSync(program, args, { cwd: root, env: { ...env, ...more }, encoding: "utf8", stdio: "pipe" });
  const user = (...args) => run(GOAL, args, { GOAL_ACTOR: "user" });
  const agent = (...args) => run(GOAL, args, { GOAL_ACTOR: "agent" });
  // Only the user's clock can be set.
  const at = (time, ...args) => run(GOAL, args, { GOAL_ACTOR: "user", GOAL_TEST: "1", GOAL_TEST_CLOCK: time });
  const fails = (act) => { try { act(); } catch { return; } throw new Error("it did not fail"); };
  const commit = (subject, date) => {
    writeFileSync(join(root, "limit.rs"), `// ${subject.length}\n`, { flag: "a" });
    run("git", ["add", "limit.rs"]);
    run("git", ["commit", "-qm", subject], date && { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
  };
  const report = (time, ...args) => {
    const file = join(home, "report.html");
    if (time) at(time, "report", ...args, "--html", file);
    else user("report", ...args, "--html", file);
    return { file, html: readFileSync(file, "utf8") };
  };

  const auditor = join(home, "auditor");
  writeFileSync(auditor, `#!/bin/sh\n${judge}\n`);
  chmodSync(auditor, 0o755);
  writeFileSync(join(home, "config/goal/config.toml"), `[auditor]\ncommand = [${JSON.stringify(auditor)}]\n[owners]\nslots = 40\n`);
  run("git", ["init", "-q"]);
  return { user, agent, at, fails, commit, report };
}

/** A page with words that would break out of it; answers with its path and its text. */
export function page() {
  const { user, agent, fails, commit, report } = project(`case "$(cat)" in *third*) echo 'It holds.'; echo '<approved/>';; *) echo '\`two servers share one count\`: ${HOSTILE.replaceAll("'", "")}'; echo '<disapproved/>';; esac`);
  user("init");
  user("set", "Limit requests", "--title", "Rate limits", "--owner", "claude-1", "--criteria", "two servers share one count");
  agent("evaluate", "--score", "0.4", "--gap", HOSTILE);
  fails(() => user("complete", "--summary", `first ${HOSTILE}`, "--evidence", HOSTILE));
  agent("evaluate", "--score", "0.7", "--gap", "one is left");
  fails(() => user("complete", "--summary", "second"));
  user("complete", "--summary", "third", "--evidence", "load/out.txt");
  commit(`Limit ${HOSTILE.replaceAll("\u001b", "")}`);
  user("set", `Migrate ${HOSTILE}`, "--owner", "\"><b>'x");
  for (const task of ["dual write", HOSTILE]) agent("task", "add", task);
  agent("ask", `Delete ${HOSTILE}?`, "--suggest", "keep; touch PWNED", "--suggest", HOSTILE);
  user("set", "Refund webhooks", "--owner", "pi-1");
  agent("block", "--reason", `no key ${HOSTILE}`, "--suggest", "make a new one");
  user("set", "Quiet work");
  return report();
}

const REPORT = "I read the change and ran what the summary names. The first two servers count alone: 100 requests to each of them pass, and the limit is 100 for both.";

/** The page of a night of forty goals with long names: a third is complete, and many wait for somebody. */
export function night() {
  const { at, fails, commit, report } = project(`case "$(cat)" in *"ready: yes"*) echo 'Every criterion holds; I ran the test that the summary names.'; echo '<approved/>';; *) echo '- \`two servers share one count\`: ${REPORT}'; echo '<disapproved/>';; esac`);
  const time = (minute) => new Date(Date.UTC(2026, 10, 21, 18, minute)).toISOString();
  for (let number = 0; number < 40; number += 1) {
    const title = `Limits of requests for each key and each tenant, part ${number}`;
    const begin = number * 18;
    const act = (minute, ...args) => at(time(begin + minute), ...args, "--goal", title);
    at(time(begin), "set", "Count what each key asks for, and answer 429 above its limit", "--title", title, "--owner", `claude-${number % 4}`, "--criteria", "two servers share one count", "--criteria", "the answer names the time to wait");
    if (number % 2 === 0) act(2, "note", "the first half is there; the rest follows the same pattern", "--next", "a load test");
    if (number % 3 === 0) {
      act(5, "evaluate", "--score", "0.4", "--gap", "each server counts alone");
      fails(() => act(20, "complete", "--summary", "the limits work", "--evidence", "load/out.txt"));
      act(45, "evaluate", "--score", "0.9", "--gap", "nothing");
      act(60, "complete", "--summary", "load/out.txt shows one count; ready: yes", "--evidence", "load/out.txt");
      commit(`Limits, part ${number}`, time(begin + 50));
    } else if (number % 3 === 1) {
      for (const task of ["count in Redis", "load test with two servers"]) act(3, "task", "add", task);
      act(30, "ask", "The load test needs a second server. May I start one, or is one enough?", "--suggest", "start one", "--suggest", "one is enough");
    } else if (number % 2 === 0) {
      act(30, "block", "--reason", "the sandbox key expired", "--suggest", "put a new key into .env.test");
    }
  }
  return report(time(14 * 60), "--all");
}

/** The page of a project of twenty minutes, in a repository that is two months old. */
export function young() {
  const { at, fails, commit, report } = project(`case "$(cat)" in *"ready: yes"*) echo '<approved/>';; *) echo 'no test'; echo '<disapproved/>';; esac`);
  const time = (minute) => `2026-11-21T09:${String(minute).padStart(2, "0")}:00Z`;
  commit("Begin", "2026-09-20T12:00:00Z");
  at(time(0), "set", "Limit requests", "--criteria", "two servers share one count");
  at(time(5), "note", "half of it is there");
  commit("Limit requests", time(9));
  fails(() => at(time(10), "complete", "--summary", "done"));
  at(time(18), "complete", "--summary", "there is a test; ready: yes");
  at(time(19), "set", "Document the limits");
  return report(time(20), "--all");
}
