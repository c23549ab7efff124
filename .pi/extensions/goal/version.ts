// Whether the program that is there is the one that this extension needs, and the line that brings it.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { program, run } from "./binary.ts";

/** The oldest version of the program that this extension works with, as `0.1.0`, or `0.1.0+2` of a build between releases. */
export const NEEDS = "0.1.0";

/** The directory of the package that this extension came in. */
const PACKAGE = fileURLToPath(new URL("../../..", import.meta.url));
const NAME = "goal-ledger";

/** What the package says of itself; nothing where the extension was copied into a project. */
const manifest = (): { name?: string; repository?: unknown } => {
  try {
    return JSON.parse(readFileSync(`${PACKAGE}package.json`, "utf8"));
  } catch {
    return {};
  }
};

/** Whether the extension lies in its package, a checkout too. */
const inPackage = () => manifest().name === NAME;

/** The skills of the package; pi is given them only once the program is there. */
export const skills = (): string[] =>
  inPackage() && existsSync(`${PACKAGE}.pi/skills`) ? [`${PACKAGE}.pi/skills`] : [];

/** What installs the program. A package names its repository once it is published. */
const install = () => {
  if (inPackage() && existsSync(`${PACKAGE}Cargo.toml`)) return `cargo install --path ${PACKAGE.replace(/\/$/, "")}`;
  if (inPackage() && manifest().repository) return `npm install --global ${NAME}`;
  return "cargo install --path . # in a checkout of goal";
};

const older = (version: string) => {
  const [has, needs] = [version, NEEDS].map((it) => [...it.split(/[.+]/).map(Number), 0].slice(0, 4));
  const differs = needs.findIndex((number, at) => number !== has[at]);
  return differs >= 0 && has[differs] < needs[differs];
};

/** Why the extension cannot work here, and what to run; nothing where it can. */
export async function unfit(cwd: string): Promise<string | undefined> {
  const named = process.env.GOAL_BIN ? ", or correct GOAL_BIN, which names it" : "";
  const why = await reason(cwd);
  return why && `goal is off in this session: ${why}. Run this, then start pi again${named}:\n${install()}`;
}

async function reason(cwd: string): Promise<string | undefined> {
  let said: string;
  try {
    said = (await run({ args: ["--version"], cwd })).stdout;
  } catch (error) {
    return (error as Error).message;
  }
  const [, version] = /^goal (\d+\.\d+\.\d+(?:\+\d+)?)\b/.exec(said) ?? [];
  if (!version) return `\`${program()}\` is another program of that name`;
  if (older(version)) return `\`${program()}\` is version ${version}, and the extension needs ${NEEDS} or newer`;
}
