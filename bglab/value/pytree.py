"""How an evaluator becomes an argument of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from jax.tree_util import GetAttrKey, register_pytree_with_keys

C = TypeVar("C", bound=type)


def pytree(*static: str) -> Callable[[C], C]:
    """Register a frozen dataclass as a pytree; the fields named, which must be hashable, become part of its type.

    Not `jax.tree_util.register_dataclass`: structures it makes of different classes with as many fields compare equal
    (JAX 0.10), and then one evaluator is now and then run by the program compiled for another.
    """

    def register(cls: C) -> C:
        names = [field.name for field in fields(cls)]
        for name in static:
            if name not in names:
                raise TypeError(f"{cls.__name__} has no field {name!r}: name one of {', '.join(names)}.")
        data = tuple(name for name in names if name not in static)

        def flatten(each: Any) -> tuple[tuple, tuple]:
            return tuple((GetAttrKey(name), getattr(each, name)) for name in data), tuple(
                getattr(each, name) for name in static
            )

        def unflatten(meta: tuple, leaves: Any) -> Any:
            each: Any = object.__new__(cls)  # checks of __init__ would meet the placeholders that JAX puts in
            for name, value in (*zip(static, meta, strict=True), *zip(data, leaves, strict=True)):
                object.__setattr__(each, name, value)
            return each

        register_pytree_with_keys(cls, flatten, unflatten)
        return cls

    return register
