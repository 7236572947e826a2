"""From the bucket's records to the report's figures; pure but for `bucket`."""
