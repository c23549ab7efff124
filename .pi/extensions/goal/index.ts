// The goal ledger in pi. Tools, commands and events are passed on to the `goal` binary, which
// decides everything; the parts beside this file are how pi says it and shows it.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { offerToResume, registerCommands } from "./commands.ts";
import { tellTheModel } from "./context.ts";
import { goOn } from "./going.ts";
import { guardTools } from "./guard.ts";
import { OURS, renderMessages, report } from "./messages.ts";
import { described, inTheWay, inWidget } from "./others.ts";
import { Parts } from "./parts.ts";
import { say, trying } from "./session.ts";
import { recordUsage } from "./usage.ts";
import { skills, unfit } from "./version.ts";

export default function (pi: ExtensionAPI) {
  // An audit is read-only, and so is whatever host it runs in.
  if (process.env.GOAL_ACTOR === "auditor") return;

  // Nothing is registered until the program is known to be there.
  let parts: Parts | undefined;

  pi.on("session_start", async ({ reason }, ctx) => {
    const other = parts ? undefined : inTheWay(pi);
    if (other && ctx.hasUI) ctx.ui.setWidget(OURS, inWidget(other));
    const why = other ? described(other) : await unfit(ctx.cwd);
    if (why) {
      // Said once: pi loads the extension anew for every session of its process.
      if (reason === "startup" || reason === "reload") say(ctx, why, "warning");
      return;
    }
    const first = !parts;
    parts ??= new Parts(pi);
    const { turn } = parts;
    if (first) register(parts);
    turn.told = undefined;
    await trying(ctx, () => parts!.look(ctx));
    // A session begins without waiting for the answer.
    if (reason === "startup" || reason === "resume") void trying(ctx, () => offerToResume(parts!, ctx));
  });

  pi.on("resources_discover", () => (parts ? { skillPaths: skills() } : undefined));
}

function register(parts: Parts) {
  renderMessages(parts.pi);
  registerCommands(parts);
  tellTheModel(parts);
  goOn(parts);
  guardTools(parts);
  recordUsage(parts);
  // Behind what is recorded last: what a session did after its end would show that it is alive.
  parts.pi.on("session_shutdown", (_event, ctx) =>
    trying(ctx, async () => void (await report(ctx, parts.turn, "session-end"))),
  );
}
