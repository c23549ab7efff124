// What a person types: the commands, by the names of the older extension, which the binary knows too.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { whoAudits } from "./auditor.ts";
import { text } from "./binary.ts";
import { message } from "./messages.ts";
import type { Parts } from "./parts.ts";
import { act, goal, inSession, say, trying } from "./session.ts";
import { settings } from "./settings.ts";
import { isOver, line } from "./shown.ts";

interface Command {
  description: string;
  /** The binary's name of it, where it is another. */
  as?: string;
  /** The binary's arguments behind the command's own name; nothing where the person chose nothing. */
  args: (words: string, ctx: ExtensionContext) => string[] | Promise<string[] | undefined>;
  /** It only shows something. */
  shows?: true;
  /** It creates a goal. */
  creates?: true;
  /** The prompt with which the agent goes on after it. */
  prompt?: "active" | "draft" | "tweak";
}

const none = () => [];
const free = (words: string) => (words ? ["--", words] : []);
const option = (name: string) => (words: string) => (words ? [`--${name}=${words}`] : []);
const reason = (otherwise: string) => (words: string) => [`--reason=${words || otherwise}`];

const COMMANDS: Record<string, Command> = {
  goals: { description: "Draft a goal with the agent: TOPIC", args: free, prompt: "draft" },
  sisyphus: { description: "Draft a goal of ordered, patient work: TOPIC", args: free, prompt: "draft" },
  "goals-set": { description: "Create a goal at once and start: OBJECTIVE", args: free, creates: true, prompt: "active" },
  "sisyphus-set": { description: "Create a goal of ordered, patient work at once and start: OBJECTIVE", args: free, creates: true, prompt: "active" },
  goal: { description: "Show the focused goal, or GOAL", as: "show", args: free, shows: true },
  "goal-status": { description: "Show what is focused, and what waits", args: none, shows: true },
  "goal-list": { description: "List the open goals; --all for the ended ones too", args: (words) => words.split(/\s+/).filter(Boolean), shows: true },
  "goal-focus": { description: "Choose the goal that this session works on: GOAL", args: chosen },
  "goal-unfocus": { description: "Work on no goal in this session", args: none },
  "goal-tweak": { description: "Discuss a change of the contract: TOPIC", args: option("topic"), prompt: "tweak" },
  "goal-pause": { description: "Let the goal rest: REASON", args: reason("paused by the user") },
  "goal-resume": { description: "Go on with a paused or blocked goal: REASON", args: option("reason"), prompt: "active" },
  "goal-abort": { description: "Give the goal up for good, or close the open draft: REASON", args: reason("given up by the user") },
  "goal-clear": { description: "The same as /goal-abort", args: reason("cleared by the user") },
};

/** The goal that was named, or that is picked from the open ones. */
async function chosen(words: string, ctx: ExtensionContext): Promise<string[] | undefined> {
  if (words || !ctx.hasUI) return free(words);
  const { data } = await goal(ctx, ["list", "--limit", "0"]);
  const rows: string[] = data.goals.map((it: any) => line(`${it.goalId}  ${it.standing}  ${it.title ?? it.objective}`));
  if (!rows.length) return [];
  const row = await ctx.ui.select("Work on which goal?", rows);
  return row === undefined ? undefined : [row.split(" ")[0]];
}

export function registerCommands(parts: Parts) {
  parts.pi.registerCommand("goal-settings", {
    description: "Choose who audits, limit what a goal may cost, show the configuration",
    handler: async (_words, ctx) => void (await trying(ctx, () => settings(ctx, parts.turn.id))),
  });
  for (const [name, command] of Object.entries(COMMANDS)) {
    parts.pi.registerCommand(name, {
      description: command.description,
      handler: async (words, ctx) => {
        await trying(ctx, () => carryOut(parts, name, command, words.trim(), ctx));
        // With --print pi ends once the command has, and the agent that it started with it.
        if (!ctx.hasUI) await ctx.waitForIdle();
        await trying(ctx, () => parts.look(ctx));
      },
    });
  }
}

/** A session is taken up again whose goal rests: the person says whether it goes on. */
export async function offerToResume(parts: Parts, ctx: ExtensionContext) {
  if (!ctx.hasUI) return;
  const { focused, hold } = await parts.look(ctx);
  if (!focused?.pause || isOver(focused) || hold !== "own") return;
  const title = `Goal ${line(focused.title ?? focused.objective)} is ${focused.status}: ${line(focused.pause.reason)}`;
  if ((await ctx.ui.select(title, ["Go on with it", "Not now"])) === "Go on with it")
    await carryOut(parts, "goal-resume", COMMANDS["goal-resume"], "", ctx);
}

async function carryOut(parts: Parts, name: string, command: Command, words: string, ctx: ExtensionContext) {
  const given = await command.args(words, ctx);
  if (!given) return;
  const args = [command.as ?? name, ...given];
  const plain = { args: [...inSession(ctx), ...args], cwd: ctx.cwd, byUser: true };
  if (command.shows) return say(ctx, await text(plain));
  const { turn } = parts;
  const { data, stopTurn } = await act(ctx, turn.id, args);
  const audits = command.creates ? [await whoAudits(ctx)] : [];
  // Who audits is said already, where a goal was created.
  parts.saidAuditor ||= audits.length > 0;
  const notices = (data.notices ?? []).filter((it: any) => it.code !== "no_auditor");
  if (stopTurn && !ctx.isIdle()) turn.end(`the user said ${name}`);
  const about = data.goalId ? `goal ${data.goalId} is ${data.status}` : data.draftId ? `draft ${data.draftId} is open` : "no goal is focused in this session";
  say(ctx, [name + ": " + about, ...audits, ...notices.map((it: any) => it.message)].join("\n"));
  if (!command.prompt) return;
  const filled = (await goal(ctx, ["prompt", command.prompt, "--as", "pi"])).data;
  // A draft says nothing of the goal that is focused meanwhile.
  const of = command.prompt === "draft" ? undefined : { goal: filled.goalId, revision: filled.revision };
  const { now, focused, hold } = await parts.look(ctx);
  if (hold === "own" && focused.status === "active") await parts.lease.acquire(ctx, focused.goalId);
  // The agent that starts with this text need not be told it once more.
  turn.told = of ?? (now.goal ? turn.told : now);
  const prompt = message(filled.prompt, of, `/${name}`);
  parts.pi.sendMessage(prompt, { triggerTurn: true, deliverAs: "followUp" });
}
