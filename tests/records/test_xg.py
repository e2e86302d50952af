"""eXtreme Gammon's .xg: what the tests' own writer lays out by the published format is read as the same match."""

from __future__ import annotations

import random
import re
import struct
import sys
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bglab.errors import InputError
from bglab.records import CubeAction, Game, Match, Play, Setup, read, xgarchive
from bglab.records.mat import read_mat
from bglab.records.matwriter import to_mat
from bglab.records.table import Table
from bglab.records.xg import read_xg
from bglab.rules import Position
from tests.records import xgwriter
from tests.records.matches import random_match
from tests.records.xgwriter import archive, to_records, to_xg

pytest.importorskip("xgparse")

SEEDS = st.integers(0, 10**6)


def match_of(seed: int) -> Match:
    """A random match without what .xg has no place for, and with tags that only a header can hold."""
    match = replace(random_match(seed), comment="")
    return replace(match, tags=(*match.tags, ("Round", "2"), ("Site", "Монте-Карло")))


@given(SEEDS)
@settings(max_examples=60)
def test_every_match_comes_back(seed):
    match = match_of(seed)
    assert read_xg(to_xg(match)) == match


@given(SEEDS)
@settings(max_examples=30)
def test_joined_steps_lead_to_the_same_positions(seed):
    match = match_of(seed)
    found = read_xg(to_xg(match, joined=True))

    def boards(match: Match) -> list[tuple]:
        """Who acts and the position before it: where checkers go on the way is left open."""
        return [(moment.game, moment.player, moment.situation) for moment in match.replay()]

    assert boards(found) == boards(match)
    assert [(game.winner, game.points) for game in found.games] == [
        (game.winner, game.points) for game in match.games
    ]


@pytest.mark.parametrize("seed", range(12))
def test_the_same_as_from_mat(seed, tmp_path):
    match = match_of(seed)
    path = tmp_path / "match.xg"
    path.write_bytes(to_xg(match))
    assert read(path) == read(path.read_bytes()) == read_mat(to_mat(match))


def test_the_matches_hold_everything():
    matches = [match_of(seed) for seed in range(80)]
    games = [game for match in matches for game in match.games]
    actions = [action for game in games for action in game.actions]
    assert {"double", "take", "drop", "beaver", "raccoon"} == {
        action.kind for action in actions if isinstance(action, CubeAction)
    }
    assert any(isinstance(action, Play) and not action.moves for action in actions)
    assert any(game.crawford for game in games)
    assert any(match.jacoby for match in matches)
    assert any(match.length == 0 and game.points > 1 for match in matches for game in match.games)
    assert {match.variant for match in matches} == {"standard", "nackgammon", "hypergammon"}


TEXT = """\
; [Crawford "On"]
 3 point match

 Game 1
 Ann : 0                             Bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2)  Doubles => 2                     Takes
  3) 66: 24/18 24/18 13/7 13/7        Doubles => 4
  4)  Drops
      Wins 2 points
"""


def test_a_match_written_by_hand():
    """Byte by byte what the published layout says, with nothing from the writer but the container."""
    match = read_mat(TEXT.replace("    Wins 2 points", "                                   Wins 2 points"))
    assert [type(action).__name__ for action in match.games[0].actions][:2] == ["Play", "Play"]

    def make(kind: int, *fields: tuple[int, bytes]) -> bytes:
        data = bytearray(2560)
        data[8] = kind
        for offset, value in fields:
            data[offset : offset + len(value)] = value
        return bytes(data)

    def words(*values: int) -> bytes:
        return struct.pack(f"<{len(values)}i", *values)

    records = [
        make(
            0,
            (9, b"\x03Ann"),
            (50, b"\x03Bob"),
            (92, words(3, 0)),
            (100, b"\1\1\1"),
            (552, words(23)),
            (556, b"DMLI"),
        ),
        make(1, (12, words(0, 0)), (48, words(1))),
        make(3, (64, words(1)), (68, words(7, 4, 5, 4, -1, 9, 9, 9)), (100, words(3, 1))),
        make(2, (12, words(-1, -2, -1, -1, -1, 0))),
        make(3, (64, words(-1)), (68, words(23, 13, -1, -1, -1, -1, -1, -1)), (100, words(6, 4))),
        make(2, (12, words(1, 1, 1, -1, -1, 0))),
        make(3, (64, words(1)), (68, words(23, 17, 23, 17, 12, 6, 12, 6)), (100, words(6, 6))),
        make(2, (12, words(-1, 1, 0, -1, -1, 1))),
        make(4, (12, words(0, 2)), (24, words(-1, 2, 0))),
    ]
    assert read_xg(archive(b"".join(records))) == match


