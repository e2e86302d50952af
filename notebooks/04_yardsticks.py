# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Yardsticks: how good is it on a scale that others share?
#
# Shipped networks and PureTD's published ones beside GNU Backgammon and Open Sage, in two ways. *Error rate*: what an
# agent gives up per decision over a fixed corpus, 2,400 decisions of 160 games of GNU Backgammon, every
# play priced by GNU Backgammon at 2 plies. *Head to head*: milli-equity per cubeless game against GNU
# Backgammon at 0 plies, every deal of dice played twice with seats exchanged. Question, sample sizes and stop
# rule: `experiments/yardsticks/README.md`.

# %%
from IPython.display import display

from bglab.lab import notebook, shares, yardstick
from bglab.lab.controls import study_control
from bglab.lab.corpora import described
from bglab.lab.results import apart
from bglab.measure.corpus import load_corpus

study = notebook.results_of("yardsticks")
study

# %% [markdown]
# ## The corpora

# %%
print(described(load_corpus("gnubg-checker")))
print(described(load_corpus("gnubg-cube")))

# %% [markdown]
# ## Both yardsticks
#
# The corpus is GNU Backgammon's own play and judgement, so it flatters that engine; head to head does not.

# %%
yardstick.yardstick(study.table)

# %%
shares.figures(study.table[study.table["metric"] == yardstick.ERROR])

# %%
shares.figures(study.table[study.table["metric"] == yardstick.EQUITY])

# %% [markdown]
# ## Single games
#
# PureTD's `dmp` networks know the chance of winning only; their measure is the share of games won. GNU Backgammon
# plays as for money here, minding gammons.

# %%
shares.figures(study.table[study.table["metric"] == "games won against gnubg:0ply"])

# %% [markdown]
# That costs it games against an opponent who plays for the win alone. The published shares are of single games, in
# which GNU Backgammon too ranks turns by its chance of winning, as at the last point of a match; so here it does.

# %%
TO_WIN = "games won against gnubg:0ply playing to win"
if TO_WIN in set(study.table["metric"]):
    display(shares.beside_published(study.table, TO_WIN, trials=10_000_000))
else:
    print(f"The preset {study.preset} has no such games.")

# %% [markdown]
# ## The cube
#
# 1,000 close decisions whether to double, and whether to take, of money games without the Jacoby rule. Networks
# without a cubeful head price the cube by Janowski's formula from the chances that they give.

# %%
shares.figures(study.table[study.table["metric"] == "error rate, double or not"])

# %%
shares.figures(study.table[study.table["metric"] == "error rate, take or not"])

# %% [markdown]
# ## Run it again

# %%
study_control("yardsticks")

# %% [markdown]
# ## The claim
#
# Asserted where the preset is `paper`: GNU Backgammon at 0 plies gives up less per decision than every network of
# document 000's recipe, and wins against each of them; and prob5 and both `dmp` networks are within three
# standard errors of what is published.

# %%
if study.preset == "paper":
    errors = study.table[study.table["metric"] == yardstick.ERROR].set_index("setting")
    equities = study.table[study.table["metric"] == yardstick.EQUITY].set_index("setting")
    ours = [name for name in errors.index if name.startswith("N")]
    assert (errors.loc[ours, "low"] > errors.loc["gnubg:0ply", "high"]).all()
    assert (equities.loc[ours, "high"] < 0).all()
    rows = study.table[study.table["metric"].isin([TO_WIN, yardstick.EQUITY])].dropna(subset="published")
    assert len(rows) == 3
    assert all(abs(apart(row)) < 3 for row in rows.itertuples())
print(study.note)
