"""Corpora: plays read back, files that are what they say, decisions drawn and judged the same however it is done."""

from __future__ import annotations

import dataclasses
import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import jax.numpy as jnp
import numpy as np
import pytest

from bglab import Agent, InputError, Position, legal_turns, load
from bglab.cube.cubeful import Cubeful
from bglab.measure import sampling
from bglab.measure.corpus import (
    CheckerCorpus,
    CubeCorpus,
    _digest,
    close,
    load_corpus,
    played,
    save_corpus,
    shipped_corpora,
)
from bglab.measure.sampling import make_checker_corpus, make_cube_corpus, play_games
from bglab.rules.planes import pack, unpack
from tests import samples


@pytest.fixture(scope="module")
def player():
    return Agent("player", load().evaluator)


@pytest.fixture(scope="module")
def reference():
    return Agent("reference", samples.lively(2))


@pytest.fixture(scope="module")
def corpus(player, reference) -> CheckerCorpus:
    return make_checker_corpus(player, reference, 16, 60, seed=3, name="small", progress=False)


@pytest.fixture(scope="module")
def cubes(player) -> CubeCorpus:
    judge = Agent("judge", Cubeful(samples.lively(2)))
    return make_cube_corpus(player, judge, 16, 30, seed=3, name="cubes", progress=False)


def same(a, b) -> None:
    for field in dataclasses.fields(a):
        if field.name != "about":
            one, other = getattr(a, field.name), getattr(b, field.name)
            assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other, field.name


def test_plays_lead_where_the_generator_says():
    positions = samples.realistic(150, seed=1) + samples.adversarial(50, seed=2)
    seen = 0
    for position, roll in zip(positions, samples.rolls(200, seed=3), strict=True):
        for turn in legal_turns(position, roll):
            assert played(position, turn.play) == turn.after
            seen += 1
    assert seen > 3000


def test_a_checker_corpus(corpus, reference):
    assert len(corpus) == 60
    assert corpus.first[0] == 0
    assert corpus.first[-1] == len(corpus.after) == len(corpus.equity)
    for k, position in enumerate(unpack(corpus.positions)):
        rows = slice(corpus.first[k], corpus.first[k + 1])
        table = reference.rank(position, tuple(corpus.dice[k].tolist()))
        assert len(table) > 1
        assert set(table["play"]) == set(corpus.plays[k])
        wanted = dict(zip(table["play"], table["equity"], strict=True))
        np.testing.assert_allclose(corpus.equity[rows], [wanted[play] for play in corpus.plays[k]], atol=6e-6)
        assert (np.diff(corpus.equity[rows]) <= 0).all()
    order = list(zip(corpus.game.tolist(), corpus.ply.tolist(), strict=True))
    assert order == sorted(set(order))
    assert corpus.about["player"] == "player"


def test_games_are_played_by_the_rules(player):
    met = play_games(player, 16, seed=5)
    places = unpack(met.positions)
    for k in range(len(places) - 1):
        if met.game[k] == met.game[k + 1]:
            assert met.ply[k + 1] == met.ply[k] + 1
            if k % 5:
                continue
            chosen = player.choose(places[k], tuple(met.dice[k].tolist()))
            assert places[k + 1] == chosen.after.flip()
        else:
            assert met.ply[k + 1] == 0
            assert places[k + 1] == Position.start()
            last = player.choose(places[k], tuple(met.dice[k].tolist()))
            assert last.after.result
    assert (met.dice[met.ply == 0, 0] != met.dice[met.ply == 0, 1]).all()
    assert np.unique(met.game).tolist() == list(range(16))


def test_a_cube_corpus(cubes):
    assert len(cubes) == 30
    assert set(cubes.owner.tolist()) <= {0, 1}
    assert close(cubes.hold, cubes.taken).all()
    judge = Cubeful(samples.lively(2))
    hold, taken = judge.hold_and_take(jnp.asarray(cubes.positions), jnp.asarray(cubes.owner))
    np.testing.assert_allclose(cubes.hold, np.asarray(hold), atol=6e-6)
    np.testing.assert_allclose(cubes.taken, np.asarray(taken), atol=6e-6)
    assert (cubes.ply > 0).all()


def test_close_as_gnu_backgammon_counts():
    """Known answers E1 and C1: too good to double at 1.145 with 1 for a pass is .145 from a double, so it counts."""
    hold, taken = np.array([0.5, 0.5, 1.145, 1.2]), np.array([0.35, 0.33, 1.796, 1.3])
    assert close(hold, taken).tolist() == [True, False, True, False]


