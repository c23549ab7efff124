"""Makes projects with ledgers of any length, in shapes that real ledgers have.

The mix of events and the lengths of their texts follow what seventeen real projects look like: a
goal is created with a long objective, works through tasks, is paused and resumed, and is audited,
often in vain at first; audit reports are by far the longest lines. The text itself is noise.
The same seed makes the same bytes.
"""

import json
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
WORDS = (
    "the ledger audit agent writes a test that fails until parser reads every line and "
    "keeps its bytes while documents follow from events which nobody edits by hand"
).split()
# How many goals are worked on side by side.
WINDOW = 12


def make(project: Path, goals: int, events: int, ours: bool, seed: int = 1) -> str:
    """A ledger of `events` lines; those of `ours` have its envelope, the others have documents.

    Gives the id of a goal that is open.
    """
    made = Maker(random.Random(seed), ours)
    lives = [made.life(number, length) for number, length in enumerate(made.lengths(goals, events))]
    directory = project / ".pi/goals"
    (directory / "archived").mkdir(parents=True)
    with open(directory / "goal_events.jsonl", "w", encoding="utf-8", newline="\n") as ledger:
        for event in made.interleaved(lives):
            ledger.write(made.line(event))
    if not ours:
        for life in lives:
            write_document(directory, life)
    return next(life[0]["goalId"] for life in lives if life[-1]["type"] != "goal_completed")


