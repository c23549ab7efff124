// The tools, as the binary lists them, and a call of one.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { receipt } from "./binary.ts";
import { intoChat } from "./messages.ts";
import type { Parts } from "./parts.ts";
import { dialogs } from "./proposals.ts";
import { askPerson } from "./questions.ts";
import { goal, inSession, say, trying } from "./session.ts";
import { audited, stopped } from "./shown.ts";

/** How often an audit under way is looked at, in milliseconds. */
const AUDIT_LOOK = 2_000;

/** Shows the model the tools that the binary lists now, which depend on the goal's phase, and no other of ours. */
export function toolsOf(parts: Parts) {
  const ask = dialogs();
  // What each was registered with.
  const ours = new Map<string, string>();
  return async (ctx: ExtensionContext) => {
    const { data } = await goal(ctx, ["tool", "--list"]);
    for (const tool of data.tools) {
      const described = JSON.stringify(tool);
      if (ours.get(tool.name) === described) continue;
      ours.set(tool.name, described);
      if (tool.annotations.readOnlyHint) parts.reading.add(tool.name);
      parts.pi.registerTool({
        name: tool.name,
        label: tool.name.replaceAll("_", " "),
        description: tool.description,
        parameters: tool.inputSchema,
        execute: (id, params, signal, _update, ctx) => call(parts, ask, tool, id, params as object, signal, ctx),
      });
    }
    const shown: string[] = data.tools.map((it: any) => it.name);
    const active = parts.pi.getActiveTools();
    const wanted = [...active.filter((it) => !ours.has(it)), ...shown];
    if (wanted.length !== active.length || wanted.some((it) => !active.includes(it))) parts.pi.setActiveTools(wanted);
  };
}

async function call(parts: Parts, ask: ReturnType<typeof dialogs>, tool: any, id: string, params: object, signal: AbortSignal | undefined, ctx: ExtensionContext) {
  const { turn } = parts;
  const alone = turn.calls === 1;
  const input: Record<string, unknown> = { ...params };
  if (tool.name === "get_goal") input.calls = ++turn.reads;
  const args = ["tool", tool.name, ...inSession(ctx), "--turn", turn.id, "--key", id];
  if (!tool.annotations.readOnlyHint && turn.told?.goal) {
    // What the model was told of is what it may act on, and nothing that came in between.
    args.push("--expect-goal", turn.told.goal);
    if (alone && turn.told.revision) args.push("--expect", turn.told.revision);
  }
  turn.running += 1;
  const looking = ctx.hasUI && tool.name === "update_goal" ? setInterval(() => parts.look(ctx).catch(() => {}), AUDIT_LOOK) : undefined;
  try {
    const before = looking && (await trying(ctx, () => parts.look(ctx)))?.focused;
    const done = await receipt({ args, cwd: ctx.cwd, input: JSON.stringify(input), signal }).catch((error) => {
      if (looking && error.data) report(parts, error.data, before);
      throw error;
    });
    turn.learn(done, alone);
    const { proposal, applied, draftId } = done.data;
    const waits = ctx.hasUI && proposal && !applied;
    const decision = waits ? await trying(ctx, () => ask(ctx, turn.id, draftId, signal)) : undefined;
    if (decision?.confirmed) turn.learn(decision.confirmed);
    if (decision?.confirmed?.stopTurn) turn.end("the user confirmed another contract");
    if (done.stopTurn) await stop(parts, ctx, done.data.status);
    const answer = tool.name === "ask_user" && ctx.hasUI ? await trying(ctx, () => askPerson(ctx, turn.id, params, signal)) : undefined;
    if (looking) report(parts, done.data, before);
    const text = decision?.text ?? answer ?? done.data.text;
    return { content: [{ type: "text" as const, text }], details: done.data };
  } finally {
    clearInterval(looking);
    turn.running -= 1;
    if (ctx.hasUI && turn.running === 0) await trying(ctx, () => parts.look(ctx));
  }
}

/** The agent ended its turn: it may say why and do nothing more, and the person is told why. */
async function stop(parts: Parts, ctx: ExtensionContext, status: string | null) {
  parts.turn.end(status ? `the goal is ${status}` : "what it was about is settled");
  await trying(ctx, async () => {
    const { focused } = await parts.look(ctx);
    if (focused?.pause) say(ctx, stopped(focused));
  });
}

/** In the chat the person reads how the audit ended, and what the auditor said. */
function report({ pi }: Parts, done: any, before: any) {
  const said = audited(done, before);
  if (said) intoChat(pi, said);
}
