"""What several clones cost: a long ledger into which a pull brought lines, and a sync over loopback."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import bench
from bench import Bench

PULLED = 100
SENT = 1_000


def notes(at: Bench, project: Path, count: int) -> bytes:
    """Records notes and gives their lines."""
    ledger = project / ".pi/goals/goal_events.jsonl"
    before = ledger.stat().st_size
    for _ in range(count):
        bench.run(at.note(project))
    with ledger.open("rb") as lines:
        lines.seek(before)
        return lines.read()


def pulled(at: Bench, report) -> None:
    """The first command after a pull of lines that stand ten lines before the end."""
    project = at.project("pulled", events=at.most, goals=max(50, at.most // 100), open=20)
    ledger = project / ".pi/goals/goal_events.jsonl"
    size = ledger.stat().st_size
    theirs = notes(at, project, PULLED)
    os.truncate(ledger, size)
    ours = notes(at, project, 10)
    merged = ledger.with_name("merged")

    def before() -> None:
        """The ledger before the pull."""
        os.truncate(ledger, size)
        with ledger.open("ab") as lines:
            lines.write(ours)

    def pull() -> None:
        """The saved state is of the ledger before the pull; git puts another file in its place."""
        before()
        bench.run(at.ours(project, "status"))
        shutil.copyfile(ledger, merged)
        os.truncate(merged, size)
        with merged.open("ab") as lines:
            lines.write(theirs + ours)
        os.replace(merged, ledger)

    cold = at.cold(project, "list")
    cold.before, cold.rounds = before, 3
    first = at.ours(project, "list")
    first.before, first.rounds = pull, 3
    samples = report.times(f"A pull of {PULLED} lines into {at.most:,}", {
        "list, no cache, before the pull": cold, "list, right after the pull": first,
        "list, a second time": at.ours(project, "list")})
    report.ratio(f"first `list` after a pull of {PULLED} lines: × a cold one", 2, 1,
                 samples["list, right after the pull"], samples["list, no cache, before the pull"])


def git(cwd: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)


def serve(top: Path, port: int) -> subprocess.Popen:
    """`git daemon` with the bare repositories in this directory."""
    daemon = subprocess.Popen(["git", "daemon", "--reuseaddr", "--export-all",
                               "--enable=receive-pack", f"--base-path={top}", "--listen=127.0.0.1",
                               f"--port={port}", str(top)], stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return daemon
        except OSError:
            time.sleep(0.05)


def synced(at: Bench, report) -> None:
    """A sync that sends 1,000 lines, and one that takes them in."""
    project = at.project("synced", events=SENT, goals=50, open=20)
    top = at.top / "remotes"
    top.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    remote = f"git://127.0.0.1:{port}/remote.git"
    clone = at.top / "synced-clone"
    for repository in (project, clone):
        repository.mkdir(exist_ok=True)
        git(repository, "init", "-q")
    git(top, "init", "-q", "--bare", "remote.git")
    for repository in (project, clone):
        bench.run(at.ours(repository, "init", "--share"))

    def empty_remote() -> None:
        shutil.rmtree(top / "remote.git")
        shutil.rmtree(project / ".git/goal/sync", ignore_errors=True)
        git(top, "init", "-q", "--bare", "remote.git")

    def empty_clone() -> None:
        shutil.rmtree(clone / ".git/goal", ignore_errors=True)
        bench.run(at.ours(clone, "init", "--share"))

    daemon = serve(top, port)
    try:
        send, take = at.ours(project, "sync", remote), at.ours(clone, "sync", remote)
        send.before, take.before = empty_remote, empty_clone
        samples = report.times(f"A sync of {SENT:,} lines with `git daemon` on loopback", {
            "sending them": send, "taking them in": take,
            "nothing to do": at.ours(project, "sync", remote)})
    finally:
        daemon.terminate()
    for name in ("sending them", "taking them in"):
        report.target(f"sync of {SENT:,} lines, {name}", " ms", 1000, 500, samples[name].median)


def merged(at: Bench, report) -> None:
    pulled(at, report)
    synced(at, report)
