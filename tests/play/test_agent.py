"""Agents: ranking against the definition, batches against single decisions, and what can be loaded."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from bglab import Agent, InputError, NetworkSpec, Position, legal_turns, load, save_network, shipped_networks
from bglab.rules.planes import pack, unpack
from bglab.value.network import init
from bglab.value.outcome import OUTCOMES, POINTS
from tests import samples

START = Position.start()


@pytest.fixture(scope="module")
def agent() -> Agent:
    return Agent("fresh", init(NetworkSpec((16,)), jax.random.key(0)))


def test_rank_is_minus_what_the_opponent_has(agent: Agent) -> None:
    table = agent.rank(START, (6, 4))
    assert list(table.columns) == ["play", "equity", "loss", *OUTCOMES, "turn"]
    assert len(table) == len(legal_turns(START, (6, 4)))
    for row in table.itertuples():
        assert row.equity == pytest.approx(-agent.evaluate(row.turn.after.flip())["equity"], abs=1e-5)
    assert table["equity"].is_monotonic_decreasing
    assert table["loss"].iloc[0] == 0
    assert np.allclose(table[list(OUTCOMES)].sum(axis=1), 1, atol=1e-5)
    assert np.allclose(table[list(OUTCOMES)] @ POINTS, table["equity"], atol=1e-5)
    assert agent.choose(START, (6, 4)) == table["turn"].iloc[0]


def test_finished_games_are_known_not_asked_about(agent: Agent) -> None:
    racing = Position.of(me={1: 1}, opp={6: 2})
    best = agent.rank(racing, (2, 1)).iloc[0]
    assert best["equity"] == 1
    gammon = Position.of(me={1: 1}, opp={6: 15})
    assert agent.rank(gammon, (2, 1)).iloc[0]["win gammon"] == 1
    backgammon = Position.of(me={1: 1}, opp={20: 1, 6: 14})
    assert agent.rank(backgammon, (2, 1)).iloc[0]["equity"] == 3


def test_many_decisions_are_the_single_ones(agent: Agent) -> None:
    positions = [START, START.flip(), Position.of(me={6: 2, 4: 2, 3: 3, 2: 3}, opp={"bar": 1, 24: 4, 13: 2})]
    dice = [(3, 1), (6, 6), (5, 4)]
    after, won = agent.choose_many(pack(positions), np.array(dice, np.int32))
    for position, roll, result, points in zip(positions, dice, unpack(after), won, strict=True):
        assert result == agent.choose(position, roll).after
        assert points == 0


def test_dance(agent: Agent) -> None:
    closed = Position.of(me={"bar": 1, 6: 14}, opp=dict.fromkeys(range(1, 7), 2))
    table = agent.rank(closed, (3, 1))
    assert len(table) == 1
    assert table["turn"].iloc[0].after == closed


def test_finished_position_is_refused(agent: Agent) -> None:
    over = Position.of(me={}, opp={6: 2})
    with pytest.raises(InputError, match="over"):
        agent.evaluate(over)
    with pytest.raises(InputError):
        agent.rank(over, (3, 1))


@pytest.mark.parametrize("dice", [(0, 3), (7, 1), (3,), (1, 2, 3)])
def test_dice_are_checked(agent: Agent, dice: tuple[int, ...]) -> None:
    with pytest.raises(InputError):
        agent.rank(START, dice)


def test_load(tmp_path, agent: Agent) -> None:
    save_network(agent.evaluator, tmp_path / "run" / "network.safetensors", {"seed": 1})
    for path in (tmp_path / "run", tmp_path / "run" / "network.safetensors", str(tmp_path / "run")):
        assert load(path).name == "run"
    assert load(tmp_path / "run").evaluate(START)["equity"] == agent.evaluate(START)["equity"]
    with pytest.raises(InputError, match="N80-L2-sigmoid-800k-lam07"):
        load("no such agent")


def test_looking_ahead_by_name() -> None:
    """`:1ply` ranks by what the opponent has after its 21 rolls, and one decision is that of a batch."""
    ahead, static = load("N80-L2-sigmoid-800k-lam07:1ply"), load()
    position = Position.of(me={6: 2, 5: 1}, opp={6: 1, 4: 1})
    table = ahead.rank(position, (2, 1))
    assert ahead.name == "N80-L2-sigmoid-800k-lam07:1ply"
    for row in table.itertuples():
        rest = row.turn.after.flip()
        chances = [(static.rank(rest, roll).iloc[0], 1 + (roll[0] != roll[1])) for roll in samples.ROLLS]
        assert row.equity == pytest.approx(
            -sum(best["equity"] * weight for best, weight in chances) / 36, abs=1e-5
        )
    assert ahead.choose(position, (2, 1)) == table["turn"].iloc[0]
    assert ahead.evaluate(position)[list(OUTCOMES)].sum() == pytest.approx(1, abs=1e-5)
    with pytest.raises(InputError, match="plies"):
        load("N80-L2-sigmoid-800k-lam07:9ply")


def test_the_first_turn_whatever_it_is() -> None:
    first = load("first")
    after, _ = first.choose_many(pack([START]), np.array([(6, 4)], np.int32))
    assert unpack(np.asarray(after))[0] in [turn.after for turn in legal_turns(START, (6, 4))]
    winning = Position.of(me={1: 1}, opp={6: 2})
    assert first.choose(winning, (2, 1)).after.result == 1
    double, take = first.cube_many(pack([START]), np.zeros(1, np.int32), np.ones(1, bool))
    assert not double[0]
    assert take[0]


def test_parameter_ais_rank_by_score() -> None:
    """At 0-ply and looking ahead, in a currency of their own and without outcomes."""
    for name in ("parameter:origin", "parameter:origin:1ply"):
        agent = load(name)
        table = agent.rank(START, (3, 1))
        assert list(table.columns) == ["play", "score", "loss", "turn"]
        assert agent.choose(START, (3, 1)) == table["turn"].iloc[0]
        assert list(agent.evaluate(START).index) == ["score"]
    with pytest.raises(InputError, match="origin"):
        load("parameter:nobody")


def test_shipped_networks_play_the_openings_that_must_be_found() -> None:
    """Known answers, openings: 31, 42, 61, 65 and 53 have one right play (a strong engine at 3-ply)."""
    assert "N80-L2-sigmoid-800k-lam07" in shipped_networks()
    agent = load()
    for dice, play in (((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7"), ((5, 3), "8/3 6/3")):
        assert agent.choose(START, dice).play == play
    assert agent.choose(START, (6, 5)).play == "24/13"
    assert 0 < agent.evaluate(START)["equity"] < 0.15
