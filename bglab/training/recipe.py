"""Everything that makes one training run different from another, except its seed."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import numbers
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np
import optax

from bglab.errors import InputError
from bglab.rules.position import Position, Variant
from bglab.training.targets import Target, exact_bellman, lambda_return, sampled_bellman
from bglab.value.network import NetworkSpec, spec_from_dict

TARGETS: Mapping[str, Target] = {
    "lambda_return": lambda_return,
    "sampled_bellman": sampled_bellman,
    "exact_bellman": exact_bellman,
}
MOST_LANES = 1 << 20
PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class Recipe:
    """A training run. The same recipe and seed give the same network, bit for bit on the same machine.

    network: shape of the network. target: what positions are trained towards, a function `(trace, evaluator) ->
    float32[n, 6]`, its parameters bound by `functools.partial`. optimiser: a function without arguments that makes an
    optax transform, usually a partial such as `partial(optax.sgd, 0.01)`; schedules are optax's. batch: positions per
    update. games: finished games to train on. lanes: games played side by side. plies: plies of each lane per
    round, during which the weights are frozen; a round ends about lanes · plies / 52 games. start: a variant or a
    Position ID. longest: games of more plies than this are counted and left out.
    """

    network: NetworkSpec = field(default_factory=NetworkSpec)
    target: Target = partial(lambda_return, lam=0.7)
    optimiser: Callable[[], optax.GradientTransformation] = partial(optax.sgd, learning_rate=0.01)
    batch: int = 1
    games: int = 100_000
    lanes: int = 256
    plies: int = 52
    start: str = "standard"
    longest: int = 1024

    def __post_init__(self) -> None:
        for name in ("batch", "games", "lanes", "plies", "longest"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise InputError(f"A recipe's {name} is a whole number of at least 1, not {value!r}.")
        for name in ("target", "optimiser"):
            if not callable(getattr(self, name)):
                raise InputError(f"A recipe's {name} is a function, not {getattr(self, name)!r}.")
        if not isinstance(self.network, NetworkSpec):
            raise InputError(
                f'A recipe\'s network is a NetworkSpec (in a file an object such as {{"hidden": [80, 80]}}), '
                f"not {self.network!r}."
            )
        if self.lanes > MOST_LANES or self.batch > MOST_LANES:
            raise InputError(f"A recipe's lanes and batch are at most {MOST_LANES}: choose smaller ones.")
        _check_target(self.target)
        _check_optimiser(self.optimiser)
        if self.position.result is not None:
            raise InputError(f"The game is over in the position {self.start!r}: start from one that goes on.")

    @property
    def position(self) -> Position:
        """Where every game starts."""
        for variant in get_args(Variant):
            if self.start == variant:
                return Position.start(variant)
        return Position.from_id(self.start)

    @property
    def name(self) -> str:
        """The recipe spelled out, as document 000 does (section 5.12): N80-L2-sigmoid-800k-lam07.

        Units and number of hidden layers, activation, games, λ, or the target if it has none; the optimiser follows
        where it is not plain gradient descent at 0.01, and then whatever else is not the reference recipe's.
        """
        hidden = self.network.hidden
        units = str(hidden[0]) if len(set(hidden)) == 1 else "x".join(map(str, hidden)) or "0"
        games = f"{self.games // 1000}k" if self.games % 1000 == 0 else str(self.games)
        target, optimiser = describe_function(self.target), describe_function(self.optimiser)
        lam = target.get("lam")
        rule = (
            f"lam{f'{lam:.1f}' if round(lam, 1) == lam else f'{lam:g}'}"
            if lam is not None
            else target["name"]
        )
        parts = [f"N{units}", f"L{len(hidden)}", self.network.activation, games, rule.replace(".", "")]
        if optimiser != describe_function(Recipe.optimiser):
            parts.append(
                optimiser.pop("name") + "-".join(f"{v:g}" for v in optimiser.values() if isinstance(v, float))
            )
        for name in ("batch", "lanes", "plies", "start"):
            if getattr(self, name) != getattr(Recipe, name):
                parts.append(f"{name}{getattr(self, name)}")
        for name in ("encoding", "head"):
            if getattr(self.network, name) != getattr(NetworkSpec, name):
                parts.append(getattr(self.network, name))
        return "-".join(parts)

    def describe(self) -> dict[str, Any]:
        """The recipe as JSON-able fields; `from_dict` reads them back if its functions are known by name."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        fields["network"] = dataclasses.asdict(self.network) | {"hidden": list(self.network.hidden)}
        fields["target"] = describe_function(self.target)
        fields["optimiser"] = describe_function(self.optimiser)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Recipe:
        """The recipe written in a file; an unknown field or function is refused by name."""
        known = [f.name for f in dataclasses.fields(cls)]
        unknown = [name for name in fields if name not in known]
        if unknown:
            raise InputError(f"Unknown recipe field {unknown[0]!r}: the fields are {', '.join(known)}.")
        values = dict(fields)
        if isinstance(values.get("network"), Mapping):
            values["network"] = spec_from_dict(values["network"])
        if isinstance(values.get("target"), Mapping | str):
            values["target"] = _find_function(values["target"], "target", TARGETS, 2)
        if isinstance(values.get("optimiser"), Mapping | str):
            values["optimiser"] = _find_function(values["optimiser"], "optimiser", vars(optax), 0)
        return cls(**values)


