"""Reference corpora: decisions from games, each with what a strong engine says of every choice.

A corpus is one compressed text file: a first line of JSON that says what it is, who played, who judged and at which
settings, with a digest of the rest; then one line per decision. Whatever differs from that is refused.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int, UInt32

from bglab.atomic import write_or_refuse
from bglab.errors import InputError
from bglab.rules.notation import parse_play
from bglab.rules.planes import pack, unpack
from bglab.rules.position import BAR, OFF, Position

KIND, VERSION = "bglab corpus", 2
SHIPPED = Path(__file__).parents[1] / "data" / "corpora"
SUFFIX = ".csv.gz"
UNIT = 1e-5
"""Points that one unit of a written equity stands for: a hundredth of a millipoint."""
CLOSE = 0.16
"""A cube decision counts, says GNU Backgammon, if doubling costs less than this many points per unit of the cube."""
COLUMNS = {
    "checker": ("game", "ply", "position", "dice", "plays"),
    "cube": ("game", "ply", "position", "owner", "hold", "taken"),
}


@dataclass(frozen=True, eq=False)
class CheckerCorpus:
    """Decisions how to play a roll, each with a choice.

    game, ply: int[n], the game a decision comes from and its turn in it. positions: uint32[n, 8] and dice:
    int32[n, 2], side on roll first. plays: for each decision its turns, best first. first: int[n + 1], where each
    decision's rows begin in after, uint32[k, 8], the positions as the player who moved sees them, and equity,
    float64[k], cubeless points by the reference.
    """

    about: dict[str, Any]
    game: Int[np.ndarray, "n"] = field(repr=False)
    ply: Int[np.ndarray, "n"] = field(repr=False)
    positions: UInt32[np.ndarray, "n 8"] = field(repr=False)
    dice: Int[np.ndarray, "n 2"] = field(repr=False)
    plays: list[tuple[str, ...]] = field(repr=False)
    first: Int[np.ndarray, "n_1"] = field(repr=False)
    after: UInt32[np.ndarray, "k 8"] = field(repr=False)
    equity: Float[np.ndarray, "k"] = field(repr=False)

    def __len__(self) -> int:
        return len(self.game)

    def some(self, which: Int[np.ndarray, "m"]) -> CheckerCorpus:
        """The same of some decisions, by their number."""
        counts = np.diff(self.first)[which]
        rows = np.concatenate([np.arange(self.first[k], self.first[k + 1]) for k in which])
        return CheckerCorpus(
            self.about,
            self.game[which],
            self.ply[which],
            self.positions[which],
            self.dice[which],
            [self.plays[k] for k in which],
            np.concatenate([[0], np.cumsum(counts)]),
            self.after[rows],
            self.equity[rows],
        )

    def rows_of(self, after: UInt32[np.ndarray, "n 8"]) -> Int[np.ndarray, "n"]:
        """For each decision the row of the turn that leads to a position."""
        rows = np.arange(len(self.after))
        which = np.repeat(np.arange(len(self)), np.diff(self.first))
        found = np.full(len(self), -1)
        same = (self.after == np.asarray(after)[which]).all(1)
        found[which[same]] = rows[same]
        if (found < 0).any():
            missing = int(np.flatnonzero(found < 0)[0])
            raise InputError(
                f"Decision {missing} of the corpus was answered with a position that no turn leads to: "
                "check the agent's move generator."
            )
        return found


@dataclass(frozen=True, eq=False)
class CubeCorpus:
    """Decisions whether to double, and whether to take, in money play without the Jacoby rule.

    game, ply: int[n]. positions: uint32[n, 8], the possible doubler on roll. owner: int32[n], 0 for a cube in the
    middle and 1 for one that the side on roll owns. hold, taken: float64[n], cubeful equities per unit of the present
    cube of not doubling and of double and take, by the reference; double and pass is 1.
    """

    about: dict[str, Any]
    game: Int[np.ndarray, "n"] = field(repr=False)
    ply: Int[np.ndarray, "n"] = field(repr=False)
    positions: UInt32[np.ndarray, "n 8"] = field(repr=False)
    owner: Int[np.ndarray, "n"] = field(repr=False)
    hold: Float[np.ndarray, "n"] = field(repr=False)
    taken: Float[np.ndarray, "n"] = field(repr=False)

    def __len__(self) -> int:
        return len(self.game)


Corpus = CheckerCorpus | CubeCorpus


def close(hold: Float[np.ndarray, "n"], taken: Float[np.ndarray, "n"]) -> np.ndarray:
    """Whether a cube decision counts for an error rate (GNU Backgammon's definition), bool[n]."""
    doubled = np.minimum(taken, 1)
    return np.maximum(hold, doubled) - doubled < CLOSE


Row = tuple[int, int, Position, tuple[int, int], Sequence[tuple[str, float]]]
"""Game, ply, position, dice, and the plays with their equities."""


def checker_corpus(about: dict[str, Any], rows: Iterable[Row]) -> CheckerCorpus:
    """A corpus of these decisions."""
    game, ply, positions, dice, plays, counts, after, equity = [], [], [], [], [], [], [], []
    for one_game, one_ply, position, roll, choices in rows:
        ranked = sorted(choices, key=lambda choice: (-choice[1], choice[0]))
        game.append(one_game)
        ply.append(one_ply)
        positions.append(position)
        dice.append(roll)
        plays.append(tuple(play for play, _ in ranked))
        counts.append(len(ranked))
        after += [played(position, play) for play, _ in ranked]
        equity += [round(value / UNIT) * UNIT for _, value in ranked]
    return CheckerCorpus(
        about,
        np.array(game),
        np.array(ply),
        pack(positions),
        np.array(dice, np.int32),
        plays,
        np.concatenate([[0], np.cumsum(counts)]),
        pack(after),
        np.array(equity, np.float64),
    )


def played(position: Position, play: str) -> Position:
    """The position after a play as `Turn.play` writes it, seen by the player who moved; its legality is not asked."""
    me, opp = list(position.me), list(position.opp)
    for step in parse_play(play):
        source, target = step.path[0], step.path[-1]
        me[source - 1] -= 1
        if target != OFF:
            me[target - 1] += 1
        for place in step.hits:
            # Two checkers written together, 8/5*(2), hit once.
            opp[BAR - 1] += opp[24 - place]
            opp[24 - place] = 0
    return Position(tuple(me), tuple(opp), position.checkers)


def save_corpus(corpus: Corpus, path: str | Path) -> Path:
    """Write a corpus, atomically; the same corpus is the same bytes."""
    path = Path(path)
    kind = "cube" if isinstance(corpus, CubeCorpus) else "checker"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS[kind])
    for k, position in enumerate(unpack(corpus.positions)):
        start = (corpus.game[k], corpus.ply[k], position.id)
        if isinstance(corpus, CubeCorpus):
            hold, taken = (round(float(each[k]) / UNIT) for each in (corpus.hold, corpus.taken))
            writer.writerow([*start, corpus.owner[k], hold, taken])
        else:
            rows = slice(corpus.first[k], corpus.first[k + 1])
            equities = [round(float(each) / UNIT) for each in corpus.equity[rows]]
            choices = "; ".join(
                f"{play} {value}" for play, value in zip(corpus.plays[k], equities, strict=True)
            )
            writer.writerow([*start, "".join(map(str, corpus.dice[k].tolist())), choices])
    body = text.getvalue()
    about = {"kind": KIND, "version": VERSION, "decisions": kind} | {
        key: value
        for key, value in corpus.about.items()
        if key not in ("kind", "version", "decisions", "sha256")
    }
    about["sha256"] = _digest(about, body)
    content = json.dumps(about, ensure_ascii=False) + "\n" + body
    write_or_refuse(path, gzip.compress(content.encode(), mtime=0), "corpus")
    return path


