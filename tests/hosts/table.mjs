// The table of situations in docs/hosts/README.md: which test holds each cell, and why a cell is not "yes".
// `tests/hosts/table.test.mjs` checks that the page has it and that each test is there; after a run,
// `node table.mjs FILE…` checks that each of them passed, by what the runs wrote (passed.mjs), and
// `node table.mjs --without FILE…` that each failed in one of the runs in which a part of ours was taken out.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export const HOSTS = {
  pi: "[pi](pi.md)",
  claude: "[Claude Code](claude-code.md)",
  codex: "[Codex](codex.md)",
  gemini: "[Gemini CLI](gemini.md)",
  qwen: "[Qwen Code](qwen-code.md)",
  copilot: "[Copilot CLI](copilot.md)",
  opencode: "[opencode](opencode.md)",
  continue: "[Continue](continue.md)",
  cline: "[Cline](cline.md)",
};

/** Why a cell is not "yes": what the host does, in a note below the table. */
export const NOTES = {
  a: "The host runs none of our hooks when a session starts or a turn ends; Cline runs hooks then and reads nothing of what they print. So the agent does not go on by itself, and the model learns of the goal by a line in `AGENTS.md`.",
  b: "Escape leaves the goal active: the host calls no hook when a turn is interrupted. Nothing is lost; `goal pause` pauses it.",
  c: "`goal` learns no cost of a turn: Continue and Cline tell a server none, and Qwen Code writes it into a transcript of its own form. That is said where a limit is set, or at a session's first stop.",
  d: "Without a screen `cn` answers nothing where any of its servers cannot be started. It names the server.",
  e: "Escape leaves the goal active: Cline calls a hook then, which names a session that its servers are not told of, so `goal` cannot know whose goal to pause. Nothing is lost; `goal pause` pauses it.",
  f: "Escape pauses a goal in a turn that it began. In a turn of yours it leaves the goal active, and the agent does not go on: the host does not tell its plugins what a turn is about.",
  g: "The first request after the compaction has no contract; the prompt of the next stop has it. We found no hook of the host at a compaction whose answer its model is sent. `get_goal` tells the contract at any time.",
  h: "The host runs none of our hooks then. The model has the line in `AGENTS.md` and reads the goal again with `get_goal`.",
};

const on = (file) => (name) => (host) => `${file}: ${host}: ${name}`;
const situation = on("plugins/situations.test.mjs");
const plugin = on("plugins/plugins.test.mjs");
const pi = (file, ...names) => names.map((name) => `pi-${file}.test.mjs: ${name}`);

/** A row: what happens, the tests in pi, the test in every other host or those by host, and notes by host. */
const row = (title, ofPi, test, notes = {}, others = {}) => ({ title, ofPi, test, notes, others });

const NO_HOOKS = { continue: "a", cline: "a" };
const NO_HOOK_FOR_ESCAPE = { ...Object.fromEntries(Object.keys(HOSTS).filter((host) => host !== "pi").map((host) => [host, "b"])), cline: "e", opencode: "f" };

export const SITUATIONS = [
  row(
    "set up by its page: drafted, confirmed, rejected, mended, approved",
    pi("default-auditor", "a first goal is drafted, confirmed, worked, rejected and approved, with no file edited"),
    situation("a goal is drafted, confirmed, rejected, mended and approved"),
    NO_HOOKS,
  ),
  row(
    "no goals: what the model is sent more",
    pi("tools", "in a project without goals the model is shown no tool of ours"),
    situation("in a project without goals the model is sent next to nothing of ours"),
    {},
    Object.fromEntries(["claude", "codex", "gemini"].map((host) => [host, plugin("in a project without goals the model is sent one line of ours")(host)])),
  ),
  row(
    "a session about something else is left alone",
    pi("sessions", "an unrelated second session makes one request, gets one line, and is not driven on"),
    situation("a session that has nothing to do with the goal is left alone"),
  ),
  row("restart", pi("goal", "a session that is taken up again knows what it was told"), situation("after a restart the work goes on")),
  row(
    "compacted by the host in mid-turn: the model has the contract again",
    pi("edges", "a compaction keeps pi's own summary, and the goal is told behind it once"),
    situation("after a compaction in mid-turn the model has the contract again"),
    { gemini: "g", copilot: "g", continue: "h", cline: "h" },
  ),
  row("Escape or Ctrl-C in mid-turn", pi("edges", "an abort while the model speaks pauses the goal"), situation("an interrupt in mid-turn loses nothing, and the work goes on"), NO_HOOK_FOR_ESCAPE),
  row(
    "a limit",
    pi("usage", "a limit ends a turn between two messages, and one turn more says where things stand"),
    situation("a limit stops the work, or it is said that the host reports nothing"),
    { qwen: "c", continue: "c", cline: "c" },
  ),
  row(
    "the agent decides, or completes past the auditor: refused",
    pi("default-auditor", "an agent chooses no auditor: neither its proposals nor a pi that it starts"),
    situation("an agent neither decides nor completes past the auditor"),
  ),
  row("killed in mid-turn", pi("edges", "a pi that is killed in mid-turn loses nothing, and a new one goes on"), situation("a killed session loses nothing, and a new one goes on")),
  row(
    "`goal` is missing, broken, or another program",
    pi("handshake", ...["missing", "foreign"].map((kind) => `${kind}: one message with the line to run, and nothing of ours`)),
    situation("where goal is missing, broken or another program, the host works as without it"),
    { continue: "d" },
  ),
  row("removed by its page", pi("edges", "pi removes what it installed, and nothing of ours is left before the model"), situation("removed by its page, nothing of ours is left before the model")),
];

/** The tests of a cell. */
export function tests({ ofPi, test, others }, host) {
  if (host === "pi") return ofPi;
  return [others[host] ?? test(host)];
}

const words = (note) => (note ? `partly ${note}` : "yes");

/** The table as the page shows it. */
export function markdown() {
  const hosts = Object.keys(HOSTS);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rows = SITUATIONS.map((situation) => line([situation.title, ...hosts.map((host) => (words(situation.notes[host])))]));
  const notes = Object.entries(NOTES).map(([letter, note]) => `- ${letter}: ${note}`);
  return [line(["", ...Object.values(HOSTS)]), `|${"---|".repeat(hosts.length + 1)}`, ...rows, "", ...notes].join("\n");
}

/** The cells of these hosts with a test of which no line of these files says this: that it passed, or `failed: `. */
export function missing(files, hosts = Object.keys(HOSTS), failed = "") {
  const said = new Set(files.flatMap((file) => readFileSync(file, "utf8").split("\n")));
  return SITUATIONS.flatMap((situation) => hosts.flatMap((host) => tests(situation, host).filter((test) => !said.has(failed + test)).map((test) => `${situation.title}, ${host}: ${test}`)));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const isWithout = process.argv[2] === "--without";
  const files = process.argv.slice(isWithout ? 3 : 2);
  if (!files.length) console.log(markdown());
  else {
    // Nothing is taken out of pi.
    const others = Object.keys(HOSTS).filter((host) => host !== "pi");
    const lacking = isWithout ? missing(files, others, "failed: ") : missing(files);
    for (const cell of lacking) console.log(`did not ${isWithout ? "fail without ours" : "pass"}: ${cell}`);
    process.exit(lacking.length ? 1 : 0);
  }
}
