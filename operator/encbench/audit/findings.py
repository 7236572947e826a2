"""What an audit finds, one plain sentence for each error."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from encbench.audit import wording
from encbench.audit.agreement import REPEAT_DIGITS, Disagreement, Statement, same
from encbench.audit.checks import OverheadCheck, PrintedCell, follows
from encbench.audit.figures import decimals, shown
from encbench.audit.shapes import condition
from encbench.text.words import listed

Kind = Literal[
    "impossible", "contradiction", "twice", "law", "repeat", "slip", "coarse", "unchecked"
]

_FEW = 3
"""Significant digits from which a wrong figure equal to another row's counts as copied from it."""


@dataclass(frozen=True)
class AuditFinding:
    """One error."""

    kind: Kind
    places: tuple[PrintedCell, ...]
    """The cells concerned, the wrong one first."""
    text: str


def findings(
    checks: Sequence[OverheadCheck],
    repeats: Sequence[tuple[OverheadCheck, ...]],
    disagreements: Sequence[Disagreement],
    said: Sequence[Statement],
) -> list[AuditFinding]:
    """Contradictions first, then repeats, slips, coarse and unchecked overheads, each in order."""
    wrong = [c for c in checks if c.verdict == "contradiction"]
    accused = {_id(c.encrypted) for c in wrong}
    found = [_contradiction(check, repeats, said) for check in wrong]
    found += [
        _disagreement(entry, said)
        for entry in disagreements
        if not {_id(place) for said in entry for place in said.places} & accused
    ]
    found += [
        _repeat(group)
        for group in repeats
        if not any(c.verdict == "contradiction" for c in group)
        and _digits(group[0]) >= REPEAT_DIGITS
    ]
    found += [_slip(check) for check in checks if check.verdict == "slip"]
    found += [_coarse(check) for check in checks if check.verdict == "coarse"]
    found += _unchecked([check for check in checks if check.verdict == "unchecked"])
    return found


def notes(checks: Sequence[OverheadCheck]) -> list[str]:
    """Overheads that follow, but not from the printed figures themselves."""
    found: dict[tuple[str, str], list[OverheadCheck]] = {}
    for check in checks:
        if check.verdict == "follows" and not check.as_printed:
            found.setdefault((check.source.table.name, check.claim.published), []).append(check)
    return [_note(name, column, group) for (name, column), group in found.items()]


def _note(name: str, column: str, group: Sequence[OverheadCheck]) -> str:
    only = "only from what the printed figures may have been rounded from"
    if len(group) > 1:
        return f"{name}: {column} of {wording.lines(group)} follows {only}."
    (check,) = group
    computed = f"{wording.computation(check)} is {wording.result(check)}"
    return f"{wording.where(check)}: {wording.published(check)} follows {only}: {computed}."


def _contradiction(
    check: OverheadCheck, repeats: Sequence[tuple[OverheadCheck, ...]], said: Sequence[Statement]
) -> AuditFinding:
    computed = f"{wording.computation(check)} is {wording.result(check)}"
    parts = [f"published is {wording.published(check)}, but {computed}"]
    others = [c for group in repeats if check in group for c in group if c is not check]
    places = [check.encrypted]
    if others and _digits(check) >= _FEW:
        owner = next((c for c in others if c.verdict == "follows"), others[0])
        does, either = ("does", "") if owner.verdict == "follows" else ("does not", " either")
        parts.append(
            f"its {check.claim.encrypted} {wording.printed(check.encrypted)} is that of line "
            f"{owner.row.line} ({wording.apart(check, owner)}), whose published "
            f"{wording.published(owner)} {does} follow from it{either}"
        )
        places.append(owner.encrypted)
    elsewhere = _elsewhere(check, said)
    parts += [text for text, _ in elsewhere]
    places += [place for _, place in elsewhere]
    if not elsewhere and check.needed is not None:
        parts.append(f"{wording.published(check)} would take {wording.needed(check)}")
    text = f"{wording.where(check)}: {'; '.join(parts)}."
    return AuditFinding("contradiction", tuple(places), text)


def _elsewhere(check: OverheadCheck, said: Sequence[Statement]) -> list[tuple[str, PrintedCell]]:
    """What other tables print for the same quantity, where it differs from the wrong figure."""
    own = next((s for s in said if _id(check.encrypted) in map(_id, s.places)), None)
    plain = check.plain.figure if check.plain else None
    if own is None or plain is None:
        return []
    found = []
    for other in said:
        if not same(own, other) or own.agrees(other):
            continue
        for place, figure in other.figures:
            fits = follows(check.claim, check.published, plain, figure)
            whose = "does follow" if fits else "does not follow either"
            text = (
                f"{wording.spot(place)} prints {place.column} {wording.printed(place)} for the "
                f"same condition, from which {wording.published(check)} {whose}"
            )
            found.append((text, place))
    return found


