// Other extensions that have our commands or tools. Beside one, pi numbers the commands, and of two tools
// with one name only the first is there, so goals of neither can be completed.

import { fileURLToPath } from "node:url";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { line } from "./shown.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Names by which extensions of this family are known: commands, and tools that belong to goals alone. */
const COMMANDS = ["goals", "goals-set", "goal-resume", "goal-focus", "sisyphus"];
const TOOLS = ["get_goal", "update_goal", "propose_goal_draft", "apply_goal_tweak", "create_goal", "pause_goal"];

/** What is in the way, and the line that takes it away. */
export interface Other {
  name: string;
  remove: string;
}

export const described = ({ name, remove }: Other) =>
  `goal is off in this session: the extension ${name} has the same commands and tools, and goals cannot be completed with both. The ledger and the documents are read as they are. Run this, then start pi again:\n${remove}`;

/** For the widget: that it is off, and the line that resolves it. */
export const inWidget = ({ name, remove }: Other) => [line(`goal is off beside ${name}; resolve it with:`, 160), line(remove, 160)];

/** Nothing where nothing is in the way. */
export function inTheWay(pi: ExtensionAPI): Other | undefined {
  const theirs = [
    ...pi.getCommands().filter((it) => it.source === "extension" && COMMANDS.includes(it.name.replace(/:\d+$/, ""))),
    ...pi.getAllTools().filter((it) => TOOLS.includes(it.name)),
  ].find((it) => !it.sourceInfo.path.startsWith(HERE))?.sourceInfo;
  if (!theirs) return;
  const [name, remove] = theirs.origin === "package" ? [theirs.source, `pi remove ${theirs.source}`] : [theirs.path, `mv ${theirs.path} ${theirs.path}.off`];
  return { name, remove };
}