def _check_target(target: Target) -> None:
    """Refuse before the run what cannot be called with a trace and an evaluator, and a λ that is no number."""
    try:
        bound = inspect.signature(target).bind(None, None)
    except TypeError as error:
        raise InputError(
            f"A recipe's target is called with a trace and an evaluator, which it does not take ({error}): "
            "bind its other parameters with functools.partial."
        ) from None
    except ValueError:  # a callable without a signature is found out when it is called
        return
    bound.apply_defaults()
    lam = bound.arguments.get("lam", 0.0)
    if isinstance(lam, bool) or not isinstance(lam, numbers.Real) or not 0 <= float(lam) <= 1:
        raise InputError(f"A target's lam is a number from 0 to 1, not {lam!r}.")


def _check_optimiser(optimiser: Callable[[], optax.GradientTransformation]) -> None:
    """Refuse before the run what makes no optax transform, or one that cannot take a step."""
    try:
        transform = optimiser()
        one = jax.ShapeDtypeStruct((1,), jnp.float32)
        with jax.numpy_dtype_promotion("standard"):
            jax.eval_shape(lambda x: transform.update(x, transform.init(x), x), one)
    except Exception as error:  # whatever a user's function or optax raises
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"A recipe's optimiser must make an optax transform when called without arguments, such as "
            f"partial(optax.sgd, 0.01), but it fails ({reason})."
        ) from None


def _find_function(
    described: Mapping[str, Any] | str, what: str, known: Mapping[str, Any], arguments: int
) -> Callable[..., Any]:
    """The function of a description `{"name": …, parameter: value, …}`, ready for so many more arguments."""
    parameters = {"name": described} if isinstance(described, str) else dict(described)
    name = parameters.pop("name", None)
    function = known.get(name) if isinstance(name, str) and not name.startswith("_") else None
    if not callable(function):
        choices = (
            f"one of {', '.join(known)}" if known is TARGETS else "an optax optimiser such as sgd or adam"
        )
        raise InputError(
            f"There is no {what} {name!r} to load by name: choose {choices}, or pass the function itself."
        )
    accepted = inspect.signature(function).parameters
    wrong = [parameter for parameter in parameters if parameter not in list(accepted)[arguments:]]
    if wrong:
        raise InputError(
            f"The {what} {name} has no parameter {wrong[0]!r}: it has {', '.join(list(accepted)[arguments:])}."
        )
    for parameter, value in parameters.items():
        if not isinstance(value, PLAIN):
            raise InputError(
                f"The {what} {name} cannot have {parameter} {value!r} loaded by name: pass the function itself."
            )
    bound = partial(function, **parameters)
    try:
        inspect.signature(bound).bind(*[None] * arguments)
    except TypeError as error:
        raise InputError(f"The {what} {name} is not complete, {error}: give it with the name.") from None
    return bound


def describe_function(function: Callable[..., Any]) -> dict[str, Any]:
    """A function and its bound parameters as JSON-able fields.

    A shipped target or an optax function is told by its name; anything else by its name and a digest of its
    source and of the numbers and words it uses from around it, so that a changed idea is not mistaken for the one a
    checkpoint belongs to.
    """
    parameters: dict[str, Any] = {}
    while isinstance(function, partial):
        bound = inspect.signature(function.func).bind_partial(*function.args, **function.keywords).arguments
        parameters = {k: _described(v) for k, v in bound.items()} | parameters
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    if TARGETS.get(name) is function or getattr(optax, name, None) is function:
        return {"name": name, **parameters}
    return {"name": name, **parameters, "source": hashlib.sha256(_source(function).encode()).hexdigest()[:16]}


def _described(value: Any) -> Any:
    """A value as JSON-able fields that are the same in every process."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, list | tuple):
        return [_described(each) for each in value]
    return describe_function(value) if callable(value) else re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _source(function: Callable[..., Any]) -> str:
    """The text of a function, followed by the values it uses from around it where there are any."""
    function = inspect.unwrap(function)
    written = function if inspect.isroutine(function) or inspect.isclass(function) else type(function)
    try:
        text = inspect.getsource(written)
    except (OSError, TypeError):
        text = re.sub(r" at 0x[0-9a-f]+", "", repr(function))
    try:
        around = inspect.getclosurevars(function)
        used = {k: v for k, v in around.globals.items() if isinstance(v, PLAIN)} | dict(around.nonlocals)
    except (TypeError, ValueError):
        used = dict(getattr(function, "__dict__", {}))
    values = {k: _described(v) for k, v in sorted(used.items()) if v is not function}
    # Optax turns some of its whole numbers into floats while they are used.
    return text + "".join(f"{k} = {float(v) if isinstance(v, int) else v}\n" for k, v in values.items())
