// Has the older extension's own module read a project's ledger and summarise it, and says how many
// milliseconds that took inside the process. Arguments: its bundle, the project.

import { performance } from "node:perf_hooks";

const [bundle, cwd] = process.argv.slice(2);
const older = await import(bundle);

const begun = performance.now();
const { events, malformed } = older.readGoalLedger({ cwd });
const read = performance.now() - begun;
if (!events.length) throw new Error("it read nothing: it has no string long enough for this ledger");

// The extension has its goals from documents; what they would say is in the events as well.
const states = older.reconstructGoalLedger(events);
const goalsById = new Map();
for (const { type, goalId: id, objective, at } of events) {
  const state = type === "goal_created" && states.goals.get(id);
  if (state) {
    const usage = { tokensUsed: 0, activeSeconds: 0 };
    goalsById.set(id, { id, objective, status: state.latestStatus, autoContinue: true, sisyphus: false, usage, createdAt: at, updatedAt: at });
  }
}

// This reconstructs the state once more, so it alone is what a summary costs.
const summarised = performance.now();
const summary = older.buildCompactionSummary({ goalsById, focusedGoalId: states.focusedGoalId, ledgerEvents: events });
const took = performance.now() - summarised;
console.log(JSON.stringify({ read, summary: took, total: read + took, events: events.length, malformed, length: summary.length }));
