"""Recipes: what they refuse, and the description that goes into files and back."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from bglab.errors import InputError
from bglab.rules import Position
from bglab.training.recipe import Recipe, describe_function
from bglab.training.targets import exact_bellman, lambda_return, sampled_bellman
from bglab.value.network import NetworkSpec

RATE = 0.5


def halfway(trace, evaluator, share=0.5):
    """A target that is not shipped."""
    return share * evaluator(trace.positions)


@dataclass(frozen=True)
class Blend:
    """A target with parameters of its own."""

    share: float

    def __call__(self, trace, evaluator):
        return self.share * evaluator(trace.positions)


def test_the_default_is_the_documents():
    """λ = 0.7, plain gradient descent at 0.01 once per position (sections 5.8 and 5.9), 80 + 80 sigmoid units."""
    described = Recipe().describe()
    assert described["target"] == {"name": "lambda_return", "lam": 0.7}
    assert described["optimiser"] == {"name": "sgd", "learning_rate": 0.01}
    assert described["batch"] == 1
    assert described["network"] == {
        "hidden": [80, 80], "activation": "sigmoid", "encoding": "tesauro", "head": "outcomes",
    }  # fmt: skip


RECIPES = [
    Recipe(),
    Recipe(network=NetworkSpec((7,), "relu", "puretd"), games=5, lanes=3, plies=2, longest=9, batch=64),
    Recipe(target=sampled_bellman, optimiser=partial(optax.adam, 1e-3, b2=0.99, mu_dtype=None)),
    Recipe(target=partial(exact_bellman), start="hypergammon"),
    Recipe(target=partial(lambda_return, lam=np.float64(0.25)), start="4HPwATDgc/ABMA"),
    Recipe(target=partial(lambda_return, lam=np.float32(0.5)), optimiser=partial(optax.sgd, np.float32(0.5))),
]


@pytest.mark.parametrize("recipe", RECIPES)
def test_there_and_back(recipe):
    described = recipe.describe()
    read = Recipe.from_dict(json.loads(json.dumps(described)))
    assert read.describe() == described
    assert read.network == recipe.network
    assert read.position == recipe.position
    assert isinstance(read.optimiser(), optax.GradientTransformation)


def test_part_of_a_description():
    recipe = Recipe.from_dict({"games": 7, "network": {"hidden": [8]}, "target": "sampled_bellman"})
    assert (recipe.games, recipe.network, recipe.lanes) == (7, NetworkSpec((8,)), Recipe().lanes)
    assert recipe.target.func is sampled_bellman
    assert Recipe.from_dict({}).describe() == Recipe().describe()


def test_where_games_start():
    assert Recipe().position == Position.start()
    assert Recipe(start="nackgammon").position == Position.start("nackgammon")
    assert Recipe(start="hypergammon").position.checkers == 3
    assert Recipe(start="sGfwATDgc/ABMA").position == Position.from_id("sGfwATDgc/ABMA")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"epochs": 3}, r"Unknown recipe field 'epochs': the fields are network, target, optimiser, batch, games, "),
        ({"games": 0}, "A recipe's games is a whole number of at least 1, not 0"),
        ({"games": 1.5}, "A recipe's games is a whole number of at least 1, not 1.5"),
        ({"batch": True}, "A recipe's batch is a whole number"),
        ({"lanes": "32"}, "A recipe's lanes is a whole number of at least 1, not '32'"),
        ({"plies": -1}, "A recipe's plies is a whole number"),
        ({"longest": None}, "A recipe's longest is a whole number"),
        ({"network": [80, 80]}, "A recipe's network is a NetworkSpec"),
        ({"network": {"layers": 2}}, "Unknown network field 'layers'"),
        ({"target": "monte_carlo"}, "There is no target 'monte_carlo' to load by name: choose one of lambda_return, "),
        ({"target": {"lam": 0.5}}, "There is no target None"),
        ({"target": {"name": "lambda_return", "mu": 1}}, "target lambda_return has no parameter 'mu': it has lam"),
        ({"target": {"name": "lambda_return", "trace": 1}}, "target lambda_return has no parameter 'trace'"),
        ({"target": {"name": "halfway", "source": "0123"}}, "no target 'halfway' .* or pass the function itself"),
        ({"target": 0.7}, "A recipe's target is a function, not 0.7"),
        ({"optimiser": "os"}, "There is no optimiser 'os' .* an optax optimiser such as sgd or adam"),
        ({"optimiser": "__name__"}, "There is no optimiser"),
        ({"optimiser": {"name": "sgd"}}, "The optimiser sgd is not complete, missing .*learning_rate"),
        ({"optimiser": {"name": "sgd", "lr": 0.1}}, "The optimiser sgd has no parameter 'lr': it has learning_rate, "),
        (
            {"optimiser": {"name": "sgd", "learning_rate": {"name": "schedule", "source": "ab"}}},
            "The optimiser sgd cannot have learning_rate .* loaded by name: pass the function itself",
        ),
        ({"optimiser": optax.sgd(0.1)}, "A recipe's optimiser is a function, not GradientTransformation"),
        ({"start": "backgammon"}, "The Position ID 'backgammon' has 10 characters"),
        ({"start": 5}, "A Position ID is text"),
        ({"start": Position.of(me={}, opp={1: 1}).id}, "The game is over in the position .*: start from one that"),
        ({"start": Position.of(me={1: 1}, opp={}).id}, "The game is over in the position"),
    ],
)  # fmt: skip
def test_what_is_refused(fields, why):
    with pytest.raises(InputError, match=why) as caught:
        Recipe.from_dict(fields)
    assert "\n" not in str(caught.value)


def test_shipped_functions_go_by_name_and_others_by_their_source():
    assert describe_function(sampled_bellman) == {"name": "sampled_bellman"}
    assert describe_function(optax.adam) == {"name": "adam"}
    described = describe_function(partial(halfway, share=0.25))
    assert described["name"] == "halfway"
    assert described["share"] == 0.25
    assert len(described["source"]) == 16


def sources(*functions) -> int:
    """How many different descriptions there are."""
    return len({json.dumps(describe_function(function), sort_keys=True) for function in functions})


def test_another_idea_has_another_description():
    """In its text, in its parameters, or in a number it uses from around it."""

    def make(share):
        def target(trace, evaluator):
            return share * evaluator(trace.positions)

        return target

    def other(trace, evaluator):
        return evaluator(trace.positions)

    assert sources(make(0.5), make(0.5)) == 1
    assert sources(make(0.5), make(0.6), other) == 3
    assert sources(Blend(0.5), Blend(0.5)) == 1
    assert sources(Blend(0.5), Blend(0.6)) == 2
    assert sources(partial(halfway, share=0.1), partial(halfway, share=0.2)) == 2
    assert (
        sources(
            lambda: optax.sgd(RATE),
            lambda: optax.sgd(2 * RATE),
        )
        == 2
    )
    assert sources(jax.jit(make(0.5)), jax.jit(make(0.6))) == 2


def test_a_global_number_is_part_of_the_idea(monkeypatch):
    def optimiser():
        return optax.sgd(RATE)

    before = describe_function(optimiser)
    assert before == describe_function(optimiser)
    monkeypatch.setitem(globals(), "RATE", 0.1)
    assert before != describe_function(optimiser)


def test_schedules_are_told_apart_by_their_numbers():
    def sgd(*arguments):
        return partial(optax.sgd, optax.cosine_decay_schedule(*arguments))

    assert sources(sgd(0.1, 100), sgd(0.1, 100)) == 1
    assert sources(sgd(0.1, 100), sgd(0.1, 200), sgd(0.2, 100)) == 3
    joined = [
        partial(
            optax.sgd, optax.join_schedules([optax.constant_schedule(rate), optax.constant_schedule(0)], [5])
        )
        for rate in (0.1, 0.2)
    ]
    assert sources(*joined) == 2


SCHEDULED = """
from functools import partial
import optax
from bglab.training.recipe import describe_function
print(describe_function(partial(optax.sgd, optax.cosine_decay_schedule(0.1, 100))))
print(describe_function(partial(optax.adam, 0.1, mu_dtype="float32")))
"""


def test_a_description_is_the_same_in_every_process(root):
    """Else a run with a schedule could not be resumed: no address in memory may enter."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCHEDULED], cwd=root, check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    }
    here = describe_function(partial(optax.sgd, optax.cosine_decay_schedule(0.1, 100)))
    assert len(outputs) == 1
    assert outputs.pop().splitlines()[0] == str(here)


