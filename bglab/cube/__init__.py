"""The doubling cube: cubeful equities, match equity tables and cube decisions."""
