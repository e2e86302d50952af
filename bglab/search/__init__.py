"""Searches and rollouts, each of which maps an evaluator to an evaluator."""
