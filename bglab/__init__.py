"""A backgammon research workbench on JAX."""

from __future__ import annotations

from bglab.errors import InputError

__all__ = ["InputError", "__version__"]
__version__ = "0.1.0"
