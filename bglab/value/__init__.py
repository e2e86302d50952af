"""What a position is worth: outcomes, encodings, networks, tables and the evaluators built from them."""
