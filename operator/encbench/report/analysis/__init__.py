"""From the bucket's records to the report's figures; all of it pure except `bucket`.

20 files, because each answers one question that a reader of a report asks.
"""
