"""The parameter AI: its features and score against the reference, mirror symmetry, rounding, root terms and files."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, InputError, Position, load
from bglab.measure.duel import positions_met
from bglab.rules.planes import contact, flip, pack
from bglab.rules.turns import Capacity, fits
from bglab.search.greedy import best_turns
from bglab.value.evaluator import final, nudge, worth
from bglab.value.features import DIVISORS, differences
from bglab.value.parameter import (
    CUBE,
    NAMES,
    SHIPPED,
    WEIGHTS,
    Brain,
    ParameterAI,
    load_brain,
    normalised,
    read_brain,
    save_brain,
    shipped_brains,
    weights_of,
)
from tests import samples
from tests.value import parameter_reference as reference

HALF = 1024
MOBILITY = ("EC1", "EC0")
SMALL = Capacity(64, (64, 64, 64, 64))
START = Position.start()

difference = jax.jit(differences)
choose = jax.jit(best_turns, static_argnames=("capacity",))


@jax.jit
def score(brain, positions):
    return brain(positions)


@cache
def cases() -> list[Position]:
    return samples.realistic(HALF, seed=21) + samples.adversarial(HALF, seed=22)


@cache
def found() -> np.ndarray:
    return np.asarray(difference(jnp.asarray(pack(cases()))))


@cache
def wanted() -> list[dict[str, Fraction]]:
    """The difference of every feature but mobility, by the reference."""
    pairs = ((reference.plain_features(p), reference.plain_features(p.flip())) for p in cases())
    return [{name: mine[name] - theirs[name] for name in mine} for mine, theirs in pairs]


@cache
def random_weights(n: int = 8, seed: int = 0) -> np.ndarray:
    """Brains whose weights are all at work; thresholds among them."""
    return normalised(np.random.default_rng(seed).integers(-1000, 1001, (n, 24)))


def batch(positions: list[Position], rows: int = 2 * HALF) -> jax.Array:
    """The positions in a batch of the size that is compiled already."""
    planes = pack(positions)
    return jnp.asarray(np.concatenate([planes, np.repeat(planes[:1], rows - len(planes), 0)]))


def scores(brain: ParameterAI, positions: list[Position]) -> list[int]:
    values = np.asarray(score(brain, batch(positions)))[: len(positions)]
    assert values.dtype == np.float32
    return [int(value) for value in values]


def only(**weights: int) -> ParameterAI:
    """A brain with these weights and zeros otherwise."""
    return Brain(dict.fromkeys(NAMES, 0) | weights)


@pytest.mark.parametrize("name", [name for name in WEIGHTS if name not in MOBILITY])
def test_feature(name):
    column = found()[:, WEIGHTS.index(name)]
    divisor = int(DIVISORS[WEIGHTS.index(name)])
    assert [Fraction(int(value), divisor) for value in column] == [row[name] for row in wanted()]
    assert name == "DE" or np.count_nonzero(column) > 50


def test_mobility_of_the_reference_is_that_of_the_legal_turns():
    """The quick count of playable dice that the next test leans on, against the lists of legal turns."""
    some = samples.realistic(24, seed=31)[-8:] + samples.adversarial(27, seed=32)
    for position in some:
        for roll in samples.ROLLS:
            assert reference.dice_used(position, roll) == reference.dice_used_of_turns(position, roll)


@pytest.mark.parametrize("name", MOBILITY)
def test_mobility(name):
    rows = [*range(0, HALF, 8), *range(HALF, 2 * HALF, 2)]
    column = found()[rows, WEIGHTS.index(name)]
    index = MOBILITY.index(name)
    counted = [mobility(k)[0][index] - mobility(k)[1][index] for k in rows]
    assert column.tolist() == counted
    assert np.count_nonzero(column) > 100


@cache
def mobility(row: int) -> tuple[tuple[int, int], tuple[int, int]]:
    position = cases()[row]
    return reference.mobility(position), reference.mobility(position.flip())


def test_score():
    """The whole sum, rounded from its exact value, for eight brains."""
    rows = [*range(0, HALF, 16), *range(HALF, 2 * HALF, 16)]
    for weights in random_weights():
        brain = Brain(weights)
        values = np.asarray(score(brain, jnp.asarray(pack(cases()))))
        by_name = dict(zip(WEIGHTS, weights.tolist(), strict=False))
        for row in rows:
            mine, theirs = mobility(row)
            exact = wanted()[row] | {
                name: Fraction(mine[k] - theirs[k], 36) for k, name in enumerate(MOBILITY)
            }
            total = sum((by_name[name] * value for name, value in exact.items()), Fraction(0))
            assert values[row] == reference.rounded(total)


def test_anti_symmetry_in_real_games():
    """Twenty thousand positions of a network's games, mirrored: the score is negated exactly (section 3.1)."""
    positions, _ = positions_met(load(), 20_000, 5, lanes=512)
    assert len(positions) >= 20_000
    distinct = 0
    for weights in random_weights(3, seed=1):
        brain = Brain(weights)
        for k in range(0, len(positions), 2 * HALF):
            part = jnp.asarray(positions[k : k + 2 * HALF])
            mine, theirs = np.asarray(score(brain, part)), np.asarray(score(brain, flip(part)))
            assert np.array_equal(mine, -theirs)
            distinct += len(np.unique(mine))
    assert distinct > 1000


