// Going on by itself, and what ends it.

import { GOING_ON, lastTold, message, report } from "./messages.ts";
import type { Parts } from "./parts.ts";
import { goal, say, trying } from "./session.ts";
import { isOver } from "./shown.ts";
import { type Told, same } from "./turn.ts";

export function goOn(parts: Parts) {
  const { pi, turn, lease } = parts;

  /** The last turn of a goal that its budget has paused, where it has one. */
  const lastTurn = (answer: any, now: Told, why: string) => {
    turn.begin(now);
    turn.end(why, true);
    const last = message(answer.reason, now, "the last turn, since a limit is reached");
    last.details.last = why;
    return { entries: [{ type: "custom_message" as const, ...last }], continue: true };
  };

  // pi sees each message, so a limit that is reached in the middle of a turn ends it there.
  pi.on("turn_end", (event, ctx) =>
    trying(ctx, async () => {
      if (event.outcome !== "completed" || turn.ended || turn.answered || !parts.goesOver()) return;
      await parts.recordUsage(ctx);
      const { now, focused, hold } = await parts.look(ctx);
      if (!focused || !isOver(focused) || focused.status !== "paused" || hold !== "own") return;
      const why = `the goal is paused: ${focused.pause.reason}`;
      turn.end(why);
      const answer = await report(ctx, turn, "stop");
      return answer?.decision === "block" ? lastTurn(answer, now, why) : undefined;
    }),
  );

  pi.on("agent_before_settle", (event, ctx) =>
    trying(ctx, async () => {
      const told = await parts.recordUsage(ctx);
      // What broke off is not gone on with, and the user's own word comes first.
      if (event.outcome !== "completed" || event.continue || ctx.hasPendingMessages()) return;
      const { now, focused, hold } = await parts.look(ctx);
      if (!now.goal || hold !== "own" || turn.answered || !(await lease.acquire(ctx, now.goal))) return;
      // What tells the contract at this revision is still before the model.
      const known = lastTold(ctx);
      const brief = now.revision !== null && same(known, now);
      const answer = await report(ctx, turn, "stop", {}, brief ? ["--told", now.revision!] : []);
      if (answer?.systemMessage && !told) say(ctx, answer.systemMessage, "warning");
      if (answer?.decision !== "block") return;
      if (answer.systemMessage) return lastTurn(answer, now, `the goal is paused: ${focused?.pause?.reason ?? "it went over its budget"}`);
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
