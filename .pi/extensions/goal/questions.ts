// Questions of the agent: the person answers in a dialog. A question that is put off waits.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { act, goal } from "./session.ts";
import { line } from "./shown.ts";

const WORDS = "Answer in words";
const LATER = "Answer later";

/** Asks the person what the agent asked; the words for the model, or nothing where the question waits. */
export async function askPerson(ctx: ExtensionContext, turn: string, { question, approval }: any, signal?: AbortSignal): Promise<string | undefined> {
  const { data } = await goal(ctx, ["questions"], false, signal);
  const asked = data.questions.findLast((it: any) => it.question === question);
  if (!asked) return;
  const title = `The agent asks: ${line(question, 1000)}`;
  const choices: string[] = approval ? ["Yes", "No", LATER] : [...asked.suggestions, WORDS, LATER];
  const chosen = asked.suggestions.length || approval ? await ctx.ui.select(title, choices, { signal }) : WORDS;
  if (chosen === undefined || chosen === LATER) return;
  const answer = chosen === WORDS ? (await ctx.ui.input(title, "your answer", { signal }))?.trim() : chosen;
  if (!answer) return;
  await act(ctx, turn, ["answer", asked.questionId, "--", approval ? answer.toLowerCase() : answer]);
  return `The user answered: ${answer}`;
}
