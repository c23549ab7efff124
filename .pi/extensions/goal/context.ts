// What the model knows of the goal: told when the agent starts, kept over a compaction.

import { NOBODY, auditor } from "./auditor.ts";
import { elsewhere } from "./held.ts";
import { type Details, OURS, lastTold, message, outdated, report } from "./messages.ts";
import type { Parts } from "./parts.ts";
import { goal, say, trying } from "./session.ts";
import { same } from "./turn.ts";

export function tellTheModel(parts: Parts) {
  const { pi, turn, lease } = parts;
  pi.on("session_tree", async () => void (turn.told = undefined));

  pi.on("message_start", ({ message: said }) => {
    if (said.role === "user") turn.begin(undefined, true);
    if (said.role !== "custom" || said.customType !== OURS) return;
    // What has no label goes with the user's word, and begins nothing.
    const { told, label } = (said.details ?? {}) as Details;
    if (label) turn.begin(told);
    else turn.told = told ?? turn.told;
  });
  pi.on("message_end", ({ message: said }) => {
    if (said.role !== "assistant") return;
    turn.calls = said.content.filter((part) => part.type === "toolCall").length;
    turn.tools += turn.calls;
  });

  let warned = false;
  pi.on("before_agent_start", ({ prompt }, ctx) =>
    trying(ctx, async () => {
      parts.working = undefined;
      const { now, focused, other } = await parts.look(ctx, prompt);
      if (other) {
        const line = elsewhere(focused);
        const known = turn.told ?? lastTold(ctx);
        turn.told = now;
        return known?.goal === now.goal ? undefined : { message: message(line, now) };
      }
      await report(ctx, turn, "user-prompt-submit", { prompt });
      if (focused?.status === "active") await lease.acquire(ctx, focused.goalId);
      if (focused && !warned && !(await auditor(ctx))) say(ctx, NOBODY, "warning");
      warned ||= !!focused;
      const known = turn.told ?? lastTold(ctx);
      if (same(known, now)) return void (turn.told = known);
      const answer = await report(ctx, turn, "session-start", { source: "startup" });
      const content = answer?.hookSpecificOutput?.additionalContext;
      if (!content) return;
      return { message: message(parts.inTools(content), now) };
    }),
  );

  pi.on("context", ({ messages }) => ({ messages: outdated(messages) }));

  pi.on("session_before_compact", ({ preparation, signal }, ctx) =>
    trying(ctx, async () => {
      const { data } = await goal(ctx, ["summary"], false, signal);
      if (!data.focusedGoalId) return;
      turn.told = undefined;
      const { firstKeptEntryId, tokensBefore } = preparation;
      const details = { told: { goal: data.focusedGoalId, revision: data.revision } };
      return { compaction: { summary: data.summary, firstKeptEntryId, tokensBefore, details } };
    }),
  );
}
