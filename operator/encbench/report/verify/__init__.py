"""Whether a campaign's objects are those that its report was made from, and give that report."""
