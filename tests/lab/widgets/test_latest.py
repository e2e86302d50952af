"""Work in the background: the newest request is shown to its end, older ones stop after their step."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from bglab.lab.widgets.latest import Latest


class Seen:
    def __init__(self) -> None:
        self.steps: list[str] = []
        self.ends: list[Exception | None] = []
        self.latest = Latest(self.steps.append, self.ends.append)


def gated(name: str, gate: threading.Event, reached: threading.Event) -> Iterator[str]:
    yield f"{name} 1"
    reached.set()
    assert gate.wait(10)
    yield f"{name} 2"


def test_all_steps_and_one_end() -> None:
    seen = Seen()
    seen.latest.start(lambda: iter(["a", "b"])).join(10)
    assert (seen.steps, seen.ends) == (["a", "b"], [None])


def test_a_newer_request_replaces_an_older_one() -> None:
    seen, gate, reached = Seen(), threading.Event(), threading.Event()
    old = seen.latest.start(lambda: gated("old", gate, reached))
    assert reached.wait(10)
    new = seen.latest.start(lambda: iter(["new"]))
    gate.set()
    old.join(10)
    new.join(10)
    assert (seen.steps, seen.ends) == (["old 1", "new"], [None])


def test_what_was_overtaken_while_it_waited_never_begins() -> None:
    seen, gate, reached = Seen(), threading.Event(), threading.Event()
    begun = []

    def never() -> Iterator[str]:
        begun.append(True)
        yield "never"

    threads = [seen.latest.start(lambda: gated("old", gate, reached))]
    assert reached.wait(10)
    threads += [seen.latest.start(never), seen.latest.start(lambda: iter(["new"]))]
    gate.set()
    for thread in threads:
        thread.join(10)
    assert not begun
    assert seen.steps == ["old 1", "new"]


def test_cancelled_work_ends_silently() -> None:
    seen, gate, reached = Seen(), threading.Event(), threading.Event()
    thread = seen.latest.start(lambda: gated("old", gate, reached))
    assert reached.wait(10)
    seen.latest.cancel()
    gate.set()
    thread.join(10)
    assert (seen.steps, seen.ends) == (["old 1"], [])


def test_a_failure_is_told_and_the_next_request_works() -> None:
    def fails() -> Iterator[str]:
        yield "first"
        raise ValueError("no")

    seen = Seen()
    seen.latest.start(fails).join(10)
    seen.latest.start(lambda: iter(["second"])).join(10)
    assert seen.steps == ["first", "second"]
    assert isinstance(seen.ends[0], ValueError)
    assert seen.ends[1] is None
