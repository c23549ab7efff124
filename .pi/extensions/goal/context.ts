// What the model knows of the goal: told when the agent starts, kept over a compaction.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { NOBODY, auditor } from "./auditor.ts";
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
    const { told, label, last } = (said.details ?? {}) as Details;
    if (label) turn.begin(told);
    else turn.told = told ?? turn.told;
    if (last) turn.end(last, true);
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

  pi.on("before_agent_start", ({ prompt }, ctx) =>
    trying(ctx, async () => {
      parts.working = undefined;
      // Whoever names the goal holds it from then on.
      await report(ctx, turn, "user-prompt-submit", { prompt });
      const { now, focused, hold } = await parts.look(ctx);
      const others = hold === "another";
      // Of a goal that another session works on one line is told, and not its contract.
      const about = others ? { ...now, revision: null } : now;
      if (focused && !others) {
        if (hold === "own" && focused.status === "active") await lease.acquire(ctx, focused.goalId);
        if (!parts.saidAuditor && !(await auditor(ctx))) say(ctx, NOBODY, "warning");
        parts.saidAuditor = true;
      }
      const known = turn.told ?? lastTold(ctx);
      if (others ? known?.goal === now.goal : same(known, now)) return void (turn.told = about);
      const content = await told(ctx, "startup");
      return content ? { message: message(content, about) } : undefined;
    }),
  );

  pi.on("context", ({ messages }) => ({ messages: outdated(messages) }));

  // pi sums the conversation up as it does without us, and the goal is told behind that.
  pi.on("session_compact", (_event, ctx) =>
    trying(ctx, async () => {
      turn.told = undefined;
      const { now, hold } = await parts.look(ctx);
      const content = now.goal && hold !== "another" ? await told(ctx, "compact") : undefined;
      if (content) pi.sendMessage(message(content, now), { deliverAs: "steer" });
    }),
  );
}
