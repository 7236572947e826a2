"""For all unit tests."""

import gc


def pytest_collection_finish() -> None:
    """Spare the collector what all modules have made: it would look at it again and again."""
    gc.collect()
    gc.freeze()
