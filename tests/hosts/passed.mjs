// A reporter for Node's test runner: one line for each test that passed, `FILE: NAME`, and one that begins with
// `failed: ` for each that did not, for table.mjs.

import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

export default async function* passed(events) {
  for await (const { type, data } of events) {
    if (data.skip || data.details?.type === "suite" || !data.file) continue;
    const name = `${relative(here, data.file)}: ${data.name}\n`;
    if (type === "test:pass") yield name;
    else if (type === "test:fail") yield `failed: ${name}`;
  }
}
