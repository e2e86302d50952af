"""The real engines: exact values, known answers, their own choices, cube decisions, duels and deaths."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, InputError, MatchRules, Position, duel, legal_turns, load, play_matches
from bglab.measure.parts import digest
from bglab.play.peers import engines
from bglab.play.peers.boards import FINAL, counts_of, sage_boards
from bglab.play.peers.engines import worker
from bglab.play.peers.gnu import OWN_FILTERS, Gnubg, GnubgSearch
from bglab.play.peers.names import peer
from bglab.play.peers.sage import Sage, SageSearch, ask
from bglab.play.peers.worker import Worker
from bglab.rules.planes import flip, pack, unpack
from bglab.search.expectimax import Expectimax
from bglab.search.filters import FILTERS
from bglab.search.rollout import rollout
from bglab.value.outcome import POINTS
from tests import samples

pytestmark = pytest.mark.skipif(
    not (find_spec("gnubg") and find_spec("bgsage")),
    reason="the engines are not installed: pip install 'bglab[peers]'",
)
START = Position.start()
PLAYERS = ["gnubg:0ply", "sage:1ply"]
POSITIONS = [position for position in samples.realistic(640, seed=11) if position.result is None][:512]
ROLLS = samples.rolls(512, seed=12)
PLANES, DICE = pack(POSITIONS), np.array(ROLLS, np.int32)


def outcomes(name: str, positions: list[Position]) -> np.ndarray:
    search = peer(name)
    assert search is not None
    return search(pack(positions))


@pytest.mark.parametrize("name", [*PLAYERS, "gnubg:1ply", "gnubg:2ply", "sage:2ply"])
def test_exact_races(name: str) -> None:
    """Known answers B2: n aces each; the engines keep their tables in 16 bits."""
    aces = [Position.of(me={1: n}, opp={1: n}) for n in (4, 6, 8, 10)]
    exact = [31 / 36, 1021 / 1296, 34771 / 46656, 1205041 / 1679616]
    assert np.abs(outcomes(name, aces)[:, 0] - exact).max() < 3e-5


def bear_off(me: tuple[int, ...], opp: tuple[int, ...], known: dict) -> float:
    """The exact chance that the side on roll wins a race in the home boards, played perfectly; counts per point."""
    if (me, opp) not in known:
        total = 0.0
        position = Position((*me, *[0] * 19), (*opp, *[0] * 19))
        for roll in samples.ROLLS:
            best = max(
                1.0 if not any(turn.after.me) else 1 - bear_off(opp, turn.after.me[:6], known)
                for turn in legal_turns(position, roll)
            )
            total += best * (1 if roll[0] == roll[1] else 2)
        known[me, opp] = total / 36
    return known[me, opp]


@pytest.mark.parametrize("name", [*PLAYERS, "gnubg:2ply"])
def test_short_races_against_exact_play(name: str) -> None:
    """Every race of at most two checkers each on the first four points."""
    sides = [(a, b, c, d, 0, 0) for a in range(3) for b in range(3) for c in range(3) for d in range(3)]
    sides = [side for side in sides if 1 <= sum(side) <= 2]
    known: dict = {}
    pairs = [(me, opp) for me in sides for opp in sides]
    exact = np.array([bear_off(me, opp, known) for me, opp in pairs])
    if name == "gnubg:2ply":
        pairs, exact = pairs[::9], exact[::9]
    asked = [Position((*me, *[0] * 19), (*opp, *[0] * 19)) for me, opp in pairs]
    assert np.abs(outcomes(name, asked)[:, 0] - exact).max() < 5e-5


@pytest.mark.parametrize("name", PLAYERS)
def test_a_side_with_checkers_off_loses_no_gammon(name: str) -> None:
    """Known answer B4."""
    off = [each for each in samples.realistic(1500, seed=2) if each.off[0] and each.result is None]
    assert len(off) > 50
    values = outcomes(name, off)
    assert (values[:, 4:] == 0).all()
    assert np.allclose(values.sum(1), 1, atol=1e-6)


@pytest.mark.parametrize(("name", "package"), [("gnubg:1ply", "gnubg"), ("sage:2ply", "bgsage")])
def test_nothing_is_left_over_between_evaluations(name: str, package: str) -> None:
    """Known answer C6: B after A and B alone in a fresh process are the same to the last bit."""
    after_others = outcomes(name, POSITIONS[:24])[-1]
    worker(package).close()
    assert np.array_equal(outcomes(name, [POSITIONS[23]])[0], after_others)


OPENINGS = {(3, 1): "8/5 6/5", (4, 2): "8/4 6/4", (6, 1): "13/7 8/7", (6, 5): "24/13", (5, 3): "8/3 6/3"}


@pytest.mark.parametrize("name", [*PLAYERS, "gnubg:2ply", "sage:2ply"])
def test_openings_that_must_be_found(name: str) -> None:
    agent = load(name)
    assert {dice: agent.choose(START, dice).play for dice in OPENINGS} == OPENINGS


@pytest.mark.parametrize("name", PLAYERS)
def test_rank_begins_with_the_choice(name: str) -> None:
    agent = load(name)
    for position, roll in zip(POSITIONS[:12], ROLLS, strict=False):
        table = agent.rank(position, roll)
        assert table["loss"][table["turn"] == agent.choose(position, roll)].iloc[0] < 1e-6
        assert np.allclose(table[list(table.columns[3:9])] @ POINTS, table["equity"], atol=1e-5)


@pytest.mark.parametrize(("plies", "n"), [(0, 512), (1, 512), (2, 12)])
def test_gnubgs_own_choice_is_the_best_of_our_turns(plies: int, n: int) -> None:
    """Its findbestmove and its evaluation of each of our turns, with the same filters, agree but for ties."""
    search = GnubgSearch(Gnubg(plies), plies, OWN_FILTERS[plies])
    chosen = search.best(PLANES[:n], DICE[:n])
    ours = Expectimax.best(search, PLANES[:n], DICE[:n])
    asked = np.isnan(chosen.worth)
    assert asked.sum() > 0.6 * n
    differ = np.flatnonzero((chosen.after != ours.after).any(1))
    theirs = -(search.evaluator(np.asarray(flip(jnp.asarray(chosen.after[differ])))) @ POINTS)
    # Which of equal turns comes first is a matter of order.
    assert np.abs(theirs - ours.worth[differ]).max(initial=0) < 1e-5
    assert len(differ) < 0.02 * n


def test_sages_own_choice_is_the_best_of_our_turns() -> None:
    search = SageSearch(Sage("1ply"), 0)
    best = search.best(PLANES[:256], DICE[:256])
    several = [k for k in range(256) if len(legal_turns(POSITIONS[k], ROLLS[k])) > 1 and best.won[k] == 0]
    chosen = ask("choose", "1ply", (sage_boards(counts_of(PLANES[several])), DICE[several]))
    assert len(several) > 150
    same = (sage_boards(counts_of(best.after[several])) == chosen).all(1)
    assert same.mean() > 0.95
    for number in np.flatnonzero(~same):
        k = several[number]
        turns = pack([turn.after for turn in legal_turns(POSITIONS[k], ROLLS[k])])
        worth = search.values_of_turns(PLANES[k], turns) @ POINTS
        here = (sage_boards(counts_of(turns)) == chosen[number]).all(1)
        # Equal turns, or nearly: its chances of a gammon against checkers borne off are ours to take away.
        assert worth[here] == pytest.approx(worth.max(), abs=2e-3)


@pytest.mark.parametrize("name", ["gnubg:2ply", "sage:2ply"])
def test_deeper_choices_are_legal_turns(name: str) -> None:
    agent = load(name)
    after, won = agent.choose_many(PLANES[:16], DICE[:16])
    for position, roll, reached in zip(POSITIONS, ROLLS, unpack(np.asarray(after)), strict=False):
        assert reached in [turn.after for turn in legal_turns(position, roll)]
    assert np.asarray(won).shape == (16,)


def test_a_rollout_is_the_same_every_time() -> None:
    values = [outcomes("sage:truncated1", [POSITIONS[40]]) for _ in range(2)]
    assert np.array_equal(*values)
    assert np.abs(values[0] - outcomes("sage:1ply", [POSITIONS[40]])).max() < 0.2


def test_filters_and_options_are_heard() -> None:
    assert peer("gnubg:2ply:large").filters == FILTERS["gnubg large"]
    assert peer("gnubg:2ply:full:noprune").evaluator == Gnubg(2, prune=False)
    assert peer("gnubg:2ply").filters == OWN_FILTERS[2]
    assert peer("sage:1ply:jacoby:beavers").evaluator == Sage("1ply", jacoby=True, beavers=True)
    assert peer("parameter:origin") is None
    for name, match in (
        ("gnubg:9ply", "not at '9ply'"),
        ("sage:9ply", "no level '9ply'"),
        ("gnubg:2ply:huge:fast", "no option 'fast'"),
        ("sage:1ply:tiny", "no option 'tiny', as in 'sage:1ply:tiny'"),
        ("gnubg:0ply:tiny:large", "'gnubg:0ply:tiny:large' has 2 move filters, tiny and large: write one"),
        ("gnubg:0ply:full:tiny", "2 move filters"),
        ("gnubg:0ply:jacoby:jacoby", "'gnubg:0ply:jacoby:jacoby' has the option jacoby twice"),
        ("sage:1ply:beavers:jacoby:beavers", "the option beavers twice"),
        ("gnubg:2ply:1ply", "searches already"),
        ("sage:2ply:jacoby:1ply", "searches already"),
        ("gnubg:0ply:9ply", "0 to 4 plies"),
        ("gnubg:0ply:1ply:1ply", "searches already"),
    ):
        with pytest.raises(InputError, match=match):
            load(name)


@pytest.mark.parametrize("name", [*PLAYERS, "gnubg:0ply:1ply", "sage:2ply", "sage:1ply:1ply"])
def test_fifteen_checkers(name: str) -> None:
    """To the engine the others would be borne off."""
    agent, three = load(name), Position.start("hypergammon")
    for ask_it in (
        lambda: agent.evaluate(three),
        lambda: agent.choose(three, (3, 1)),
        lambda: agent.rank(three, (3, 1)),
        lambda: agent.by_roll(three),
        lambda: rollout(agent.evaluator, 36, checkers=3) if name in PLAYERS else agent.evaluate(three),
    ):
        with pytest.raises(InputError, match="plays with 15 checkers a side, not 3: start elsewhere"):
            ask_it()


@pytest.mark.parametrize(
    ("name", "static"),
    [
        ("gnubg:0ply:1ply", Gnubg(0)),
        ("gnubg:0ply:jacoby:1ply", Gnubg(0, jacoby=True)),
        ("sage:1ply:1ply", Sage("1ply")),
    ],
)
def test_our_search_over_an_engine(name: str, static: Gnubg | Sage) -> None:
    """The average over the rolls of the best reply, each reply judged by itself."""
    agent, positions = load(name), [*POSITIONS[:4], Position.of(me={3: 1, 2: 1}, opp={1: 2})]
    assert agent.name == name
    assert agent.static == static
    for position in positions:
        total = np.zeros(6)
        for roll in samples.ROLLS:
            afters = [turn.after for turn in legal_turns(position, roll)]
            values = np.array([FINAL[after.result or 0] for after in afters])
            going = [k for k, after in enumerate(afters) if after.result is None]
            if going:
                theirs = static(pack([afters[k].flip() for k in going]))
                values[going] = np.roll(theirs, 3, 1)
            total += values[(values @ POINTS).argmax()] * (1 if roll[0] == roll[1] else 2) / 36
        found = agent.evaluate(position)
        assert found["equity"] == pytest.approx(total @ POINTS, abs=1e-5)
        assert found.to_numpy()[:6] == pytest.approx(total, abs=1e-5)
    ranked = agent.rank(POSITIONS[0], (6, 4))
    assert ranked["turn"].iloc[0] == agent.choose(POSITIONS[0], (6, 4))
    cube = PLANES[:4], np.zeros(4, np.int32), np.ones(4, bool)
    np.testing.assert_array_equal(agent.cube_many(*cube), static.cube_action(*cube))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr(engines, "version", version)
    with pytest.raises(InputError, match=r"Open Sage is not installed: pip install 'bglab\[peers\]'"):
        load("sage:1ply")


C3 = [({6: 1}, False), ({2: 2}, False), ({3: 1, 2: 1}, False), ({3: 1, 1: 1}, True)]
"""Known answers: an owned cube, {5:1, 2:1} to roll."""


def test_gnubg_knows_exact_redoubles() -> None:
    positions = pack([Position.of(me={5: 1, 2: 1}, opp=opp) for opp, _ in C3])
    double, take = Gnubg(0).cube_action(positions, np.ones(4, np.int32), np.ones(4, bool))
    assert np.asarray(double).tolist() == [redouble for _, redouble in C3]
    assert np.asarray(take).all()
    hold, taken = Gnubg(0).hold_and_take(positions, np.ones(4, np.int32))
    assert np.abs(hold[:3] - [7 / 24, 103 / 324, 223 / 648]).max() < 1e-4
    assert np.abs(taken[:3] - [1 / 9, 35 / 162, 26 / 81]).max() < 1e-4


FORCED = """
import gnubg, numpy as np
def score(board, owner, roll):
    cube = gnubg.cubeinfo(1 if owner < 0 else 2, owner, 0, 0, (0, 0), 0, 0)
    cube |= {"jacoby": 0, "gammonprice": ((1.0, 1.0), (1.0, 1.0))}
    moves = gnubg.findbestmoves(board.tolist(), cube, gnubg.evalcontext(1, 0, 1, 1, 0.0), roll)
    return [move["score"] for move in moves]
