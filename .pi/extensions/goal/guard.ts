// Tool calls that are blocked: writing what goal keeps, and working on in a turn that has ended.

import { isKept } from "./kept.ts";
import type { Parts } from "./parts.ts";

/** pi's own tools that change nothing. */
const READING = ["read", "grep", "find", "ls"];

/** What records where things stand. */
const NOTE = "note_progress";

const SPEAK = "say in words why and what the user can do. Until they speak, only tools that read are carried out.";

export function guardTools({ pi, turn, reading }: Parts) {
  pi.on("tool_call", ({ toolName, input }, ctx) => {
    const says = turn.ended?.last && toolName === NOTE;
    if (turn.ended && !says && !READING.includes(toolName) && !reading.has(toolName)) {
      // Whoever goes on all the same is not asked again.
      turn.ended.blocked += 1;
      return { block: true, reason: `The turn has ended: ${turn.ended.why}. Now ${SPEAK}`, terminate: turn.ended.blocked > 1 };
    }
    if (toolName !== "write" && toolName !== "edit") return;
    const path = (input as { path?: unknown }).path;
    if (typeof path === "string" && isKept(path, ctx.cwd))
      return { block: true, reason: `${path} is kept by goal and written by nothing else: record with note_progress, ask for a change with apply_goal_tweak` };
  });
}
