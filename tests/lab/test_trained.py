"""Networks of studies: shipped ones are taken, others trained once and found again."""

from __future__ import annotations

import dataclasses

import pytest

from bglab import InputError
from bglab.lab import trained
from bglab.lab.study import find_study, parts_of, studies
from bglab.play.names import load
from bglab.training.recipe import Recipe


def test_shipped_by_recipe_and_seed(tmp_path):
    recipe = Recipe(games=800_000)
    assert trained.shipped(recipe, 1).stem == recipe.name
    assert trained.shipped(recipe, 2) is None
    assert trained.shipped(dataclasses.replace(recipe, games=900_000), 1) is None
    told = []
    trained.train_or_resume(recipe, 1, tmp_path, told.append)
    assert told == [800_000]
    assert not list(tmp_path.iterdir())
    found = trained.trained(recipe, 1, tmp_path, "mine")
    assert found.agent.name == found.name == "mine"
    assert found.curve is None
    assert found.agent.evaluator.layers[0].bias.tolist() == load().evaluator.layers[0].bias.tolist()


def test_trained_once(tmp_path, monkeypatch):
    recipe = Recipe(games=60)
    trained.train_or_resume(recipe, 3, tmp_path)
    assert [path.name for path in (tmp_path / "networks").iterdir()] == ["N80-L2-sigmoid-60-lam07-seed3"]
    found = trained.trained(recipe, 3, tmp_path)
    assert found.origin["seed"] == 3
    assert found.origin["seconds"] > 0
    assert found.curve["games"].max() == 60
    monkeypatch.setattr(trained, "train", None)
    trained.train_or_resume(recipe, 3, tmp_path)
    (trained.folder_of(tmp_path, recipe, 3) / trained.ORIGIN).write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"lam07-seed3 is damaged .*: remove it, to train anew"):
        trained.trained(recipe, 3, tmp_path)


@pytest.mark.parametrize("name", studies())
def test_every_study_says_beforehand_what_it_will_do(name):
    study = find_study(name)
    text = (trained.Path(study.__file__).parent / "README.md").read_text()
    for words in ("**Question.**", "**Metric.**", "stop rule", "**Published.**", "**Run.**"):
        assert words in text
    assert list(study.PRESETS) == ["quick", "laptop", "paper"]
    for preset in study.PRESETS:
        parts = parts_of(study, preset)
        assert len({study.part_name(*part) for part in parts}) == len(parts)
        assert all(study.size(preset, *part) > 0 for part in parts)
