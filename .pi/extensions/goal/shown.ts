// What a person reads: the status line, the widget, a proposal.

/** Stored text must not steer a terminal, and gets one line. */
export function line(text: string, most = 100): string {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

/** In the footer; nothing where there is nothing to say. */
export function statusLine(status: any): string | undefined {
  const { goal: focused, openGoals, drafts } = status;
  if (focused) return `goal: ${focused.status}${focused.sisyphus ? ", sisyphus" : ""}`;
  if (drafts.length) return `goal: ${drafts.length} to settle`;
  return openGoals ? `goal: none of ${openGoals} focused` : undefined;
}

/** Above the editor. */
export function widget(status: any): string[] | undefined {
  const { goal, drafts } = status;
  const lines: string[] = [];
  if (goal) {
    lines.push(line(`${goal.status}: ${goal.title ?? goal.objective}`));
    if (goal.tasks.count) lines.push(`${goal.tasks.count - goal.tasks.open} of ${goal.tasks.count} tasks done`);
    if (goal.pendingRequest) lines.push("completion requested");
    else if (goal.latestVerdict) lines.push(`latest audit: ${goal.latestVerdict}`);
    if (goal.nextAction) lines.push(line(`next: ${goal.nextAction}`));
  }
  for (const draft of drafts) {
    lines.push(line(`${draft.proposal ? "waits for you: goal confirm" : "draft"} ${draft.draftId}: ${draft.topic ?? ""}`));
  }
  return lines.length ? lines : undefined;
}

/** Why the agent stopped, for the person. */
export function stopped({ status, pause }: any): string {
  const suggested = pause.suggestedAction ? [`suggested: ${line(pause.suggestedAction, 500)}`] : [];
  return [`goal: ${status}: ${line(pause.reason, 500)}`, ...suggested, "/goal-resume goes on with it"].join("\n");
}

/** A whole proposal, for the person who decides. */
export function proposed(draft: any): string {
  const rows = Object.entries(draft.proposal).flatMap(([name, value]) => {
    const label = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const values = Array.isArray(value) ? value.map((it) => `  - ${it}`) : [];
    return values.length ? [`${label}:`, ...values] : [`${label}: ${value}`];
  });
  const title = draft.goalId ? `Change the contract of goal ${draft.goalId}?` : `Confirm this goal (${draft.mode})?`;
  return [title, "", ...rows.map((row) => row.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd"))].join("\n");
}
