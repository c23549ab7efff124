"""What the benchmarks share: programs to time, how they are timed, and ledgers to time them on."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
OLDER = "@capyup/pi-goal"
# What is installed to run the older extension, which is TypeScript.
PACKAGES = [f"{OLDER}@0.6.0", "esbuild@0.25.10"]


@dataclass
class Program:
    """A program to time. An `argv` that is an iterator has other arguments for every run."""

    argv: list | Iterator[list]
    env: dict = field(default_factory=dict)
    # What is done before every run and not timed.
    before: Callable[[], None] | None = None
    # How often at most; a program with a limit has no run that does not count.
    rounds: int | None = None
    # How it may end.
    exits: tuple[int, ...] = (0,)
    # Reads a figure out of what a run wrote to stdout, in milliseconds, in place of its time.
    figure: Callable[[str], float] | None = None


@dataclass
class Sample:
    """What was measured of one program: milliseconds, and KiB at the peak."""

    wall: list = field(default_factory=list)
    peak: int = 0

    @property
    def median(self) -> float:
        return statistics.median(self.wall)

    def summary(self) -> dict:
        return {"min": round(min(self.wall), 3), "median": round(self.median, 3),
                "max": round(max(self.wall), 3), "peakKiB": self.peak, "runs": len(self.wall)}


def interleave(programs: dict[str, Program], rounds: int, seconds: float) -> dict[str, Sample]:
    """Runs all programs in turn, so that what else the machine does hits all alike.

    Ends after so many rounds, or after the first that ends later than `seconds`, but the fifth at
    the earliest, or where one round takes more than that, the second.
    """
    samples = {name: Sample() for name in programs}
    for program in programs.values():
        if program.rounds is None:
            run(program)
    begun = time.monotonic()
    for number in range(rounds):
        taken = time.monotonic() - begun
        if taken > seconds and (number >= 5 or number >= 2 and taken / number > seconds):
            break
        for name, program in programs.items():
            if program.rounds is None or number < program.rounds:
                took, peak = run(program)
                samples[name].wall.append(took)
                samples[name].peak = max(samples[name].peak, peak)
    return samples


def run(program: Program) -> tuple[float, int]:
    """Milliseconds from starting a process until it is gone, and the KiB that it had at most.

    It must end as it may. The peak is never less than what this harness itself needs, which the kernel
    counts for a process until it has become another program.
    """
    if program.before:
        program.before()
    argv = program.argv if isinstance(program.argv, list) else next(program.argv)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        kept = out.fileno() if program.figure else os.open(os.devnull, os.O_WRONLY)
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_DUP2, kept, 1), (os.POSIX_SPAWN_DUP2, err.fileno(), 2)]
        begun = time.perf_counter()
        child = os.posix_spawn(argv[0], argv, program.env, file_actions=actions)
        _, status, used = os.wait4(child, 0)
        took = (time.perf_counter() - begun) * 1000
        if os.waitstatus_to_exitcode(status) not in program.exits:
            err.seek(0)
            raise RuntimeError(f"{' '.join(argv)} exited with {os.waitstatus_to_exitcode(status)}"
                               f":\n{err.read().decode(errors='replace')}")
        if program.figure:
            out.seek(0)
            took = program.figure(out.read().decode())
        else:
            os.close(kept)
    return took, used.ru_maxrss


def repeat(program: Program, begin: float, seconds: float) -> tuple[float, float]:
    """Runs a program over and over for so long from `begin`, of the monotonic clock.

    Gives how often a second, and the most milliseconds that one run took.
    """
    time.sleep(max(0.0, begin - time.monotonic()))
    count, longest = 0, 0.0
    while time.monotonic() < begin + seconds:
        longest = max(longest, run(program)[0])
        count += 1
    return count / (time.monotonic() - begin), longest


class Bench:
    """A directory for one run of the benchmarks, with what is made in it.

    `most` is how many events the longest ledger has, `writing` how many seconds writers write.
    """

    def __init__(self, top: Path, goal: Path, most: int = 1_000_000, writing: float = 4):
        self.top, self.goal, self.most, self.writing = top, str(goal), most, writing
        self.skipped: list[str] = []

    def project(self, name: str, **shape: int | bool) -> Path:
        """A project with a generated ledger; the same name is the same project."""
        project = self.top / name
        if not project.exists():
            options = [f"--{key}" if value is True else f"--{key}={value}"
                       for key, value in shape.items()]
            subprocess.run([built("debug", "examples/ledger"), project, *options], check=True,
                           stdout=subprocess.DEVNULL)
        return project

    def link(self, project: Path) -> None:
        """Links the lines of the project's ledger whose links are zeros."""
        subprocess.run([built("debug", "examples/ledger"), project, "--link"], check=True)

    def series(self, events: int) -> Path:
        """One of the projects that differ only in how much happened: 20 goals are open in each."""
        return self.project(f"series-{events}", events=events, goals=max(50, events // 100), open=20)

    def env(self, project: Path, **more: str) -> dict:
        home = self.top / "home"
        return {"PATH": os.environ["PATH"], "HOME": str(home), "GOAL_ACTOR": "user",
                "XDG_CACHE_HOME": str(home / "cache"), "GOAL_ROOT": str(project), **more}

    def ours(self, project: Path, *arguments: str, **env: str) -> Program:
        return Program([self.goal, *arguments], self.env(project, **env))

    def cold(self, project: Path, *arguments: str) -> Program:
        return self.ours(project, *arguments, GOAL_NO_CACHE="1")

    def note(self, project: Path) -> Program:
        return self.ours(project, "note", "Looked at it once more, and it still holds.")

    def forget(self) -> None:
        """Deletes all replay caches."""
        shutil.rmtree(self.top / "home/cache", ignore_errors=True)

    def floor(self, name: str, *arguments: str) -> Program:
        """One of the programs that do as little as can be done."""
        program = self.top / name
        if not program.exists():
            subprocess.run(["rustc", "--edition=2024", "-O", "-o", program,
                            HERE / f"floors/{name}.rs"], check=True)
        return Program([str(program), *arguments], {"PATH": os.environ["PATH"]})

    def tool(self, name: str, hint: str) -> str | None:
        """Where another program is; without it what needs it is skipped, and that is said."""
        path = shutil.which(name)
        if not path:
            self.skip(f"{name} is not installed ({hint})")
        return path

    def skip(self, why: str) -> None:
        if why not in self.skipped:
            self.skipped.append(why)
            print(f"SKIPPED: {why}", file=sys.stderr)

    def older(self, project: Path) -> list | None:
        """The command that has the older extension read, reconstruct and summarise a ledger."""
        node, npm = self.tool("node", "and npm"), self.tool("npm", "and node")
        home = self.top / "older"
        bundle = home / "bundle.mjs"
        if not (node and npm):
            return None
        if not home.exists():
            home.mkdir()
            installed = subprocess.run(
                [npm, "install", "--prefix=.", "--ignore-scripts", "--no-audit", "--no-fund",
                 "--legacy-peer-deps", "--loglevel=error", *PACKAGES],
                cwd=home, stdout=subprocess.DEVNULL, check=False)
            if installed.returncode == 0:
                subprocess.run(
                    ["node_modules/.bin/esbuild", "--bundle", "--format=esm", "--platform=node",
                     "--log-level=error", f"--outfile={bundle}"], cwd=home, check=True, text=True,
                    input=f'export * from "{OLDER}/extensions/goal-ledger.ts";'
                          f'export * from "{OLDER}/extensions/goal-compaction.ts";')
        if not bundle.exists():
            self.skip(f"{PACKAGES[0]} cannot be installed")
            return None
        return [node, "--max-old-space-size=12000", str(HERE / "older.mjs"), str(bundle),
                str(project)]


def build(*options: str) -> None:
    subprocess.run(["cargo", "build", "--quiet", *options], cwd=REPOSITORY, check=True)


def built(profile: str, name: str) -> Path:
    return REPOSITORY / os.environ.get("CARGO_TARGET_DIR", "target") / profile / name


def instructions(program: Program) -> int | None:
    """How many instructions a run takes, which hardly varies; nothing without valgrind."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        return None
    with tempfile.TemporaryDirectory() as top:
        counted = subprocess.run(
            [valgrind, "--tool=callgrind", f"--callgrind-out-file={top}/counts", *program.argv],
            env=program.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if counted.returncode not in program.exits:
            raise RuntimeError(f"{program.argv} under valgrind:\n{counted.stderr}")
        totals = [line for line in Path(top, "counts").read_text().splitlines()
                  if line.startswith(("totals:", "summary:"))]
    return int(totals[-1].split()[1])


def table(head: list[str], rows: list[list]) -> str:
    """A table in Markdown; all columns but the first are figures."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def dump(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
