"""From the bucket's records to the report's figures; all of it pure except `bucket`."""
