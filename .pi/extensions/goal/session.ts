// The binary called for a pi session, and what is said in it.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { receipt } from "./binary.ts";

export const session = (ctx: ExtensionContext) => ctx.sessionManager.getSessionId();

/** Which session a call is made in, and which one that session was forked from: it has its drafts. */
export const inSession = (ctx: ExtensionContext): string[] => {
  // Session files are named by time and id.
  const parent = ctx.sessionManager.getHeader()?.parentSession;
  const [, continues] = parent?.match(/_([^/\\]+)\.jsonl$/) ?? [];
  return ["--session", session(ctx), ...(continues ? ["--continues", continues] : [])];
};

/** Makes a call in the session. Throws unless a receipt says that it succeeded. */
export const goal = (ctx: ExtensionContext, args: string[], byUser = false, signal?: AbortSignal) =>
  receipt({ args: ["--json", ...inSession(ctx), ...args], cwd: ctx.cwd, byUser, signal });

/** The user's own act, in the turn that it may end: what it ends, ends for the model too. */
export const act = (ctx: ExtensionContext, turn: string, args: string[]) =>
  goal(ctx, ["--turn", turn, ...args], true);

export const say = (ctx: ExtensionContext, message: string, kind: "info" | "warning" = "info") =>
  ctx.hasUI ? ctx.ui.notify(message, kind) : process.stderr.write(`${message}\n`);

/** What goes wrong around a session is said, and the session goes on as without this extension. */
export async function trying<T>(ctx: ExtensionContext, what: () => Promise<T>): Promise<T | undefined> {
  try {
    return await what();
  } catch (error) {
    say(ctx, `goal: ${(error as Error).message}`, "warning");
  }
}
