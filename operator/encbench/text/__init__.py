"""How words are laid out for a reader; small and pure."""
