// What the parts of the extension share.

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { holder } from "./lease.ts";
import { OURS } from "./messages.ts";
import { goal } from "./session.ts";
import { statusLine, widget } from "./shown.ts";
import { type Told, Turn } from "./turn.ts";

export class Parts {
  readonly pi: ExtensionAPI;
  readonly turn = new Turn();
  readonly lease = holder();
  /** What prompts call commands, for a model that has tools. */
  asTools = "";
  /** The tools of ours that change nothing. */
  readonly reading = new Set<string>();

  /** The goal that this session works on; one that has ended until the next turn. */
  working: string | undefined;
  /** How the focused goal stood when it was last looked at. */
  status: string | undefined;
  recordUsage: (ctx: ExtensionContext) => Promise<void> = async () => {};

  constructor(pi: ExtensionAPI) {
    this.pi = pi;
  }

  /** Asks how things stand, and shows it. */
  async look(ctx: ExtensionContext) {
    const { data } = await goal(ctx, ["status"]);
    if (ctx.hasUI) {
      ctx.ui.setStatus(OURS, statusLine(data));
      ctx.ui.setWidget(OURS, widget(data));
    }
    this.status = data.goal?.status;
    if (data.goal) this.working = data.goal.goalId;
    const now: Told = { goal: data.focusedGoalId, revision: data.goal?.revision ?? null };
    return { now, focused: data.goal };
  }

  /** A text in which commands are named, for a model that has tools. */
  inTools(text: string) {
    return `${text}\n${this.asTools}\n`;
  }
}
