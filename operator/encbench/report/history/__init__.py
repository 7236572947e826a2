"""One overhead over many campaigns, and where its level changed."""
