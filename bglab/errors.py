"""The one error type that bad input raises."""


class InputError(ValueError):
    """Bad input from a caller or a file: one sentence that names the fault and the remedy."""
