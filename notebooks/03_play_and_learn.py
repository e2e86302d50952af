# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Play, and watch a network learn
#
# Two things to do with a network besides measuring it: play against it and be told what each move gave up, and
# look on while another one learns. Run the cells in JupyterLab; without a kernel a page shows the pictures that
# were stored.

# %%
import bglab
from bglab.lab import notebook
from bglab.records.matwriter import to_mat

# %% [markdown]
# ## Play
#
# You are blue. *Roll* throws the dice, which depend on the seed that is shown and on nothing else; play them on
# the board and click them to finish. The judge grades every turn in millipoints: what it gave up against the
# best one. Name another judge or opponent if you like: `judge="gnubg:2ply"` is a strict one.

# %%
play = bglab.Play(length=3, seed=7)
play

# %% [markdown]
# What the buttons do, Python can do too. Here somebody opens the match, makes the first legal turn of a roll, and
# hears about it.

# %%
play.roll()
play.wait()
turn = bglab.legal_turns(play.board.position, play.board.dice)[0]
play.move(turn)
play.wait()
play.summary

# %% [markdown]
# The log is a `.mat` text that other programs read. `play.save("match.mat")` keeps it, and
# `bglab.Play.resume("match.mat")` goes on with it, in the middle of a game too.

# %%
print(to_mat(play.match))

# %% [markdown]
# ## Watch a network learn
#
# A training run in the background: its loss, its speed, and how many points a game it wins against an opponent
# that knows nothing. *Stop* keeps what was learned, *Resume* goes on; the network that comes out is the same, bit
# for bit, as without looking on.

# %%
recipe = bglab.Recipe(bglab.NetworkSpec((40,)), games=notebook.size(10_000, 300))
monitor = bglab.TrainingMonitor(
    recipe, seed=1, opponent="first", every=notebook.size(10, 100), games=notebook.size(400, 20)
)
monitor.wait()
monitor

# %% [markdown]
# `monitor.agent` plays, now or while it still learns.

# %%
start = bglab.Position.start()
notebook.plays(monitor.agent, start, (3, 1), best=4)

# %% [markdown]
# And `bglab.Play(opponent=monitor.agent)` lets you meet it.
