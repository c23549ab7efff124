// The binary called for a pi session, and what is said in it.

import { closeSync, openSync, readSync } from "node:fs";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { receipt } from "./binary.ts";
import { inPi } from "./words.ts";

export const session = (ctx: ExtensionContext) => ctx.sessionManager.getSessionId();

/** As many as the binary takes. */
const MOST_CONTINUED = 16;

/** The file of the session that this file's session was forked from. */
function parentOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const head = Buffer.alloc(16 * 1024);
    const [header] = head.toString("utf8", 0, readSync(file, head)).split("\n", 1);
    const { parentSession } = JSON.parse(header);
    return typeof parentSession === "string" ? parentSession : undefined;
  } catch {
    // A session whose file is gone or cannot be read continues none that we know of.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The sessions that a fork goes back to, the nearest first. Headers do not change. */
const forkedFrom = new Map<string, string[]>();

function ancestors(parent: string): string[] {
  const found = new Set<string>();
  for (let path: string | undefined = parent; path && found.size < MOST_CONTINUED; path = parentOf(path)) {
    // Session files are named by time and id.
    const [, id] = path.match(/_([^/\\]+)\.jsonl$/) ?? [];
    if (!id || found.has(id)) break;
    found.add(id);
  }
  return [...found];
}

/** Which session a call is made in, and which ones it was forked from: it has their drafts. */
export const inSession = (ctx: ExtensionContext): string[] => {
  const parent = ctx.sessionManager.getHeader()?.parentSession;
  if (parent && !forkedFrom.has(parent)) forkedFrom.set(parent, ancestors(parent));
  const continued = (parent && forkedFrom.get(parent)) || [];
  return ["--session", session(ctx), ...continued.flatMap((id) => ["--continues", id])];
};

/** Makes a call in the session. Throws unless a receipt says that it succeeded. */
export const goal = (ctx: ExtensionContext, args: string[], byUser = false, signal?: AbortSignal) =>
  receipt({ args: ["--json", ...inSession(ctx), ...args], cwd: ctx.cwd, byUser, signal });

/** The user's own act, in the turn that it may end: what it ends, ends for the model too. */
export const act = (ctx: ExtensionContext, turn: string, args: string[]) =>
  goal(ctx, ["--turn", turn, ...args], true);

export const say = (ctx: ExtensionContext, message: string, kind: "info" | "warning" = "info") =>
  ctx.hasUI ? ctx.ui.notify(inPi(message), kind) : process.stderr.write(`${message}\n`);

/** What goes wrong around a session is said, and the session goes on as without this extension. */
export async function trying<T>(ctx: ExtensionContext, what: () => Promise<T>): Promise<T | undefined> {
  try {
    return await what();
  } catch (error) {
    say(ctx, `goal: ${(error as Error).message}`, "warning");
  }
}
