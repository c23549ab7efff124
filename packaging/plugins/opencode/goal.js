// The plugin for opencode: what a session's start, the user's prompts and the end of a turn mean for the
// goal is asked of the program `goal`, as the hooks of other hosts do. It decides nothing itself, and where
// the program is missing or fails, opencode works as without it.

import { spawn } from "node:child_process";

/** The version of the program that this plugin needs. */
const NEEDS = "0.1.0";

/** How long the program may take, in milliseconds. */
const PATIENCE = 10_000;

/** What begins the summary of a goal. */
const WHOLE = "# Goal summary";

/** What the user can type, and what `/` shows of it. */
const ACTS = {
  draft: "draft a goal about a topic",
  set: "create a goal",
  confirm: "confirm the proposal",
  reject: "reject the proposal",
  answer: "answer the question",
  pause: "let the goal rest",
  resume: "let the goal go on",
  focus: "choose the goal",
  complete: "request completion",
  status: "show the goal and how it stands",
  inbox: "show what waits for you",
};

/** Whether a slash command is one of these. */
const isOurs = (command) => /^goal:/.test(command) && Object.hasOwn(ACTS, command.slice("goal:".length));

/** What stands between the user's words and the answer of `goal`: opencode shows only one part of a prompt. */
const ANSWER = "\n\n[goal]\n";

/** What the user said: without an answer of before, which taking a prompt back brings again, and without the
 * quotes into which `opencode run` puts an argument with spaces. */
const said = (prompt) => prompt.split(ANSWER)[0].replace(/^"(\/?goal:[^]*)"$/, (_, words) => words.replaceAll('\\"', '"'));