def test_a_fourth_target_can_be_in_a_recipe():
    recipe = Recipe(target=partial(halfway, share=jnp.float32(0.5)))
    assert recipe.describe()["target"]["name"] == "halfway"
    json.dumps(recipe.describe())


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"target": {"name": "lambda_return", "lam": "x"}}, "lam is a number from 0 to 1"),
        ({"target": {"name": "lambda_return", "lam": 7}}, "lam is a number from 0 to 1"),
        ({"target": {"name": "lambda_return", "lam": None}}, "lam is a number from 0 to 1"),
        ({"optimiser": {"name": "sgd", "learning_rate": "x"}}, "must make an optax transform"),
        ({"optimiser": {"name": "EmptyState"}}, "must make an optax transform"),
        ({"optimiser": {"name": "constant_schedule", "value": 1}}, "must make an optax transform"),
        ({"network": {"hidden": [100_000_000_000]}}, "from 1 to 65536"),
        ({"network": 5}, "in a file an object"),
        ({"lanes": 100_000_000_000}, "at most 1048576"),
    ],
)
def test_values_that_would_fail_later_are_refused_at_once(unchecked, fields, why):
    with pytest.raises(InputError, match=why):
        Recipe.from_dict(fields)


@pytest.mark.parametrize("optimiser", [lambda: 3, partial(optax.sgd), lambda x: 3])
def test_what_makes_no_optimiser(optimiser):
    with pytest.raises(InputError, match="must make an optax transform"):
        Recipe(optimiser=optimiser)


