"""Widgets whose saved output is a picture: a notebook opened without a kernel shows it, not "model not found".

Jupyter stores with a cell's output only the name of a widget, whose state is gone with the kernel. So a widget gives
two outputs: its static forms, and the live view. While the view lives, a style hides the picture; where the view cannot
be made, it hides the complaint. Pages that know no widgets, such as code hosts, show the picture alone.
"""

from __future__ import annotations

from typing import Any

WIDGET = "application/vnd.jupyter.widget-view+json"
LIVE, SAVED = "bglab-live", "bglab-saved"

_CHILD = ".jp-OutputArea-child"
_SAVED = f"{_CHILD}:has(.{SAVED})"
_PANEL = ".lm-Panel.jp-OutputArea-output"
# A widget's output is a panel, which holds nothing but words until there is a view, or for ever if there will be none.
STYLE = (
    f"<style>{_SAVED}:has(+ {_CHILD} .{LIVE}),{_SAVED}+{_CHILD}:has(>{_PANEL}):not(:has({_PANEL}>*))"
    "{display:none}</style>"
)


class Saved:
    """Put before a widget's class. The widget calls `refresh_saved` when what `static` returns has changed."""

    model_id: str
    comm: Any
    _shown = False

    def static(self) -> dict[str, str]:
        """The widget without scripts: "text/plain" and "text/html" at least."""
        raise NotImplementedError

    def refresh_saved(self) -> None:
        """Replace the picture in the outputs of the notebook by the present one."""
        if self._shown:
            from IPython.display import display

            display(self._static(), raw=True, display_id=self._display_id, update=True)

    @property
    def _display_id(self) -> str:
        return f"bglab-{self.model_id}"

    def _static(self) -> dict[str, str]:
        forms = self.static()
        return forms | {"text/html": f'{STYLE}<div class="{SAVED}">{forms["text/html"]}</div>'}

    def _view(self) -> dict[str, Any]:
        return {WIDGET: {"version_major": 2, "version_minor": 1, "model_id": self.model_id}}

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Both in one output, for whoever asks for that."""
        return self._static() | self._view()

    def _ipython_display_(self) -> None:
        from IPython.display import display

        self.add_class(LIVE)  # type: ignore[attr-defined]
        display(self._static(), raw=True, display_id=self._display_id)
        display(self._view(), raw=True)
        self._shown = True