FUNCTIONS = {"score": score}
"""


def test_the_formula_is_gnubgs(tmp_path: Path) -> None:
    """After a forced turn the engine's cubeful score is minus what the formula gives the other side."""
    (tmp_path / "side.py").write_text(FORCED)
    engine = Worker("GNU Backgammon", tmp_path / "side.py")
    cubes = {0: -1, 1: 0, -1: 1}
    seen = 0
    for position in samples.adversarial(120, seed=22) + samples.realistic(1000, seed=21):
        for roll in [(6, 6), (5, 5), (6, 5)]:
            if seen >= 60 or position.result is not None:
                continue
            turns = legal_turns(position, roll)
            if len(turns) != 1 or turns[0].after.result is not None:
                continue
            theirs = pack([turns[0].after.flip()])
            for owner, index in cubes.items():
                scores = engine.ask("score", counts_of(pack([position]))[0, ::-1], index, roll)
                if not scores:  # a dance has no score
                    continue
                hold, taken = Gnubg(0).hold_and_take(theirs, np.array([-owner], np.int32))
                value = max(hold[0], min(taken[0], 1)) if owner <= 0 else hold[0]
                assert scores[0] == pytest.approx(-value, abs=2e-3)
                seen += 1
    engine.close()
    assert seen >= 60


