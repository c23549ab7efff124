// Proposals: the person answers in a dialog. Where it is dismissed or fails, a proposal waits.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Receipt } from "./binary.ts";
import { goal } from "./session.ts";
import { proposed } from "./shown.ts";

/** What came of asking: the words for the model, and the receipt of a confirmation. */
export interface Decision {
  text: string;
  confirmed?: Receipt;
}

/** Asks about drafts one at a time: pi shows one dialog, and a second would take its place. */
export function dialogs() {
  let before: Promise<unknown> = Promise.resolve();
  return (ctx: ExtensionContext, draft: string, signal?: AbortSignal): Promise<Decision | undefined> => {
    const asked = before.then(() => ask(ctx, draft, signal));
    before = asked.catch(() => {});
    return asked;
  };
}

async function ask(ctx: ExtensionContext, id: string, signal?: AbortSignal): Promise<Decision | undefined> {
  const read = async () => {
    const { data } = await goal(ctx, ["drafts"], false, signal);
    return data.drafts.find((draft: any) => draft.draftId === id && draft.proposal);
  };
  for (let draft = await read(); draft; ) {
    const choice = await ctx.ui.select(proposed(draft), ["Confirm", "Reject", "Decide later"], { signal });
    if (choice !== "Confirm" && choice !== "Reject") return;
    // Another call may have replaced what was shown; then that is what to answer.
    const now = await read();
    if (now?.revision !== draft.revision) {
      draft = now;
      continue;
    }
    if (choice === "Reject") {
      await goal(ctx, ["reject", id, "--expect", draft.revision], true);
      return { text: "The user rejected it. Ask what is wrong with it before you propose again." };
    }
    const confirmed = await goal(ctx, ["confirm", id, "--expect", draft.revision], true);
    const { goalId, status } = confirmed.data;
    return { text: `The user confirmed it: goal ${goalId} is ${status}. Go on with get_goal.`, confirmed };
  }
}
