"""Tournaments: tables against plain counting, and the same tables however the parts were played, killed and resumed."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest

from bglab import Agent, InputError
from bglab.measure import parts, tournament
from bglab.measure.tournament import Tournament, round_robin
from bglab.play.match import Matches, MatchRules, play_matches
from tests.players import Bold, Lucky, agent

TO_FIVE = MatchRules(5)
NAMES = ("ash", "birch", "cedar", "dill")


def strength(name: str) -> float:
    return {"ash": 0.0, "birch": 0.8, "cedar": 0.3, "dill": -9.0}[name]


def made_up(
    first: Agent,
    second: Agent,
    matches: int,
    rules: MatchRules,
    seed: int,
    *,
    progress: bool,
) -> Matches:
    """Matches nobody played, a pure function of the two names and the seed."""
    rng = np.random.default_rng([seed, *hashlib.sha256(f"{first.name} {second.name}".encode()).digest()[:8]])
    chance = 1 / (1 + np.exp(strength(second.name) - strength(first.name)))
    won = rng.random((matches // 2, 2)) < chance
    games = rng.integers(1, 9, (matches // 2, 2))
    points = np.where(won, rules.length, -rules.length) + rng.integers(-2, 3, won.shape)
    return Matches(first.name, second.name, rules, seed, won, games, points)


@pytest.fixture
def imagined(monkeypatch) -> None:
    """Matches are made up instead of played, in this process and its threads."""
    monkeypatch.setattr(parts, "play_matches", made_up)


@pytest.fixture
def agents() -> list[Agent]:
    return [agent(name, k) for k, name in enumerate(NAMES)]


SETTINGS = {"matches": 40, "rules": TO_FIVE, "seed": 7, "chunk": 16, "progress": False}


def tables(result: Tournament) -> list[pd.DataFrame]:
    return [result.standings, result.head_to_head, result.pairings.drop(columns="seconds")]


def assert_same(one: Tournament, other: Tournament) -> None:
    for ours, theirs in zip(tables(one), tables(other), strict=True):
        pd.testing.assert_frame_equal(ours, theirs, check_exact=True)
    for ours, theirs in zip(one.results, other.results, strict=True):
        for name in ("won", "games", "points"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
            assert getattr(ours, name).dtype == getattr(theirs, name).dtype


def test_tables_against_plain_counting(imagined, agents) -> None:
    result = round_robin(agents, **SETTINGS)
    assert len(result.pairings) == 6
    wins = dict.fromkeys(NAMES, 0)
    matches, games, points = dict(wins), dict(wins), dict(wins)
    swept = expected = pairs = 0.0
    for played in result.results:
        ours = sum(bool(won) for pair in played.won for won in pair)
        number = 2 * len(played.won)
        assert number == 40
        for name, sign, won in ((played.first, 1, ours), (played.second, -1, number - ours)):
            wins[name] += won
            matches[name] += number
            games[name] += int(played.games.sum())
            points[name] += sign * int(played.points.sum())
        p = ours / number
        expected += len(played.won) * (p**2 + (1 - p) ** 2)
        swept += sum(bool(one) == bool(two) for one, two in played.won)
        pairs += len(played.won)
        row = result.pairings.query("first == @played.first and second == @played.second").iloc[0]
        assert row["d"] == 2 * ours - number
        assert row["z"] == pytest.approx((2 * ours - number) / number**0.5)
        assert row["share"] == pytest.approx(p)
        assert row["low"] < p < row["high"] or p in (0, 1)
        assert row["games per match"] == pytest.approx(played.games.mean())
        assert row["points per game"] == pytest.approx(played.points.sum() / played.games.sum())
        assert row["left out"] == 0
        assert result.head_to_head.loc[played.first, played.second] == pytest.approx(p)
        assert result.head_to_head.loc[played.second, played.first] == pytest.approx(1 - p)
    assert result.multiplier == pytest.approx(expected / swept)
    assert result.pairings["sweeps"].mean() == pytest.approx(swept / pairs)
    table = result.standings.set_index("agent")
    assert list(table.index) == sorted(NAMES, key=lambda name: -wins[name])
    assert table["rank"].tolist() == [1, 2, 3, 4]
    for name, row in table.iterrows():
        assert (row["wins"], row["matches"]) == (wins[name], matches[name])
        assert row["share"] == pytest.approx(wins[name] / matches[name])
        assert row["low"] <= row["share"] < row["high"]
        assert row["z"] == pytest.approx((2 * wins[name] - matches[name]) / matches[name] ** 0.5)
        assert row["points per game"] == pytest.approx(points[name] / games[name])
        assert row["games per match"] == pytest.approx(games[name] / matches[name])
    first, second = table.index[:2]
    d = 40 * (2 * result.head_to_head.loc[first, second] - 1)
    assert table["z next"].iloc[0] == pytest.approx(d / 40**0.5)
    assert np.isnan(table["z next"].iloc[-1])
    assert result.between(second, first).value == pytest.approx(1 - result.between(first, second).value)
    with pytest.raises(InputError, match="name two of ash"):
        result.between("ash", "elm")


def test_intervals_hold_the_truth(imagined) -> None:
    """Of many tournaments' intervals for the strongest agent's share, some 95 % hold its chance of winning."""
    field = [agent(name) for name in NAMES[:3]]
    chances = [1 / (1 + np.exp(strength(other) - strength("birch"))) for other in ("ash", "cedar")]
    inside = 0
    for seed in range(100):
        row = round_robin(field, 100, TO_FIVE, seed, progress=False).standings.set_index("agent").loc["birch"]
        inside += row["low"] <= np.mean(chances) <= row["high"]
    assert 88 <= inside <= 100


def test_alone_an_interval_is_its_pairing_s(imagined, agents) -> None:
    result = round_robin(agents[:2], **SETTINGS)
    row, pairing = result.standings.set_index("agent").loc["ash"], result.pairings.iloc[0]
    for name in ("share", "low", "high", "z", "points per game"):
        assert row[name] == pytest.approx(pairing[name])


def test_equal_shares_have_equal_ranks(monkeypatch, agents) -> None:
    def tie(first, second, matches, rules, seed, **options) -> Matches:
        won = np.tile([True, False], (matches // 2, 1))
        return Matches(first.name, second.name, rules, seed, won, np.ones(won.shape, int), 2 * won - 1)

    monkeypatch.setattr(parts, "play_matches", tie)
    result = round_robin(agents, **SETTINGS)
    assert result.standings["rank"].tolist() == [1, 1, 1, 1]
    assert result.standings["agent"].tolist() == list(NAMES)
    assert (result.standings["z"] == 0).all()
    assert result.multiplier == float("inf")
    assert "inf" in str(result)


def test_matches_left_out_are_counted(monkeypatch, agents) -> None:
    def one_short(first, second, matches, rules, seed, **options) -> Matches:
        return dataclasses.replace(made_up(first, second, matches - 2, rules, seed, **options), too_long=1)

    monkeypatch.setattr(parts, "play_matches", one_short)
    result = round_robin(agents, **SETTINGS)
    assert (result.pairings["matches"] == 34).all()
    assert (result.pairings["left out"] == 6).all()
    assert result.standings["matches"].tolist() == [102] * 4
    assert "40 matches per pairing" in str(result)
    assert "36 matches left out" in str(result)


def test_a_pairing_s_matches_do_not_depend_on_the_field(imagined, agents) -> None:
    whole, part = round_robin(agents, **SETTINGS), round_robin(agents[1:3], **SETTINGS)
    np.testing.assert_array_equal(whole.results[3].won, part.results[0].won)
    seeds = {
        parts.part_seed(seed, *names, k)
        for seed in (0, 1)
        for names in (("a", "b"), ("a", "c"))
        for k in range(3)
    }
    assert len(seeds) == 12
    assert parts.part_seed(0, "a", "b", 0) == parts.part_seed(0, "b", "a", 0)


@pytest.mark.parametrize(
    ("matches", "chunk", "sizes"),
    [(40, 16, [14, 14, 12]), (1000, 1000, [1000]), (4, 4, [4]), (1002, 1000, [502, 500])],
)
def test_parts_are_even_and_alike(matches, chunk, sizes) -> None:
    assert tournament._sizes(matches, chunk) == sizes


def test_killed_at_any_moment_and_resumed(imagined, agents, tmp_path, monkeypatch) -> None:
    whole = round_robin(agents, **SETTINGS)
    written, write = [], tournament.write_part

    def killed(path, part, played) -> None:
        if len(written) == 5:
            raise KeyboardInterrupt
        write(path, part, played)
        written.append(path.name)

    monkeypatch.setattr(tournament, "write_part", killed)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            round_robin(agents, **SETTINGS, out=tmp_path / "out")
        written.clear()
    monkeypatch.setattr(tournament, "write_part", write)
    assert len(list((tmp_path / "out" / "parts").iterdir())) == 15
    assert_same(round_robin(agents, **SETTINGS, out=tmp_path / "out"), whole)


def test_nothing_is_played_twice_and_threads_agree(imagined, agents, tmp_path, monkeypatch) -> None:
    with ThreadPoolExecutor(3) as executor:
        threaded = round_robin(agents, **SETTINGS, out=tmp_path, executor=executor)
    assert_same(threaded, round_robin(agents, **SETTINGS))
    monkeypatch.setattr(parts, "play_matches", None)
    assert_same(round_robin(agents, **SETTINGS, out=tmp_path), threaded)
    assert round_robin(agents, **SETTINGS, out=tmp_path).seconds == threaded.seconds


OTHER = {
    "seed": ({"seed": 8}, "seed 7, not 8"),
    "matches": ({"matches": 42}, "matches 40, not 42"),
    "length": ({"rules": MatchRules(7)}, "length 5, not 7"),
    "cube": ({"rules": MatchRules(5, cube=False)}, "cube True, not False"),
    "chunk": ({"chunk": 20}, "chunk 16, not 20"),
}


@pytest.mark.parametrize("name", OTHER)
def test_a_folder_begun_with_other_settings_is_refused(name, imagined, agents, tmp_path) -> None:
    changed, named = OTHER[name]
    round_robin(agents, **SETTINGS, out=tmp_path)
    with pytest.raises(InputError, match=named):
        round_robin(agents, **SETTINGS | changed, out=tmp_path)


def test_a_folder_begun_with_other_agents_is_refused(imagined, agents, tmp_path) -> None:
    round_robin(agents, **SETTINGS, out=tmp_path)
    with pytest.raises(InputError, match="agents ash, birch, cedar, dill, not ash, birch"):
        round_robin(agents[:2], **SETTINGS, out=tmp_path)
    with pytest.raises(InputError, match="another agent called 'birch'"):
        round_robin([agents[0], agent("birch", 99), *agents[2:]], **SETTINGS, out=tmp_path)


def test_damaged_and_foreign_files_are_named(imagined, agents, tmp_path) -> None:
    round_robin(agents, **SETTINGS, out=tmp_path)
    path, other = tmp_path / "parts" / "0-1-0.safetensors", tmp_path / "parts" / "0-1-1.safetensors"
    kept = path.read_bytes()
    path.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    with pytest.raises(InputError, match=r"0-1-0\.safetensors is damaged"):
        round_robin(agents, **SETTINGS, out=tmp_path)
    path.write_bytes(other.read_bytes())
    with pytest.raises(InputError, match="another part"):
        round_robin(agents, **SETTINGS, out=tmp_path)
    path.write_bytes(kept)
    for text in ("{", "[" * 100_000):
        (tmp_path / "tournament.json").write_text(text)
        with pytest.raises(InputError, match=r"tournament\.json is damaged"):
            round_robin(agents, **SETTINGS, out=tmp_path)
    with pytest.raises(InputError, match="another folder"):
        round_robin(agents, **SETTINGS, out=path)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"matches": 41}, "even number of at least 4, .* not 41"),
        ({"matches": 2}, "even number"),
        ({"matches": True}, "even number"),
        ({"chunk": 7}, "even number"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_settings(changed, named, imagined, agents, unchecked) -> None:
    with pytest.raises(InputError, match=named):
        round_robin(agents, **SETTINGS | changed)


def test_bad_fields_of_agents(imagined, agents, unchecked) -> None:
    for few in ([], agents[:1], "N80-L2-sigmoid-800k-lam07"):
        with pytest.raises(InputError, match="two or more"):
            round_robin(few, **SETTINGS)
    with pytest.raises(InputError, match="Two agents are called 'ash'"):
        round_robin([*agents, agent("ash", 5)], **SETTINGS)
    with pytest.raises(InputError, match="There is no agent 'nobody'"):
        round_robin([agents[0], "nobody"], **SETTINGS)


def test_an_agent_written_anew_is_not_mistaken_for_the_one_before() -> None:
    """A function counts by its name, and still the next tournament plays what it does now."""

    def first(self, positions, dice, checkers=15):
        return positions, dice.sum(1) // 7

    def second(self, positions, dice, checkers=15):
        return positions, dice.sum(1) // 12

    results = []
    for choose in (first, second):
        redefined = type("Redefined", (Lucky,), {"choose_many": choose})
        results.append(round_robin([redefined("new", 7), Lucky("old", 7)], **SETTINGS).results[0])
    assert (results[0].games != results[1].games).any()


def test_an_agent_that_cannot_be_sent_is_refused_before_the_first_part(agents) -> None:
    here = Agent("here", lambda positions, cube=None: positions)
    there = Bold("there", agents[0].evaluator, 0.5)
    there.boldness = type("Notebooks", (), {"__module__": "__main__"})
    with ProcessPoolExecutor(2) as executor:
        for odd in (here, there):
            with pytest.raises(InputError, match=f"{odd.name}' cannot be sent to other processes"):
                round_robin([agents[0], odd], **SETTINGS, executor=executor)


def test_a_killed_process_loses_no_finished_part(tmp_path, monkeypatch) -> None:
    """Real matches in real processes: one is killed half-way, and this process plays the rest."""
    field = [Lucky("seven", 7), Lucky("nine", 9), Lucky("eleven", 11)]
    write = tournament.write_part
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:

        def killing(path, part, played) -> None:
            write(path, part, played)
            os.kill(next(iter(executor._processes)), signal.SIGKILL)

        monkeypatch.setattr(tournament, "write_part", killing)
        with pytest.raises(InputError, match="worker process"):
            round_robin(field, **SETTINGS, out=tmp_path, executor=executor)
    monkeypatch.setattr(tournament, "write_part", write)
    assert 1 <= len(list((tmp_path / "parts").iterdir())) < 9
    whole = round_robin(field, **SETTINGS)
    assert_same(round_robin(field, **SETTINGS, out=tmp_path), whole)
    assert whole.standings["agent"].tolist() == ["seven", "nine", "eleven"]


def test_parts_are_the_matches_of_their_seeds() -> None:
    field = [Lucky("seven", 7), Lucky("nine", 9)]
    result = round_robin(field, **SETTINGS).results[0]
    seeds = [parts.part_seed(7, "seven", "nine", k) for k in range(3)]
    played = [
        play_matches(*field, size, TO_FIVE, seed, progress=False)
        for size, seed in zip((14, 14, 12), seeds, strict=True)
    ]
    np.testing.assert_array_equal(result.won, np.concatenate([part.won for part in played]))
    np.testing.assert_array_equal(result.points, np.concatenate([part.points for part in played]))
    twin = round_robin([field[0], Lucky("twin", 7)], **SETTINGS)
    assert twin.results[0].margin == 0
    assert twin.results[0].sweeps == 0


class Dying(Executor):
    """Its workers die after three parts."""

    _max_workers = 2

    def __init__(self, error: Exception) -> None:
        self.error, self.calls = error, 0

    def submit(self, call, *arguments, **keywords) -> Future:
        future: Future = Future()
        self.calls += 1
        if self.calls > 3:
            future.set_exception(self.error)
        else:
            future.set_result(call(*arguments, **keywords))
        return future


KilledWorker = type("KilledWorker", (Exception,), {})


@pytest.mark.parametrize("error", [BrokenProcessPool(), KilledWorker()], ids=["pool", "cluster"])
def test_a_dead_worker_loses_no_finished_part(error, imagined, agents, tmp_path) -> None:
    with pytest.raises(InputError, match=r"died .*again to go on"):
        round_robin(agents, **SETTINGS, out=tmp_path, executor=Dying(error))
    assert len(list((tmp_path / "parts").iterdir())) == 3
    assert_same(round_robin(agents, **SETTINGS, out=tmp_path), round_robin(agents, **SETTINGS))
    with pytest.raises(InputError, match="run it again"):
        round_robin(agents, **SETTINGS, executor=Dying(error))


def test_text_and_files(imagined, agents, tmp_path) -> None:
    result = round_robin(agents, **SETTINGS)
    text, page = str(result), result._repr_html_()
    for words in (*NAMES, "40 matches per pairing", "seed 7", "to 5, with the cube", "Head to head"):
        assert words in text
        assert words in page
    assert f"{100 * result.standings['share'].iloc[0]:.1f} %" in text
    assert f"{result.multiplier:.2f} independent ones (n = 120 pairs)" in text
    result.to_csv(tmp_path / "tables")
    for name, table in (("standings", result.standings), ("pairings", result.pairings)):
        stored = pd.read_csv(tmp_path / "tables" / f"{name}.csv")
        pd.testing.assert_frame_equal(stored, table, check_dtype=False, rtol=1e-5)
    with pytest.raises(InputError, match="cannot be written"):
        result.to_csv(tmp_path / "tables" / "standings.csv")