def test_files_read_back(corpus, cubes, tmp_path):
    for each in (corpus, cubes):
        path = save_corpus(each, tmp_path / "some.csv.gz")
        content = path.read_bytes()
        again = load_corpus(path)
        assert type(again) is type(each)
        same(again, each)
        assert again.about["name"] == each.about["name"]
        assert save_corpus(again, path).read_bytes() == content


def rewritten(path, change) -> None:
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()).decode()).encode()))


def agreeing(path, change) -> None:
    """Change the decisions, and the digest with them."""
    head, _, body = gzip.decompress(path.read_bytes()).decode().partition("\n")
    about, body = json.loads(head), change(body)
    about["sha256"] = _digest(about, body)
    path.write_bytes(gzip.compress(f"{json.dumps(about, ensure_ascii=False)}\n{body}".encode()))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "is damaged"),
        (lambda path: path.write_bytes(b"game,ply"), "is damaged|no corpus"),
        (lambda path: rewritten(path, lambda text: text.replace("; ", ";", 1)), "digest"),
        (
            lambda path: rewritten(path, lambda text: text.replace('"version": 2', '"version": 3')),
            "version 3, not 2",
        ),
        (lambda path: rewritten(path, lambda text: text.replace("reference", "gnubg:4ply", 2)), "digest"),
        (lambda path: rewritten(path, lambda text: text.replace('"checker"', '"cube"')), "digest"),
        (lambda path: agreeing(path, lambda body: body.partition("\n")[0] + "\n"), "no decisions to read"),
        (lambda path: agreeing(path, lambda body: body.replace("game,", "deal,", 1)), "its columns are not"),
        (lambda path: agreeing(path, lambda body: body.replace("; ", ";", 1)), "no decisions to read"),
        (lambda path: rewritten(path, lambda text: "[" * 100_000), "is no corpus"),
        (lambda path: rewritten(path, lambda text: "1\n" + text), "is no corpus"),
        (lambda path: rewritten(path, lambda text: "not json\n"), "is no corpus"),
        (lambda path: path.unlink(), "There is no corpus"),
    ],
)
def test_refused(corpus, tmp_path, spoil, words):
    path = save_corpus(corpus, tmp_path / "some.csv.gz")
    spoil(path)
    with pytest.raises(InputError, match=words):
        load_corpus(path)


def test_what_names_no_file(unchecked):
    for name, words in (
        (None, "not by None"),
        ("a\0b", "There is no corpus"),
        ("nowhere", "There is no corpus"),
    ):
        with pytest.raises(InputError, match=words):
            load_corpus(name)


def test_the_first_line_says_what_it_is(corpus, tmp_path):
    path = save_corpus(corpus, tmp_path / "some.csv.gz")
    about = json.loads(gzip.decompress(path.read_bytes()).split(b"\n", 1)[0])
    assert about["decisions"] == "checker"
    assert about["reference"] == "reference"
    assert about["seed"] == 3
    assert len(about["sha256"]) == 64


def test_interrupted_and_divided_it_is_the_same(player, reference, corpus, tmp_path, monkeypatch):
    judge, calls = sampling._priced, []

    def failing(*asked):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return judge(*asked)

    def make(executor=None):
        return make_checker_corpus(
            player, reference, 16, 60, seed=3, folder=tmp_path, executor=executor, progress=False
        )

    monkeypatch.setattr(sampling, "_priced", failing)
    with pytest.raises(KeyboardInterrupt):
        make()
    assert len(list(tmp_path.iterdir())) == 2
    same(make(), corpus)
    assert len(calls) == 4
    with ThreadPoolExecutor(2) as pool:
        same(make_checker_corpus(player, reference, 16, 60, seed=3, executor=pool, progress=False), corpus)


def test_parts_belong_to_one_judge_and_damaged_ones_are_made_again(player, reference, corpus, tmp_path):
    def make(judge):
        return make_checker_corpus(player, judge, 16, 60, seed=3, folder=tmp_path, progress=False)

    other = make(Agent("reference", samples.lively(3)))
    assert not np.array_equal(other.equity, corpus.equity)
    same(make(reference), corpus)
    for part in tmp_path.iterdir():
        part.write_bytes(part.read_bytes()[:-5])
    same(make(reference), corpus)


def test_what_cannot_be_made(player, reference):
    with pytest.raises(InputError, match="play more games"):
        make_checker_corpus(player, reference, 16, 20_000, progress=False)
    with pytest.raises(InputError, match="gives no cubeful equities"):
        make_cube_corpus(player, reference, 2, 2, progress=False)
    with pytest.raises(InputError, match="2 or more games"):
        make_checker_corpus(player, reference, 1, 2)
    for name in shipped_corpora():
        assert len(load_corpus(name))


def test_an_answer_that_no_turn_gives(corpus):
    with pytest.raises(InputError, match="no turn leads to"):
        corpus.rows_of(pack([Position.start()] * len(corpus)))