def make_tasks(project: Path, goals: int, tasks: int, seed: int = 1) -> str:
    """A ledger of ours whose goals are made of `tasks` tasks in all, a third of them done.

    Gives the id of a goal that is open.
    """
    made = Maker(random.Random(seed), ours=True)
    each = [tasks // goals + (number < tasks % goals) for number in range(goals)]
    lives = [made.tasked(number, count) for number, count in enumerate(each)]
    directory = project / ".pi/goals"
    directory.mkdir(parents=True)
    with open(directory / "goal_events.jsonl", "w", encoding="utf-8", newline="\n") as ledger:
        for event in made.interleaved(lives):
            ledger.write(made.line(event))
    return lives[-1][0]["goalId"]


class Maker:
    def __init__(self, chance: random.Random, ours: bool):
        self.chance = chance
        self.ours = ours
        self.clock = BEGIN
        self.prev = "0" * 32

    def text(self, low: int, high: int) -> str:
        """Words of about so many bytes, short ones more often than long ones."""
        length = int(low + (high - low) * self.chance.random() ** 3)
        words = []
        while length > 0:
            words.append(self.chance.choice(WORDS))
            length -= len(words[-1]) + 1
        return " ".join(words)

    def lengths(self, goals: int, events: int) -> list[int]:
        """How many events each goal has: two at least, and all of them together."""
        if events < 2 * goals:
            raise SystemExit("a goal has two events at least: allow more events, or fewer goals")
        lengths = [2] * goals
        weights = [self.chance.expovariate(1) for _ in lengths]
        for number in self.chance.choices(range(goals), weights, k=events - 2 * goals):
            lengths[number] += 1
        return lengths

    def life(self, number: int, length: int) -> list[dict]:
        """The events of one goal, in order. Half of the goals end."""
        goal = f"mr{number:06x}-{self.chance.randrange(10**6):06d}"
        ends = length > 6 and self.chance.random() < 0.5
        life = [
            event("goal_created", goal, objective=self.text(80, 6000), sisyphus=False,
                  autoContinue=True),
            event("goal_focused", goal, reason="selected"),
        ]
        room = length - (4 if ends else 0)
        while len(life) < room:
            life.extend(self.episode(goal)[: room - len(life)])
        if ends:
            life += [*self.audit(goal, "approved"),
                     event("goal_completed", goal,
                           archivePath=f".pi/goals/archived/goal_20260101_{goal}.md")]
        return life

    def tasked(self, number: int, count: int) -> list[dict]:
        """The events of a goal with a tree of so many tasks: groups of four below the top level."""
        goal = f"mr{number:06x}-{self.chance.randrange(10**6):06d}"
        tasks, below = [], []
        for _ in range(count):
            task = {"title": self.text(20, 120)}
            if tasks and len(below) < 4:
                task["id"] = f"{tasks[-1]['id']}.{len(below) + 1}"
                below.append(task)
            else:
                below = []
                tasks.append(task | {"id": str(len(tasks) + 1), "tasks": below})
        leaves = [leaf for task in tasks for leaf in (task["tasks"] or [task])]
        done = [event("task_complete", goal, taskId=leaf["id"], evidence=self.text(20, 200))
                for leaf in leaves[: len(leaves) // 3]]
        return [
            event("goal_created", goal, objective=self.text(80, 600), sisyphus=False,
                  autoContinue=True),
            event("task_list_set", goal, taskCount=count, blockCompletion=True, tasks=tasks),
            *done,
        ]

    def episode(self, goal: str) -> list[dict]:
        kind = self.chance.choices(["tasks", "pause", "audit", "note"], [5, 3, 2, self.ours])[0]
        if kind == "tasks":
            tasks = self.chance.randint(1, 6)
            done = [event("task_complete", goal, taskId=f"task-{task + 1}",
                          evidence=self.text(20, 200)) for task in range(tasks)]
            return [event("task_list_set", goal, taskCount=tasks, blockCompletion=True), *done]
        if kind == "pause":
            return [event("goal_paused", goal, reason=self.text(10, 80), status="paused"),
                    event("goal_resumed", goal, reason="resumed by the user")]
        if kind == "note":
            return [event("goal_noted", goal, note=self.text(20, 400))]
        return self.audit(goal, "disapproved")

    def audit(self, goal: str, verdict: str) -> list[dict]:
        return [event("completion_requested", goal, summary=self.text(50, 800)),
                event("audit_started", goal),
                event("audit_result", goal, verdict=verdict, report=self.text(400, 8000))]

    def interleaved(self, lives: list[list[dict]]):
        """All events in one order: goals begin one after the other, and some go on together."""
        waiting, open_lives = [list(life) for life in reversed(lives)], []
        while waiting or open_lives:
            while waiting and len(open_lives) < WINDOW:
                open_lives.append(waiting.pop())
            life = self.chance.choice(open_lives)
            for _ in range(min(len(life), self.chance.randint(1, 5))):
                yield life.pop(0)
            if not life:
                open_lives.remove(life)

    def line(self, event: dict) -> str:
        self.clock += timedelta(milliseconds=self.chance.randint(5, 600_000))
        at = self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {**event, "at": at}
        if self.ours:
            # The link is invented: only `verify` hashes lines.
            line |= {"by": "user", "session": f"s-{self.clock:%Y%m%d}", "prev": self.prev}
            self.prev = f"{self.chance.getrandbits(128):032x}"
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def event(name: str, goal: str, **payload) -> dict:
    return {"type": name, "goalId": goal, **payload}


def write_document(directory: Path, life: list[dict]) -> None:
    """A goal's document as the older extension keeps it."""
    goal, objective = life[0]["goalId"], life[0]["objective"]
    ended = life[-1]["type"] == "goal_completed"
    paused = life[-1]["type"] == "goal_paused"
    header = {
        "version": 3,
        "id": goal,
        "objective": objective,
        "status": "complete" if ended else "paused" if paused else "active",
        "autoContinue": not ended and not paused,
        "sisyphus": False,
        "createdAt": "2026-01-01T00:00:00.000Z",
        "updatedAt": "2026-01-01T00:00:00.000Z",
    }
    name = f"archived/goal_20260101_{goal}.md" if ended else f"active_goal_20260101_{goal}.md"
    text = json.dumps(header, indent=2, ensure_ascii=False)
    body = f"# Goal Prompt\n\n{objective}\n\n## Progress\n\n- Status: {header['status']}\n"
    (directory / name).write_text(f"{text}\n\n{body}", encoding="utf-8", newline="\n")
