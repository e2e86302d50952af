"""Calls on executors: every result once, few at a time, nothing lost beside a failure and nothing begun after it."""

from __future__ import annotations

import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import pytest

from bglab.rules.parallel import on_executor

CALLS = [(k,) for k in range(20)]


class Few(Executor):
    """Ends its calls when asked how many threads it has, in reverse order, as a cluster of two would."""

    def __init__(self) -> None:
        self._client, self.waiting, self.most = self, [], 0

    def submit(self, call, *arguments, **keywords) -> Future:
        future: Future = Future()
        self.waiting.append((future, call, arguments))
        self.most = max(self.most, len(self.waiting))
        if len(self.waiting) == 4:
            self.ncores()
        return future

    def ncores(self) -> dict[str, int]:
        while self.waiting:
            future, call, arguments = self.waiting.pop()
            try:
                future.set_result(call(*arguments))
            except ValueError as error:
                future.set_exception(error)
        return {"one": 1, "two": 1}


@pytest.mark.parametrize("make", [None, lambda: ThreadPoolExecutor(3), Few], ids=["here", "threads", "few"])
def test_every_result_once(make) -> None:
    results, ticks = {}, []
    executor = make and make()
    on_executor(executor, lambda k: k * k, CALLS, lambda k, result: results.setdefault(k, []).append(result))
    on_executor(executor, lambda k: k, CALLS, tick=lambda: ticks.append(1))
    assert results == {k: [k * k] for k in range(20)}
    assert ticks
    on_executor(executor, lambda: 1, [], lambda k, result: results.clear())
    assert results


def test_a_pool_gets_no_more_than_it_has_workers() -> None:
    lock, under_way, most = threading.Lock(), set(), []

    class Counting(ThreadPoolExecutor):
        def submit(self, call, k):
            with lock:
                under_way.add(k)
                most.append(len(under_way))
            return super().submit(call, k)

    with Counting(3) as executor:
        on_executor(executor, lambda k: k, CALLS, lambda k, result: under_way.discard(k))
    assert max(most) == 3


def test_a_cluster_gets_two_for_each_thread() -> None:
    executor = Few()
    on_executor(executor, lambda k: k, CALLS)
    assert executor.most == 4


def test_what_ends_beside_a_failure_is_kept_and_nothing_begins_after_it() -> None:
    kept = []

    def call(k: int) -> int:
        if k == 5:
            raise ValueError("five")
        return k

    executor = Few()
    with pytest.raises(ValueError, match="five"):
        on_executor(executor, call, CALLS, lambda k, result: kept.append(k))
    assert sorted(kept) == [0, 1, 2, 3, 4, 6, 7]
