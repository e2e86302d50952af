"""XGID, Match ID and GNU ID: read, written, refused, and compared with GNU Backgammon itself."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bglab
from bglab.errors import InputError
from bglab.rules import Position, Situation, legal_turns, parse
from tests.gnubg import gnubg, needs_gnubg
from tests.samples import ROLLS, realistic
from tests.strategies import dice, positions, unchecked

START = Position.start().id
I2 = "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:31:0:0:0:11:8"
I3 = "-b----E-C--AeD---bAdb---A-:0:0:1:52:0:0:0:0:10"
I3_LATER = "----abF-B--BbB-Bacbd----A-:0:0:1:41:1:0:0:11:10"
I7 = "--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8"
I8 = "aFDaA--------------a-Acbb-:1:-1:1:42:3:0:0:7:10"


@pytest.mark.parametrize(
    ("text", "pips", "turns"),
    [(I2, (167, 163), 15), (I3, (159, 163), None), (I3_LATER, (154, 158), None), (I8, (39, 68), 3)],
)
def test_known_boards(text, pips, turns):
    situation = parse(text)
    assert situation.position.pips == pips
    assert situation.xgid.removeprefix("XGID=") == text.removeprefix("XGID=")
    assert situation.dice is not None
    assert turns in (None, len(legal_turns(situation.position, situation.dice)))


def test_top_player_on_roll():
    assert parse(I2) == Situation(
        Position.from_id("sGfwATDgc/ABMA"), dice=(3, 1), length=11, bottom=False, max_cube=256
    )


def test_owned_cube():
    assert parse(I7) == Situation(
        Position.from_xgid(I7), dice=(2, 1), cube_value=2, cube_owner=1, max_cube=256
    )


def test_checkers_on_both_trays_and_the_bar():
    situation = parse(I8)
    assert situation.position.opp[24] == 1
    assert situation.position.off == (3, 5)
    assert (situation.cube_value, situation.cube_owner, situation.score, situation.away) == (
        2,
        -1,
        (3, 0),
        (4, 7),
    )


@pytest.mark.parametrize(
    ("text", "turns", "on_the_bar"), [("4OvgATDgc+QBUA", 11, 1), ("HC/wATDg8+AxAA", 11, 0)]
)
def test_bare_position_ids(text, turns, on_the_bar):
    situation = parse(text)
    assert situation == Situation(Position.from_id(text))
    assert situation.position.me[24] == on_the_bar
    roll = (3, 2) if on_the_bar else (5, 1)
    assert len(legal_turns(situation.position, roll)) == turns
    assert situation.position.off[0] == 0


@pytest.mark.parametrize(
    ("match_id", "known"),
    [
        ("cAkAAAAAAAAA", {"length": 0, "jacoby": True}),
        ("cAkAAAAAAAAE", {"length": 0, "jacoby": False}),
        ("cAngAGAAKAAE", {"length": 7, "score": (5, 6), "crawford": False, "bottom": True}),
        ("cBHgAAAAAAAE", {"length": 7, "offer": "double", "decides": -1}),
        ("QYnuAAAAAAAE", {"cube_value": 2, "cube_owner": -1, "bottom": True, "dice": (5, 3)}),
        ("QUEAAAAAAAAA", {"resigned": 2, "decides": -1, "cube_value": 2}),
        (
            "gIHqAGAAGAAE",
            {"score": (6, 3), "crawford": True, "bottom": False, "dice": (5, 2), "cube_owner": 1},
        ),
    ],
)
def test_known_match_ids(match_id, known):
    situation = parse(f"sGfwATDgc/ABMA:{match_id}")
    assert {name: getattr(situation, name) for name in known} == known
    assert situation.match_id == match_id
    assert situation.gnu_id == f"sGfwATDgc/ABMA:{match_id}"


@pytest.mark.parametrize(
    ("rules", "jacoby", "beavers"), [(0, False, False), (1, True, False), (2, False, True), (3, True, True)]
)
def test_rules_of_a_money_game_are_bits(rules, jacoby, beavers):
    text = f"XGID=-b---BD-B---eE---c-e----B-:0:0:1:00:2:1:{rules}:0:10"
    situation = parse(text)
    assert (situation.jacoby, situation.beavers, situation.crawford) == (jacoby, beavers, False)
    assert situation.xgid == text


@pytest.mark.parametrize(
    ("code", "offer", "decides"),
    [("00", "", 1), ("D", "double", -1), ("B", "beaver", 1), ("R", "raccoon", -1)],
)
def test_offers(code, offer, decides):
    text = f"XGID=-b---BD-B---eE---c-e----B-:0:0:-1:{code}:0:0:0:0:10"
    situation = parse(text)
    assert (situation.offer, situation.decides, situation.dice) == (offer, decides, None)
    assert situation.xgid == text


@pytest.mark.parametrize(
    "text",
    [
        f"{START}:cAngAGAAKAAE",
        f"  {START}:cAngAGAAKAAE\n",
        f"GNUBgID {START}:cAngAGAAKAAE",
        f"GNU ID: {START}:cAngAGAAKAAE",
        f"GNUID={START}:cAngAGAAKAAE",
        f" GNU Backgammon  Position ID: {START}\n                 Match ID   : cAngAGAAKAAE\n +12-11-10--9-",
        f"Position ID: {START} Match ID: cAngAGAAKAAE",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:5:6:0:7:10",
        "xgid=-b----E-C---eE---c-e----B-:0:0:1:00:5:6:0:7:10",
        "-b----E-C---eE---c-e----B-:0:0:1:00:5:6:0:7:10",
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:5:6:0:7:10\n\nX:Player 2   O:Player 1\nScore is X:5 O:6",
    ],
)
def test_forms(text):
    assert parse(text) == Situation(Position.start(), score=(5, 6), length=7)


def test_position_id_as_printed():
    assert parse(f"Position ID: {START}") == Situation(Position.start())


def test_public():
    assert bglab.parse is parse
    assert bglab.Situation is Situation


def test_hypergammon():
    start = Position.start("hypergammon")
    assert parse(start.id, checkers=3).position == start
    situation = Situation(start, dice=(6, 1), length=3)
    assert parse(situation.xgid, checkers=3) == parse(situation.gnu_id, checkers=3) == situation


BOARD = "-b----E-C---eE---c-e----B-"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has 0 characters"),
        ("hello", "The Position ID 'hello' has 5 characters"),
        ("cAngAGAAKAAE", "looks like a Match ID"),
        (f"{START}:", "The Match ID '' has 0 characters"),
        (f"{START}:cAngAGAAKAA", "has 11 characters"),
        (f"{START}:cAngAGAAKAA=", "contains '='"),
        (f"{START}:cAngAGAAKAD!", "contains '!'"),
        (f"{START}:cAngAGAAKAAI", "bits after its last field"),
        (f"{START}:IAEAAAAAAAAA", "a cube owner that does not exist"),
        (f"{START}:cA8AAAAAAAAA", "a state of the game that does not exist"),
        (f"{START}:cInvAAAAAAAE", "the dice 7 and 3"),
        (f"{START}:cAnkAAAAAAAE", "the dice 0 and 1"),
        (f"{START}:cAEAAAAAAAAA", "a player to decide who has nothing to answer"),
        (f"{START}:cAngAHAAKAAE", "a match to 7 is over"),
        (f"{BOARD}", "has 1 fields"),
        (f"{BOARD}:0:0:1:00:0:0:0:0", "has 9 fields"),
        (f"{BOARD}:0:0:1:00:0:0:0:0:10:1", "has 11 fields"),
        (f"{BOARD[1:]}:0:0:1:00:0:0:0:0:10", "has 25 characters"),
        (f"{BOARD}:x:0:1:00:0:0:0:0:10", "'x' as cube"),
        (f"{BOARD}:16:0:1:00:0:0:0:0:10", "16 as cube"),
        (f"{BOARD}:-1:0:1:00:0:0:0:0:10", "-1 as cube"),
        (f"{BOARD}:1:2:1:00:0:0:0:0:10", "2 as cube owner"),
        (f"{BOARD}:0:0:0:00:0:0:0:0:10", "who is on roll"),
        (f"{BOARD}:0:0:1:07:0:0:0:0:10", "'07' as dice"),
        (f"{BOARD}:0:0:1:5:0:0:0:0:10", "'5' as dice"),
        (f"{BOARD}:0:0:1:d:0:0:0:0:10", "'d' as dice"),
        (f"{BOARD}:0:0:1:00:-1:0:0:0:10", "A score is 0 to"),
        (f"{BOARD}:0:0:1:00:0:0:4:0:10", "4 as rules"),
        (f"{BOARD}:0:0:1:00:0:0:2:7:10", "2 as rules"),
        (f"{BOARD}:0:0:1:00:7:0:0:7:10", "a match to 7 is over"),
        (f"{BOARD}:0:0:1:00:3:0:1:7:10", "The Crawford game is played when"),
        (f"{BOARD}:0:0:1:00:0:0:0:-7:10", "A match has 1 to"),
        (f"{BOARD}:0:0:1:00:0:0:0:99999:10", "A match has 1 to"),
        (f"{BOARD}:0:0:1:00:0:0:0:0:٣", "as max cube"),
        (f"Position ID: {START} Position ID: sGfwATDgc/ABMA", "2 different Position IDs"),
        ("XGID=", "The XGID has no fields after its name"),
        ("xgid= \n\nX:Player 2   O:Player 1", "The XGID has no fields after its name"),
        ("Position ID:", "The Position ID has no characters after its name"),
        ("Position ID: Match ID: cAngAGAAKAAE", "The Position ID has no characters after its name"),
        (f"Position ID: {START} Match ID:", "The Match ID has no characters after its name"),
    ],
)
def test_malformed_ids_are_refused(text, fault):
    with pytest.raises(InputError, match=fault) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("text", [None, 17, b"4HPwATDgc/ABMA"])
def test_identifiers_are_text(text):
    with pytest.raises(InputError, match="An identifier is text"):
        parse(text)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"position": START}, "needs a Position"),
        ({"dice": (7, 1)}, "Dice are two whole numbers"),
        ({"cube_value": 3}, "cube_value is a power of two"),
        ({"max_cube": 0}, "max_cube is a power of two"),
        ({"cube_owner": 2}, "cube_owner is 1"),
        ({"offer": "redouble"}, "No offer is called"),
        ({"offer": "double", "dice": (3, 1)}, "comes before the roll"),
        ({"offer": "beaver", "resigned": 1}, "are not on offer together"),
        ({"score": (1, 2, 3)}, "A score is two numbers"),
        ({"score": (-1, 2)}, "A score is 0 to"),
        ({"length": 5, "jacoby": True}, "rules of money games"),
        ({"length": 5, "beavers": True}, "rules of money games"),
        ({"length": 5, "crawford": True}, "The Crawford game"),
        ({"crawford": True}, "not at a money game"),
        ({"resigned": 4}, "resigned is -3 to 3"),
        ({"state": "paused"}, "No state is called"),
    ],
)
def test_contradictions_are_refused(change, fault):
    with pytest.raises(InputError, match=fault):
        replace(Situation(Position.start()), **change)


def test_what_an_id_cannot_say_is_refused():
    start = Situation(Position.start())
    for change in ({"resigned": 1}, {"state": "over"}):
        with pytest.raises(InputError, match="An XGID cannot say"):
            _ = replace(start, **change).xgid
    with pytest.raises(InputError, match="raccoon"):
        _ = replace(start, offer="raccoon").match_id


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Any situation that both kinds of identifier can say."""
    position = draw(positions())
    length = draw(st.sampled_from([0, 0, 1, 3, 7, 25, 32767]))
    most = length - 1 if length else 400
    score = draw(st.tuples(st.integers(0, most), st.integers(0, most)))
    crawford = score.count(length - 1) == 1 and draw(st.booleans())
    offer = "" if crawford else draw(st.sampled_from(["", "", "double", "double" if length else "beaver"]))
    value = 1 if crawford else 2 ** draw(st.integers(0, 15))
    owners = [0] if value == 1 else [1, -1] if length else [1, 0, -1]
    if offer == "double":
        owners = [owner for owner in owners if owner != -1]
    with unchecked():
        return Situation(
            position,
            dice=None if offer else draw(st.none() | dice()),
            cube_value=value,
            cube_owner=draw(st.sampled_from(owners)),
            score=score,
            length=length,
            crawford=bool(length) and crawford,
            jacoby=not length and draw(st.booleans()),
            beavers=not length and draw(st.booleans()),
            offer=offer,
            bottom=draw(st.booleans()),
            max_cube=2 ** draw(st.integers(0, 15)),
        )


