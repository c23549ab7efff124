// What a person types and reads: the commands, the status line, the widget, a proposal.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { goal } from "./session.ts";

export interface Command {
  description: string;
  /** The binary's name of it, where it is another. */
  as?: string;
  /** The binary's arguments behind the command's own name. */
  args: (words: string, ctx: ExtensionContext) => string[] | Promise<string[]>;
  /** It only shows something. */
  shows?: true;
  /** The prompt with which the agent goes on after it. */
  prompt?: "active" | "draft" | "tweak";
}

const none = () => [];
const free = (words: string) => (words ? ["--", words] : []);
const option = (name: string) => (words: string) => (words ? [`--${name}=${words}`] : []);
const reason = (otherwise: string) => (words: string) => [`--reason=${words || otherwise}`];

/** By the names of the older extension, which the binary knows too. */
export const COMMANDS: Record<string, Command> = {
  goals: { description: "Draft a goal with the agent: TOPIC", args: free, prompt: "draft" },
  sisyphus: { description: "Draft a goal of ordered, patient work: TOPIC", args: free, prompt: "draft" },
  "goals-set": { description: "Create a goal at once and start: OBJECTIVE", args: free, prompt: "active" },
  "sisyphus-set": { description: "Create a goal of ordered, patient work at once and start: OBJECTIVE", args: free, prompt: "active" },
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
  "goal-settings": { description: "Show the configuration in force", args: none, shows: true },
};

/** The goal that was named, or that is picked from the open ones. */
async function chosen(words: string, ctx: ExtensionContext): Promise<string[]> {
  if (words || !ctx.hasUI) return free(words);
  const { data } = await goal(ctx, ["list"]);
  const rows: string[] = data.goals.map((it: any) => line(`${it.goalId}  ${it.title ?? it.objective}`));
  const row = rows.length ? await ctx.ui.select("Work on which goal?", rows) : undefined;
  return row ? [row.split(" ")[0]] : [];
}

/** Stored text must not steer a terminal, and gets one line. */
function line(text: string, most = 100): string {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

/** In the footer; nothing where there is nothing to say. */
export function statusLine(status: any): string | undefined {
  const { goal: focused, openGoals, drafts } = status;
  if (focused) return `goal: ${focused.status}${focused.sisyphus ? ", sisyphus" : ""}`;
  if (drafts.length) return `goal: ${drafts.length} to settle`;
  return openGoals ? `goal: none of ${openGoals} focused` : undefined;
}

/** Above the editor. */
export function widget(status: any): string[] | undefined {
  const { goal, drafts } = status;
  const lines: string[] = [];
  if (goal) {
    lines.push(line(`${goal.status}: ${goal.title ?? goal.objective}`));
    if (goal.tasks.count) lines.push(`${goal.tasks.count - goal.tasks.open} of ${goal.tasks.count} tasks done`);
    if (goal.pendingRequest) lines.push("completion requested");
    else if (goal.latestVerdict) lines.push(`latest audit: ${goal.latestVerdict}`);
    if (goal.nextAction) lines.push(line(`next: ${goal.nextAction}`));
  }
  for (const draft of drafts) {
    lines.push(line(`${draft.proposal ? "waits for you: goal confirm" : "draft"} ${draft.draftId}: ${draft.topic ?? ""}`));
  }
  return lines.length ? lines : undefined;
}

/** A whole proposal, for the person who decides. */
export function proposed(draft: any): string {
  const rows = Object.entries(draft.proposal).flatMap(([name, value]) => {
    const label = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const values = Array.isArray(value) ? value.map((it) => `  - ${it}`) : [];
    return values.length ? [`${label}:`, ...values] : [`${label}: ${value}`];
  });
  const title = draft.goalId ? `Change the contract of goal ${draft.goalId}?` : `Confirm this goal (${draft.mode})?`;
  return [title, "", ...rows.map((row) => row.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd"))].join("\n");
}
