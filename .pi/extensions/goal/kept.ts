// Which files only the binary writes.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// In the work tree, or in git's directory where all work trees share the ledger.
const KEPT = /[\\/](?:\.pi[\\/]goals|[^\\/]*\.git[\\/](?:.*[\\/])?goal)[\\/](goal_events\.jsonl|active_goal_[^\\/]*|archived[\\/][^\\/]*|\.locks[\\/].*)$/i;

/** Whether a path that a tool was given leads to the ledger, a goal's document or a lock. */
export function isKept(path: string, cwd: string): boolean {
  const named = located(path, cwd);
  return KEPT.test(named) || KEPT.test(real(named));
}

/** As pi reads a tool's path. */
function located(path: string, cwd: string): string {
  let plain = path.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ").replace(/^@/, "");
  if (plain.startsWith("file://")) plain = fileURLToPath(plain);
  return resolve(cwd, plain.replace(/^~(?=$|[\\/])/, homedir()));
}

/** Behind links, also where the file itself is not there yet. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), basename(path));
  }
}