def test_a_target_of_another_arity():
    with pytest.raises(InputError, match="called with a trace and an evaluator"):
        Recipe(target=lambda trace: 0)


@pytest.mark.parametrize(
    ("recipe", "name"),
    [
        (Recipe(games=800_000), "N80-L2-sigmoid-800k-lam07"),
        (Recipe(games=1_600_000, target=partial(lambda_return, lam=1.0)), "N80-L2-sigmoid-1600k-lam10"),
        (Recipe(games=250, target=partial(lambda_return, lam=0.0)), "N80-L2-sigmoid-250-lam00"),
        (Recipe(target=partial(lambda_return, lam=0.95)), "N80-L2-sigmoid-100k-lam095"),
        (Recipe(NetworkSpec((160, 160), "relu")), "N160-L2-relu-100k-lam07"),
        (Recipe(NetworkSpec((512, 256))), "N512x256-L2-sigmoid-100k-lam07"),
        (Recipe(NetworkSpec(())), "N0-L0-sigmoid-100k-lam07"),
        (Recipe(target=exact_bellman), "N80-L2-sigmoid-100k-exact_bellman"),
        (Recipe(optimiser=partial(optax.sgd, learning_rate=0.03)), "N80-L2-sigmoid-100k-lam07-sgd0.03"),
        (Recipe(optimiser=partial(optax.adam, 1e-3), batch=64), "N80-L2-sigmoid-100k-lam07-adam0.001-batch64"),
        (Recipe(NetworkSpec(encoding="puretd"), lanes=64), "N80-L2-sigmoid-100k-lam07-lanes64-puretd"),
    ],
)  # fmt: skip
def test_the_name_spells_the_recipe_out(recipe, name):
    assert recipe.name == name
