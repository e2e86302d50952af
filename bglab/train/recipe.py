"""Everything that makes one training run different from another, except its seed."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import optax

from bglab.errors import InputError
from bglab.rules.position import Position
from bglab.train.targets import Target, exact_bellman, lambda_return, sampled_bellman
from bglab.value.network import NetworkSpec, spec_from_dict

TARGETS: Mapping[str, Target] = {
    "lambda_return": lambda_return,
    "sampled_bellman": sampled_bellman,
    "exact_bellman": exact_bellman,
}
VARIANTS = ("standard", "nackgammon", "hypergammon")


@dataclass(frozen=True)
class Recipe:
    """A training run. The same recipe and seed give the same network, bit for bit on the same machine.

    network: shape of the network. target: what positions are trained towards, a function `(trace, evaluator) ->
    float32[n, 6]`, its parameters bound by `functools.partial`. optimiser: a function without arguments that makes an optax
    transform, usually a partial such as `partial(optax.sgd, 0.01)`; schedules are optax's. batch: positions per update.
    games: finished games to train on. lanes: games played side by side. plies: plies of each lane per
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
            raise InputError(f"A recipe's network is a NetworkSpec, not {self.network!r}.")
        _ = self.position

    @property
    def position(self) -> Position:
        """Where every game starts."""
        return Position.start(self.start) if self.start in VARIANTS else Position.from_id(self.start)

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
            values["target"] = _find_function(values["target"], "target", TARGETS)
        if isinstance(values.get("optimiser"), Mapping | str):
            values["optimiser"] = _find_function(values["optimiser"], "optimiser", vars(optax))
        return cls(**values)


def _find_function(
    described: Mapping[str, Any] | str, what: str, known: Mapping[str, Any]
) -> Callable[..., Any]:
    """The function of a description `{"name": …, parameter: value, …}` with its parameters bound."""
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
    wrong = [parameter for parameter in parameters if parameter not in accepted]
    if wrong:
        raise InputError(f"The {what} {name} has no parameter {wrong[0]!r}: it has {', '.join(accepted)}.")
    return partial(function, **parameters)


def describe_function(function: Callable[..., Any]) -> dict[str, Any]:
    """A function and its bound parameters as JSON-able fields.

    A shipped target or an optax function is told by its name; anything else by its name and a digest of its
    source, so that a changed idea is not mistaken for the one a checkpoint belongs to.
    """
    parameters: dict[str, Any] = {}
    while isinstance(function, partial):
        bound = inspect.signature(function.func).bind_partial(*function.args, **function.keywords).arguments
        parameters = {
            k: v if isinstance(v, bool | int | float | str) else repr(v) for k, v in bound.items()
        } | parameters
        function = function.func
    name = getattr(function, "__name__", type(function).__name__)
    if TARGETS.get(name) is function or getattr(optax, name, None) is function:
        return {"name": name, **parameters}
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = repr(function)
    return {"name": name, **parameters, "source": hashlib.sha256(source.encode()).hexdigest()[:16]}
