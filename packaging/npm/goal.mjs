#!/usr/bin/env node
// `goal` as npm installs it: starts the program of this platform's package, and ends as it ends.

import { spawn } from "node:child_process";
import { PACKAGE, packaged } from "../../.pi/extensions/goal/packaged.mjs";

const NOT_FOUND = 127; // as a shell says it of a command

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(NOT_FOUND);
}

const program = packaged();
if (!program)
  fail(
    `error: the npm package ${PACKAGE} is not installed, and it holds the program\n` +
      "  npm leaves it out with --omit=optional, and not every platform has one;\n" +
      "  with Rust: cargo install goal-ledger",
  );

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`error: ${program} cannot be started: ${error.message}`));
// A terminal sends these to both, and the program decides what they mean.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
const passed = ["SIGTERM", "SIGHUP"];
for (const signal of passed) process.on(signal, () => child.kill(signal));
child.on("close", (code, signal) => {
  if (!signal) process.exit(code);
  for (const name of [...passed, "SIGINT", "SIGQUIT"]) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
