"""What a person touches in a notebook: the board and what is built on it."""
