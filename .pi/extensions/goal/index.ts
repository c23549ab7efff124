// The goal ledger in pi. Tools, commands and events are passed on to the `goal` binary, which
// decides everything; what stands here is how pi says it and shows it.

import { randomUUID } from "node:crypto";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { hook, receipt, text, type Receipt } from "./binary.ts";
import { isKept } from "./kept.ts";
import { holder } from "./lease.ts";
import { dialogs } from "./proposals.ts";
import { act, goal, inSession, say, session, trying } from "./session.ts";
import { COMMANDS, type Command, statusLine, widget } from "./shown.ts";

/** Marks what this extension puts before the model. */
const OURS = "goal";

/** A goal at a revision, as the model was told of it. */
interface Told {
  goal: string | null;
  revision: string | null;
}

export default function (pi: ExtensionAPI) {
  // An audit is read-only, and so is whatever host it runs in.
  if (process.env.GOAL_ACTOR === "auditor") return;

  let turn: string = randomUUID();
  let told: Told | undefined;
  // Tool calls: how many the latest message has, how many of get_goal this turn had, how many are
  // under way.
  let calls = 1;
  let reads = 0;
  let running = 0;
  // What prompts call commands, for a model that has tools.
  let asTools = "";
  const ask = dialogs();
  const { acquire, release } = holder();

  const begin = (of?: Told) => {
    turn = randomUUID();
    reads = 0;
    told = of ?? told;
  };
  const report = (ctx: ExtensionContext, event: string, more = {}) =>
    hook({
      args: ["hook", event],
      cwd: ctx.cwd,
      input: JSON.stringify({ session_id: session(ctx), prompt_id: turn, cwd: ctx.cwd, ...more }),
    });

  /** What this extension puts before the model; the person sees it by its label, if it has one. */
  const message = (prompt: string, told: Told | undefined, label?: string) => ({
    customType: OURS,
    content: `${prompt}\n${asTools}\n`,
    display: label !== undefined,
    details: { told, label },
  });
  pi.registerMessageRenderer<{ label?: string }>(OURS, ({ details }, { expanded }, theme) => {
    // Expanded it is shown as pi shows any message.
    if (expanded || !details?.label) return undefined;
    const label = `goal: ${details.label}`;
    return { render: (width) => [theme.fg("muted", label.slice(0, width))], invalidate() {} };
  });

  /** Asks how things stand, and shows it. */
  const look = async (ctx: ExtensionContext): Promise<Told> => {
    const { data } = await goal(ctx, ["status"]);
    if (ctx.hasUI) {
      ctx.ui.setStatus(OURS, statusLine(data));
      ctx.ui.setWidget(OURS, widget(data));
    }
    return { goal: data.focusedGoalId, revision: data.goal?.revision ?? null };
  };

  /** What the branch's latest message of ours told the model, unless it was compacted away. */
  const lastTold = (ctx: ExtensionContext): Told | undefined => {
    for (const entry of ctx.sessionManager.getBranch().reverse()) {
      const ours = entry.type === "custom_message" && entry.customType === OURS;
      if (ours || entry.type === "compaction") {
        const details = entry.details as { told?: Told } | undefined;
        if (details?.told || !ours) return details?.told;
      }
    }
  };

  // Tools, as the binary lists them.

  const register = async (ctx: ExtensionContext) => {
    const { data } = await goal(ctx, ["tool", "--list"]);
    asTools = data.commandsAsTools;
    // The adapter counts the calls of get_goal.
    const hosts = [...data.hostArguments, "calls"];
    for (const tool of data.tools) {
      const schema = structuredClone(tool.inputSchema);
      for (const name of hosts) delete schema.properties[name];
      pi.registerTool({
        name: tool.name,
        label: tool.name.replaceAll("_", " "),
        description: tool.description,
        parameters: schema,
        execute: (id, params, signal, _update, ctx) => call(tool, id, params as object, signal, ctx),
      });
    }
  };

  const call = async (tool: any, id: string, params: object, signal: AbortSignal | undefined, ctx: ExtensionContext) => {
    const alone = calls === 1;
    const input: Record<string, unknown> = { ...params };
    if ("calls" in tool.inputSchema.properties) input.calls = ++reads;
    const args = ["tool", tool.name, ...inSession(ctx), "--turn", turn, "--key", id];
    if (!tool.annotations.readOnlyHint && told?.goal) {
      // What the model was told of is what it may act on, and nothing that came in between. Calls
      // of one message change the revision for each other.
      args.push("--expect-goal", told.goal);
      if (alone && told.revision) args.push("--expect", told.revision);
    }
    running += 1;
    try {
      const done = await receipt({ args, cwd: ctx.cwd, input: JSON.stringify(input), signal });
      learn(done, alone);
      const { proposal, applied, draftId } = done.data;
      const waits = ctx.hasUI && proposal && !applied;
      const decision = waits ? await trying(ctx, () => ask(ctx, turn, draftId, signal)) : undefined;
      if (decision?.confirmed) learn(decision.confirmed);
      const text = decision?.text ?? done.data.text;
      return { content: [{ type: "text" as const, text }], details: done.data };
    } finally {
      running -= 1;
      if (ctx.hasUI && running === 0) await trying(ctx, () => look(ctx));
    }
  };

  /** What a receipt has told the model. */
  const learn = ({ data }: Receipt, alone = true) => {
    if (data.focusedGoalId !== undefined)
      told = { goal: data.focusedGoalId, revision: data.goal?.revision ?? data.revision ?? null };
    else if (data.goalId) told = { goal: data.goalId, revision: alone ? data.revision : null };
  };

  // Commands, which a person types.

  const carryOut = async (name: string, command: Command, words: string, ctx: ExtensionContext) => {
    const args = [command.as ?? name, ...(await command.args(words, ctx))];
    const plain = { args: [...inSession(ctx), ...args], cwd: ctx.cwd, byUser: true };
    if (command.shows) return say(ctx, await text(plain));
    const { data } = await act(ctx, turn, args);
    const about = data.goalId ? `goal ${data.goalId} is ${data.status}` : `draft ${data.draftId ?? ""} is open`;
    say(ctx, [name + ": " + about, ...(data.notices ?? []).map((it: any) => it.message)].join("\n"));
    if (!command.prompt) return;
    const filled = (await goal(ctx, ["prompt", command.prompt])).data;
    // A draft says nothing of the goal that is focused meanwhile.
    const of = command.prompt === "draft" ? undefined : { goal: filled.goalId, revision: filled.revision };
    pi.sendMessage(message(filled.prompt, of, `/${name}`), { triggerTurn: true, deliverAs: "followUp" });
  };

  for (const [name, command] of Object.entries(COMMANDS)) {
    pi.registerCommand(name, {
      description: command.description,
      handler: async (words, ctx) => {
        await trying(ctx, () => carryOut(name, command, words.trim(), ctx));
        await trying(ctx, () => look(ctx));
      },
    });
  }

  pi.on("agent_settled", (_event, ctx) => release(ctx));
  pi.on("session_shutdown", (_event, ctx) => release(ctx));

  // The session.

  pi.on("session_start", async (_event, ctx) => {
    told = undefined;
    await trying(ctx, async () => {
      await register(ctx);
      await look(ctx);
    });
  });
  pi.on("session_tree", async () => void (told = undefined));

  // A turn is what follows the user's word, or ours.
  pi.on("message_start", async ({ message: said }, ctx) => {
    const ours = said.role === "custom" && said.customType === OURS;
    if (said.role !== "user" && !ours) return;
    begin(ours ? (said.details as { told?: Told } | undefined)?.told : undefined);
    if (told?.goal) await acquire(ctx, told.goal);
  });
  pi.on("message_end", ({ message: said }) => {
    if (said.role === "assistant")
      calls = said.content.filter((part) => part.type === "toolCall").length;
  });

  pi.on("before_agent_start", (_event, ctx) =>
    trying(ctx, async () => {
      await report(ctx, "user-prompt-submit");
      const now = await look(ctx);
      const known = told ?? lastTold(ctx);
      if (known && known.goal === now.goal && known.revision === now.revision) return void (told = known);
      const answer = await report(ctx, "session-start", { source: "startup" });
      const content = answer?.hookSpecificOutput?.additionalContext;
      if (!content) return;
      return { message: message(content, now) };
    }),
  );

  pi.on("session_before_compact", ({ preparation, signal }, ctx) =>
    trying(ctx, async () => {
      const { data } = await goal(ctx, ["summary"], false, signal);
      if (!data.focusedGoalId) return;
      told = undefined;
      const { firstKeptEntryId, tokensBefore } = preparation;
      const details = { told: { goal: data.focusedGoalId, revision: data.revision } };
      return { compaction: { summary: data.summary, firstKeptEntryId, tokensBefore, details } };
    }),
  );

  pi.on("agent_before_settle", (event, ctx) =>
    trying(ctx, async () => {
      // What broke off is not gone on with, and the user's own word comes first.
      if (event.outcome !== "completed" || event.continue || ctx.hasPendingMessages()) return;
      const now = await look(ctx);
      if (!now.goal || !(await acquire(ctx, now.goal))) return;
      const answer = await report(ctx, "stop");
      if (answer?.systemMessage) say(ctx, answer.systemMessage, "warning");
      if (answer?.decision !== "block") return;
      begin(now);
      const entry = { type: "custom_message" as const, ...message(answer.reason, now, "going on") };
      return { entries: [entry], continue: true };
    }),
  );

  // Escape.
  pi.on("agent_end", (_event, ctx) =>
    trying(ctx, async () => {
      if (!ctx.signal?.aborted) return;
      const { data } = await goal(ctx, ["status"]);
      if (data.goal?.status === "active")
        await goal(ctx, ["pause", "--reason", "stopped by the user in pi"], true);
      await look(ctx);
    }),
  );

  pi.on("tool_call", ({ toolName, input }, ctx) => {
    if (toolName !== "write" && toolName !== "edit") return;
    const path = (input as { path?: unknown }).path;
    if (typeof path === "string" && isKept(path, ctx.cwd))
      return { block: true, reason: `${path} is kept by goal and written by nothing else: record with note_progress, ask for a change with apply_goal_tweak` };
  });
}