@given(situations())
def test_xgid_round_trip(situation):
    text = situation.xgid
    assert parse(text) == situation
    assert parse(text).xgid == text


@given(situations(), st.integers(-3, 3), st.sampled_from(["playing", "over", "resigned", "dropped"]))
def test_gnu_id_round_trip(situation, resigned, state):
    resigned = 0 if situation.offer == "beaver" else resigned
    situation = replace(situation, resigned=resigned, state=state)
    text = situation.gnu_id
    assert parse(text) == replace(situation, beavers=False, max_cube=1024)
    assert parse(text).gnu_id == text


@given(st.one_of(st.text(), st.text("ABCDabcd-:01=/+XGID", max_size=60)))
def test_noise_is_refused(text):
    try:
        situation = parse(text)
    except InputError:
        return
    assert situation.position.id in text or situation.xgid


@given(situations(), st.data())
def test_damaged_ids_are_read_or_refused(situation, data):
    text = data.draw(st.sampled_from([situation.xgid, situation.gnu_id]))
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = (
        text[:place] + data.draw(st.sampled_from(["", ":", "7", "a", "Z", "é", "="])) + text[place + 1 :]
    )
    with suppress(InputError):
        assert parse(damaged).position


def compared(seed: int, n: int) -> list[Situation]:
    """Random situations that GNU Backgammon accepts from an XGID: no offers, no cube in a Crawford game."""
    rng = random.Random(seed)
    found = []
    for position in rng.sample(realistic(10 * n, seed), n):
        length = rng.choice([0, 3, 7, 25])
        score = rng.randrange(length or 20), rng.randrange(length or 20)
        crawford = bool(length) and score.count(length - 1) == 1 and rng.random() < 0.5
        value = 0 if crawford else rng.randint(0, 6)
        found.append(
            Situation(
                position,
                dice=rng.choice([None, rng.choice(ROLLS)]),  # it shows the larger die first
                cube_value=2**value,
                cube_owner=rng.choice([-1, 1]) if value else 0,
                score=score,
                length=length,
                crawford=crawford,
                jacoby=not length and rng.random() < 0.5,
                bottom=rng.random() < 0.5,
            )
        )
    return found


def check_against_gnubg(seed: int, n: int, folder: Path) -> None:
    """Assert that the program shows the situations that it is given as identifiers.

    From an XGID it makes the side on roll player 1, exchanging the players with their names where it was player 0.
    """
    for form in ("xgid", "gnubgid"):
        sample = compared(seed, n)
        commands = []
        for number, situation in enumerate(sample):
            text = situation.xgid if form == "xgid" else situation.gnu_id
            commands += ["new match 9", f"set player 0 name Top{number}", f"set player 1 name Bottom{number}"]
            commands += [f"set {form} {text}", "show board"]
        printed = gnubg(commands, folder)
        for number, situation in enumerate(sample):
            boards = re.findall(
                rf"Position ID:(?:(?!Position ID).)*? X: (?:Top|Bottom){number}\b", printed, re.DOTALL
            )
            exchanged = f"O: Bottom{number}" in boards[-1]
            assert parse(boards[-1]) == replace(situation, bottom=situation.bottom != exchanged)
            assert exchanged == (form == "xgid" and not situation.bottom)


@needs_gnubg
def test_gnubg_sees_the_same(tmp_path):
    check_against_gnubg(seed=3, n=12, folder=tmp_path)
