# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How far apart are two networks of one recipe?
#
# A comparison of recipes rests on one training of each. Document 000 (section 7.4) estimates that two
# trainings of the same recipe differ by about a point of match share, so that beyond a few thousand matches
# the seed limits what can be told apart. Here the same recipe is trained from several seeds, and the spread
# is measured. Question, metric and stop rule: `experiments/seeds/README.md`.

# %%
from bglab.lab import notebook, shares
from bglab.lab.controls import study_control
from bglab.lab.heatmap import heatmap_of

study = notebook.results_of("seeds")
study

# %%
heatmap_of(study.table)

# %%
shares.shares(study.table, ["matches won in all"], "One recipe, several seeds: share of all matches")

# %% [markdown]
# ## The spread
#
# The standard deviation of what one of two networks wins against the other, beyond the luck of the dice.
# Few networks make a wide interval; if it reaches down to zero, the dice alone would explain what is seen.
#
# With 1.6 points, two networks of one recipe differ by more than the luck of 10,000 matches (a standard
# error of half a point). What one training of each of two recipes shows is known to ± 3 points, however many
# matches are played.

# %%
shares.figures(study.table, ["standard deviation of their share"])

# %% [markdown]
# ## Run it again

# %%
study_control("seeds")

# %% [markdown]
# ## The claim
#
# Asserted where the preset is `paper`: the spread between two seeds is below three points of match share.

# %%
spread = study.figure("two seeds", "standard deviation of their share")
if study.preset == "paper":
    assert spread.value < 0.03
print("between two seeds:", spread)
