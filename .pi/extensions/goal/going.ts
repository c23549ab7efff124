// Going on by itself, and what ends it.

import { GOING_ON, lastTold, message, report } from "./messages.ts";
import type { Parts } from "./parts.ts";
import { goal, say, trying } from "./session.ts";
import { same } from "./turn.ts";

export function goOn(parts: Parts) {
  const { pi, turn, lease } = parts;

  pi.on("agent_before_settle", (event, ctx) =>
    trying(ctx, async () => {
      await parts.recordUsage(ctx);
      // What broke off is not gone on with, and the user's own word comes first.
      if (event.outcome !== "completed" || event.continue || ctx.hasPendingMessages()) return;
      const { now, hold } = await parts.look(ctx);
      if (!now.goal || hold !== "own" || turn.answered || !(await lease.acquire(ctx, now.goal))) return;
      // What tells the contract at this revision is still before the model.
      const known = lastTold(ctx);
      const brief = now.revision !== null && same(known, now);
      const answer = await report(ctx, turn, "stop", {}, brief ? ["--told", now.revision!] : []);
      if (answer?.systemMessage) say(ctx, answer.systemMessage, "warning");
      if (answer?.decision !== "block") return;
      turn.begin(now);
      const next = message(answer.reason, now, GOING_ON, brief);
      return { entries: [{ type: "custom_message" as const, ...next }], continue: true };
    }),
  );

  // Escape.
  pi.on("agent_end", (_event, ctx) =>
    trying(ctx, async () => {
      if (!ctx.signal?.aborted) return;
      await parts.recordUsage(ctx);
      const { data } = await goal(ctx, ["status"]);
      if (data.goal?.status === "active" && data.hold === "own")
        await goal(ctx, ["pause", "--reason", "stopped by the user in pi"], true);
      await parts.look(ctx);
    }),
  );

  pi.on("agent_settled", (_event, ctx) => lease.release(ctx));
  pi.on("session_shutdown", (_event, ctx) => lease.release(ctx));
}
