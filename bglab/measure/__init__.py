"""Statistics, error rates against a reference, and corpora."""
