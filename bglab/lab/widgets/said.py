"""What a widget says in words, for a screen reader too."""

from __future__ import annotations

import html


def said(words: str, role: str = "status") -> str:
    """Words for a screen reader too."""
    return f'<span role="{role}">{html.escape(words)}</span>' if words else ""
