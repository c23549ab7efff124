// A project of the tests' own, filled by the program itself with words that would break out of a page.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const GOAL = process.env.GOAL_BIN || join(REPOSITORY, "target/debug/goal");

/** A script's end, mark-up, quotes, a template, ANSI, and a character that turns text around. */
export const HOSTILE = "</script><img src=x onerror=\"window.broken=1\">'\"` {{ 7*7 }} \u001b[31m\u202e";

/** Makes the project and its page; answers with the page's path. */
export function page() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "page-")));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  const root = join(home, "atlas");
  for (const dir of ["atlas", "config/goal"]) mkdirSync(join(home, dir), { recursive: true });
  const identity = { GIT_AUTHOR_NAME: "ann", GIT_AUTHOR_EMAIL: "ann@example.org", GIT_COMMITTER_NAME: "ann", GIT_COMMITTER_EMAIL: "ann@example.org" };
  const env = { PATH: process.env.PATH, HOME: home, TERM: "dumb", XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state"), XDG_CACHE_HOME: join(home, "cache"), ...identity };
  const run = (program, args, actor) => execFileSync(program, args, { cwd: root, env: { ...env, GOAL_ACTOR: actor }, encoding: "utf8", stdio: "pipe" });
  const user = (...args) => run(GOAL, args, "user");
  const agent = (...args) => run(GOAL, args, "agent");
  const fails = (...args) => { try { user(...args); } catch { return; } throw new Error("it did not fail"); };

  const auditor = join(home, "auditor");
  writeFileSync(auditor, `#!/bin/sh\ncase "$(cat)" in *third*) echo 'It holds.'; echo '<approved/>';; *) echo '\`two servers share one count\`: ${HOSTILE.replaceAll("'", "")}'; echo '<disapproved/>';; esac\n`);
  chmodSync(auditor, 0o755);
  writeFileSync(join(home, "config/goal/config.toml"), `[auditor]\ncommand = [${JSON.stringify(auditor)}]\n`);

  run("git", ["init", "-q"], "user");
  user("init");
  user("set", "Limit requests", "--title", "Rate limits", "--owner", "claude-1", "--criteria", "two servers share one count");
  agent("evaluate", "--score", "0.4", "--gap", HOSTILE);
  fails("complete", "--summary", `first ${HOSTILE}`, "--evidence", HOSTILE);
  agent("evaluate", "--score", "0.7", "--gap", "one is left");
  fails("complete", "--summary", "second");
  user("complete", "--summary", "third", "--evidence", "load/out.txt");
  writeFileSync(join(root, "limit.rs"), "fn main() {}\n");
  run("git", ["add", "limit.rs"], "user");
  run("git", ["commit", "-qm", `Limit ${HOSTILE.replaceAll("\u001b", "")}`], "user");
  user("set", `Migrate ${HOSTILE}`, "--owner", "\"><b>'x");
  for (const task of ["dual write", HOSTILE]) agent("task", "add", task);
  agent("ask", `Delete ${HOSTILE}?`, "--suggest", "keep; touch PWNED", "--suggest", HOSTILE);
  user("set", "Refund webhooks", "--owner", "pi-1");
  agent("block", "--reason", `no key ${HOSTILE}`, "--suggest", "make a new one");
  user("set", "Quiet work");
  const file = join(home, "report.html");
  user("report", "--html", file);
  return { file, html: readFileSync(file, "utf8") };
}