def test_a_beaver_and_a_raccoon():
    words = [
        CubeAction(1, "double"),
        CubeAction(0, "beaver"),
        CubeAction(1, "raccoon"),
        CubeAction(0, "drop"),
    ]
    actions = (Play(0, (3, 1), ((8, 5), (6, 5))), *words)
    match = Match(("a", "b"), 0, (Game((0, 0), False, actions, 1, 4),), beavers=True)
    assert read_xg(to_xg(match)) == match


@pytest.mark.parametrize("joined", [False, True])
def test_hits_on_the_way(joined):
    """24/23*/18 or 24/19*/18: where the steps are joined, only the position after the play tells."""
    start = Position.start().me
    blot = Position(start, tuple(1 if point in (1, 5) else 0 for point in range(25)), 15)
    match = Match(("a", "b"), 1)
    for moves in (((24, 23), (23, 18)), ((24, 19), (19, 18))):
        for player in (0, 1):
            table = Table(match.start)
            table.setup(Setup(player, blot))
            raw = (21, "26b", *xgwriter.board(blot, player))
            play = Play(player, (5, 1), moves)
            records = [
                xgwriter.header_match(match),
                xgwriter.header_game(match, Game(), 1, raw),
                xgwriter.move(table, play, joined),
            ]
            (game,) = read_xg(archive(b"".join(records))).games
            assert game.actions == (Setup(player, blot), play)


def test_positions_put_up_by_hand_and_automatic_doubles():
    race = Position((5, 5, 5, *[0] * 22), (5, 5, 5, *[0] * 22))
    table = Table(Position.start())
    match = Match(("a", "b"), 0)
    head = [xgwriter.header_match(match), xgwriter.header_game(match, Game(), 1, (64, "<i", 2))]
    table.setup(Setup(1, race))
    edited = xgwriter.move(table, Play(1, (2, 1), ((2, 0), (1, 0))), False, (2528, "?", True))
    (game,) = read_xg(archive(b"".join([*head, edited]))).games
    assert game.actions == (Setup(1, race, 4), Play(1, (2, 1), ((2, 0), (1, 0))))


def test_what_the_header_says():
    match = replace(match_of(3), players=("Zoë 😀", "x" * 128), length=0, tags=())
    more = (104, "<ddii", 1522.94, 1800.0, 244, 7)
    records = [xgwriter.header_match(match, more)]
    found = read_xg(archive(b"".join(records)))
    assert found.players == match.players
    assert found.tags == (("Player 1 Elo", "1522.94/244"), ("Player 2 Elo", "1800.00/7"))
    assert found.games == ()


def test_the_package_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgparse", None)
    with pytest.raises(InputError, match=r"pip install 'bglab\[xg\]'"):
        read(to_xg(match_of(1)))


@pytest.mark.parametrize(
    ("number", "field", "fault"),
    [
        (0, (556, "<i", 1), "record 1: the match's header is damaged"),
        (0, (96, "<i", 3), "record 1: the variation 3"),
        (0, (92, "<i", 99998), "record 1: a match has at most"),
        (0, (128, "<d", float("nan")), "record 1: it is damaged"),
        (0, (8, "B", 1), "record 1: the match's header should come first"),
        (1, (12, "<i", -1), "record 2: the game's header is damaged"),
        (1, (8, "B", 0), "record 2: "),
        (1, (8, "B", 9), "record 2: it is damaged"),
        (2, (12, "<i", 5), "record 3: there is no player 5"),
        (3, (100, "<i", 7), "record 4: 7-"),
        (3, (68, "<i", 0), "record 4: "),
        (3, (68, "<i", 77), "record 4: no checker moves"),
    ],
)
def test_what_is_wrong_is_said_with_the_record(number, field, fault):
    records = [bytearray(data) for data in to_records(match_of(11))]
    assert [data[8] for data in records[:4]] == [0, 1, 2, 3]
    offset, layout, *values = field
    struct.pack_into(layout, records[number], offset, *values)
    with pytest.raises(InputError, match=f"^bad.xg, {fault}"):
        read_xg(archive(b"".join(map(bytes, records))), "bad.xg")


