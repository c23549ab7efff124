// How a user sets each host up: our hooks, our MCP server and a provider on loopback, with all the
// trust there is to give. Everything that could talk to an auditor says SPOILED and where it stood.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GOAL, REPOSITORY } from "../support.mjs";

const json = (value) => JSON.stringify(value, null, 2);
const skill = (name) => `---\nname: ${name}\ndescription: SPOILED by the skill ${name}\n---\nSPOILED\n`;
/** The hooks of a plugin, as the pages about its host show them to those who do without it. */
const hooks = (host) => JSON.parse(readFileSync(join(REPOSITORY, `packaging/plugins/${host}/hooks/hooks.json`), "utf8").replaceAll("--as claude-plugin", "--as tools"));
const server = { command: "goal", args: ["mcp"] };

/** Puts files below a directory, by their paths. */
function put(dir, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

const codexHooks = json(hooks("codex"));
const codexServer = '[mcp_servers.goal]\ncommand = "goal"\nargs = ["mcp"]\ndefault_tools_approval_mode = "approve"\n';

const claudeSettings = (more) => json({
  ...hooks("claude"),
  permissions: { allow: ["Bash", "Edit", "Write", "mcp__goal"] },
  ...more,
});

const geminiSettings = json({
  ...hooks("gemini"),
  mcpServers: { goal: { ...server, trust: true } },
  security: { auth: { selectedType: "gemini-api-key" } },
});

const codex = {
  preset: "codex",
  known: ["SPOILED by the user's AGENTS.md"],
  cli: process.env.CODEX_CLI,
  // The only providers of Codex whose address is taken from the environment.
  env: ({ home, url }) => ({ CODEX_HOME: join(home, ".codex"), CODEX_OSS_BASE_URL: `${url}/v1` }),
  // Trust in hooks is kept in the user's configuration, which the preset does not read. With
  // this an audit gets it all the same, so that only the preset's own flags keep them out.
  rewrite: 'case $1 in exec) shift; set -- exec --dangerously-bypass-hook-trust "$@";; esac',
  install({ home, root }) {
    put(home, {
      ".codex/config.toml": `check_for_update_on_startup = false\n${codexServer}[projects.${JSON.stringify(root)}]\ntrust_level = "trusted"\n`,
      ".codex/hooks.json": codexHooks,
      ".codex/AGENTS.md": "SPOILED by the user's AGENTS.md\n",
      ".codex/skills/own/SKILL.md": skill("own-codex"),
      ".agents/skills/own/SKILL.md": skill("own-agents"),
    });
    put(root, {
      ".codex/config.toml": codexServer,
      ".codex/hooks.json": codexHooks,
      ".agents/skills/late/SKILL.md": skill("late-agents"),
      ".codex/skills/late/SKILL.md": skill("late-codex"),
    });
  },
};

const claude = {
  name: "claude",
  preset: "claude",
  cli: process.env.CLAUDE_CLI,
  options: 'model = "gpt-5.5"\n',
  env: ({ home, url }) => ({ CLAUDE_CONFIG_DIR: join(home, ".claude"), ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none", IS_SANDBOX: "1" }),
  rewrite: "",
  plainly: ["--print", "--model", "scripted"],
  install({ home, root }) {
    put(home, {
      ".claude/settings.json": claudeSettings({ permissions: { defaultMode: "bypassPermissions" } }),
      ".claude/.claude.json": json({ mcpServers: { own: server }, projects: { [root]: { hasTrustDialogAccepted: true } } }),
      ".claude/CLAUDE.md": "SPOILED by the user's CLAUDE.md\n",
      ".claude/skills/own/SKILL.md": skill("own"),
      [`.claude/projects/${root.replace(/\W/g, "-")}/memory/MEMORY.md`]: "SPOILED by the memory\n",
    });
    put(root, {
      ".claude/settings.json": claudeSettings({ enableAllProjectMcpServers: true }),
      ".mcp.json": json({ mcpServers: { goal: server } }),
      "CLAUDE.md": "SPOILED by CLAUDE.md\n",
      ".claude/CLAUDE.md": "SPOILED by .claude/CLAUDE.md\n",
      ".claude/rules/late.md": "SPOILED by a rule\n",
      ".claude/skills/late/SKILL.md": skill("late"),
      ".claude/commands/late.md": "---\ndescription: SPOILED by a command\n---\nSPOILED\n",
      ".claude/agents/late.md": "---\nname: late\ndescription: SPOILED by an agent\n---\nSPOILED\n",
    });
  },
  reads: [["Read", { file_path: "sample" }], ["Grep", { pattern: "twelve", output_mode: "content" }]],
  writes: () => [
    ["Write", { file_path: "meddled", content: "meddled" }],
    ["Edit", { file_path: "sample", old_string: "twelve", new_string: "none" }],
    ["Bash", { command: "rm sample" }],
    ["Task", { description: "x", prompt: "x", subagent_type: "general-purpose" }],
    ["mcp__goal__note_progress", { note: "meddled" }],
  ],
};

const gemini = {
  name: "gemini",
  preset: "gemini",
  known: ["SPOILED by GEMINI.md", "SPOILED by the skill late", "SPOILED by the skill own", "SPOILED by the user's GEMINI.md"],
  acts: ["session-start", "user-prompt-submit", "stop"].map((event) => `hook ${event} --host gemini --as tools --needs 0.1.0`),
  sessions: [".gemini"],
  cli: process.env.GEMINI_CLI,
  options: 'model = "gpt-5.5"\n',
  env: ({ url }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }),
  rewrite: "",
  plainly: ["--model", "gemini-2.5-pro"],
  install({ home, root }) {
    put(home, {
      ".gemini/settings.json": geminiSettings,
      ".gemini/trustedFolders.json": json({ [root]: "TRUST_FOLDER" }),
      ".gemini/GEMINI.md": "SPOILED by the user's GEMINI.md\n",
      ".gemini/skills/own/SKILL.md": skill("own"),
    });
    put(root, {
      ".gemini/settings.json": geminiSettings,
      "GEMINI.md": "SPOILED by GEMINI.md\n",
      ".gemini/skills/late/SKILL.md": skill("late"),
      ".gemini/commands/late.toml": 'description = "SPOILED by a command"\nprompt = "SPOILED"\n',
    });
  },
  reads: [["read_file", { file_path: "sample" }]],
  writes: () => [
    ["write_file", { file_path: "meddled", content: "meddled" }],
    ["replace", { file_path: "sample", old_string: "twelve", new_string: "none", instruction: "x" }],
    ["run_shell_command", { command: "rm sample" }],
    ["mcp_goal_note_progress", { note: "meddled" }],
  ],
};

const commands = ({ home }) => [
  { cmd: "rm sample" },
  { cmd: "echo meddled > meddled" },
  { cmd: `echo meddled > ${home}/meddled` },
  { cmd: `${GOAL} note meddled` },
  { cmd: "rm sample", sandbox_permissions: "require_escalated", justification: "to see" },
];
const patch = "*** Begin Patch\n*** Add File: meddled\n+meddled\n*** End Patch\n";

/** Codex offers its tools to a model as they are, or as functions of a script in JavaScript. */
const direct = {
  ...codex,
  ...served("gpt-5.5"),
  name: "codex, tools",
  reads: [["exec_command", { cmd: "cat sample" }]],
  writes: (p) => [...commands(p).map((args) => ["exec_command", args]), ["apply_patch", patch], ["update_goal", { status: "complete" }], ["mcp__goal__note_progress", { note: "meddled" }]],
};
const called = (tool, args) => ["exec", `try { text(await tools.${tool}(${JSON.stringify(args)})) } catch (error) { text("refused: " + error) }`];
const scripted = {
  ...codex,
  ...served("gpt-6-sol"),
  name: "codex, code",
  reads: [called("exec_command", { cmd: "cat sample" })],
  writes: (p) => [...commands(p).map((args) => called("exec_command", args)), called("apply_patch", patch), called("update_goal", { status: "complete" }), called("mcp__goal__note_progress", { note: "meddled" })],
};

function served(model) {
  return {
    options: `provider = "ollama"\nmodel = "${model}"\n`,
    plainly: ["exec", "--skip-git-repo-check", "--config", 'model_provider="ollama"', "--model", model, "-"],
  };
}

export const HOSTS = [direct, scripted, claude, gemini];
