# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # What is a ply worth?
#
# The same network in both seats, one of them looking one ply ahead; then one ply against two, over single
# decisions; and what a decision costs. Document 000 (sections 2.7, 7.3 and 8) has all three. Plies are
# counted as GNU Backgammon counts them, one less than the document's depth. Question, metric and stop rule:
# `experiments/depth/README.md`.

# %%
from bglab.lab import notebook, shares
from bglab.lab.controls import study_control

study = notebook.results_of("depth")
study

# %% [markdown]
# ## Matches, and what a decision costs

# %%
shares.plies(study.table)

# %% [markdown]
# The published factor per ply, 401, is of whole moves in matches on one thread.

# %% [markdown]
# ## Over decisions of GNU Backgammon
#
# What each depth gives up over the corpus `gnubg-checker`, judged by GNU Backgammon at 2 plies. The published
# corpus was of the same make, from other games.

# %%
shares.depth_errors(study.table)

# %% [markdown]
# ## In numbers
#
# *As 2-ply values it*: over the network's own games and judged by its own 2-ply search, which favours 2-ply; the
# published gain was judged by GNU Backgammon, as in the rows below.

# %%
shares.figures(study.table)

# %% [markdown]
# ## Run it again

# %%
study_control("depth")

# %% [markdown]
# ## The claim
#
# Asserted where the preset is `paper`: looking one ply ahead wins more than half of the matches, beyond
# doubt from sampling.

# %%
if study.preset == "paper":
    assert study.figure("1-ply v 0-ply", "matches won").low > 0.5
print("1-ply against 0-ply:", study.figure("1-ply v 0-ply", "matches won"))
