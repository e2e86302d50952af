# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Start here
#
# bglab is a workbench for backgammon research: the rules, networks that teach themselves the game, and
# instruments to measure how well they play. Everything on this page runs on an ordinary computer in a
# minute or two. Run the cells from top to bottom (*Run → Run All Cells*), then change something and run
# them again.

# %%
import jax.numpy as jnp

import bglab
from bglab.lab import notebook, plots
from bglab.training.targets import lambda_return

# %% [markdown]
# ## A position
#
# Blue is on roll and moves towards the bottom right corner, from point 24 down to point 1 and off the
# board. A position is a value: it can be written by hand (`Position.of`), read from the Position ID of GNU
# Backgammon or from an XGID, compared, and flipped to the other side.

# %%
position = bglab.Position.start()
position

# %% [markdown]
# ## Its legal turns
#
# `legal_turns` lists every complete turn with the position it leads to. A roll of 3-1 can be played in 16
# ways from the start; here are three of them.

# %%
dice = (3, 1)
turns = bglab.legal_turns(position, dice)
print(len(turns), "turns:", ", ".join(turn.play for turn in turns))

# %%
notebook.boards([bglab.find_turn(position, dice, play) for play in ("8/5 6/5", "24/23 13/10", "24/20")], dice)

# %% [markdown]
# ## What a network thinks of them
#
# `bglab.load()` is a network that comes with bglab. It learned by playing 800,000 games against itself and
# was told nothing but the rules ([the λ study](01_lambda.ipynb) trains it). For each turn it estimates how
# the game will end, in six outcomes, and their mean in points is the *equity*. The network plays the turn
# of largest equity; *loss* is what another turn gives up.

# %%
agent = bglab.load()
notebook.plays(agent, position, dice)

# %% [markdown]
# `agent.rank(position, dice)` gives the same as a table to go on with. Try another position, for example
# `bglab.Position.from_id("sGfwATDgc/ABMA")`, or another roll.
#
# ## Train one yourself
#
# A recipe says everything about a training run except its seed: the shape of the network, what it is
# trained towards, the optimiser, how many games. This is the recipe of the network above, cut short to a
# size that can be watched; for another shape, write `bglab.Recipe(bglab.NetworkSpec((40,)), games=10_000)`.
# The loss is the distance, in nats, between what the network expected of each position and what then came
# of it.

# %%
recipe = bglab.Recipe(games=notebook.size(10_000, 300))
run = bglab.train(recipe, seed=1)
plots.curve(run.curve)

# %% [markdown]
# Did it learn anything? Let it play against the network it was before training, and against the one that
# comes with bglab. Every deal of dice is played twice with seats exchanged, so that luck cancels out as far
# as it can.

# %%
mine = bglab.Agent("mine", run.network)
games = notebook.size(2_000, 200)
bglab.duel(mine, notebook.untrained(run), games)

# %%
bglab.duel(mine, agent, games)

# %% [markdown]
# ## A new idea is one function
#
# What a network learns is decided by its *targets*: for every position of the games it played, how much of
# each outcome to expect there. A target is a function of those games and of the network itself, and any
# function will do. Suppose you care about winning only, as at the last point of a match, where gammons
# count for nothing:


# %%
def winning_is_all(trace, evaluator):
    """The usual λ-return, with gammons and backgammons counted as single games."""
    outcomes = lambda_return(trace, evaluator, lam=0.7)
    win, lose = outcomes[:, :3].sum(axis=1), outcomes[:, 3:].sum(axis=1)
    nothing = jnp.zeros_like(win)
    return jnp.stack([win, nothing, nothing, lose, nothing, nothing], axis=1)


idea = bglab.Recipe(games=notebook.size(5_000, 300), target=winning_is_all)
winner = bglab.Agent("winning is all", bglab.train(idea, seed=1).network)
notebook.evaluations(position, mine, winner)

# %% [markdown]
# Both started from the same weights, and the second has forgotten that gammons exist. Whether that wins
# more games is a question for a duel of more games than these.
#
# ## Where to go from here
#
# - [01_lambda](01_lambda.ipynb): the first study. How much does λ matter, and do the published numbers
#   hold?
# - `bglab --help` in a terminal: training, duels, studies and benchmarks without a notebook.
# - `docs/architecture.md`: how a position flows through the folders of this project.
