"""Tests of `goal watch` in tmux. Each waits for what the screen shows, up to a deadline, and never
for a time to pass."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOAL = os.environ["GOAL_BIN"]
# Only a hang takes this long.
DEADLINE = 60


class Terminal:
    """A shell in a tmux of its own, in a project of its own."""

    def __init__(self, width=100, height=30, actor="user"):
        self.top = Path(tempfile.mkdtemp(prefix="goal-watch-"))
        self.root = self.top / "atlas"
        self.root.mkdir()
        home = self.top / "home"
        self.env = {
            "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "HISTFILE": "/dev/null",
            "HOME": str(home), "XDG_CONFIG_HOME": f"{home}/config",
            "XDG_STATE_HOME": f"{home}/state", "XDG_CACHE_HOME": f"{home}/cache",
            "GOAL_ACTOR": "user", "TERM": "screen-256color",
        }
        config = home / "config/goal"
        config.mkdir(parents=True)
        (config / "config.toml").write_text('[auditor]\ncommand = ["/bin/false"]\n')
        self.socket = str(self.top / "tmux")
        shell = "env PS1='ready> ' bash --norc --noprofile -i"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height),
                  "-c", str(self.root), shell, env=dict(self.env, GOAL_ACTOR=actor))
        self.tmux("set-option", "-g", "remain-on-exit", "on")
        try:
            self.until("ready>")
        except AssertionError:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server", check=False)
        shutil.rmtree(self.top, ignore_errors=True)

    def tmux(self, *args, check=True, env=None):
        ran = subprocess.run(["tmux", "-u", "-S", self.socket, *args], env=env or self.env,
                             text=True, encoding="utf-8", capture_output=True, cwd=self.root)
        assert ran.returncode == 0 or not check, f"tmux {args}: {ran.stderr}"
        return ran.stdout

    def goal(self, *args, actor="user", code=0, stdin=None):
        ran = subprocess.run([GOAL, *args], env=dict(self.env, GOAL_ACTOR=actor), cwd=self.root,
                             text=True, capture_output=True, input=stdin)
        assert ran.returncode == code, f"goal {args}: {ran.returncode} {ran.stdout} {ran.stderr}"
        return ran.stdout

    def create(self, objective):
        said = json.loads(self.goal("set", objective, "--json"))
        return said["data"]["goalId"]

    def events(self, kind):
        lines = (self.root / ".pi/goals/goal_events.jsonl").read_text().splitlines()
        return [event for event in map(json.loads, lines) if event["type"] == kind]

    def screen(self):
        return self.tmux("capture-pane", "-p")

    def until(self, what, gone=False):
        """Waits until the screen shows a text, or does not; gives back what it shows."""
        holds = what if callable(what) else lambda text: (what in text) != gone
        return wait(lambda: (lambda text: text if holds(text) else None)(self.screen()),
                    lambda: f"{what!r} {'stays' if gone else 'never came'}:\n{self.screen()}")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.keys("Enter")

    def watch(self, *args):
        """Starts the screen; its process id."""
        self.type(" ".join(["clear;", GOAL, "watch", *args]))
        self.until(" goal watch ")
        self.until(lambda _: self.state("alternate_on") == "1")
        return self.pid()

    def pid(self):
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        assert len(children) == 1, children
        return int(children[0])

    def state(self, name):
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip()

    def is_whole(self):
        """The terminal is as a shell needs it, and shows what it showed before."""
        self.until(lambda _: self.state("alternate_on") == "0")
        assert self.state("cursor_flag") == "1", "the cursor is hidden"
        # The shell itself reads letter by letter, so a program below it has to look.
        self.type("clear; stty -a > modes; echo mode$((40+2))")
        self.until("mode42")
        modes = (self.root / "modes").read_text().split()
        for mode in ("icanon", "echo", "isig", "opost", "icrnl"):
            assert mode in modes or f"{mode};" in modes, f"{mode} is off: {modes}"


def wait(look, why):
    end = time.monotonic() + DEADLINE
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < end, why()
        time.sleep(0.02)


def a_question_is_answered():
    with Terminal() as at:
        at.create("Write the parser")
        at.goal("ask", "Which one?", "--suggest", "the old one", "--suggest", "none", actor="agent")
        at.watch()
        at.until("1 needs you")
        at.keys("Enter")
        at.until("What now?")
        # No line is marked before a key marks one: Enter alone decides nothing.
        at.keys("Enter")
        at.keys("Down", "Down", "Enter")
        at.until("Enter goes back to the screen")
        assert "$ goal answer" in at.screen()
        at.keys("Enter")
        # The row keeps its place, and nothing is done about it twice.
        at.until("nothing needs you")
        at.until("settled")
        at.keys("Enter")
        at.keys("s")
        at.until("settled", gone=True)
        at.keys("q")
        at.is_whole()
        answered = at.events("question_answered")
        assert [(it["answer"], it["by"]) for it in answered] == [("none", "user")], answered


def a_question_is_answered_in_ones_own_words():
    with Terminal() as at:
        at.create("Write the parser")
        at.goal("ask", "Which one?", actor="agent")
        at.watch()
        at.until("1 needs you")
        at.keys("Enter")
        at.until("answer in my own words")
        at.keys("Down", "Enter")
        at.until("Text")
        at.type("the third one")
        at.until("Enter goes back to the screen")
        at.keys("Enter")
        at.until("nothing needs you")
        at.keys("q")
        at.is_whole()
        assert at.events("question_answered")[0]["answer"] == "the third one"


def a_dialog_that_is_left_records_nothing():
    with Terminal() as at:
        at.create("Write the parser")
        at.goal("ask", "Which one?", actor="agent")
        at.watch()
        at.until("1 needs you")
        for leave in ("Escape", "C-c"):
            at.keys("Enter")
            at.until("What now?")
            at.keys(leave)
            at.until("1 needs you")
        at.keys("q")
        at.is_whole()
        assert at.events("question_answered") == []


def a_proposal_is_confirmed():
    with Terminal() as at:
        at.goal("draft", "A parser")
        at.goal("propose", "Write the parser", "--criteria", "it parses", actor="agent")
        at.watch()
        at.until("proposal")
        at.until("it parses")
        at.keys("Enter")
        at.until("What now?")
        at.keys("Down", "Enter")
        at.until("[y/N]")
        at.keys("y", "Enter")
        at.until("Enter goes back to the screen")
        at.keys("Enter")
        at.until("nothing needs you")
        at.keys("q")
        at.is_whole()
        assert at.events("goal_created")[0]["objective"] == "Write the parser"


def a_goal_that_rests_is_resumed():
    with Terminal() as at:
        at.create("Write the parser")
        at.goal("pause", "--reason", "tired")
        at.watch()
        at.until("RESTING")
        at.keys("Enter")
        at.until("resume")
        at.keys("Down", "Down", "Enter")
        at.until("Enter goes back to the screen")
        at.keys("Enter")
        at.until("now quiet")
        at.keys("q")
        at.is_whole()
        assert len(at.events("goal_resumed")) == 1


def what_others_record_comes_and_rows_stay():
    with Terminal() as at:
        for name in ("First", "Second", "Third"):
            at.create(name)
        at.watch()
        at.until("Third")
        at.keys("j")
        at.until("›● Second")
        line = lambda text: next(n for n, it in enumerate(at.screen().splitlines()) if text in it)
        before = line("›● Second")
        blocked = at.create("Fourth")
        at.until("Fourth")
        at.until("1 new row: s sorts")
        at.goal("block", "--goal", blocked, "--reason", "no disk")
        at.until("no disk")
        assert line("›● Second") == before, at.screen()
        at.keys("s")
        at.until("NEEDS YOU")
        at.until("›● Second")
        at.keys("g")
        at.until("›■ Fourth")
        at.keys("q")
        at.is_whole()


def the_list_is_filtered():
    with Terminal() as at:
        for name in ("First", "Second"):
            at.create(name)
        at.watch()
        at.keys("/")
        at.type("sec")
        at.until(lambda text: "First" not in text.split("── Second")[0] and "›● Second" in text)
        at.keys("Escape")
        at.until("● First")
        at.keys("q")
        at.is_whole()


def another_size_is_drawn_whole():
    with Terminal() as at:
        at.create("Write the parser")
        at.watch()
        for width, height in ((60, 15), (40, 10), (132, 43), (20, 5), (80, 24)):
            at.tmux("resize-window", "-x", str(width), "-y", str(height))

            def fits(text):
                lines = text.splitlines()
                keys = lines[-1] if len(lines) == height else ""
                rule = next((it for it in lines if it.startswith("── goals")), "")
                full = width < 100 and len(rule) == width or width >= 100 and len(rule) > 100
                return text.startswith(" goal watch ") and keys.startswith(" q quit") and full
            at.until(fits)
        at.keys("q")
        at.is_whole()


def signals_that_end_it_leave_the_terminal_whole():
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        with Terminal() as at:
            at.create("Write the parser")
            os.kill(at.watch(), number)
            at.until("ready>")
            at.type("echo status $?")
            # It ends as the signal ends a program, which its parent can see.
            at.until(f"status {128 + number}")
            at.is_whole()


def ctrl_c_ends_it():
    with Terminal() as at:
        at.watch("; echo status $?")
        at.keys("C-c")
        at.until("status 0")
        at.is_whole()


def stopping_leaves_the_terminal_whole_and_it_comes_back():
    with Terminal() as at:
        at.create("Write the parser")
        pid = at.watch()
        for stop in (lambda: os.kill(pid, signal.SIGTSTP), lambda: at.keys("C-z")):
            stop()
            at.until("Stopped")
            at.is_whole()
            at.create("Another goal")
            at.type("clear; fg")
            at.until("Another goal")
            at.until(lambda _: at.state("alternate_on") == "1")
            at.keys("j")
            at.until("›")
        at.keys("q")
        at.is_whole()


def a_terminal_that_goes_away_ends_it():
    with Terminal() as at:
        at.create("Write the parser")
        pid = at.watch()
        at.tmux("kill-server")
        wait(lambda: not Path(f"/proc/{pid}").exists(), lambda: f"{pid} still runs")


def a_killed_one_leaves_the_ledger_whole():
    with Terminal() as at:
        at.create("Write the parser")
        before = (at.root / ".pi/goals/goal_events.jsonl").read_bytes()
        os.kill(at.watch(), signal.SIGKILL)
        at.until("Killed")
        assert (at.root / ".pi/goals/goal_events.jsonl").read_bytes() == before
        at.goal("verify")
        at.type("reset")
        at.watch()
        at.keys("q")
        at.is_whole()


def an_agent_only_looks():
    with Terminal(actor="agent") as at:
        at.create("Write the parser")
        at.goal("ask", "Which one?", actor="agent")
        at.watch()
        at.until("1 needs you")
        at.keys("Enter")
        at.until("Only you, the user")
        at.keys("Enter")
        at.until("1 needs you")
        at.keys("q")
        at.is_whole()


def the_output_of_an_agent_is_shown_while_it_works():
    with Terminal() as at:
        at.create("Write the parser")
        agent = at.top / "agent"
        agent.write_text(f"#!/bin/sh\ncat > /dev/null\necho 'reading src/parser.rs'\n"
                         f"until [ -e {at.top}/go ]; do sleep 0.05; done\n")
        agent.chmod(0o755)
        run = subprocess.Popen(
            [GOAL, "run", "--agent-command", str(agent), "--max-iterations", "1"],
            cwd=at.root, env=at.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            at.watch()
            at.until("reading src/parser.rs")
            at.until("turn 1 of 1")
            (at.top / "go").touch()
            at.until("run stopped")
            at.keys("q")
            at.is_whole()
        finally:
            (at.top / "go").touch()
            run.wait(DEADLINE)


TESTS = [
    a_question_is_answered,
    a_question_is_answered_in_ones_own_words,
    a_dialog_that_is_left_records_nothing,
    a_proposal_is_confirmed,
    a_goal_that_rests_is_resumed,
    what_others_record_comes_and_rows_stay,
    the_list_is_filtered,
    another_size_is_drawn_whole,
    signals_that_end_it_leave_the_terminal_whole,
    ctrl_c_ends_it,
    stopping_leaves_the_terminal_whole_and_it_comes_back,
    a_terminal_that_goes_away_ends_it,
    a_killed_one_leaves_the_ledger_whole,
    an_agent_only_looks,
    the_output_of_an_agent_is_shown_while_it_works,
]


def main():
    wanted = sys.argv[1:]
    tests = [it for it in TESTS if not wanted or any(word in it.__name__ for word in wanted)]
    failed = 0
    for test in tests:
        begun = time.monotonic()
        try:
            test()
            print(f"ok      {test.__name__} ({time.monotonic() - begun:.1f} s)", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"FAILED  {test.__name__}: {error}", flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    main()
