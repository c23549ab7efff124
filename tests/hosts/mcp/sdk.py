"""Drives `goal mcp` with the protocol's official Python SDK, which checks what it receives.

Usage: sdk.py GOAL, the program to test. Every tool is called, listed or not, once in a session that
begins with `initialize` and once in one that begins with `server/discover`; proposals are
confirmed by the SDK's form callback. What counts is the ledger, which is read at the end.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import mcp_types as types
from mcp import Client, StdioServerParameters

GOAL = str(Path(sys.argv[1]).resolve())
AUDITOR = "cat > /dev/null; echo 'Looked at everything.'; echo '<approved/>'"

SUBGOAL = {"gloss": "half of it", "pred": {"name": "execute"}, "doneWhen": []}
PLAN = {"subgoals": [SUBGOAL], "decomp": "AND", "source": "script"}
PLANNER = f"cat > /dev/null; echo '{json.dumps(PLAN)}'"
READING = {"action": "continue", "reasoning": "a greeting"}
INTERPRETER = f"cat > /dev/null; echo '{json.dumps(READING)}'"

ARGUMENTS = {
    "get_goal": {},
    "list_goals": {"all": True},
    "goal_summary": {},
    "apply_goal_tweak": {"constraints": ["none"], "changeSummary": "said so"},
    "note_progress": {"note": "looked around", "next": "begin"},
    "step_complete": {"step": 1},
    "update_goal": {"status": "complete", "summary": "done"},
    "propose_goal_draft": {"objective": "another", "successCriteria": ["it is there"]},
    "pause_goal": {"reason": "lunch"},
    "set_goal_tasks": {"tasks": [{"title": "first"}]},
    "add_goal_tasks": {"tasks": [{"title": "second"}]},
    "get_goal_tasks": {},
    "add_evidence": {"evidenceKey": "seen", "value": True},
    "plan_goal": {"taskId": "2"},
    "evaluate_progress": {"score": 0.5, "gapAnalysis": "half of it"},
    "set_agenda": {"steps": [{"skill": "look", "purpose": "see"}]},
    "update_goal_task": {"taskId": "1", "status": "complete"},
    "perform_step": {},
    "interpret_message": {"message": "hello"},
    "ask_user": {"question": "which one?"},
    "list_questions": {},
    # With the id of the question before.
    "withdraw_question": {},
    "iteration_start": {"maxIterations": 3},
    "iteration_next": {"learned": "where to look"},
    "iteration_validate": {"output": "<promise>COMPLETE</promise>"},
    "iteration_complete": {"outcome": "success", "summary": "found it"},
    "iterate_goal": {"act": "start", "maxIterations": 3},
    "delegate_goal": {"to": "ben", "objective": "a part of it"},
    "record_usage": {"counters": {"llmCalls": 1}, "model": "m"},
    "abort_goal": {"reason": "no use"},
    "create_goal": {"objective": "mine"},
}
# What each leaves in the ledger, in this order.
EVENTS = [
    "goal_tweaked",
    "goal_noted",
    "goal_completed",
    "goal_created",
    "goal_paused",
    "goal_created",
    "goal_aborted",
]


class Project:
    """A project with a home of its own, an auditor that approves and a planner that plans."""

    def __init__(self, top: Path) -> None:
        self.root = top / "project"
        # So that nothing above the temporary directory is taken for the project.
        (self.root / ".pi/goals").mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(top),
            "XDG_CONFIG_HOME": str(top / "config"),
            "XDG_STATE_HOME": str(top / "state"),
            "XDG_CACHE_HOME": str(top / "cache"),
        }
        (top / "config/goal").mkdir(parents=True)
        roles = {"auditor": AUDITOR, "planner": PLANNER, "interpreter": INTERPRETER}
        tables = [
            f"[{role}]\ncommand = {json.dumps(['/bin/sh', '-c', body])}\n"
            for role, body in roles.items()
        ]
        (top / "config/goal/config.toml").write_text("".join(tables))

    def user(self, *arguments: str) -> str:
        environment = {**self.environment, "GOAL_ACTOR": "user"}
        done = subprocess.run(
            [GOAL, *arguments], cwd=self.root, env=environment, check=True, capture_output=True
        )
        return done.stdout.decode()

    def events(self) -> list[dict]:
        text = (self.root / ".pi/goals/goal_events.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]


async def confirm(_context, params) -> types.ElicitResult:
    assert params.message.startswith(("Objective", "Change of")), params.message
    return types.ElicitResult(action="accept", content={"decision": "confirm"})


async def session(project: Project, mode: str) -> str:
    """Calls every tool in one session, and says which revision was spoken."""
    server = StdioServerParameters(
        command=GOAL,
        args=["mcp"],
        # The one who configured the server answers its forms.
        env={**project.environment, "GOAL_ACTOR": "user"},
        cwd=project.root,
    )
    async with Client(server, mode=mode, elicitation_callback=confirm) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert 10 <= len(listed) <= 14, f"an active goal has about ten tools: {listed}"
        every = {tool["name"] for tool in json.loads(project.user("tool", "--list", "--all"))["data"]["tools"]}
        unknown = every ^ ARGUMENTS.keys()
        assert not unknown, f"the table and this script differ: {unknown}"
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert {"goal", "draft", "continue", "status"} <= prompts, prompts
        filled = await client.get_prompt("goal", {})
        assert filled.messages[0].content.text, filled
        resources = (await client.list_resources()).resources
        for resource in resources:
            contents = (await client.read_resource(resource.uri)).contents
            assert contents[0].text, resource
        for name, arguments in ARGUMENTS.items():
            # After a call that ended the turn nothing is changed before the goal is read again.
            await client.call_tool("get_goal", {})
            if name == "withdraw_question":
                asked = [event for event in project.events() if event["type"] == "question_asked"]
                arguments = {"id": asked[-1]["questionId"]}
            result = await client.call_tool(name, arguments)
            text = result.content[0].text
            assert result.is_error == (name == "create_goal"), f"{name}: {text}"
            assert text, name
            if name == "pause_goal":
                project.user("resume")
        notes = [client.call_tool("note_progress", {"note": str(n)}) for n in range(8)]
        project.user("set", "a goal for eight calls at once")
        await client.call_tool("get_goal", {})
        for noted in await asyncio.gather(*notes):
            assert not noted.is_error, noted
        return client.protocol_version


def main() -> None:
    for mode in ["legacy", "auto"]:
        with tempfile.TemporaryDirectory() as top:
            project = Project(Path(top))
            project.user("set", "something to work on")
            revision = asyncio.run(session(project, mode))
            events = project.events()
            order = [event["type"] for event in events if event["type"] in EVENTS]
            assert order[1:8] == EVENTS, order
            assert order[8:] == ["goal_created"] + 8 * ["goal_noted"], order
            assert all(event.get("via") for event in events if event["by"] == "agent")
            project.user("verify", "--strict")
            print(f"ok: every tool, revision {revision}, {len(events)} events")


if __name__ == "__main__":
    main()
