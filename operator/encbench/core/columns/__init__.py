"""Encrypted columns: which they are, what an encrypted value looks like, how they are proven."""
