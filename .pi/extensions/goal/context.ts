// What the model knows of the goal: told when the agent starts, kept over a compaction.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { NOBODY, auditor } from "./auditor.ts";
import { elsewhere } from "./held.ts";
import { type Details, OURS, lastTold, message, outdated, report } from "./messages.ts";
import type { Parts } from "./parts.ts";
import { say, trying } from "./session.ts";
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

  /** The goal and how to work on it, as a host of hooks is told it. */
  const told = async (ctx: ExtensionContext, source: string): Promise<string | undefined> => {
    const answer = await report(ctx, turn, "session-start", { source });
    const content = answer?.hookSpecificOutput?.additionalContext;
    return content;
  };

  let warned = false;
  pi.on("before_agent_start", ({ prompt }, ctx) =>
    trying(ctx, async () => {
      parts.working = undefined;
      const { now, focused, other } = await parts.look(ctx, prompt);
      if (other) {
        const line = elsewhere(focused);
        const known = turn.told ?? lastTold(ctx);
        // Not its contract: that is told once this session works on it.
        turn.told = { goal: now.goal, revision: null };
        return known?.goal === now.goal ? undefined : { message: message(line, turn.told) };
      }
      await report(ctx, turn, "user-prompt-submit", { prompt });
      if (focused?.status === "active") await lease.acquire(ctx, focused.goalId);
      if (focused && !warned && !(await auditor(ctx))) say(ctx, NOBODY, "warning");
      warned ||= !!focused;
      const known = turn.told ?? lastTold(ctx);
      if (same(known, now)) return void (turn.told = known);
      const content = await told(ctx, "startup");
      return content ? { message: message(content, now) } : undefined;
    }),
  );

  pi.on("context", ({ messages }) => ({ messages: outdated(messages) }));

  // pi sums the conversation up as it does without us, and the goal is told behind that.
  pi.on("session_compact", (_event, ctx) =>
    trying(ctx, async () => {
      turn.told = undefined;
      const { now, other } = await parts.look(ctx);
      const content = now.goal && !other ? await told(ctx, "compact") : undefined;
      if (content) pi.sendMessage(message(content, now), { deliverAs: "steer" });
    }),
  );
}
