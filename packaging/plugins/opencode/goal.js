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

/** The words of a prompt that are not what the host, its plugins and this one add. */
const typedIn = (parts) => parts.filter(({ type, synthetic, ignored }) => type === "text" && !synthetic && !ignored);
const wordsOf = (parts) => typedIn(parts).map(({ text }) => text).join("\n");

export const GoalPlugin = async ({ client, directory }) => {
  // opencode marks its own process as it marks its agent's shell. A shell that its agent opens is marked by
  // `shell.env` below, so a session that was started there is still known as an agent's.
  const { OPENCODE, AGENT, ...env } = process.env;
  /** What is known of each session and its turn. */
  const sessions = new Map();
  /** The slash command that each session's next prompt is made of. */
  const commands = new Map();
  /** When each session was created, and whose subagent it is. */
  const origins = new Map();
  /** What each session of the user spent that was not told yet, and the messages of the model that are counted. */
  const spent = new Map();
  const counted = new Set();
  /** What was told of that last, until the program has answered. */
  const unanswered = new Map();
  /** What is asked of the program just now. */
  const asked = new Set();
  let isMissing = false;
  let isOver = false;
  /** `opencode run` has no screen, and ends with its turn. */
  const isRun = process.argv[2] === "run";

  const hook = (event, input) => {
    const answer = ask(event, input).finally(() => asked.delete(answer));
    asked.add(answer);
    return answer;
  };

  const ask = (event, input) =>
    new Promise((answered) => {
      const child = spawn("goal", ["hook", event, "--host", "opencode", "--as", "tools", "--needs", NEEDS], { cwd: directory, env, stdio: ["pipe", "pipe", "ignore"] });
      const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
      let said = "";
      const end = (code) => {
        clearTimeout(late);
        try {
          // Where it has nothing to say, it prints nothing.
          const answer = said && (code === 0 || code === 1) ? JSON.parse(said) : {};
          // With 1 it says why it did nothing.
          if (code !== 0) return answered({ systemMessage: answer.systemMessage });
          answered(answer);
          // What it was told of cost is settled now.
          if (input.spent === unanswered.get(input.session_id)) unanswered.delete(input.session_id);
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

  /** Tells the user. */
  const tell = (message) => {
    if (isRun) process.stderr.write(`goal: ${message}\n`);
    else client.tui.showToast({ body: { title: "goal", message, variant: "info", duration: 10_000 } }).catch(() => {});
  };

  const keepOrigin = (id, { parentID, time } = {}) => origins.set(id, { parentID, created: time?.created });

  const found = async (id) => {
    const { data } = await client.session.get({ path: { id } }).catch(() => ({}));
    // Where nobody knows it, it counts as nobody's subagent.
    if (data || !origins.has(id)) keepOrigin(id, data);
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

  /** Counts what an answer of the model cost, also one to a subagent, to the session of the user. */
  const count = ({ id, sessionID, role, time, tokens, cost, providerID, modelID }) => {
    if (role !== "assistant" || !time?.completed || !tokens || counted.has(id)) return;
    counted.add(id);
    // A fork copies the answers of another session, which are older than itself.
    if (time.created < origins.get(sessionID)?.created) return;
    const { input, output, reasoning, cache } = tokens;
    if (input + output + reasoning + cache.read + cache.write === 0) return;
    let root = sessionID;
    while (origins.get(root)?.parentID) root = origins.get(root).parentID;
    const of = spent.get(root) ?? { counters: {} };
    spent.set(root, of);
    // While a subagent works, the message that called it is not complete.
    const seconds = root === sessionID ? (time.completed - time.created) / 1000 : 0;
    const more = { llmCalls: 1, tokensIn: input + cache.write, tokensCached: cache.read, tokensOut: output + reasoning, costUsd: cost ?? 0, seconds };
    for (const [name, number] of Object.entries(more)) if (number > 0) of.counters[name] = (of.counters[name] ?? 0) + number;
    of.model = `${providerID}/${modelID}`;
  };

  /** Asks the program at the end of a turn or a session, and tells it what was spent. What it did not answer to
   * is told again, first and as it was: by its `to` the program knows what it recorded before it failed. */
  const ends = async (event, input) => {
    const id = input.session_id;
    if (unanswered.has(id)) {
      // After a turn without tools the goal does not go on.
      const { systemMessage } = await hook("stop", { session_id: id, used_tools: false, spent: unanswered.get(id) });
      // If it fails again, the end below says why.
      if (systemMessage && !unanswered.has(id)) tell(systemMessage);
    }
    if (!unanswered.has(id) && spent.has(id)) {
      unanswered.set(id, { ...spent.get(id), to: Date.now() });
      spent.delete(id);
    }
    return hook(event, { ...input, spent: unanswered.get(id) });
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
      const [first] = parts;
      if (isOurs(command) && first?.type === "text") first.text = `/${command} ${words}`.trim();
      commands.set(sessionID, { command, words, text: wordsOf(parts) });
    },

    "chat.message": async ({ sessionID, agent, model }, { message, parts }) => {
      const typed = typedIn(parts);
      const latest = commands.get(sessionID);
      commands.delete(sessionID);
      // A command that failed before its prompt was made is not the one of this prompt.
      const by = latest?.text === wordsOf(parts) ? latest : undefined;
      const session = typed.length ? await known(sessionID) : undefined;
      if (!session) return;
      Object.assign(session, { agent, model, prompts: session.prompts + 1, usedTools: false, brokeOff: false, wentOn: false });
      const of = { session_id: sessionID, prompt_id: message.id };
      const { begins } = session;
      const began = begins ? await hook("session-start", { ...of, source: begins }) : {};
      session.begins = undefined;
      // The words of a project's own commands are not the user's.
      const prompt = by ? `/${by.command} ${isOurs(by.command) ? by.words : ""}`.trim() : said(wordsOf(parts));
      const heard = await hook("user-prompt-submit", { ...of, prompt });
      const seen = [began, heard].flatMap(({ systemMessage }) => systemMessage ?? []);
      if (seen.length) typed[0].text += `${ANSWER}${seen.join("\n\n")}`;
      // Where the prompt made the session join a goal, it brings the whole, and the start's word is outdated.
      const all = contextOf(heard)?.includes(WHOLE) ? [heard] : [began, heard];
      const context = all.flatMap((answer) => contextOf(answer) ?? []);
      if (context.length) parts.push({ id: `${parts.at(-1).id}0`, messageID: message.id, sessionID, type: "text", synthetic: true, text: context.join("\n\n") });
    },

    // After a compaction the agent goes on without a prompt: what it must know goes before the model with the
    // latest one, in each request, for opencode does not keep what is added here.
    "experimental.chat.messages.transform": async (_, { messages }) => {
      const latest = messages.findLast(({ info }) => info.role === "user")?.info;
      const session = sessions.get(latest?.sessionID);
      if (!session) return;
      const { sessionID } = latest;
      if (session.begins === "compact") {
        session.begins = undefined;
        const text = contextOf(await hook("session-start", { session_id: sessionID, source: "compact" }));
        session.recalled = text && { id: `${latest.id}0`, messageID: latest.id, sessionID, type: "text", synthetic: true, text };
      }
      const { recalled } = session;
      const parts = recalled && messages.find(({ info }) => info.id === recalled.messageID)?.parts;
      if (parts?.every(({ id }) => id !== recalled.id)) parts.push({ ...recalled });
    },

    event: async ({ event: { type, properties } }) => {
      if (type === "message.updated") {
        // Of a session that is older than this process no event told whose it is.
        const { sessionID } = properties.info;
        if (!origins.has(sessionID)) await found(sessionID);
        return count(properties.info);
      }
      if (type === "session.created") keepOrigin(properties.info.id, properties.info);
      const id = properties?.sessionID ?? properties?.part?.sessionID ?? properties?.info?.id;
      const session = sessions.get(id);
      if (!session) return;
      // A compaction that was broken off has no event, and the next one may be told only by its event.
      if (type === "session.idle") session.isForetold = false;
      if (type === "message.part.updated" && properties.part.type === "tool") session.usedTools = true;
      else if (type === "session.error") {
        session.brokeOff = true;
        // Escape, in a turn that the goal began: its user wants it to stop, not to stop once.
        if (properties.error?.name !== "MessageAbortedError" || !session.wentOn) return;
        session.wentOn = false;
        const { systemMessage } = await hook("user-prompt-submit", { session_id: id, prompt: "/goal:pause Escape was pressed" });
        if (systemMessage) tell(systemMessage);
      }
      else if (type === "session.compacted") {
        if (!session.isForetold) session.begins = "compact";
        session.isForetold = false;
      }
      else if (type === "session.deleted") {
        sessions.delete(id);
        await ends("session-end", { session_id: id });
      } else if (type === "session.idle" && !session.brokeOff) {
        const { prompts } = session;
        const { decision, reason, systemMessage } = await ends("stop", { session_id: id, stop_hook_active: session.wentOn, used_tools: session.usedTools && !isRun });
        if (systemMessage) tell(systemMessage);
        // The user may have spoken meanwhile, or left.
        if (decision !== "block" || session.prompts !== prompts || isOver) return;
        Object.assign(session, { wentOn: true, usedTools: false });
        await client.session.promptAsync({ path: { id }, body: { agent: session.agent, model: session.model, parts: [{ type: "text", text: reason, synthetic: true }] } }).catch(() => {});
      }
    },

    // The event of a compaction in mid-turn may come only behind the next request, and then tells nothing new.
    "experimental.compaction.autocontinue": async ({ sessionID }) => {
      const session = sessions.get(sessionID);
      if (session) Object.assign(session, { begins: "compact", isForetold: true });
    },

    // In a session that it names here opencode lets its agent speak as its user does. Only a subagent's may be
    // one that is there.
    "tool.execute.before": async ({ tool }, { args }) => {
      if (tool === "task" && args?.task_id && !(await found(args.task_id))?.parentID) delete args.task_id;
    },

    // opencode ends, and waits for this.
    dispose: async () => {
      isOver = true;
      // What is asked at an end may be two questions, one behind the other.
      while (asked.size) await Promise.all(asked);
      const left = [...sessions.keys()];
      sessions.clear();
      await Promise.all(left.map((id) => ends("session-end", { session_id: id })));
    },

    "shell.env": async (_, output) => {
      output.env.GOAL_ACTOR = "agent";
    },
  };
};
