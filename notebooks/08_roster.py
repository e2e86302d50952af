# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Hand-made features, evolution, and a network
#
# Before networks, document 000 judged positions by a weighted sum of 22 features (`docs/parameter-ai.md`):
# first with guessed weights, Origin, then with weights found by evolution. Here they meet a network again.
# And what gammons are worth: how often they occur, and how often they change the turn. Question, metric and
# stop rule: `experiments/roster/README.md`.

# %%
import pandas as pd

from bglab.lab import notebook, shares
from bglab.lab.controls import study_control
from bglab.lab.heatmap import heatmap_of
from bglab.value.parameter import load_brain, shipped_brains, weights_of

study = notebook.results_of("roster")
study

# %%
heatmap_of(study.table)

# %%
shares.shares(study.table, ["matches won in all"], "Share of all matches in this field")

# %% [markdown]
# The published shares are of another field, nine parameter AIs and one network, so they are comparable in
# kind only. One by one the published network won 83.2 to 84.5 % against its evolved AIs. Why Origin may win more
# here than published is discussed in the study's README.

# %%
shares.beside_published(study.table, "matches won in all", trials=90_000)

# %% [markdown]
# ## What the brains weigh

# %%
pd.DataFrame({name: weights_of(load_brain(name)) for name in shipped_brains()})

# %% [markdown]
# ## Gammons
#
# Document 000 counted in 3,000 games, of another network of this kind: 69.0 % single games, 29.9 % gammons,
# 1.1 % backgammons, 1.32 points a game; and in 16.9 % of the moves the chance of winning alone would have
# picked another turn. It does not say which moves were counted: of those with a choice it is the same here.

# %%
shares.figures(study.table[study.table["setting"] == "self-play"])

# %% [markdown]
# ## Run it again

# %%
study_control("roster")

# %% [markdown]
# ## The claim
#
# Asserted where the preset is `paper`: the network wins more than four matches of five against every
# parameter AI.

# %%
if study.preset == "paper":
    won = study.table[study.table["metric"] == "matches won v N80-L2-sigmoid-800k-lam07"]
    assert (won["high"] < 0.2).all()
print(study.note)
