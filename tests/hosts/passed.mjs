// A reporter for Node's test runner: one line for each test that passed, `FILE: NAME`, for table.mjs.

import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

export default async function* passed(events) {
  for await (const { type, data } of events)
    if (type === "test:pass" && !data.skip && data.details?.type !== "suite" && data.file) yield `${relative(here, data.file)}: ${data.name}\n`;
}
