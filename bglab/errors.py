"""The errors that are told in one sentence."""


class InputError(ValueError):
    """Bad input from a caller or a file: one sentence that names the fault and the remedy."""


class EngineError(RuntimeError):
    """An outside engine failed: one sentence that says how and what to do."""