def test_halves_are_rounded_away_from_zero():
    ahead = Position.of(me={6: 15}, opp={6: 14, 5: 1})  # one pip behind
    assert ahead.pips == (90, 89)
    for weight, value in ((10, 1), (9, 0), (30, 2), (-10, -1), (-30, -2), (29, 1), (31, 2)):
        assert scores(only(PC=weight), [ahead, ahead.flip()]) == [value, -value]


def test_hand_worked_values():
    """Small positions whose features can be counted on the fingers."""
    # The opening: everything is equal.
    brain = Brain(random_weights()[0])
    assert scores(brain, [START]) == [0]
    # Closed out with one checker on the bar and 42 + 20 pips for the other side: frozen for 20/8 turns.
    closed = Position.of(me={"bar": 1, 6: 14}, opp=dict.fromkeys(range(1, 7), 2) | {8: 1, 7: 1, 5: 3})
    assert closed.pips[1] == 42 + 20
    assert scores(only(BE=800), [closed]) == [-2000]
    assert scores(only(F0=7), [closed]) == [7]
    assert scores(only(EC0=36), [closed]) == [36]
    # Both sides have home points; only the golden ones have their own weight.
    points = Position.of(me={5: 2, 6: 3, 7: 2, 4: 2, 20: 2, 24: 2}, opp={6: 3, 13: 2, 8: 2})
    assert scores(only(HB=1), [points]) == [0]
    for name in ("G5", "G7", "G4", "AN", "GA"):
        assert scores(only(**{name: 9}), [points]) == [9]
    # Six away is direct, seven away indirect; the halves are those of the blot's owner.
    direct = Position.of(me={20: 1, 6: 2}, opp={11: 1, 1: 2})
    assert scores(only(DO=5, IO=50), [direct]) == [5]
    assert scores(only(DP=5, IP=50), [direct]) == [-5]
    indirect = Position.of(me={21: 1, 6: 2}, opp={11: 1, 1: 2})
    assert scores(only(IO=5, DO=50), [indirect]) == [5]
    # No way through: both halves of the seven, and a 7-away blot has no other combination.
    walled = {11: 1, **dict.fromkeys((5, 6, 7, 8, 9, 10), 2)}
    assert scores(only(IO=5), [Position.of(me={21: 1, 1: 2}, opp=walled)]) == [0]


def test_what_a_race_switches_off():
    race = Position.of(me={5: 2, 4: 2, 7: 2, 6: 3}, opp={6: 4, 3: 1})
    touching = Position.of(me={5: 2, 4: 2, 7: 2, 6: 3, 23: 1}, opp={6: 4, 3: 1})
    gated = ("HB", "G5", "G7", "G4", "AN", "GA", "DO", "IO", "DP", "IP", "F0", "F1", "F2", "F3", "F4", "F5")
    for name in gated:
        assert scores(only(**{name: 1000}), [race]) == [0]
    assert not race.contact
    assert touching.contact
    assert scores(only(G5=1000), [touching]) == [1000]