def _digest(about: dict[str, Any], body: str) -> str:
    """SHA-256 of all that a file says, itself left out."""
    head = json.dumps({key: value for key, value in about.items() if key != "sha256"}, ensure_ascii=False)
    return hashlib.sha256(f"{head}\n{body}".encode()).hexdigest()


def load_corpus(name: str | Path) -> Corpus:
    """A shipped corpus by its name, or one from a file.

    Raises `InputError` for a file that is missing, damaged, of another kind or version, or differs from its digest.
    """
    if not isinstance(name, str | Path):
        raise InputError(f"A corpus is known by its name or its file, not by {name!r}.")
    path = SHIPPED / f"{name}{SUFFIX}"
    if not path.exists():
        path = Path(name)
    try:
        text = gzip.decompress(path.read_bytes()).decode()
    except (gzip.BadGzipFile, EOFError, zlib.error, UnicodeDecodeError):
        raise InputError(f"{path} is damaged, or no corpus: get the corpus again.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"There is no corpus {str(name)!r} ({reason}): "
            f"give a file, or one of {', '.join(shipped_corpora())}."
        ) from None
    head, _, body = text.partition("\n")
    try:
        about = json.loads(head)
        if about["kind"] != KIND or about["decisions"] not in COLUMNS:
            raise KeyError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{path} is no corpus, since its first line does not say so: give a file of `bglab corpus make`."
        ) from None
    if about.get("version") != VERSION:
        raise InputError(
            f"{path} is a corpus of version {about.get('version')!r}, not {VERSION}: make it again with this bglab."
        )
    if _digest(about, body) != about.get("sha256"):
        raise InputError(f"{path} does not agree with its digest: get the corpus again.")
    kind = about["decisions"]
    table = csv.DictReader(io.StringIO(body))
    try:
        rows = list(table)
        if tuple(table.fieldnames or ()) != COLUMNS[kind] or not rows:
            raise ValueError(f"its columns are not {', '.join(COLUMNS[kind])} over at least one row")
        return _cube(about, rows) if kind == "cube" else _checker(about, rows)
    except (ValueError, KeyError, IndexError, TypeError, csv.Error) as error:
        raise InputError(f"{path} holds no decisions to read ({error}): make the corpus again.") from None


def shipped_corpora() -> list[str]:
    """Names of the corpora that come with bglab."""
    return sorted(path.name.removesuffix(SUFFIX) for path in SHIPPED.glob(f"*{SUFFIX}"))


def _checker(about: dict[str, Any], rows: list[dict[str, str]]) -> CheckerCorpus:
    def choices(text: str) -> list[tuple[str, float]]:
        pairs = (choice.rsplit(" ", 1) for choice in text.split("; "))
        return [(play, int(value) * UNIT) for play, value in pairs]

    return checker_corpus(
        about,
        (
            (
                int(row["game"]),
                int(row["ply"]),
                Position.from_id(row["position"]),
                (int(row["dice"][0]), int(row["dice"][1])),
                choices(row["plays"]),
            )
            for row in rows
        ),
    )


def _cube(about: dict[str, Any], rows: list[dict[str, str]]) -> CubeCorpus:
    def whole(column: str) -> np.ndarray:
        return np.array([int(row[column]) for row in rows])

    return CubeCorpus(
        about,
        whole("game"),
        whole("ply"),
        pack([Position.from_id(row["position"]) for row in rows]),
        whole("owner").astype(np.int32),
        whole("hold") * UNIT,
        whole("taken") * UNIT,
    )
