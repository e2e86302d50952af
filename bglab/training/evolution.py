"""Evolution of the parameter AI: a hill climber over its 24 whole numbers, driven by matches won.

The algorithm is that of document 000, section 4. There is one parent; a generation tries one random variation of it:

1. Mutation: each number moves by up to R % of itself; the mutant is normalised.
2. Scout: the mutant plays the parent; unless it wins more than half of the matches, the generation ends.
3. Line search: steps from the mutant along the direction mutant − parent, further on or back, kept if they win.
4. Gauntlet: ten times as many matches against the baseline, a fixed brain. A wider margin than every candidate
   before it makes the survivor a champion.
5. Sweep: a champion that won every match is the new baseline, the record starts again, the gauntlet doubles.

What the text leaves open is settled so. The parent changes only to a champion: a variation is promoted if it passes
both tests, scout and gauntlet. The record starts at 0, so a champion beats the baseline. What is settled about
mutation and line search is in `bglab.training.variation`.

Everything is a pure function of the recipe, the seed and the contest: each draw and each contest has a seed derived
from the run's seed, the generation, the stage and the step.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from bglab.errors import InputError
from bglab.training.variation import Weights, frozen_weights, line_search, mutated, ready
from bglab.value.parameter import NAMES, WEIGHTS, checked

GAUNTLET = 10
"""The first gauntlet is so many times as long as a scout."""

Contest = Callable[[Int[np.ndarray, "24"], Int[np.ndarray, "24"], int, int], int]
"""`contest(candidate, opponent, matches, seed)`: how many of the matches the candidate wins. Two brains that play alike
must tie exactly, as they do in duplicate play."""


@dataclass(frozen=True)
class EvolutionRecipe:
    """What makes one evolution different from another, except its seed.

    start: the 24 whole numbers of the first parent, in the order of `WEIGHTS` and `CUBE`; it is normalised. baseline:
    those of the fixed opponent of the gauntlet (the start if None). R: largest mutation, in percent of a number.
    matches: of a scout and of each step of a line search, even, since dice are played twice. length: points to which
    a match is played. generations: how long to go on; a run may be continued with more. name: what its brains are
    called.
    """

    start: Weights
    baseline: Weights | None = None
    R: int | float = 50
    matches: int = 100
    length: int = 11
    generations: int = 100
    name: str = "evolved"

    def __post_init__(self) -> None:
        for name in ("start", "baseline"):
            value = getattr(self, name)
            if value is None and name == "baseline":
                value = self.start
            object.__setattr__(self, name, _whole_numbers(name, value))
        if isinstance(self.R, bool) or not isinstance(self.R, int | float) or not 0 < self.R <= 100:
            raise InputError(f"R is a percentage over 0 and up to 100, not {self.R!r}: the usual one is 50.")
        for name in ("matches", "length", "generations"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise InputError(f"A recipe's {name} is a whole number of at least 1, not {value!r}.")
        if self.matches % 2:
            raise InputError(
                f"Matches are played in pairs with the same dice, so {self.matches} cannot be: give an even number."
            )
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"A recipe's name is the text its brains are called by, not {self.name!r}.")

    def describe(self) -> dict[str, Any]:
        """The recipe as JSON-able fields."""
        return {
            k: list(v) if isinstance(v, tuple) else v
            for k, v in ((f.name, getattr(self, f.name)) for f in dataclasses.fields(self))
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> EvolutionRecipe:
        """The recipe of those fields; an unknown one is refused by name."""
        known = [f.name for f in dataclasses.fields(cls)]
        unknown = [name for name in fields if name not in known]
        if unknown:
            raise InputError(f"Unknown recipe field {unknown[0]!r}: the fields are {', '.join(known)}.")
        if "start" not in fields:
            raise InputError("A recipe of evolution needs a start: give the 24 numbers of a brain.")
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
        return cls(**values)


def _whole_numbers(name: str, values: Any) -> Weights:
    """The 24 numbers of a brain as Python's, which JSON can hold; `InputError` if they are none."""
    if not isinstance(values, list | tuple | np.ndarray):
        raise InputError(
            f"A recipe's {name} is the {len(NAMES)} numbers of a brain, {' '.join(NAMES)}, not {values!r}."
        )
    numbers = tuple(checked(values, f"The recipe's {name}").values())
    if not any(numbers[: len(WEIGHTS)]):
        raise InputError(
            f"The recipe's {name} has only evaluation weights of zero: give one of them a value."
        )
    return numbers


