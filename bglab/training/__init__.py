"""Recipes, targets, self-play and the one training loop that reads a recipe."""