@pytest.mark.parametrize("name", [*PLAYERS, "gnubg:1ply"])
def test_cube_actions(name: str) -> None:
    evaluator = load(name).static
    positions = pack(
        [
            Position.start(),
            Position.of(me={1: 2}, opp={1: 2, 6: 1}),  # wins at once
            Position.of(me={24: 2, 13: 2, 6: 5, 5: 2}, opp={6: 5, 5: 3, 4: 3, 3: 2, "bar": 1}),
            Position.of(me={6: 3, 5: 3, 4: 3}, opp={6: 5, 5: 5, 4: 5}),
        ]
    )
    owner, live = np.zeros(4, np.int32), np.ones(4, bool)
    double, take = evaluator.cube_action(positions, owner, live)
    assert np.asarray(double).tolist() == [False, False, False, True]
    assert np.asarray(take).tolist() == [True, False, True, False]
    never, _ = evaluator.cube_action(positions, owner - 1, live)
    assert not np.asarray(never).any()
    dead, _ = evaluator.cube_action(positions, owner, ~live)
    equity = evaluator(positions) @ POINTS
    assert (np.asarray(dead) == (np.minimum(2 * equity, 1) > equity)).all()


@pytest.fixture(scope="module")
def untouched() -> np.ndarray:
    return duel(load("gnubg:0ply"), load("first"), 32, seed=5, lanes=32, progress=False).points