def _disagreement(entry: Disagreement, said: Sequence[Statement]) -> AuditFinding:
    one, other = entry
    (mine, *_), theirs = one.places, other.places
    rest = [f"{place.column} {wording.printed(place)}" for place in theirs]
    where = f"{one.source.table.name}, line {one.row.line} ({one.source.name(one.row)})"
    spot, beyond = wording.spot(theirs[0]), _beyond(entry, said)
    if len(rest) == 1:
        how = f"is not the {rest[0]} of {spot}, which is the same {one.quantity}"
    elif beyond:
        either = "either of" if len(rest) == 2 else "any of"
        how = f"cannot be reconciled with {either} {listed(rest)} of {spot}"
    else:
        how = f"is neither {' nor '.join(rest)} of {spot}, under the same condition"
    text = f"{where}: {mine.column} {wording.printed(mine)} {how}{beyond}."
    return AuditFinding("contradiction", (mine, *theirs), text)


def _beyond(entry: Disagreement, said: Sequence[Statement]) -> str:
    """A clause where the other table's figures lie outside this table's range."""
    one, other = entry
    own = [
        found
        for s in said
        if s.source is one.source and s.row is one.row and s.quantity == one.quantity
        for found in s.figures
    ]
    theirs = [figure for _, figure in other.figures]
    if len(own) < 2:
        return ""
    highest, lowest = (end(own, key=lambda found: found[1].value) for end in (max, min))
    count = "both" if len(theirs) == 2 else "all"
    if min(f.span.low for f in theirs) > highest[1].span.high:
        end, side = highest, "above"
    elif max(f.span.high for f in theirs) < lowest[1].span.low:
        end, side = lowest, "below"
    else:
        return ""
    cell = f"{end[0].column} {wording.printed(end[0])}"
    return f": {count} lie {side} even the {cell} of the same line"


def _repeat(group: tuple[OverheadCheck, ...]) -> AuditFinding:
    first = group[0]
    lines = listed(f"{c.row.line} ({wording.apart(first, c, both=True)})" for c in group)
    overheads = list(dict.fromkeys(wording.published(c) for c in group))
    text = (
        f"{first.source.table.name}: {first.claim.encrypted} "
        f"{wording.printed(first.encrypted)} stands in lines {lines}"
    )
    plains = {c.plain.figure.text for c in group if c.plain and c.plain.figure}
    unknown = all(c.plain is None for c in group)
    alike = len({condition(c.source.shape, c.row) for c in group}) == 1
    if len(overheads) > 1 and (len(plains) == 1 or (unknown and alike)):
        text += f", where one figure cannot cost {listed(overheads)} at once"
    else:
        text += ": measured figures of so many digits are hardly ever equal"
    return AuditFinding("repeat", tuple(c.encrypted for c in group), f"{text}.")


def _slip(check: OverheadCheck) -> AuditFinding:
    reach, published = check.reach, check.published
    unit = published.precision if published else Fraction(1)
    value = check.result or Fraction(0)
    cut = published is not None and Fraction(int(value / unit)) * unit == published.value
    why = "the last digit was cut off, not rounded" if cut else "off by one in the last digit"
    around = ""
    digits = decimals(unit) + 2
    if reach is not None and shown(reach.low, digits - 1) != shown(reach.high, digits - 1):
        around = f" (from {shown(reach.low, digits)} to {shown(reach.high, digits)} by rounding)"
    rounded = f"{shown(value, decimals(unit))}{wording.sign(check)}"
    return AuditFinding(
        "slip",
        (PrintedCell(check.source, check.row, check.claim.published),),
        f"{wording.where(check)}: published is {wording.published(check)}, but "
        f"{wording.computation(check)} is {wording.result(check)}{around}, "
        f"which rounds to {rounded}: {why}.",
    )


def _coarse(check: OverheadCheck) -> AuditFinding:
    return AuditFinding(
        "coarse",
        (PrintedCell(check.source, check.row, check.claim.published), *check.coarse),
        f"{wording.where(check)}: published is {wording.published(check)}, but "
        f"{wording.computation(check)} is {wording.result(check)}; it follows only if "
        f"{_only_if(check)}.",
    )


def _only_if(check: OverheadCheck) -> str:
    """How its figures would have to be rounded, those first whose own columns have more digits."""
    found: dict[str, list[str]] = {
        "fewer digits were printed than elsewhere in the column of": [],
        "all figures were rounded in the column of": [],
    }
    fewer, whole = found.values()
    for place in check.coarse:
        text = f"{place.column} {wording.printed(place)} (good to {wording.half(place)})"
        (whole if place.figure and place.figure.rounded else fewer).append(text)
    return ", and ".join(f"{why} {listed(texts)}" for why, texts in found.items() if texts)


def _unchecked(checks: Sequence[OverheadCheck]) -> list[AuditFinding]:
    """One finding for each reason, however many rows share it."""
    found: dict[tuple[str, str, str], list[OverheadCheck]] = {}
    for check in checks:
        key = (check.source.table.name, check.claim.published, check.why)
        found.setdefault(key, []).append(check)
    return [
        AuditFinding(
            "unchecked",
            tuple(PrintedCell(c.source, c.row, c.claim.published) for c in group),
            f"{name}: {column} of {wording.lines(group)} could not be checked, because {why}.",
        )
        for (name, column, why), group in found.items()
    ]


def _id(place: PrintedCell) -> tuple[str, int, str]:
    return place.source.table.name, place.row.line, place.column


def _digits(check: OverheadCheck) -> int:
    figure = check.encrypted.figure
    return figure.digits if figure else 0