@dataclass(frozen=True)
class Champion:
    """A brain that beat the baseline by more than any before it.

    margin: matches won minus lost of its gauntlet of so many matches; swept: it won them all.
    """

    generation: int
    weights: Weights
    margin: int
    matches: int

    @property
    def swept(self) -> bool:
        return self.margin == self.matches


@dataclass(frozen=True)
class Generation:
    """What one generation did.

    outcome: "discarded" by the scout, "rejected" by the gauntlet, "champion" or "sweep". scout: matches the mutant won
    against the parent. steps: contests of the line search. wins, gauntlet: matches won of the gauntlet and its
    length, 0 if it was not played. record: margin to beat after it. matches: played in all. frozen: numbers of the next
    parent that mutation cannot move.
    """

    generation: int
    outcome: str
    scout: int
    steps: int
    wins: int
    gauntlet: int
    record: int
    matches: int
    frozen: tuple[str, ...]


@dataclass(frozen=True)
class Evolution:
    """The whole state of a run between two generations: `generation` is the number of those that are done."""

    seed: int
    generation: int
    parent: Weights
    baseline: Weights
    record: int
    gauntlet: int
    champions: tuple[Champion, ...] = ()
    history: tuple[Generation, ...] = ()


def begin(recipe: EvolutionRecipe, seed: int) -> Evolution:
    """A run that has not begun: the parent is the start, normalised."""
    parent = ready(np.array(recipe.start))
    return Evolution(seed, 0, parent, recipe.baseline or recipe.start, 0, GAUNTLET * recipe.matches)


def step(state: Evolution, recipe: EvolutionRecipe, contest: Contest) -> Evolution:
    """The state after one more generation."""
    number = state.generation + 1
    played = 0

    def play(candidate: Weights, opponent: Weights, matches: int, stage: int, place: int) -> int:
        nonlocal played
        played += matches
        seed = _seed(state.seed, number, stage, place)
        won = contest(np.array(candidate), np.array(opponent), matches, seed)
        if not 0 <= won <= matches:
            raise InputError(f"The contest says {won} of {matches} matches were won: mend the contest.")
        return int(won)

    mutant = mutated(state.parent, recipe.R, np.random.default_rng((state.seed, number, 0)))
    scout = play(mutant, state.parent, recipe.matches, 1, 0)
    outcome, tries, won, gauntlet, champions = "discarded", 0, 0, 0, state.champions
    parent, baseline, record, length = state.parent, state.baseline, state.record, state.gauntlet
    if 2 * scout > recipe.matches:

        def wins(candidate: Weights, best: Weights) -> bool:
            nonlocal tries
            tries += 1
            return 2 * play(candidate, best, recipe.matches, 2, tries) > recipe.matches

        survivor = line_search(state.parent, mutant, wins)
        gauntlet = state.gauntlet
        won = play(survivor, state.baseline, gauntlet, 3, 0)
        margin = 2 * won - gauntlet
        outcome = "rejected"
        if margin > state.record:
            outcome, parent, record = "champion", survivor, margin
            champions = (*champions, Champion(number, survivor, margin, gauntlet))
            if champions[-1].swept:
                outcome, baseline, record, length = "sweep", survivor, 0, 2 * gauntlet
    row = Generation(
        number, outcome, scout, tries, won, gauntlet, record, played, frozen_weights(parent, recipe.R)
    )
    return Evolution(state.seed, number, parent, baseline, record, length, champions, (*state.history, row))


def _seed(*numbers: int) -> int:
    """A seed from 0 to 2**32 − 1 for each sequence of numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])
