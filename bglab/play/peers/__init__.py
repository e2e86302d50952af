"""Other people's engines as players and judges: GNU Backgammon and Open Sage, each in a process of its own.

See docs/engines.md for what the engines' Python packages can do, how plies are called, and their faults.
"""
