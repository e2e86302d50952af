"""Workers: deaths, retries, refusals, hangs, forks and exits, with a side of the pipe that does what it is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bglab.errors import EngineError
from bglab.play.peers.worker import Worker

SIDE = '''
import os, signal, sys, time
def add(a, b): return a + b
def pid(): return os.getpid()
def noise():
    print("noise on standard output", flush=True)
    os.write(1, b"and more of it")
    os.write(2, b"and an error")
    return "answer"
def die(path, times):
    """Die so many times, counted in a file."""
    deaths = int(open(path).read() or 0) if os.path.exists(path) else 0
    if deaths < times:
        open(path, "w").write(str(deaths + 1))
        os.kill(os.getpid(), signal.SIGSEGV)
    return "alive"
def leave(): os._exit(3)
def sleep(seconds): time.sleep(seconds); return seconds
def refuse(): raise ValueError("no such board")
def complain(): raise ValueError("no " * 1000 + "\\nat all")
FUNCTIONS = dict(complain=complain, add=add, pid=pid, noise=noise, die=die, leave=leave, sleep=sleep, refuse=refuse)
'''


@pytest.fixture
def side(tmp_path: Path) -> Path:
    path = tmp_path / "side.py"
    path.write_text(SIDE)
    return path


@pytest.fixture
def worker(side: Path) -> Iterator[Worker]:
    made = Worker("The engine", side)
    yield made
    made.close()


def gone(pid: int) -> bool:
    """Whether a process ends within a few seconds."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_it_starts_when_asked_and_stays(worker: Worker) -> None:
    assert worker.pid is None
    assert worker.ask("add", 1, 2) == 3
    assert worker.pid == worker.ask("pid") != os.getpid()


def test_what_the_engine_prints_is_not_an_answer(worker: Worker, capfd) -> None:
    assert worker.ask("noise") == "answer"
    assert worker.ask("add", 1, 1) == 2
    worker.close()
    assert capfd.readouterr() == ("", "")


def test_killed_between_requests(worker: Worker) -> None:
    first = worker.ask("pid")
    os.kill(first, signal.SIGKILL)
    assert worker.ask("add", 2, 2) == 4
    assert worker.pid != first


def test_killed_in_the_middle_of_a_request(worker: Worker) -> None:
    first = worker.ask("pid")
    killer = threading.Timer(0.3, os.kill, (first, signal.SIGKILL))
    killer.start()
    assert worker.ask("sleep", 0.8) == 0.8
    assert worker.pid != first


def test_one_death_is_made_good(worker: Worker, tmp_path: Path) -> None:
    assert worker.ask("die", str(tmp_path / "deaths"), 1) == "alive"


def test_two_deaths_are_reported_and_the_next_request_answered(worker: Worker, tmp_path: Path) -> None:
    with pytest.raises(
        EngineError, match=r"stopped twice at the same request \(killed by SIGSEGV\): leave out"
    ):
        worker.ask("die", str(tmp_path / "deaths"), 2)
    assert worker.ask("add", 1, 2) == 3
    with pytest.raises(EngineError, match=r"exit status 3"):
        worker.ask("leave")


def test_a_hang_ends(side: Path) -> None:
    worker = Worker("The engine", side, patience=0.5)
    assert worker.ask("add", 1, 2) == 3
    with pytest.raises(EngineError, match="no answer"):
        worker.ask("sleep", 60)
    worker.close()


def test_a_refusal_is_one_sentence(worker: Worker) -> None:
    with pytest.raises(EngineError, match=r"refused a request \(ValueError: no such board\): check"):
        worker.ask("refuse")
    with pytest.raises(EngineError) as long:
        worker.ask("complain")
    assert len(str(long.value)) < 300
    assert worker.ask("add", 1, 2) == 3


def test_an_interrupted_request_leaves_no_answer_behind(worker: Worker) -> None:
    worker.ask("pid")
    main = threading.main_thread().ident
    assert main is not None
    # Where tests run in the background, interrupts are ignored from the start.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            worker.ask("sleep", 5)
    finally:
        signal.signal(signal.SIGINT, before)
    assert worker.ask("add", 1, 2) == 3


def test_closed_it_is_gone(worker: Worker) -> None:
    pid = worker.ask("pid")
    worker.close()
    assert worker.pid is None
    assert gone(pid)


PROGRAM = """
import os, sys, pathlib, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from bglab.play.peers.worker import Worker
worker = Worker("The engine", pathlib.Path(sys.argv[1]))
print(worker.ask("pid"), flush=True)
if sys.argv[2] == "waits":
    worker.ask("sleep", 60)
"""


@pytest.mark.parametrize("end", ["exit", signal.SIGINT, signal.SIGKILL])
def test_no_orphans(side: Path, root: Path, end: str | signal.Signals) -> None:
    how = "ends" if end == "exit" else "waits"
    program = PROGRAM
    if end == signal.SIGKILL:
        # An engine sees that its input has ended once it has answered; here it has nothing to do.
        program = PROGRAM.replace('worker.ask("sleep", 60)', "__import__('time').sleep(60)")
    with subprocess.Popen(
        [sys.executable, "-c", program, str(side), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        if end != "exit":
            process.send_signal(end)
        process.wait(60)
    assert gone(pid)


FORK = """
import os, sys, pathlib
from bglab.play.peers.worker import Worker
worker = Worker("The engine", pathlib.Path(sys.argv[1]))
mine = worker.ask("pid")
reading, writing = os.pipe()
if os.fork() == 0:
    os.write(writing, str(worker.ask("pid")).encode())
    worker.close()
    os._exit(0)
os.wait()
print(mine, worker.ask("pid"), os.read(reading, 20).decode())
"""


def test_a_fork_starts_its_own(side: Path, root: Path) -> None:
    # In a process of its own, since JAX does not like to be forked.
    program = [sys.executable, "-c", FORK, str(side)]
    done = subprocess.run(program, cwd=root, capture_output=True, text=True, timeout=120, check=True)
    mine, still, other = (int(pid) for pid in done.stdout.split())
    assert mine == still != other
    assert gone(mine)
    assert gone(other)


def test_threads_take_turns(worker: Worker) -> None:
    answers: dict[int, int] = {}

    def ask(k: int) -> None:
        answers[k] = worker.ask("add", k, 1000)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {k: k + 1000 for k in range(20)}
