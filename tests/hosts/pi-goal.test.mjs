// The life of a goal in pi: drafted, confirmed, worked on, paused, resumed, and completed past an
// auditor that objects first.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { latest, model, pi, project, told } from "./support.mjs";

const AUDITOR = `cat > /dev/null
if [ -e "$HOME/approve" ]; then echo "It holds."; echo "<approved/>"
else echo "The second sample was never read."; echo "<disapproved/>"; fi`;

const note = (n) => ["note_progress", { note: `sample ${n} is read` }];

test("a goal from the first word to the archive", async (t) => {
  const p = project(t, { auditor: AUDITOR });
  const complete = { tools: [["update_goal", { status: "complete", summary: "all samples are read" }]] };
  const { requests } = await model(t, p, [
    { tools: [["propose_goal_draft", { objective: "Read every sample", successCriteria: ["no sample fails"] }]] },
    { text: "It is settled." },
    // The goal goes on by itself.
    { tools: [0, 1, 2, 3, 4, 5, 6, 7].map(note) },
    { tools: [["pause_goal", { reason: "the samples of May are missing" }]] },
    { tools: [note(9)] },
    { text: "I need the samples of May." },
    // Resumed.
    complete,
    () => (p.script("noop", ":"), p.goal("note", "the user looked"), complete),
    { text: "Done." },
  ]);
  const host = pi(t, p, { answer: ({ method }) => (method === "select" ? { value: "Confirm" } : { cancelled: true }) });

  await host.says("/goals read all the samples");
  assert.deepEqual(host.errors(), []);
  assert.match(told(requests[0]), /Drafting a goal[\s\S]*read all the samples/);
  const [dialog] = host.shown("select");
  assert.match(dialog.title, /objective: Read every sample[\s\S]*no sample fails/);
  assert.match(latest(requests[1]), /The user confirmed it/);
  assert.match(latest(requests[2]), /# Continue goal/);
  assert.equal(requests.length, 6);
  assert.match(latest(requests[5]), /turn_stopped|turn/);
  console.log(p.types(), host.results().map((r) => [r.toolName, r.isError, r.result.content[0].text]));
});