@pytest.mark.parametrize("de", [700, -700])
def test_root_terms(de):
    """DE and the tie-break against the reference on the legal turns of positions about to break contact."""
    brain = only(DE=de)
    befores, afters = [], []
    for pick, seed in ((samples.sensible_turn, 41), (samples.any_turn, 42)):
        plies = samples.play(pick, seed)
        for _ in range(HALF):
            ply = next(plies)
            befores.append(ply.position)
            afters.append(ply.after)
    got = np.asarray(jax.jit(nudge)(brain, batch(befores), batch(afters)))
    weights = weights_of(brain)
    exact = [reference.root(b, a, weights) for b, a in zip(befores, afters, strict=True)]
    assert np.allclose(got, np.array(exact, float), rtol=0, atol=1e-4)
    assert sum(abs(value) > 600 for value in exact) >= 3
    assert sum(0 < abs(value) < 1 for value in exact) >= 20


def test_race_is_decided_by_the_tie_break_and_by_winning():
    """Without contact and with a score that says nothing, the turn that brings most pips home is played."""
    race = Position.of(me={12: 1, 6: 5, 1: 3}, opp={6: 5})
    last = Position.of(me={1: 1, 2: 1}, opp={1: 1})
    dice = jnp.array([[6, 1], [2, 1], [6, 1], [6, 1]], jnp.int32)
    positions = batch([race, last], 4)
    choice = choose(only(BO=-1000), positions, dice, capacity=SMALL)
    assert bool(fits(choice.needed, SMALL))
    # 12/6 leaves no pip to go, so the ace is played at home; any turn with 12/11 leaves five or more.
    assert int(choice.after[0, 0] | choice.after[0, 1] | choice.after[0, 2]) < 1 << 6
    assert float(choice.worth[1]) == 1e9
    assert int(choice.won[1]) == 1


def test_disengaging_is_played_or_not_as_de_says():
    """Ahead in the race, one point short of passing the last opposing checker: pass it for DE > 0 only."""
    before = Position.of(me={8: 1, 6: 2, 2: 3}, opp={18: 1, 6: 5, 5: 3})
    assert before.contact
    dice = jnp.tile(jnp.array([[3, 1]], jnp.int32), (4, 1))
    for weight, apart in ((1000, True), (-1000, False)):
        choice = choose(only(DE=weight), batch([before], 4), dice, capacity=SMALL)
        assert bool(jax.jit(contact)(choice.after)[0]) is not apart


def test_currency():
    brain = only(DO=1)
    assert final(brain, jnp.array([1, 2, 3, 0, -1], jnp.int32)).tolist() == [1e9, 1e9, 1e9, 0, -1e9]
    assert worth(score(brain, batch([START]))).shape == (2 * HALF,)


def test_cube():
    """Double from DT on, take down to −AT (section 3.10)."""
    behind = Position.of(me={6: 15}, opp={6: 14, 5: 1})
    positions = batch([behind, behind.flip()])
    n = positions.shape[0]
    decide = jax.jit(partial(ParameterAI.cube_action, owner=jnp.zeros(n, jnp.int32), live=jnp.ones(n, bool)))
    for thresholds, expected in (
        ({"DT": 5, "AT": 5}, [(True, True), (False, True)]),
        ({"DT": 6, "AT": 4}, [(False, False), (False, True)]),
        ({"DT": -5, "AT": -5}, [(True, False), (True, True)]),
        ({"DT": -4, "AT": -6}, [(True, False), (False, False)]),
    ):
        doubles, takes = decide(only(PC=100, **thresholds), positions)
        assert list(zip(doubles[:2].tolist(), takes[:2].tolist(), strict=True)) == expected


def test_brains_share_one_program():
    """Other weights and other names compile nothing."""
    scores(only(PC=1), [START])
    programs = score._cache_size()
    for weights in random_weights(4):
        scores(Brain(weights, "another"), [START])
    assert score._cache_size() == programs


