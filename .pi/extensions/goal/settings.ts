// /goal-settings: who audits, and what the goal may cost. Everything else is in the configuration's file.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type Choice, PRESETS, auditor, choose, described, ofSession, onPath } from "./auditor.ts";
import { text } from "./binary.ts";
import { act, inSession, say } from "./session.ts";

type Row = [label: string, act: () => Promise<unknown>];

const shown = (ctx: ExtensionContext, ...args: string[]) =>
  text({ args: [...inSession(ctx), ...args], cwd: ctx.cwd, byUser: true });

async function pick(ctx: ExtensionContext, title: string, rows: Row[]) {
  const row = await ctx.ui.select(title, rows.map(([label]) => label));
  return rows.find(([label]) => label === row)?.[1]();
}

export async function settings(ctx: ExtensionContext, turn: string) {
  if (!ctx.hasUI) return say(ctx, await shown(ctx, "goal-settings"));
  const there = await auditor(ctx);
  const set = async (choice: Choice) => {
    await choose(ctx, choice);
    const now = await auditor(ctx);
    say(ctx, `goals are ${described(now)}${now.source === "project" ? ", as the project's own file says, which goes first" : ""}`);
  };
  const session = ofSession(ctx);
  const rows: Row[] = [];
  if (session) rows.push([`Audit with this session's model: ${session.provider}/${session.model}`, () => set(session)]);
  if (onPath("pi")) rows.push(["Audit with another model of pi", () => ofPi(ctx, set)]);
  for (const preset of PRESETS.filter((it) => it !== "pi" && onPath(it)))
    rows.push([`Audit with ${preset}`, () => set({ preset })]);
  if (there && !there.problem) rows.push(["Try the auditor on a sample", async () => say(ctx, await shown(ctx, "auditor", "test"))]);
  rows.push(["Limit what the goal may cost", () => limit(ctx, turn)]);
  rows.push(["Show everything in force", async () => say(ctx, await shown(ctx, "goal-settings"))]);
  await pick(ctx, there ? `Goals are ${described(there)} (${there.source ?? "?"})` : "Nobody audits: no goal can be completed", rows);
}

/** A model that the person has access to in pi. */
async function ofPi(ctx: ExtensionContext, set: (choice: Choice) => Promise<void>) {
  const rows = ctx.modelRegistry.getAvailable().map(({ provider, id }): Row => [`${provider}/${id}`, () => set({ preset: "pi", provider, model: id })]);
  await pick(ctx, "Audit with which model?", rows);
}

const LIMITS = {
  "Tokens to and from models": "--max-tokens",
  "US dollars": "--cost-usd",
  "Seconds of work": "--max-seconds",
  "Calls of models": "--max-llm-calls",
};

async function limit(ctx: ExtensionContext, turn: string) {
  const budget = async (...args: string[]) => {
    await act(ctx, turn, ["budget", ...args]);
    say(ctx, await shown(ctx, "budget"));
  };
  const rows = Object.entries(LIMITS).map(([label, option]): Row => [label, async () => {
    const most = (await ctx.ui.input(label, "at most"))?.trim();
    if (most) await budget(option, most);
  }]);
  await pick(ctx, "Limit what? A goal over a limit is paused before its next turn", [...rows, ["Remove every limit", () => budget("--clear")]]);
}
