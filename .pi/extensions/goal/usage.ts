// What the work cost: summed up from pi's messages, and recorded once a turn at the goal that the session
// works on, and at once where it goes over a limit. The binary books it with the task under way, and pauses
// a goal that goes over a limit.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Parts } from "./parts.ts";
import { goal, say, trying } from "./session.ts";
import { stopped } from "./shown.ts";

interface Spent {
  counters: Record<string, number>;
  model: string;
}

export function recordUsage(parts: Parts) {
  const { pi, turn } = parts;
  const spent = new Map<string, Spent>();
  // Since when the agent works, without the time in which it waits for the person.
  let since: number | undefined;
  let writes = 0;

  const add = (more: Record<string, number>, model?: string) => {
    if (!parts.working) return;
    const of = spent.get(parts.working) ?? { counters: {}, model: "" };
    spent.set(parts.working, of);
    for (const [name, number] of Object.entries(more)) if (number > 0) of.counters[name] = (of.counters[name] ?? 0) + number;
    of.model = model ?? of.model;
  };
  const pause = () => {
    if (since !== undefined) add({ seconds: (Date.now() - since) / 1000 });
    since = undefined;
  };
  const resume = () => void (since ??= Date.now());

  pi.on("agent_start", resume);
  pi.on("ui_prompt_start", pause);
  pi.on("ui_prompt_end", (_event, ctx) => (ctx.isIdle() ? undefined : resume()));

  pi.on("message_end", ({ message }) => {
    if (message.role !== "assistant" || !message.usage) return;
    const { input, output, cacheRead, cacheWrite, cost } = message.usage;
    if (input + output + cacheRead + cacheWrite === 0) return;
    // Time before the goal was chosen is none of its.
    pause();
    resume();
    const tokens = { tokensIn: input + cacheWrite, tokensCached: cacheRead, tokensOut: output };
    add({ llmCalls: 1, ...tokens, costUsd: cost.total }, `${message.provider}/${message.model}`);
  });

  parts.goesOver = () => {
    const { llmCalls = 0, tokensIn = 0, tokensOut = 0, costUsd = 0, seconds = 0 } = spent.get(parts.working ?? "")?.counters ?? {};
    const more: Record<string, number> = { maxLlmCalls: llmCalls, maxTokens: tokensIn + tokensOut, costUsd, maxSeconds: seconds, maxSecondsPerCheckpoint: seconds };
    return parts.status === "active" && parts.budget.some((it) => it.spent + (more[it.limit] ?? 0) > it.most);
  };

  /** Records what was spent since the last time. */
  parts.recordUsage = async (ctx: ExtensionContext) => {
    let told = false;
    pause();
    if (spent.size === 0) return told;
    const { focused: now, hold } = (await trying(ctx, () => parts.look(ctx))) ?? {};
    for (const [of, { counters, model }] of [...spent]) {
      // A record makes this session the goal's worker: an answer to the user alone does not.
      if (now?.goalId === of && hold !== "own") continue;
      spent.delete(of);
      if (!counters.llmCalls) continue;
      if (counters.seconds) counters.seconds = Math.round(counters.seconds * 10) / 10;
      const counted = Object.entries(counters).flatMap(([name, number]) => ["--counter", `${name}=${number}`]);
      writes += 1;
      const key = ["--turn", turn.id, "--key", `usage-${turn.id}-${writes}`];
      await trying(ctx, async () => {
        const before = parts.status;
        await goal(ctx, ["--goal", of, ...key, "usage", "add", ...counted, "--model", model]);
        const { focused } = await parts.look(ctx);
        if (before === "active" && focused?.goalId === of && focused.status === "paused") {
          say(ctx, stopped(focused), "warning");
          told = true;
        }
      });
    }
    return told;
  };
  pi.on("session_shutdown", async (_event, ctx) => void (await parts.recordUsage(ctx)));
}
