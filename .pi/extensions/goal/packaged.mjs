// Where npm put the program: every platform has a package of its own, and npm installs the one that
// fits beside the package that this file belongs to.

import { createRequire } from "node:module";

export const PACKAGE = `goal-ledger-${process.platform}-${process.arch}`;

/**
 * The path of the program in this platform's package, or nothing where npm did not install it.
 * @returns {string | undefined}
 */
export function packaged() {
  try {
    return createRequire(import.meta.url).resolve(`${PACKAGE}/bin/goal`);
  } catch {
    return undefined;
  }
}
