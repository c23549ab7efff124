"""Small ledgers that once kept a command busy: what each holds, and which command reads it.

Anybody can bring such a file with a repository, and the hook at a session's start reads it. So of
each there is a row: with twice the lines a command may take at most 2.2 times as long.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import Bench, Program, instructions, run

AT = "2026-11-21T20:00:00.000Z"
# What twice the size may cost at most.
GROWTH = 2.2
# What a reader may have at its peak, in MiB.
PEAK = 250


def event(name: str, **fields: object) -> str:
    return json.dumps({"type": name, "goalId": "g", **fields, "at": AT}, separators=(",", ":"))


def tasks(count: int, **more: object) -> list[dict]:
    return [{"id": str(number), "title": "t", **more} for number in range(count)]


def listed(specs: list[dict]) -> str:
    return event("task_list_set", taskCount=len(specs), blockCompletion=True, tasks=specs)


def given(task: int, key: str) -> str:
    return event("evidence_added", key=key, value="v", taskId=str(task))


def expanded(task: int | str, child: str) -> str:
    return event("task_expanded", taskId=str(task), tasks=[{"id": child, "title": "t"}],
                 decomp="AND", source="s")


def alike(size: int) -> Iterator[str]:
    for number in range(size):
        yield event("goal_noted", note=f"n{number:06}", prev="a" * 32)


def blank(size: int) -> Iterator[str]:
    return iter([""] * size)


def damaged(size: int) -> Iterator[str]:
    return (f"garbage {number}" for number in range(size))


def side_by_side(size: int) -> Iterator[str]:
    yield listed(tasks(size))
    for number in range(size):
        yield expanded(number, f"{number}.1")


def one_below_another(size: int) -> Iterator[str]:
    yield listed(tasks(1))
    for number in range(size):
        yield expanded(number, str(number + 1))


def planned_again(size: int) -> Iterator[str]:
    yield listed(tasks(size))
    for number in range(size):
        yield expanded(0, f"new{number}")


def proved(size: int) -> Iterator[str]:
    yield listed([{**task, "doneWhen": [{"kind": "hasEvidence", "key": f"k{task['id']}"}]}
                  for task in tasks(size)])
    for number in range(size):
        yield given(number, f"k{number}")


def asked(size: int) -> Iterator[str]:
    yield listed(tasks(1))
    for number in range(size):
        yield event("question_asked", questionId=f"q{number}", kind="info", question="why",
                    key=f"k{number}", taskId="0")
        yield given(0, f"k{number}")


def judged(size: int) -> Iterator[str]:
    predicate = {"name": "is_shown"}
    yield listed([{**task, "doneWhen": [{"kind": "predicateTrue", "pred": predicate}]}
                  for task in tasks(size)])
    for number in range(size):
        yield given(number, f"k{number}")
    for number in range(size):
        yield event("condition_checked", predicate=predicate, satisfied=True,
                    evidenceHash="0" * 32, taskId=str(number))


def reopened(size: int) -> Iterator[str]:
    yield listed(tasks(size))
    for number in range(size):
        yield given(number, f"k{number}")
    for number in range(size):
        yield event("task_reopened", taskId=str(number), reason="r")


def draft(number: int, **fields: object) -> str:
    return json.dumps({"type": "draft_started", "draftId": f"d{number}", "topic": "t",
                       "mode": "regular", **fields, "at": AT}, separators=(",", ":"))


def drafted(size: int) -> Iterator[str]:
    return (draft(number) for number in range(size))


def resolved(size: int) -> Iterator[str]:
    yield from drafted(size)
    for number in range(size):
        yield json.dumps({"type": "draft_resolved", "draftId": f"d{number}",
                          "outcome": "cancelled", "at": AT}, separators=(",", ":"))


def created(number: int) -> str:
    return event("goal_created", goalId=f"g{number}", objective="o", sisyphus=False,
                 autoContinue=True, by="user", prev="0" * 32)


def goals(size: int) -> Iterator[str]:
    return (created(number) for number in range(size))


def tweaked_and_ended(size: int) -> Iterator[str]:
    yield from goals(size)
    for number in range(size):
        yield draft(number, mode="tweak", goalId=f"g{number}")
    for number in range(size):
        yield event("goal_aborted", goalId=f"g{number}", reason="r", by="user", prev="0" * 32)


def wide(size: int) -> Iterator[str]:
    yield event("goal_noted", note="n", **{f"f{number}": number for number in range(size)})


# What it holds: the lines behind a goal's creation, how many units of them, and the command.
SHAPES: dict[str, tuple[Callable[[int], Iterator[str]], int, list[str]]] = {
    "lines that name the same line": (alike, 1_000, ["status"]),
    "the same, verified": (alike, 1_000, ["verify"]),
    "blank lines": (blank, 20_000, ["verify"]),
    "damaged lines": (damaged, 4_000, ["verify"]),
    "a line of many fields": (wide, 20_000, ["status"]),
    "tasks planned side by side": (side_by_side, 500, ["status"]),
    "tasks planned one below another": (one_below_another, 500, ["status"]),
    "one of many tasks planned again and again": (planned_again, 500, ["status"]),
    "tasks with conditions": (proved, 500, ["task", "tree"]),
    "a list of tasks": (lambda size: iter([listed(tasks(size))]), 2_000, ["prompt", "active"]),
    "questions with evidence": (asked, 500, ["questions"]),
    "the same, looked through": (asked, 500, ["doctor"]),
    "tasks that an evaluator judged": (judged, 200, ["task", "tree"]),
    "tasks that are reopened": (reopened, 200, ["task", "tree"]),
    "drafts": (drafted, 500, ["status"]),
    "the same drafts, looked through": (drafted, 500, ["doctor"]),
    "drafts that are over": (resolved, 500, ["status"]),
    "drafts of goals that are over": (tweaked_and_ended, 300, ["status"]),
    "goals without documents: missing ones are made": (goals, 100, ["repair"]),
    "goals with documents": (goals, 100, ["doctor"]),
    "goals with documents: none is missing": (goals, 100, ["repair"]),
}

# Large ones, of which only the memory counts: what it holds, how many units, and the commands.
LARGE: dict[str, tuple[Callable[[int], Iterator[str]], int, tuple[str, ...]]] = {
    "many questions with evidence": (asked, 5_000, ("status", "doctor")),
    "many drafts": (drafted, 5_000, ("status", "doctor")),
    "many goals with documents": (goals, 10_000, ("doctor", "repair")),
}


def project(at: Bench, directory: str, name: str, lines: Iterator[str]) -> Path:
    """A project of this shape, with the documents that belong to it."""
    there = at.top / directory
    ledger = there / ".pi/goals/goal_events.jsonl"
    ledger.parent.mkdir(parents=True)
    created = event("goal_created", objective="o", sisyphus=False, autoContinue=True)
    ledger.write_text("\n".join([created, *lines, ""]), encoding="utf-8")
    if '"prev":"000' in ledger.read_text(encoding="utf-8"):
        at.link(there)
    if "goals with documents" in name:
        run(at.cold(there, "repair"))
    return there


def reader(at: Bench, there: Path, *arguments: str) -> Program:
    program = at.cold(there, *arguments)
    # Findings are an answer too.
    program.exits = (0, 7)
    return program


def measure(at: Bench) -> tuple[list[list], list[str]]:
    """A row for each shape, and which of them cost too much."""
    rows, worse = [], []
    for number, (name, (lines, size, arguments)) in enumerate(SHAPES.items()):
        counts = []
        for times in (1, 2):
            there = project(at, f"stall-{number}-{times}", name, lines(times * size))
            program = reader(at, there, *arguments)
            counts.append(instructions(program))
        growth = counts[1] / counts[0]
        peak = run(program)[1] / 1024
        rows.append([f"{name}: `{' '.join(arguments)}`", f"{size:,}", f"{counts[0]:,}",
                     f"{counts[1]:,}", f"{growth:.2f}×"])
        if growth > GROWTH or peak > PEAK:
            worse.append(f"{name} ({growth:.2f} times, {peak:.0f} MiB)")
    for number, (name, (lines, size, commands)) in enumerate(LARGE.items()):
        there = project(at, f"large-{number}", name, lines(size))
        for command in commands:
            peak = run(reader(at, there, command))[1] / 1024
            if peak > PEAK:
                worse.append(f"{name}, {command} ({peak:.0f} MiB)")
    return rows, worse
