"""The engine's side of the pipe: run as a script, it answers requests until its input ends.

Usage: `python -P serve.py SIDE`, where SIDE is a file that defines FUNCTIONS, a dict of functions by name. A request is
a pickled (name, arguments), an answer a pickled (worked, value). Nothing of bglab is imported here, so that an engine's
process starts quickly and holds no JAX.
"""

from __future__ import annotations

import os
import pickle
import runpy
import sys


def main() -> None:
    # What an engine prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    functions = None
    while True:
        try:
            name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            functions = functions or runpy.run_path(sys.argv[1])["FUNCTIONS"]
            answer = (True, functions[name](*arguments))
        except Exception as error:
            answer = (False, f"{type(error).__name__}: {error}")
        try:
            pickle.dump(answer, answers, protocol=pickle.HIGHEST_PROTOCOL)
            answers.flush()
        except BrokenPipeError:  # nobody is there any more who asked
            os._exit(0)


if __name__ == "__main__":
    main()
