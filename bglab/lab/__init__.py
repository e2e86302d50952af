"""Studies, results, plots, the board and the command line."""
