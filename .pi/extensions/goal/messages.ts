// What this extension puts before the model, and how the person sees it.

import type { ContextEvent, ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { hook } from "./binary.ts";
import { inSession, session } from "./session.ts";
import { wrapped } from "./shown.ts";
import type { Told, Turn } from "./turn.ts";

type AgentMessage = ContextEvent["messages"][number];

/** The label of a continuation. */
export const GOING_ON = "going on";

/** Marks what is ours in pi: messages, the status line, the widget. */
export const OURS = "goal";

export interface Details {
  /** The goal that the text tells of; nothing where it tells of none. */
  told?: Told;
  /** What the person reads instead of the text; without it the text is hidden. */
  label?: string;
  /** It goes without the contract, which an earlier text told. */
  brief?: boolean;
  /** It begins the last turn of a goal that went over its budget, and this is how it did. */
  last?: string;
}

export const message = (content: string, told: Told | undefined, label?: string, brief = false) => ({
  customType: OURS,
  content,
  display: label !== undefined,
  details: { told, label, brief } as Details,
});

/** The person sees a text by its label, in one line; expanded it is shown as pi shows any message. */
export const renderMessages = (pi: ExtensionAPI) => {
  renderEntries(pi);
  pi.registerMessageRenderer<Details>(OURS, ({ details }, { expanded }, theme) => {
    if (expanded || !details?.label) return undefined;
    const label = `goal: ${details.label}`;
    return { render: (width) => [theme.fg("muted", label.slice(0, width))], invalidate() {} };
  });
};

/** Marks what stands in the chat for the person alone; pi does not send it to the model. */
const FOR_THE_PERSON = "goal-report";

/** Puts a text into the chat, for the person. It begins no turn. */
export const intoChat = (pi: ExtensionAPI, text: string) => pi.appendEntry(FOR_THE_PERSON, { text });

const renderEntries = (pi: ExtensionAPI) =>
  pi.registerEntryRenderer<{ text: string }>(FOR_THE_PERSON, ({ data }) => ({
    render: (width) => wrapped(data?.text ?? "", width),
    invalidate() {},
  }));

/** What the branch's latest message of ours told the model, unless it was compacted away. */
export function lastTold(ctx: ExtensionContext): Told | undefined {
  for (const entry of ctx.sessionManager.getBranch().reverse()) {
    const ours = entry.type === "custom_message" && entry.customType === OURS;
    if (ours || entry.type === "compaction") {
      const details = entry.details as Details | undefined;
      if (details?.told || !ours) return details?.told;
    }
  }
}

/** Texts up to this length stay as they are: a provider's cache of what follows them is worth more. */
const SHORT = 600;

/** Tools whose answers tell the contract. */
const TELLING = ["get_goal", "propose_goal_draft"];

/** Whether a message tells the contract at length: one of ours, or what a tool answered. */
function tellsContract(it: AgentMessage): boolean {
  if (it.role === "custom" && it.customType === OURS) {
    const details = it.details as Details | undefined;
    return !!details?.told && !details.brief && it.content.length > SHORT;
  }
  if (it.role !== "toolResult" || !TELLING.includes(it.toolName) || it.isError) return false;
  return it.content.some((part) => part.type === "text" && part.text.length > SHORT);
}

const REPLACED = "What stood here about the goal is out of date; a later message says how it stands.";

/** The messages of a request, in which all long texts that tell the contract but the last are stubs. */
export function outdated(messages: AgentMessage[]): AgentMessage[] {
  const contract = messages.findLast(tellsContract);
  return messages.map((it) => {
    if (it === contract || !tellsContract(it)) return it;
    if (it.role === "toolResult") return { ...it, content: [{ type: "text" as const, text: REPLACED }] };
    return it.role === "custom" ? { ...it, content: REPLACED } : it;
  });
}

/** Reports an event of the session to the binary, as a host of hooks does. */
export const report = (ctx: ExtensionContext, turn: Turn, event: string, more = {}, args: string[] = []) =>
  hook({
    args: ["hook", event, "--host", "pi", "--as", "pi", ...inSession(ctx), ...args],
    cwd: ctx.cwd,
    input: JSON.stringify({ session_id: session(ctx), prompt_id: turn.id, cwd: ctx.cwd, ...more }),
  });