def test_normalised():
    weights = np.zeros(24, int)
    weights[[0, 1, 2, 3, 22, 23]] = [-400, 1, -1, 199, 100, -900]
    scaled = normalised(weights)
    # 1000/400 = 2.5 a unit; 2.5 and 497.5 are halves, rounded away from zero.
    assert scaled[[0, 1, 2, 3, 22, 23]].tolist() == [-1000, 3, -3, 498, 250, -2250]
    assert scaled[4:22].tolist() == [1] * 18
    large = np.full(24, 3)
    large[0], large[5] = 100_000, -3
    assert normalised(large)[[0, 1, 5, 23]].tolist() == [1000, 1, -1, 1]
    many = random_weights(50, seed=3)
    assert np.array_equal(normalised(many), many)
    assert np.array_equal(normalised(7 * many), many)
    assert (np.abs(many[:, :22]).max(1) == 1000).all()
    with pytest.raises(InputError, match="zero"):
        normalised(np.zeros(24, int))


def test_files(tmp_path):
    brain = Brain(random_weights()[1], "mine")
    save_brain(brain, tmp_path / "mine.json", made_by={"seed": 3})
    back, name, made_by = read_brain(tmp_path / "mine.json")
    assert weights_of(back) == weights_of(brain)
    assert (name, made_by) == ("mine", {"seed": 3})
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.json"]
    agent = load(f"parameter:{tmp_path / 'mine.json'}")
    assert isinstance(agent, Agent)
    assert agent.name == "parameter:mine"
    with pytest.raises(InputError, match="origin"):
        load("parameter:nobody")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="another place"):
        save_brain(brain, tmp_path / "file" / "brain.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": {"PC": None}}, ("PC", "whole number")),
        ({"weights": {"PC": 1.5}}, ("PC", "whole number")),
        ({"weights": {"GA": float("nan")}}, ("GA", "whole number")),
        ({"weights": {"AT": float("inf")}}, ("AT", "whole number")),
        ({"weights": {"DO": True}}, ("DO", "whole number")),
        ({"weights": {"DO": "5"}}, ("DO", "whole number")),
        ({"weights": {"DO": 1001}}, ("DO", "1000")),
        ({"weights": {"DT": 10**7}}, ("DT", "1000000")),
        ({"weights": {"XX": 5}}, ("XX", "unknown")),
        ({"kind": "network"}, ("no bglab parameter brain",)),
        ({"format": 2}, ("format 2",)),
        ({"name": None}, ("name",)),
        ({"made_by": None}, ("made_by",)),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, change, words):
    content = json.loads((SHIPPED / "origin.json").read_text())
    for key, value in change.items():
        content[key] = content[key] | value if key == "weights" else value
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(content))
    refused(path, *words)


def test_what_a_file_lacks_is_named(tmp_path):
    content = json.loads((SHIPPED / "origin.json").read_text())
    del content["weights"]["AN"]
    (tmp_path / "lacking.json").write_text(json.dumps(content))
    refused(tmp_path / "lacking.json", "AN", "lacks")
    for text in ("", "[]", "{", "[" * 100_000):
        (tmp_path / "no.json").write_text(text)
        refused(tmp_path / "no.json")
    with pytest.raises(InputError, match="24"):
        Brain([1, 2, 3])


def refused(path, *words: str) -> None:
    """The file is refused with one sentence that contains its path and these words."""
    with pytest.raises(InputError) as caught:
        read_brain(path)
    text = str(caught.value)
    assert all(word in text for word in (*words, str(path)))
    assert text.endswith(".")
    assert "\n" not in text


def test_origin_is_as_published():
    """What section 3.11 gives of it; and it plays."""
    assert "origin" in shipped_brains()
    weights = weights_of(load_brain("origin"))
    assert (*weights,) == (*WEIGHTS, *CUBE)
    assert weights["DO"] == 1000 == max(abs(weights[name]) for name in WEIGHTS)
    assert all(weights[name] == 0 for name in ("F0", "F1", "F2", "F3", "F4", "F5", "BE"))
    assert weights["DT"] == 100 < weights["AT"]
    agent = load("parameter:origin")
    assert agent.name == "parameter:origin"
    # An opening 3-1 makes the 5-point.
    after = choose(
        agent.evaluator, batch([START], 4), jnp.tile(jnp.array([[3, 1]], jnp.int32), (4, 1)), capacity=SMALL
    ).after
    assert int(after[0, 1]) >> 4 & 1
