// Who audits. Where nobody chose an auditor, it is the model of this session in a pi of its own, which
// only reads. It goes into the user's own configuration, by what the person does and by nothing else.

import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { goal } from "./session.ts";

/** Presets of the binary, by the programs that they run. */
export const PRESETS = ["pi", "claude", "codex", "gemini"];

export interface Choice {
  preset: string;
  provider?: string;
  model?: string;
}

export const onPath = (program: string) =>
  (process.env.PATH ?? "").split(delimiter).some((dir) => isAbsolute(dir) && existsSync(join(dir, program)));

/** The model of this session, as an auditor's. */
export const ofSession = ({ model }: ExtensionContext): Choice | undefined =>
  model && onPath("pi") ? { preset: "pi", provider: model.provider, model: model.id } : undefined;

/** The auditor in force for what the agent asks for; nothing where there is none. */
export async function auditor(ctx: ExtensionContext): Promise<any> {
  const { data } = await goal(ctx, ["config"]);
  return data.auditor ?? (data.problem ? { problem: data.problem } : undefined);
}

const model = ({ provider, model }: Choice) => [provider, model].filter(Boolean).join("/");

/** An auditor in words. */
export function described(auditor: any): string {
  if (auditor.problem) return `the configuration is broken: ${auditor.problem.message ?? auditor.problem}`;
  const program = auditor.preset ?? auditor.command.join(" ");
  return `audited by ${[program, model(auditor)].filter(Boolean).join(", ")}`;
}

/** Writes the user's choice into their own configuration. */
export async function choose(ctx: ExtensionContext, choice: Choice) {
  for (const key of ["preset", "provider", "model"] as const)
    if (choice[key]) await goal(ctx, ["config", "set", `auditor.${key}`, choice[key]], true);
}

/** The person creates a goal: who will audit it, in words for them. */
export async function whoAudits(ctx: ExtensionContext): Promise<string> {
  const there = await auditor(ctx);
  if (there) return described(there);
  const default_ = ofSession(ctx);
  if (!default_) return NOBODY;
  await choose(ctx, default_);
  return `no auditor was chosen; from now on your goals are audited by this session's model (pi, ${model(default_)}), in a process of its own that only reads. /goal-settings changes it`;
}

export const NOBODY = "no auditor is chosen, so the goal cannot be completed: /goal-settings chooses one";
