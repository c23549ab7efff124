#!/usr/bin/env python3
"""Measures `goal watch` on a project: the first frame, a change until it is on the screen, what it
takes while nothing happens, and its memory.

    experiments/bench/watch.py GOAL PROJECT [IDLE_SECONDS]

GOAL is the program, PROJECT a copy: one note is recorded in it. The user's
directories are those of HOME and XDG_*. Times are medians of seven; a terminal of 120 x 40 is a
pseudoterminal that is read at once.
"""

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time

GOAL, PROJECT = os.path.abspath(sys.argv[1]), sys.argv[2]
IDLE = float(sys.argv[3]) if len(sys.argv) > 3 else 30
RUNS = 7
TICKS = os.sysconf("SC_CLK_TCK")
ENV = dict(os.environ, GOAL_ACTOR="user", TERM="xterm-256color")


def start():
    """The process, its terminal, and how long it took until the last line was drawn."""
    begun = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        os.chdir(PROJECT)
        os.execve(GOAL, [GOAL, "watch"], ENV)
    seen(terminal, b"quit")
    return pid, terminal, time.perf_counter() - begun


def seen(terminal, text):
    shown = b""
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, f"{text!r} never came: {shown[-500:]!r}"
        shown += os.read(terminal, 1 << 16)


def rest(terminal):
    """Reads until nothing is drawn any more."""
    while select.select([terminal], [], [], 1)[0]:
        os.read(terminal, 1 << 16)


def processor(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid):
    lines = open(f"/proc/{pid}/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def end(pid, terminal):
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    os.close(terminal)


def goal(*args):
    ran = subprocess.run([GOAL, *args], cwd=PROJECT, env=ENV, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def main():
    goal("status")
    firsts = []
    for _ in range(RUNS):
        pid, terminal, first = start()
        firsts.append(first)
        end(pid, terminal)
    pid, terminal, _ = start()
    changes, keys = [], []
    for number in range(RUNS):
        rest(terminal)
        goal("set", f"Measure {number}")
        # It is recorded by now; what is measured begins after the process that recorded it.
        begun = time.perf_counter()
        assert select.select([terminal], [], [], 60)[0], "nothing is drawn"
        changes.append(time.perf_counter() - begun)
        rest(terminal)
        begun = time.perf_counter()
        os.write(terminal, b"?")
        assert select.select([terminal], [], [], 60)[0], "nothing is drawn"
        keys.append(time.perf_counter() - begun)
    rest(terminal)
    before, begun = processor(pid), time.perf_counter()
    while (left := begun + IDLE - time.perf_counter()) > 0:
        if select.select([terminal], [], [], left)[0]:
            os.read(terminal, 1 << 16)
    share = (processor(pid) - before) / (time.perf_counter() - begun)
    median = lambda all: statistics.median(all) * 1000
    print(f"first frame {median(firsts):.0f} ms, change {median(changes):.0f} ms "
          f"(longest {max(changes) * 1000:.0f}), key {median(keys):.1f} ms, "
          f"idle {share * 100:.2f} % of a processor, memory {memory(pid):.0f} MB")
    end(pid, terminal)


if __name__ == "__main__":
    main()
