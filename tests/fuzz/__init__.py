"""Fuzzers: whatever a parser is given, it gives a result or its one documented error, in time.

`make check` runs each for a moment, `make fuzz` for FUZZ_SECONDS. `inputs` damages recorded
documents. What a fuzzer has once found is an example beside it.
"""
