// What a person reads: the status line, the widget, why the agent stopped, how an audit ended.

/** Stored text must not steer a terminal, and gets one line. */
export function line(text: string, most = 100): string {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

/** Stored text of several lines, which must not steer a terminal either. */
export const lines = (text: string, most: number) =>
  line(text.replaceAll("\n", "\u2028"), most).replaceAll("\u2028", "\n");

/** Columns that a letter takes; of what is not Latin two, since some take two. */
const columns = (letter: string) => (letter < "\u0300" ? 1 : 2);

/** The lines of a text, none wider than so many columns, broken between words where that is possible. */
export function wrapped(text: string, width: number): string[] {
  const most = Math.max(width, 2);
  return text.split("\n").flatMap((whole) => {
    const rows: string[] = [];
    let row = "";
    let used = 0;
    for (const letter of whole) {
      if (used + columns(letter) > most) {
        const space = letter === " " ? row.length : row.lastIndexOf(" ");
        const end = space > 0 ? space : row.length;
        rows.push(row.slice(0, end));
        row = row.slice(end).trimStart();
        used = [...row].reduce((sum, it) => sum + columns(it), 0);
        if (letter === " ") continue;
      }
      row += letter;
      used += columns(letter);
    }
    return [...rows, row];
  });
}

const MARKS: Record<string, string> = { live: "●", auditing: "◌", waiting: "?", blocked: "!", contested: "!", stuck: "!", resting: "‖", quiet: "○" };

const short = (number: number) => (number >= 1e6 ? `${(number / 1e6).toFixed(1)}M` : number >= 1e3 ? `${Math.round(number / 1e3)}K` : `${number}`);

const duration = (seconds: number) =>
  seconds >= 3600 ? `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m` : seconds >= 60 ? `${Math.floor(seconds / 60)}m` : `${Math.round(seconds)}s`;

/** What was spent on it, as far as it is known. */
export function spent({ usage = {} }: any): string[] {
  const tokens = (usage.tokensIn ?? 0) + (usage.tokensOut ?? 0);
  return [
    ...(usage.seconds ? [duration(usage.seconds)] : []),
    ...(tokens ? [`${short(tokens)} tokens`] : []),
    ...(usage.costUsd ? [`$${usage.costUsd.toFixed(2)}`] : []),
  ];
}

const standing = ({ status, standing }: any) => (standing === "auditing" ? "audit under way" : status);

/** In the footer; nothing where there is nothing to say. */
export function statusLine(status: any): string | undefined {
  const { goal: focused, openGoals, drafts } = status;
  if (focused) return ["goal: " + standing(focused) + (focused.sisyphus ? ", sisyphus" : ""), ...spent(focused)].join(" · ");
  const proposed = drafts.filter((it: any) => it.proposal).length;
  if (proposed) return `goal: ${proposed} to confirm`;
  if (drafts.length) return `goal: ${drafts.length} in discussion`;
  return openGoals ? `goal: none of ${openGoals} focused, /goal-focus chooses one` : undefined;
}

const since = (at: string | null) => (at ? `, ${duration(Math.max(0, (Date.now() - Date.parse(at)) / 1000))}` : "");

/** Above the editor. `other` is the session that works on the goal, where it is not this one. */
export function widget(status: any, other?: string): string[] | undefined {
  const { goal, drafts, waiting = 0 } = status;
  const shown: string[] = [];
  if (goal) {
    shown.push(line(`${MARKS[goal.standing] ?? "●"} ${standing(goal)}${other ? " in another session" : ""}: ${goal.title ?? goal.objective}`));
    const tasks = goal.tasks.count ? [`${goal.tasks.count - goal.tasks.open} of ${goal.tasks.count} tasks done`] : [];
    const facts = [...spent(goal), ...tasks];
    if (facts.length) shown.push(facts.join(" · "));
    if (goal.pause) shown.push(line(`why: ${goal.pause.reason}`));
    if (goal.pause?.suggestedAction) shown.push(line(`suggested: ${goal.pause.suggestedAction}`));
    if (goal.pendingRequest) shown.push(`audit ${goal.pendingRequest.standing}${since(goal.pendingRequest.startedAt)}`);
    else if (goal.latestVerdict) shown.push(line(`latest audit: ${goal.latestVerdict}${goal.latestAudit?.report ? `: ${goal.latestAudit.report}` : ""}`));
    if (goal.nextAction) shown.push(line(`next: ${goal.nextAction}`));
  }
  for (const draft of drafts) {
    shown.push(line(`${draft.proposal ? "waits for you: goal confirm" : "draft"} ${draft.draftId}: ${draft.topic ?? ""}`));
  }
  // What waits about this goal and about proposals is above.
  const more = waiting - (goal?.needs?.length ?? 0) - drafts.filter((it: any) => it.proposal).length;
  if (more > 0) shown.push(`+${more} need${more === 1 ? "s" : ""} you: goal inbox, at a terminal`);
  return shown.length ? shown : undefined;
}

/** Whether more was spent on it than a limit allows: going on is refused. */
export const isOver = ({ budget = [] }: any): boolean => budget.some((it: any) => it.over);

/** Why the agent stopped, for the person. */
export function stopped(goal: any): string {
  const { status, pause } = goal;
  const suggested = pause.suggestedAction ? [`suggested: ${line(pause.suggestedAction, 500)}`] : [];
  const next = isOver(goal) ? "/goal-settings raises the limit, and then /goal-resume goes on with it" : "/goal-resume goes on with it";
  return [`goal: ${status}: ${line(pause.reason, 500)}`, ...suggested, next].join("\n");
}

/** How the audit of what `goal` asked for ended, for the person; nothing while it runs. */
export function audited({ verdict, report, goalId }: any, goal: any): string | undefined {
  if (!verdict) return;
  const said = report?.trim() ? lines(report.trim(), 3000) : "it gave no report";
  const title = line(goal?.title ?? goal?.objective ?? goalId);
  const how = verdict === "approved" ? "complete" : verdict === "disapproved" ? "the auditor objects" : "the audit ended without a verdict";
  return [`goal: ${how}: ${title}`, ...(verdict === "approved" ? [`The auditor says: ${said}`] : [said])].join("\n");
}
