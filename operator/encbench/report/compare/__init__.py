"""Two reports beside each other."""
