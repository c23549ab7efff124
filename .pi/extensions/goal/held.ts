// Whether the focused goal is this session's to work on. A session that has nothing to do with it answers
// its user and is not driven on.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { inSession } from "./session.ts";

/** What the runner and work trees call themselves; people speak in none of them. */
const NOBODYS = /^(run|worktree)-/;

/** The other session that works on the goal; nothing where none does. */
export function otherWorker(ctx: ExtensionContext, focused: any): string | undefined {
  const ours = inSession(ctx);
  const leased = focused.lease?.session;
  const worker = leased ?? focused.worker?.session;
  return worker && !ours.includes(worker) && (leased || !NOBODYS.test(worker)) ? worker : undefined;
}

/** Whether this session worked on the goal last. */
export const isWorker = (ctx: ExtensionContext, focused: any) => inSession(ctx).includes(focused.worker?.session);

/** Whether the person names the goal, and with that brings it into this session. */
export const names = (prompt: string, { goalId, title }: any): boolean =>
  [goalId, title].some((it) => it && prompt.toLowerCase().includes(it.toLowerCase()));

/** For a model that has nothing to do with the goal. */
export const elsewhere = ({ goalId, title, objective, status }: any) =>
  `Goal ${JSON.stringify((title ?? objective).slice(0, 100))} (${goalId}) is ${status} in another session: do no work for it here.\n`;