def test_a_duel_goes_on_when_the_engine_is_killed(untouched: np.ndarray) -> None:
    assert untouched.sum() > 0
    agent, done = load("gnubg:0ply"), threading.Event()

    killed = []

    def kill() -> None:
        while not done.wait(0.3):
            pid = worker("gnubg").pid
            if pid is not None and pid not in killed:
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)
                done.wait(2)

    killer = threading.Thread(target=kill)
    killer.start()
    points = duel(agent, load("first"), 32, seed=5, lanes=32, progress=False).points
    done.set()
    killer.join()
    assert killed
    assert np.array_equal(points, untouched)


def test_a_copy_from_another_process_plays_alike(untouched: np.ndarray) -> None:
    agent = load("gnubg:0ply")
    agent.choose(START, (3, 1))
    copied = pickle.loads(pickle.dumps(agent))
    assert digest(copied) == digest(agent) != digest(load("gnubg:1ply"))
    assert np.array_equal(duel(copied, load("first"), 32, seed=5, lanes=32, progress=False).points, untouched)


def test_matches_with_the_engines_cube() -> None:
    result = play_matches(
        load("gnubg:0ply"), load("sage:1ply"), 4, MatchRules(3), seed=1, lanes=32, progress=False
    )
    assert result.matches == 4
    assert isinstance(load("gnubg:0ply"), Agent)


def test_two_engines_play_in_two_parts_at_once(monkeypatch) -> None:
    """While one part waits for an answer the other asks; the games are those of one part."""
    players = load("gnubg:0ply"), load("sage:1ply")
    both = duel(*players, 32, seed=5, lanes=32, progress=False)
    monkeypatch.setattr("bglab.measure.duel.Engine", ())
    alone = duel(*players, 32, seed=5, lanes=32, progress=False)
    assert np.array_equal(both.points, alone.points)
    assert both.points.any()
