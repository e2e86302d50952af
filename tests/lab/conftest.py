"""A browser, and JupyterLab, for the tests of each file that ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests import browser
from tests.jupyterlab import Lab, jupyterlab


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser.chromium() as started:
        yield started


@pytest.fixture(scope="module")
def lab(chromium, tmp_path_factory) -> Iterator[Lab]:
    # After the browser: where there is none, the test skips before a server starts.
    with jupyterlab(tmp_path_factory.mktemp("lab")) as started:
        yield started
