"""Encrypted columns: which ones, what an encrypted value looks like, how to prove them."""
