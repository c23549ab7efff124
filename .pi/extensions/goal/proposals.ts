// Proposals: the person answers in a dialog. Where it is dismissed or fails, a proposal waits.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { whoAudits } from "./auditor.ts";
import type { Receipt } from "./binary.ts";
import { act, goal, say, trying } from "./session.ts";
import { lines } from "./shown.ts";

/** What came of asking: the words for the model, and the receipt of a confirmation. */
export interface Decision {
  text: string;
  confirmed?: Receipt;
}

/** Asks about drafts one at a time: pi shows one dialog, and a second would take its place. */
export function dialogs() {
  let before: Promise<unknown> = Promise.resolve();
  return (ctx: ExtensionContext, turn: string, draft: string, signal?: AbortSignal): Promise<Decision | undefined> => {
    const asked = before.then(() => ask(ctx, turn, draft, signal));
    before = asked.catch(() => {});
    return asked;
  };
}

async function ask(ctx: ExtensionContext, turn: string, id: string, signal?: AbortSignal): Promise<Decision | undefined> {
  const read = async () => {
    const { data } = await goal(ctx, ["drafts"], false, signal);
    return data.drafts.find((draft: any) => draft.draftId === id && draft.proposal);
  };
  for (let draft = await read(); draft; ) {
    const choice = await ctx.ui.select(lines(draft.question.trimEnd(), Infinity), ["Confirm", "Reject", "Decide later"], { signal });
    if (choice !== "Confirm" && choice !== "Reject") return;
    // Another call may have replaced what was shown; then that is what to answer.
    const now = await read();
    if (now?.revision !== draft.revision) {
      draft = now;
      continue;
    }
    if (choice === "Reject") {
      await act(ctx, turn, ["reject", id, "--expect", draft.revision]);
      return { text: "The user rejected it. Ask what is wrong with it before you propose again." };
    }
    const confirmed = await act(ctx, turn, ["confirm", id, "--expect", draft.revision]);
    if (!draft.goalId) await trying(ctx, async () => say(ctx, await whoAudits(ctx)));
    const { goalId, status } = confirmed.data;
    const next = confirmed.stopTurn
      ? "The contract is changed. End the turn: the next one begins with get_goal."
      : await contract(ctx, goalId);
    return { text: `The user confirmed it: goal ${goalId} is ${status}. ${next}`, confirmed };
  }
}

/** The contract and how to work on it, which get_goal would tell next. */
async function contract(ctx: ExtensionContext, id: string): Promise<string> {
  const filled = await trying(ctx, async () => (await goal(ctx, ["prompt", "active", "--as", "pi"])).data);
  return filled?.goalId === id ? `Begin.\n\n${filled.prompt}` : "Go on with get_goal.";
}
