// Runs the `goal` binary. A call succeeded when its receipt says so, and in no other way: an exit
// status of 0 without one, or a signal, is a failure.

import { spawn } from "node:child_process";
import { packaged } from "./packaged.mjs";

/** What the binary prints of a call that succeeded. */
export interface Receipt {
  ok: true;
  /** The model must end its turn now. */
  stopTurn?: boolean;
  data: any;
}

export interface Call {
  args: string[];
  cwd: string;
  /** What goes to stdin. */
  input?: string;
  /** The person typed or clicked it; otherwise the binary finds out by itself who acts. */
  byUser?: boolean;
  /** Ends the child. */
  signal?: AbortSignal;
}

export interface Ended {
  code: number | null;
  killedBy: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The program that npm installed with this extension fits it, so it goes before whatever is on the PATH. */
export const program = () => process.env.GOAL_BIN || packaged() || "goal";

export function run(call: Call): Promise<Ended> {
  const env: NodeJS.ProcessEnv = { ...process.env, AI_AGENT: process.env.AI_AGENT || "pi" };
  // A pi that an agent's shell started has no person before it: pi names its session to its shells only.
  if (call.byUser && !env.PI_SESSION_ID) env.GOAL_ACTOR = "user";
  return new Promise((resolve, reject) => {
    const child = spawn(program(), call.args, { cwd: call.cwd, env, signal: call.signal });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.on("error", (error: NodeJS.ErrnoException) => reject(notRun(error)));
    child.on("close", (code, killedBy) => resolve({ code, killedBy, stdout, stderr }));
    // A child that does not read its input is none of our errors.
    child.stdin.on("error", () => {});
    child.stdin.end(call.input ?? "");
  });
}

function notRun(error: NodeJS.ErrnoException): Error {
  if (error.name === "AbortError")
    return new Error(`the call was aborted; ${UNKNOWN}`);
  if (error.code === "ENOENT") return new Error(`\`${program()}\` was not found`);
  return new Error(`\`${program()}\` could not be run: ${error.message}`);
}

const UNKNOWN = "whether it was recorded is not known: look with get_goal before you repeat it";

/** Makes a call that answers in JSON. Throws unless a receipt says that it succeeded. */
export async function receipt(call: Call): Promise<Receipt> {
  const ended = await run(call);
  const answer = parsed(ended.stdout);
  if (answer?.ok === false) {
    const { message, hint } = answer.error;
    // A verdict comes as an error that carries what it said.
    const said = answer.data?.text ?? hint;
    throw Object.assign(new Error([message, said].filter(Boolean).join("\n")), { data: answer.data });
  }
  if (ended.code === 0 && answer?.ok === true) return answer;
  const how = ended.killedBy ? `was killed by ${ended.killedBy}` : `ended with ${ended.code}`;
  const why = ended.stderr.trim();
  throw new Error(`goal ${how} without a receipt; ${UNKNOWN}${why && `\n${why}`}`);
}

/** Makes a call that answers in text for people. */
export async function text(call: Call): Promise<string> {
  const ended = await run(call);
  if (ended.code === 0) return ended.stdout.trimEnd();
  throw new Error(ended.stderr.trim() || `goal ended with ${ended.code ?? ended.killedBy}`);
}

/** Makes a call of a hook, whose answer is JSON or nothing. */
export async function hook(call: Call): Promise<any> {
  const ended = await run(call);
  if (ended.code !== 0) throw new Error(ended.stderr.trim() || "the hook failed");
  return ended.stdout.trim() ? JSON.parse(ended.stdout) : undefined;
}

function parsed(stdout: string): any {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
