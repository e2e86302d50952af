"""Error rates against arithmetic on one decision at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bglab import Agent, InputError, load
from bglab.cube.cubeful import Cubeful
from bglab.measure.error_rate import (
    by_game,
    compare,
    double_loss,
    error_rate,
    performance_rating,
    phases,
    snowie_error_rate,
    take_loss,
)
from bglab.measure.sampling import make_checker_corpus, make_cube_corpus
from bglab.rules.planes import pack, unpack
from tests import samples


@pytest.fixture(scope="module")
def agents():
    networks = [load().evaluator, samples.lively(2), samples.lively(3)]
    return [Agent(f"agent {k}", network) for k, network in enumerate(networks, 1)]


@pytest.fixture(scope="module")
def corpus(agents):
    return make_checker_corpus(agents[0], agents[1], 16, 60, seed=3, name="small", progress=False)


def test_against_one_decision_at_a_time(agents, corpus):
    found = error_rate(agents[2], corpus, chunk=40)
    for k, position in enumerate(unpack(corpus.positions)):
        dice = tuple(corpus.dice[k].tolist())
        prices = dict(zip(corpus.plays[k], corpus.equity[corpus.first[k] :], strict=False))
        loss = max(prices.values()) - prices[agents[2].choose(position, dice).play]
        assert found.loss[k] == pytest.approx(loss, abs=1e-9)
    assert found.mean.value == pytest.approx(found.loss.mean() * 1000)
    assert found.pr.value == pytest.approx(found.loss.mean() * 500)
    assert found.agreement.value == pytest.approx((found.loss < 1e-9).mean())
    assert found.worst == found.loss.max() * 1000
    assert found.mean.low < found.mean.value < found.mean.high
    assert found.by_phase()["n"].sum() == 60
    weights = found.by_phase()["n"] / 60
    assert (found.by_phase()["mpd"] * weights).sum() == pytest.approx(found.mean.value)
    assert found.row()["games"] == len(np.unique(corpus.game))
    assert "agent 3 on small" in str(found)


def test_the_reference_itself_gives_nothing_up(agents, corpus):
    found = error_rate(agents[1], corpus)
    assert found.loss.max() < 1e-4
    assert found.agreement.value > 0.95
    with ThreadPoolExecutor(2) as pool:
        again = error_rate(agents[1], corpus, executor=pool)
    assert again.choice.tolist() == found.choice.tolist()


def test_interrupted_it_goes_on(agents, corpus, tmp_path, monkeypatch):
    whole = error_rate(agents[2], corpus)
    choose, calls = agents[2].choose_many, []

    def failing(*asked):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return choose(*asked)

    monkeypatch.setattr(agents[2], "choose_many", failing)
    with pytest.raises(KeyboardInterrupt):
        error_rate(agents[2], corpus, folder=tmp_path)
    assert error_rate(agents[2], corpus, folder=tmp_path).choice.tolist() == whole.choice.tolist()
    assert len(calls) == 3
    kept = next(path for path in tmp_path.rglob("*.json"))
    for text in ("{", "[" * 100_000):
        kept.write_text(text)  # damaged, so answered again
        assert error_rate(agents[2], corpus, folder=tmp_path).choice.tolist() == whole.choice.tolist()


def test_two_agents_over_the_same_decisions(agents, corpus):
    first, second = (error_rate(agents[k], corpus) for k in (0, 2))
    found = compare(first, second)
    assert found.difference.value == pytest.approx(1000 * (first.loss - second.loss).mean())
    assert found.same.value == pytest.approx((first.choice == second.choice).mean())
    assert found.z == pytest.approx(found.difference.value / found.difference.error)
    assert compare(first, first).difference.value == compare(first, first).z == 0
    assert "the same choice in" in str(found)
    better, worse = (first, second) if first.mean.value < second.mean.value else (second, first)
    assert f"less than {worse.agent}" in str(compare(better, worse))
    assert f"more than {better.agent}" in str(compare(worse, better))
    with pytest.raises(InputError, match="different decisions"):
        compare(first, first.only(first.phase == "contact"))


def test_what_is_no_agent_and_what_is_no_corpus(agents, corpus, unchecked):
    for wrong in (("gnubg:0ply", corpus), (agents[0], "gnubg-checker")):
        with pytest.raises(InputError, match="of an agent over a corpus"):
            error_rate(*wrong)
    with pytest.raises(InputError, match="at least 2 games"):
        error_rate(agents[0], corpus.some(np.flatnonzero(corpus.game == corpus.game[0])))


def test_ratings():
    """Known answer E2: .17 points over 10 unforced or close decisions and 5 forced ones, 30 moves by both players."""
    assert performance_rating(0.17, 10) == pytest.approx(8.5)
    assert snowie_error_rate(0.17, 30) == pytest.approx(5.67, abs=0.005)


def test_errors_come_from_games():
    rng = np.random.default_rng(1)
    within, covered, said, means = 0.5, 0, [], []
    for _ in range(300):
        game = np.repeat(np.arange(40), rng.integers(5, 25, 40))
        values = rng.normal(size=40)[game] + within * rng.normal(size=len(game))
        found = by_game(values, game, "")
        assert found.value == pytest.approx(values.mean())
        covered += found.low < 0 < found.high
        said.append(found.error)
        means.append(values.mean())
    assert 0.89 < covered / 300 < 0.99
    assert np.mean(said) == pytest.approx(np.std(means), rel=0.15)
    with pytest.raises(InputError, match="at least 2 games"):
        by_game(np.ones(3), np.zeros(3, int), "")


@pytest.mark.parametrize(
    ("hold", "taken", "double", "take", "lost"),
    [
        (0.5, 0.6, True, True, (0, 0)),
        (0.5, 0.6, False, False, (0.1, 0.4)),
        (0.7, 1.2, False, True, (0.3, 0.2)),
        (1.145, 1.796, True, False, (0.145, 0)),
        (0.2, -0.1, True, True, (0.3, 0)),
    ],
)
def test_what_a_cube_decision_gives_up(hold, taken, double, take, lost):
    arrays = np.array([hold]), np.array([taken])
    assert double_loss(*arrays, np.array([double]))[0] == pytest.approx(lost[0])
    assert take_loss(*arrays, np.array([take]))[0] == pytest.approx(lost[1])


def test_cube_decisions(agents):
    judge = Agent("judge", Cubeful(samples.lively(2)))
    corpus = make_cube_corpus(agents[0], judge, 16, 30, seed=3, name="cubes", progress=False)
    itself = error_rate(judge, corpus)
    assert itself.loss.max() < 1e-4
    assert itself.by_phase()["phase"].tolist() == ["double", "take"]
    other = error_rate(agents[2], corpus)
    double, take = agents[2].cube_many(corpus.positions, corpus.owner, np.ones(30, bool))
    wanted = np.concatenate(
        [double_loss(corpus.hold, corpus.taken, double), take_loss(corpus.hold, corpus.taken, take)]
    )
    assert np.array_equal(other.loss, wanted)
    assert other.choice.tolist() == [*double.astype(int), *take.astype(int)]


def test_phases():
    start, race = samples.Position.start(), samples.Position.of(me={6: 2}, opp={6: 2})
    assert phases(pack([start, start, race]), np.array([0, 8, 3])).tolist() == ["opening", "contact", "race"]
