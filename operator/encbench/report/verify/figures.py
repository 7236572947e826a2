"""Where two versions of one report.json differ.

Two versions of encbench may say the same in other words, and one may have fields that the other
lacks. So between these only what both have is compared: numbers, verdicts, names and digests, which
are all texts without a space. Numbers agree to five digits: report.json rounds to six, and another
machine's mathematics library may round the last one the other way.
"""

import contextlib
import math
from collections.abc import Iterator
from typing import Any

CLOSE = 1e-5
_LONGEST = 80
"""Characters of a value that is shown."""
_OF_VERSION = ("index", "caveats", "provenance")
"""Fields of report.json in which a version may say more than another. The index's digest, which is
taken again from what was read, is checked where the index is."""


def differences(written: Any, made: Any, *, same_version: bool) -> Iterator[str]:
    """Each as `groups[0].rows[1].tps is 700, and the records give 512.3`."""
    if same_version:
        yield from _differences("", written, made, exact=True)
    else:
        yield from _differences("", _steady(written), _steady(made), exact=False)


def _steady(report: Any) -> Any:
    """The report less what depends on the version; studies' cells by their columns."""
    if not isinstance(report, dict):
        return report
    kept = {name: value for name, value in report.items() if name not in _OF_VERSION}
    # One that no version writes is compared as it is.
    with contextlib.suppress(TypeError, KeyError, IndexError):
        kept["studies"] = {
            table["name"]: {
                column["name"]: [row[n] for row in table["rows"]]
                for n, column in enumerate(table["columns"])
            }
            for table in report.get("studies", ())
        }
    return kept


def _differences(place: str, written: Any, made: Any, *, exact: bool) -> Iterator[str]:
    if isinstance(written, dict) and isinstance(made, dict):
        for name in {**made, **written}:
            inside = f"{place}.{name}" if place else name
            if name in written and name in made:
                yield from _differences(inside, written[name], made[name], exact=exact)
            elif exact:
                there = "is missing" if name in made else "is not what the records give"
                yield f"{inside} {there}"
    elif isinstance(written, list) and isinstance(made, list):
        if len(written) != len(made):
            yield f"{place} has {len(written)} entries, and the records give {len(made)}"
        for number, (one, other) in enumerate(zip(written, made, strict=False)):
            yield from _differences(f"{place}[{number}]", one, other, exact=exact)
    elif not _alike(written, made, exact=exact):
        values = [" ".join(str(one).split()) for one in (written, made)]
        if max(map(len, values)) > _LONGEST:
            yield f"{place or 'it'} is not the text that the records give"
        else:
            yield f"{place or 'it'} is {values[0]}, and the records give {values[1]}"


def _alike(written: Any, made: Any, *, exact: bool) -> bool:
    if isinstance(written, bool) or isinstance(made, bool):
        return written is made
    if isinstance(written, int | float) and isinstance(made, int | float):
        return math.isclose(written, made, rel_tol=CLOSE, abs_tol=1e-9)
    if isinstance(written, str) and isinstance(made, str) and not exact:
        return written == made or " " in written or " " in made
    return bool(written == made)
