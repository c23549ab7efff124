// The lease: held while the agent works, so that no other worker takes the same goal.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { goal, trying } from "./session.ts";

/** How often a lease is prolonged, in milliseconds; it lapses after two minutes. */
const RENEWAL = 40_000;

const lease = (ctx: ExtensionContext, act: string, of: string) =>
  goal(ctx, ["lease", act, "--goal", of, "--pid", String(process.pid)]);

/** The one lease of a session. */
export function holder() {
  let held: { goal: string; renewal: NodeJS.Timeout } | undefined;

  const forget = () => {
    const of = held?.goal;
    clearInterval(held?.renewal);
    held = undefined;
    return of;
  };

  const release = async (ctx: ExtensionContext) => {
    const of = forget();
    if (of) await trying(ctx, () => lease(ctx, "release", of));
  };

  /** Whether this session may go on by itself with the goal. */
  const acquire = async (ctx: ExtensionContext, of: string): Promise<boolean> => {
    if (held?.goal !== of) await release(ctx);
    // Asked for even when held: the user may have given it to another session meanwhile, or it
    // lapsed while the machine slept.
    const acquired = await trying(ctx, () => lease(ctx, "acquire", of));
    if (!acquired) {
      forget();
      return false;
    }
    if (held) return true;
    const renewal = setInterval(() => lease(ctx, "renew", of).catch(() => {}), RENEWAL);
    held = { goal: of, renewal: renewal.unref() };
    return true;
  };

  return { acquire, release };
}