def test_a_small_file_that_claims_to_hold_very_much(monkeypatch):
    monkeypatch.setattr(xgarchive, "LARGEST", 10_000)
    match = match_of(11)
    data = b"".join(to_records(match))
    assert len(data) > 10_000
    with pytest.raises(InputError, match="more than the 10000 that are read here"):
        read_xg(archive(data))
    lie = bytearray(to_xg(match))
    registry = bytearray(zlib.decompress(lie[-36 - struct.unpack_from("<i", lie, len(lie) - 24)[0] : -36]))
    struct.pack_into("<i", registry, 512, 100)  # what unpacks to more than it says is not unpacked on
    packed = zlib.compress(registry)
    count, files = (
        struct.unpack_from("<i", lie, len(lie) - 32)[0],
        struct.unpack_from("<i", lie, len(lie) - 20)[0],
    )
    start = len(lie) - 36 - struct.unpack_from("<i", lie, len(lie) - 24)[0] - files
    body = bytes(lie[start : start + files]) + packed
    end = struct.pack("<IiiiiB15x", zlib.crc32(body), count, 1, len(packed), files, 1)
    with pytest.raises(InputError, match="the match in it is damaged"):
        read_xg(bytes(lie[:start]) + body + end)


def test_other_archives():
    match = match_of(2)
    data = b"".join(to_records(match))
    assert read_xg(archive(data + b"left over")) == match
    with pytest.raises(InputError, match="there is no match in it"):
        read_xg(archive(b""))
    content = archive(data)
    at = content.index(zlib.compress(data)) + 40
    with pytest.raises(InputError, match="checksum"):
        read_xg(content[:at] + b"?" + content[at + 1 :])
    for broken in (b"RGMH", b"RGMH" + bytes(9000), content[:-1], content[36:]):
        with pytest.raises(InputError, match=r"^the file: .*\.$"):
            read_xg(broken)


def refused(content: bytes) -> None:
    """Read or refuse: one sentence of an `InputError` is the only way to fail."""
    try:
        assert isinstance(read_xg(content), Match)
    except InputError as error:
        assert re.fullmatch(r"the file(, record \d+)?: [^\n]*[^.\n]\.", str(error)), str(error)  # noqa: PT017


MATCHES = [(to_xg(match_of(seed)), b"".join(to_records(match_of(seed)))) for seed in range(8)]


@given(st.sampled_from(MATCHES), SEEDS)
@settings(max_examples=300)
def test_damaged_records(match, seed):
    """Bytes overwritten inside of the records, where no checksum tells."""
    _, records = match
    rng = random.Random(seed)
    data = bytearray(records)
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(min(len(data), 40_000))
        if rng.random() < 0.8:  # most of a record is analysis, the interesting part is in front
            place -= place % 2560
            place += rng.randrange(140)
        data[place] = rng.choice([0, 1, 2, 3, 24, 127, 128, 255, rng.randrange(256)])
    if rng.random() < 0.3:
        start = rng.randrange(len(data) // 2560) * 2560
        del data[start : start + 2560]
    refused(archive(bytes(data)))


@given(st.sampled_from(MATCHES), SEEDS)
@settings(max_examples=200)
def test_damaged_files(match, seed):
    content, _ = match
    rng = random.Random(seed)
    data = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        data[rng.choice([rng.randrange(len(data)), len(data) - 1 - rng.randrange(36)])] = rng.randrange(256)
    refused(bytes(data))
    refused(content[: rng.randrange(len(content))])


@given(st.binary(max_size=300), st.binary(max_size=3000))
def test_noise(end, records):
    refused(b"RGMH" + bytes(8300) + end)
    refused(archive(records))


def test_other_readers_agree_on_the_bytes(tmp_path):
    """bgsage's reader of container and records, and xgparse's own of the container, which `read` does not use."""
    convertxg = pytest.importorskip("xgparse.convertxg")
    bgsage = pytest.importorskip("bgsage.xg_file")
    for seed in range(8):
        match = match_of(seed)
        path = tmp_path / f"{seed}.xg"
        path.write_bytes(to_xg(match))
        data = bgsage.XgArchive.load(path).get("temp.xg")
        assert data == b"".join(to_records(match))
        assert len(list(convertxg.convert_xg_to_py_dataclasses(path))) == len(to_records(match))
        head = bgsage.parse_header(data)
        assert (head["match_length"], head["jacoby"]) == (match.length or 99999, match.jacoby)
        plays = [action for game in match.games for action in game.actions if isinstance(action, Play)]
        before = [moment.situation.position for moment in match.replay() if isinstance(moment.action, Play)]
        moves = [bgsage.parse_move_record(data, at) for at, kind in bgsage.iter_records(data) if kind == 3]
        assert len(moves) == len(plays)
        for found, play, position in zip(moves, plays, before, strict=True):
            assert (found["actif"], tuple(found["dice"])) == (-1 if play.player else 1, play.dice)
            opp = position.opp
            mover = [opp[24], *(position.me[point] - opp[23 - point] for point in range(24)), position.me[24]]
            assert list(found["mover_board"]) == mover
