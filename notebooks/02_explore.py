# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Explore positions
#
# A board to touch, and beside it what any brain thinks of the position: networks, parameter AIs, GNU
# Backgammon and Open Sage. Run the cells in JupyterLab to use them; a page without a kernel shows the
# pictures that were stored.

# %%
import bglab

# %% [markdown]
# ## A board
#
# Click a point to move with the left die, right-click for the other one, or drag a checker; a click on the
# dice finishes the turn. `board.turn` is then what you played. *Edit* puts checkers, dice, cube and score
# where you want them, *Copy* gives an identifier for other programs.

# %%
board = bglab.Board("XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:0:0:10", show="8/4 6/4")
board

# %% [markdown]
# Python sees what the page does, and the other way round.

# %%
board.on_move(lambda turn: print(turn.play, "leads to", turn.after.id))
board.position.id, board.dice

# %% [markdown]
# ## Every brain's opinion
#
# The explorer shows for each brain what the position is worth before the roll, all turns with their
# equity and six outcomes, and what the best turn of each of the 21 rolls is worth. Point at a turn to see
# it on the board, click it to keep its arrows, click a roll to throw it. Where brains disagree, the other
# one's choice is marked with ≠.
#
# Paste a Position ID, a GNU ID or an XGID into the box below the board. Any name that `bglab.load` knows
# can be typed into the menu, also the path of a network of your own.

# %%
opening = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"
explorer = bglab.Explorer(opening, ["N80-L2-sigmoid-1600k-lam07", "parameter:origin"]).wait()
explorer

# %% [markdown]
# `wait` returns when everything is known; without it the page fills while Python goes on. What the brains
# think is at hand as tables.

# %%
network = explorer.panels[0].opinion
network.turns[["play", "equity", "loss", "win", "win gammon"]].head()

# %% [markdown]
# ## Looking ahead
#
# With more plies the answer comes in steps: first at a glance, then the best turns one after another. The
# page stays usable meanwhile, and a new question replaces the old one. Here the same network looks a ply
# ahead beside itself.

# %%
race = bglab.Position.of(me={6: 4, 5: 3, 4: 3, 8: 2}, opp={6: 5, 5: 4, 4: 3, 2: 1})
ahead = bglab.Explorer(race, ["N80-L2-sigmoid-1600k-lam07"])
ahead.roll((4, 1))
ahead.compare(plies=1)
ahead.wait()

# %% [markdown]
# ## The cube
#
# Before the roll the explorer tells whether to double and to take: by equity in a money game, and in a
# match by the chance of winning it (MWC), here with the side on roll 4 points away and the other side 2.

# %%
at_the_score = bglab.parse("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:3:5:0:7:10")
cube = bglab.Explorer(at_the_score).wait()
cube

# %%
print(cube.panels[0].opinion.cube)
