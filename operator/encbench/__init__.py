"""encbench: what does turning database encryption on cost?"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from encbench.results import Results

__version__ = "0.2.0"


def load(source: Any, *, endpoint: str | None = None) -> "Results":
    """A campaign's results as data frames; see `encbench.results`."""
    # pandas and the report's models are not for those who only ask for the version.
    from encbench import results  # noqa: PLC0415

    return results.load(source, endpoint=endpoint)
