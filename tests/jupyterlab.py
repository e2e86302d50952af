"""JupyterLab for tests: a server of its own in an empty folder, and a notebook driven in a browser."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat

import bglab

ROOT = Path(bglab.__file__).resolve().parent.parent
PATIENCE = 180  # seconds for anything that starts a process, on a busy machine
WAIT = 60_000  # milliseconds for anything on the page


class Lab:
    """A running server: `folder` holds its notebooks."""

    def __init__(self, folder: Path, port: int, token: str) -> None:
        self.folder, self.port, self.token = folder, port, token

    def url(self, path: str) -> str:
        """The address of a page or of the server's interface."""
        return f"http://localhost:{self.port}/{path}?token={self.token}"

    def write(self, name: str, cells: Sequence[str]) -> Path:
        """A notebook of these cells. Without its kernel's name JupyterLab would ask for it in a dialog."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={
                "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
                "language_info": {"name": "python"},
            },
        )
        path = self.folder / name
        nbformat.write(notebook, path)
        return path

    def end_kernels(self) -> None:
        """End every kernel and forget its session."""
        for session in json.load(urllib.request.urlopen(self.url("api/sessions"))):
            address = self.url(f"api/sessions/{session['id']}")
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()


@contextmanager
def jupyterlab(folder: Path) -> Iterator[Lab]:
    """A server whose settings and data are all in `folder`, and whose kernels import this bglab."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    lab = Lab(folder / "notebooks", port, secrets.token_hex(16))
    lab.folder.mkdir()
    own = {
        name: str(folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")
    }
    environment = {
        **os.environ,
        **own,
        "JUPYTER_CONFIG_PATH": str(ROOT / "bglab" / "lab" / "jupyter"),  # no question about news
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"]
    command += [
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={lab.token}",
        f"--ServerApp.root_dir={lab.folder}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
        "--LabApp.expose_app_in_browser=True",
    ]
    with open(folder / "server.log", "wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait(lab, server, folder / "server.log")
            yield lab
        finally:
            server.terminate()  # its kernels end themselves when it is gone
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.kill()  # it may wait for a kernel that was ended while it started
                server.wait()


def _wait(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            urllib.request.urlopen(lab.url("api/status"), timeout=10).close()
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"JupyterLab does not start:\n{log.read_text()}") from None
            time.sleep(0.2)


class Notebook:
    """A notebook open in JupyterLab in a browser's page. `console` collects the errors that the browser logs."""

    def __init__(self, page: Any, lab: Lab, name: str) -> None:
        self.page, self.console = page, []
        page.set_default_timeout(WAIT)
        page.on("console", lambda words: self.console.append(words.text) if words.type == "error" else None)
        page.on("pageerror", lambda error: self.console.append(error.stack or str(error)))
        workspace = secrets.token_hex(4)  # of its own, so that nothing opened before opens with it
        page.goto(lab.url(f"lab/workspaces/{workspace}/tree/{name}"))
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()

    def run(self) -> None:
        """Run every cell, and wait for the last one."""
        self.page.evaluate(
            """async () => {
                await jupyterapp.shell.currentWidget.context.sessionContext.ready;
                await jupyterapp.commands.execute("notebook:run-all-cells");
            }"""
        )

    def python(self, code: str) -> str:
        """What the notebook's kernel prints when it runs the code."""
        return self.page.evaluate(
            """async (code) => {
                const kernel = jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
                let printed = "";
                const future = kernel.requestExecute({ code, store_history: false });
                future.onIOPub = ({ content }) => { printed += content.text ?? content.traceback?.join("\\n") ?? ""; };
                await future.done;
                return printed.trim();
            }""",
            code,
        )

    def save(self) -> None:
        """Save, as with Ctrl+S."""
        self.page.evaluate("jupyterapp.commands.execute('docmanager:save')")