export const GoalPlugin = async ({ client, directory }) => {
  // opencode marks its own process as it marks its agent's shell. A shell that its agent opens is marked by
  // `shell.env` below, so a session that was started there is still known as an agent's.
  const { OPENCODE, AGENT, ...env } = process.env;
  /** What is known of each session and its turn. */
  const sessions = new Map();
  /** The slash command that each session's next prompt is made of. */
  const commands = new Map();
  let isMissing = false;

  const hook = (event, input) =>
    new Promise((answered) => {
      const child = spawn("goal", ["hook", event, "--host", "opencode", "--as", "tools", "--needs", NEEDS], { cwd: directory, env, stdio: ["pipe", "pipe", "ignore"] });
      const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      let said = "";
      const end = (code) => {
        clearTimeout(late);
        try {
          answered(code === 0 ? JSON.parse(said) : {});
        } catch {
          answered({});
        }
      };
      child.on("error", ({ code }) => {
        if (code === "ENOENT" && !isMissing) {
          isMissing = true;
          tell("goal is off: the program goal is not on the PATH. Install it, in a checkout with Rust: cargo install --path .");
        }
        end();
      });
      child.on("close", end);
      child.stdin.on("error", () => {});
      child.stdout.setEncoding("utf8").on("data", (text) => (said += text));
      child.stdin.end(JSON.stringify({ cwd: directory, ...input }));
    });

  /** Tells the user: `opencode run` has no screen. */
  const tell = (message) => {
    if (process.argv[2] === "run") process.stderr.write(`goal: ${message}\n`);
    else client.tui.showToast({ body: { title: "goal", message, variant: "info", duration: 10_000 } }).catch(() => {});
  };

  const found = async (id) => {
    const { data } = await client.session.get({ path: { id } }).catch(() => ({}));
    return data;
  };

  /** A session that the user speaks in; nothing for one of a subagent, or where nobody knows. */
  const known = async (id) => {
    if (sessions.has(id)) return sessions.get(id);
    const data = await found(id);
    if (!data || data.parentID) return undefined;
    sessions.set(id, { prompts: 0, usedTools: false, brokeOff: false, wentOn: false, begins: "startup" });
    return sessions.get(id);
  };

  const contextOf = (answer) => answer.hookSpecificOutput?.additionalContext;

  return {
    config: async (config) => {
      config.command ??= {};
      for (const [name, description] of Object.entries(ACTS)) config.command[`goal:${name}`] = { template: `/goal:${name} $ARGUMENTS`, description };
    },

    // Its arguments are what was typed; in the prompt that is made of them opencode runs commands in `!`. A prompt
    // of the server `goal` goes before a command of the same name: `/goal:draft` would show the user all of it.
    "command.execute.before": async ({ command, sessionID, arguments: words }, { parts }) => {
      commands.set(sessionID, { command, words });
      const [first] = parts;
      if (isOurs(command) && first?.type === "text") first.text = `/${command} ${words}`.trim();
    },

    "chat.message": async ({ sessionID, agent, model }, { message, parts }) => {
      // What the user said: not what the host, its plugins and this one add.
      const typed = parts.filter(({ type, synthetic, ignored }) => type === "text" && !synthetic && !ignored);
      const by = commands.get(sessionID);
      commands.delete(sessionID);
      const session = typed.length ? await known(sessionID) : undefined;
      if (!session) return;
      Object.assign(session, { agent, model, prompts: session.prompts + 1, usedTools: false, brokeOff: false, wentOn: false });
      const of = { session_id: sessionID, prompt_id: message.id };
      const { begins } = session;
      const began = begins ? await hook("session-start", { ...of, source: begins }) : {};
      session.begins = undefined;
      // A command that failed before its prompt was made is not the one of this prompt.
      const isStale = isOurs(by?.command) && !typed[0].text.startsWith(`/${by.command}`);
      // The words of a project's own commands are not the user's.
      const prompt = by && !isStale ? `/${by.command} ${isOurs(by.command) ? by.words : ""}`.trim() : said(typed.map(({ text }) => text).join("\n"));
      const heard = await hook("user-prompt-submit", { ...of, prompt });
      const seen = [began, heard].flatMap(({ systemMessage }) => systemMessage ?? []);
      if (seen.length) typed[0].text += `${ANSWER}${seen.join("\n\n")}`;
      // Where the prompt made the session join a goal, it brings the whole, and the start's word is outdated.
      const all = contextOf(heard)?.includes(WHOLE) ? [heard] : [began, heard];
      const context = all.flatMap((answer) => contextOf(answer) ?? []);
      if (context.length) parts.push({ id: `${parts.at(-1).id}0`, messageID: message.id, sessionID, type: "text", synthetic: true, text: context.join("\n\n") });
    },

    event: async ({ event: { type, properties } }) => {
      const id = properties?.sessionID ?? properties?.part?.sessionID ?? properties?.info?.id;
      const session = sessions.get(id);
      if (!session) return;
      if (type === "message.part.updated" && properties.part.type === "tool") session.usedTools = true;
      else if (type === "session.error") {
        session.brokeOff = true;
        // Escape, in a turn that the goal began: its user wants it to stop, not to stop once.
        if (properties.error?.name !== "MessageAbortedError" || !session.wentOn) return;
        session.wentOn = false;
        const { systemMessage } = await hook("user-prompt-submit", { session_id: id, prompt: "/goal:pause Escape was pressed" });
        if (systemMessage) tell(systemMessage);
      }
      else if (type === "session.compacted") session.begins = "compact";
      else if (type === "session.deleted") {
        sessions.delete(id);
        await hook("session-end", { session_id: id });
      } else if (type === "session.idle" && !session.brokeOff) {
        const { prompts } = session;
        const { decision, reason, systemMessage } = await hook("stop", { session_id: id, stop_hook_active: session.wentOn, used_tools: session.usedTools });
        if (systemMessage) tell(systemMessage);
        // The user may have spoken meanwhile.
        if (decision !== "block" || session.prompts !== prompts) return;
        Object.assign(session, { wentOn: true, usedTools: false });
        await client.session.promptAsync({ path: { id }, body: { agent: session.agent, model: session.model, parts: [{ type: "text", text: reason, synthetic: true }] } }).catch(() => {});
      }
    },

    // In a session that it names here opencode lets its agent speak as its user does. Only a subagent's may be
    // one that is there.
    "tool.execute.before": async ({ tool }, { args }) => {
      if (tool === "task" && args?.task_id && !(await found(args.task_id))?.parentID) delete args.task_id;
    },

    "shell.env": async (_, output) => {
      output.env.GOAL_ACTOR = "agent";
    },
  };
};
