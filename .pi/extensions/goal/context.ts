// What the model knows of the goal: told when the agent starts, kept over a compaction.

import { NOBODY, auditor } from "./auditor.ts";
import { type Details, OURS, lastTold, message, outdated, report } from "./messages.ts";
import type { Parts } from "./parts.ts";
import { goal, say, trying } from "./session.ts";
import { same } from "./turn.ts";

export function tellTheModel(parts: Parts) {
  const { pi, turn, lease } = parts;
  pi.on("session_tree", async () => void (turn.told = undefined));

  pi.on("message_start", ({ message: said }) => {
    const ours = said.role === "custom" && said.customType === OURS;
    if (said.role === "user" || ours) turn.begin(ours ? (said.details as Details | undefined)?.told : undefined);
  });
  pi.on("message_end", ({ message: said }) => {
    if (said.role === "assistant")
      turn.calls = said.content.filter((part) => part.type === "toolCall").length;
  });

  let warned = false;
  pi.on("before_agent_start", (_event, ctx) =>
    trying(ctx, async () => {
      await report(ctx, turn, "user-prompt-submit");
      parts.working = undefined;
      const { now, focused } = await parts.look(ctx);
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
