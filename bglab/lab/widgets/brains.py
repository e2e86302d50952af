"""The brains of a menu: what they are called, and how far each may look ahead."""

from __future__ import annotations

from importlib.util import find_spec

from bglab.play.agent import Agent
from bglab.play.names import DEFAULT, PLIES, load, shipped_networks
from bglab.play.peers.names import NAME
from bglab.search.expectimax import expectimax
from bglab.value.parameter import shipped_brains

MOST_PLIES = 3
ENGINES = {"gnubg": "gnubg", "sage": "bgsage"}
"""Outside engines by the name they have here, and the package each needs."""


def brains() -> list[str]:
    """What a menu offers: the shipped networks, the default first, the parameter AIs, and the engines installed."""
    networks = [DEFAULT, *(name for name in shipped_networks() if name != DEFAULT)]
    parameter = [f"parameter:{name}" for name in shipped_brains()]
    return [*networks, *parameter, *(name for name, package in ENGINES.items() if find_spec(package))]


def full_name(brain: str, plies: int) -> str:
    """What `bglab.load` knows a brain of the menu by that looks so many plies ahead; plies are bglab's own.

    A name that says by itself how far to look is kept.
    """
    if brain == "gnubg":
        return f"gnubg:{plies}ply"
    if brain == "sage":
        return f"sage:{plies + 1}ply"
    return brain if plies == 0 or looks_ahead(brain) else f"{brain}:{plies}ply"


def looks_ahead(brain: str) -> bool:
    """Whether a name says by itself how far to look ahead."""
    return bool(NAME.fullmatch(brain) or PLIES.fullmatch(brain))


class Brains:
    """Brains that were loaded, by their names."""

    def __init__(self) -> None:
        self._loaded: dict[str, Agent] = {}

    def add(self, agent: Agent) -> str:
        """Keep an agent that was made elsewhere, under its own name."""
        self._loaded[agent.name] = agent
        return agent.name

    def load(self, brain: str, plies: int) -> tuple[Agent, Agent | None]:
        """The agent that a menu's choice means, and the one with the same judgement that looks no further than its turn
        where that is another; `InputError` as `bglab.load`.
        """
        agent = self._named(full_name(brain, plies))
        if plies == 0 or looks_ahead(brain):
            return agent, None
        return agent, self._named(full_name(brain, 0))

    def _named(self, name: str) -> Agent:
        if name not in self._loaded:
            found = PLIES.fullmatch(name)
            own = None if found is None else self._loaded.get(found["name"])
            if found is not None and own is not None:
                # An agent that only this notebook knows can look ahead too.
                self._loaded[name] = Agent(name, expectimax(own.evaluator, int(found["plies"])))
            else:
                self._loaded[name] = load(name)
        return self._loaded[name]
