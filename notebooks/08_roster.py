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
# kind only.

# %%
shares.beside_published(study.table, "matches won in all", trials=90_000)

# %% [markdown]
# ## What the brains weigh

# %%
import pandas as pd

pd.DataFrame({name: weights_of(load_brain(name)) for name in shipped_brains()})

# %% [markdown]
# ## Gammons

# %%
shares.figures(study.table[study.table["setting"] == "self-play"])

# %% [markdown]
# ## Run it again

# %%
study_control("roster")

# %% [markdown]
# ## The claim
#
# Asserted where the preset is `paper`: the network beats every parameter AI by more than three matches to
# two.

# %%
if study.preset == "paper":
    won = study.table[study.table["metric"] == "matches won v N80-L2-sigmoid-800k-lam07"]
    assert (won["high"] < 0.4).all()
print(study.note)
