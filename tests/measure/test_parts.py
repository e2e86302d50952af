"""Parts of a tournament: agents are told apart and reach other processes as they are."""

from __future__ import annotations

import pickle

import jax
import pytest

from bglab import Agent, InputError, NetworkSpec, Position
from bglab.measure import parts
from bglab.value.netfile import save_network
from bglab.value.network import init
from tests.players import Bold, agent


def test_digests_tell_agents_apart() -> None:
    one = agent("a")
    assert parts.digest(one) == parts.digest(agent("b"))
    one.choose(Position.start(), (3, 1))
    assert parts.digest(one) == parts.digest(agent("b"))
    others = [
        agent("a", 1),
        Agent("a", init(NetworkSpec((8,), "tanh"), jax.random.key(0))),
        Bold("a", one.evaluator, 0.5),
        Bold("a", one.evaluator, 0.6),
    ]
    assert len({parts.digest(each) for each in (one, *others)}) == 5


def test_agents_travel_by_name_or_as_they_are(tmp_path) -> None:
    one = Bold("a", agent("a").evaluator, 0.5)
    one.choose(Position.start(), (3, 1))
    there = pickle.loads(pickle.dumps(parts.entrant(one, "one")))
    assert parts._agent(there).boldness == 0.5
    assert "_prepared" not in vars(there.source)
    assert parts._agent(there) is parts._agent(there)
    save_network(one.evaluator, tmp_path / "saved.safetensors")
    from_file = parts.entrant(tmp_path / "saved.safetensors", "one")
    assert from_file.digest == parts.digest(agent("saved"))
    assert isinstance(from_file.source, Agent)
    shipped = parts.entrant("N80-L2-sigmoid-800k-lam07", "one")
    assert shipped.source == "N80-L2-sigmoid-800k-lam07"
    assert parts._agent(shipped).name == shipped.name
    with pytest.raises(InputError, match="same version everywhere"):
        parts._agent(shipped._replace(digest="0", call="another"))
