// What the parts of the extension share.

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { holder } from "./lease.ts";
import { OURS } from "./messages.ts";
import { goal, say } from "./session.ts";
import { statusLine, widget } from "./shown.ts";
import { toolsOf } from "./tools.ts";
import { type Told, Turn } from "./turn.ts";

/** Who holds the focused goal, as the binary judges it for this session. */
type Hold = "own" | "nobody" | "another";

export class Parts {
  readonly pi: ExtensionAPI;
  readonly turn = new Turn();
  readonly lease = holder();
  /** The tools of ours that change nothing. */
  readonly reading = new Set<string>();

  /** The goal that this session works on; one that has ended until the next turn. */
  working: string | undefined;
  /** How the focused goal stood when it was last looked at. */
  status: string | undefined;
  /** The limits of the focused goal, with what was spent of each. */
  budget: { limit: string; most: number; spent: number }[] = [];
  /** Records what was spent; whether the person was told that a limit stops the goal. */
  recordUsage: (ctx: ExtensionContext) => Promise<boolean> = async () => false;
  /** Whether what is not recorded yet goes over a limit. */
  goesOver: () => boolean = () => false;
  private readonly showTools = toolsOf(this);

  constructor(pi: ExtensionAPI) {
    this.pi = pi;
  }

  /** The person was told who audits, or that nobody does. */
  saidAuditor = false;
  private saidOther: string | undefined;

  /** Asks how things stand, and shows it to the person and to the model. */
  async look(ctx: ExtensionContext) {
    const { data } = await goal(ctx, ["status"]);
    this.status = data.goal?.status;
    this.budget = data.goal?.budget ?? [];
    const hold: Hold | null = data.hold;
    const other = hold === "another" ? (data.goal.lease?.session ?? data.goal.worker?.session) : undefined;
    if (data.goal && hold !== "another") this.working = data.goal.goalId;
    if (other && other !== this.saidOther)
      say(ctx, `goal: ${data.goal.goalId} is worked on in session ${other}. This session answers you and does not go on with it; /goal-focus ${data.goal.goalId} takes it over`);
    this.saidOther = other;
    if (ctx.hasUI) {
      ctx.ui.setStatus(OURS, statusLine(data));
      ctx.ui.setWidget(OURS, widget(data, other));
    }
    await this.showTools(ctx);
    const now: Told = { goal: data.focusedGoalId, revision: data.goal?.revision ?? null };
    return { now, focused: data.goal, hold };
  }
}
