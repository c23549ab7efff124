// The turn that is under way: what the model was told in it, and what it did. A turn is what follows
// the user's word, or ours.

import { randomUUID } from "node:crypto";
import type { Receipt } from "./binary.ts";

/** A goal at a revision, as the model was told of it. */
export interface Told {
  goal: string | null;
  revision: string | null;
}

export const same = (a: Told | undefined, b: Told) => a?.goal === b.goal && a.revision === b.revision;

export class Turn {
  id: string = randomUUID();
  told: Told | undefined;
  /** Tool calls: how many the latest message has, how many of get_goal there were, how many run. */
  calls = 1;
  reads = 0;
  running = 0;
  /** It began with the user's word, and these are the tools that the agent called since. */
  byUser = false;
  tools = 0;
  /**
   * The turn has ended while the agent still speaks: why, how many calls were blocked since, and whether it
   * may note where things stand.
   */
  ended: { why: string; blocked: number; last: boolean } | undefined;

  begin(told: Told | undefined = this.told, byUser = false) {
    this.id = randomUUID();
    this.byUser = byUser;
    this.tools = 0;
    this.reads = 0;
    this.ended = undefined;
    this.told = told;
  }

  /** The agent only answered the user: that is no work to be gone on with. */
  get answered() {
    return this.byUser && this.tools === 0;
  }

  end(why: string, last = false) {
    this.ended ??= { why, blocked: 0, last };
  }

  /** What a receipt has told the model. Calls of one message change the revision for each other. */
  learn({ data }: Receipt, alone = true) {
    if (data.focusedGoalId !== undefined)
      this.told = { goal: data.focusedGoalId, revision: data.goal?.revision ?? data.revision ?? null };
    else if (data.goalId) this.told = { goal: data.goalId, revision: alone ? data.revision : null };
  }
}
