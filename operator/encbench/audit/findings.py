"""What an audit says, one plain sentence for each thing that is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from encbench.audit.agreement import REPEAT_DIGITS, Disagreement, Statement, same
from encbench.audit.checks import Check, Place, follows
from encbench.audit.figures import Figure, Span, decimals, listed, shown
from encbench.audit.shapes import condition

Kind = Literal["contradiction", "slip", "repeat", "unchecked"]

_FEW = 3
"""Significant digits from which a wrong row's figure that stands in another row is called its."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    kind: Kind
    places: tuple[Place, ...]
    """The cells that it is about, the accused one first."""
    text: str


def findings(
    checks: Sequence[Check],
    repeats: Sequence[tuple[Check, ...]],
    disagreements: Sequence[Disagreement],
    said: Sequence[Statement],
) -> list[Finding]:
    """Contradictions first, then repeats, slips and what could not be checked; each in order."""
    wrong = [c for c in checks if c.verdict == "contradiction"]
    accused = {_id(c.encrypted) for c in wrong}
    found = [_contradiction(check, repeats, said) for check in wrong]
    found += [
        _disagreement(entry, said)
        for entry in disagreements
        if not {_id(p) for p in (*entry.one.places, *entry.other.places)} & accused
    ]
    found += [
        _repeat(group)
        for group in repeats
        if not any(c.verdict == "contradiction" for c in group)
        and _digits(group[0]) >= REPEAT_DIGITS
    ]
    found += [_slip(check) for check in checks if check.verdict == "slip"]
    found += _unchecked([check for check in checks if check.verdict == "unchecked"])
    return found


def notes(checks: Sequence[Check]) -> list[str]:
    """Overheads that follow, but not from the very figures that are printed."""
    found: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        if check.verdict == "follows" and not check.as_printed:
            found.setdefault((check.source.table.name, check.claim.published), []).append(check)
    return [_note(name, column, group) for (name, column), group in found.items()]


def _note(name: str, column: str, group: Sequence[Check]) -> str:
    only = "only from what the printed figures may have been rounded from"
    if len(group) > 1:
        return f"{name}: {column} of {_lines(group)} follows {only}."
    (check,) = group
    said = f"{published(check)} follows {only}: {_sum(check)} is {result(check)}"
    return f"{_where(check)}: {said}."


def _contradiction(
    check: Check, repeats: Sequence[tuple[Check, ...]], said: Sequence[Statement]
) -> Finding:
    parts = [f"published is {published(check)}, but {_sum(check)} is {result(check)}"]
    others = [c for group in repeats if check in group for c in group if c is not check]
    places = [check.encrypted]
    if others and _digits(check) >= _FEW:
        owner = next((c for c in others if c.verdict == "follows"), others[0])
        whose = f"whose published {published(owner)} does follow from it"
        if owner.verdict != "follows":
            whose = f"whose published {published(owner)} does not follow from it either"
        parts.append(
            f"its {check.claim.encrypted} {shown_as_printed(check.encrypted)} is that of line "
            f"{owner.row.line} ({_apart(check, owner)}), {whose}"
        )
        places.append(owner.encrypted)
    elsewhere = _elsewhere(check, said)
    parts += [text for text, _ in elsewhere]
    places += [place for _, place in elsewhere]
    if not elsewhere and check.needed is not None:
        parts.append(f"{published(check)} would take {_needed(check)}")
    return Finding("contradiction", tuple(places), f"{_where(check)}: {'; '.join(parts)}.")


def _elsewhere(check: Check, said: Sequence[Statement]) -> list[tuple[str, Place]]:
    """What other tables print for the accused figure, where it is another one."""
    own = next((s for s in said if _id(check.encrypted) in map(_id, s.places)), None)
    plain = check.plain.figure if check.plain else None
    if own is None or plain is None:
        return []
    found = []
    for other in said:
        if not same(own, other) or own.agrees(other):
            continue
        for place in other.places:
            figure = place.figure
            if figure is None:
                continue
            fits = follows(check.claim, check.published, plain.span, figure.span)
            whose = "does follow" if fits else "does not follow either"
            text = (
                f"{_spot(place)} prints {place.column} {shown_as_printed(place)} for the same "
                f"condition, from which {published(check)} {whose}"
            )
            found.append((text, place))
    return found


def _disagreement(entry: Disagreement, said: Sequence[Statement]) -> Finding:
    one, other = entry.one, entry.other
    (mine, *_), theirs = one.places, other.places
    rest = [f"{place.column} {shown_as_printed(place)}" for place in theirs]
    where = f"{one.source.table.name}, line {one.row.line} ({one.source.name(one.row)})"
    spot, beyond = _spot(theirs[0]), _beyond(entry, said)
    if len(rest) == 1:
        how = f"is not the {rest[0]} of {spot}, which is the same {one.quantity}"
    elif beyond:
        either = "either of" if len(rest) == 2 else "any of"
        how = f"cannot be reconciled with {either} {listed(rest)} of {spot}"
    else:
        how = f"is neither {' nor '.join(rest)} of {spot}, under the same condition"
    text = f"{where}: {mine.column} {shown_as_printed(mine)} {how}{beyond}."
    return Finding("contradiction", (mine, *theirs), text)


def _beyond(entry: Disagreement, said: Sequence[Statement]) -> str:
    """Where the other table's figures lie beyond all that this one has for any encryption."""
    one = entry.one
    own = [
        (figure, place)
        for s in said
        if s.source is one.source and s.row is one.row and s.quantity == one.quantity
        for place in s.places
        if (figure := place.figure)
    ]
    theirs = [figure for place in entry.other.places if (figure := place.figure)]
    if len(own) < 2:
        return ""
    highest, lowest = max(own, key=_value), min(own, key=_value)
    count = "both" if len(theirs) == 2 else "all"
    if min(f.span.low for f in theirs) > highest[0].span.high:
        end, side = highest, "above"
    elif max(f.span.high for f in theirs) < lowest[0].span.low:
        end, side = lowest, "below"
    else:
        return ""
    return (
        f": {count} lie {side} even the {end[1].column} {shown_as_printed(end[1])} of the same line"
    )


def _value(entry: tuple[Figure, Place]) -> Fraction:
    return entry[0].value


def _repeat(group: tuple[Check, ...]) -> Finding:
    first = group[0]
    lines = listed(f"{c.row.line} ({_apart(first, c, both=True)})" for c in group)
    overheads = list(dict.fromkeys(published(c) for c in group))
    text = (
        f"{first.source.table.name}: {first.claim.encrypted} "
        f"{shown_as_printed(first.encrypted)} stands in lines {lines}"
    )
    plains = {c.plain.figure.text for c in group if c.plain and c.plain.figure}
    unknown = all(c.plain is None for c in group)
    alike = len({condition(c.source.shape, c.row) for c in group}) == 1
    if len(overheads) > 1 and (len(plains) == 1 or (unknown and alike)):
        text += f", where one figure cannot cost {listed(overheads)} at once"
    else:
        text += ": a measured figure of so many digits hardly comes out alike twice"
    return Finding("repeat", tuple(c.encrypted for c in group), f"{text}.")


def _slip(check: Check) -> Finding:
    reach, unit = check.reach, check.published.unit
    value = check.result or Fraction(0)
    cut = Fraction(int(value / unit)) * unit == check.published.value
    why = "the last digit was cut off, not rounded" if cut else "off by one in the last digit"
    around = ""
    digits = decimals(unit) + 2
    if reach is not None and shown(reach.low, digits - 1) != shown(reach.high, digits - 1):
        around = f" (from {shown(reach.low, digits)} to {shown(reach.high, digits)} by rounding)"
    rounded = f"{shown(value, decimals(unit))}{_sign(check)}"
    return Finding(
        "slip",
        (Place(check.source, check.row, check.claim.published),),
        f"{_where(check)}: published is {published(check)}, but {_sum(check)} is {result(check)}"
        f"{around}, which rounds to {rounded}: {why}.",
    )


def _unchecked(checks: Sequence[Check]) -> list[Finding]:
    """One for each reason, however many rows share it."""
    found: dict[tuple[str, str, str], list[Check]] = {}
    for check in checks:
        key = (check.source.table.name, check.claim.published, check.why)
        found.setdefault(key, []).append(check)
    return [
        Finding(
            "unchecked",
            tuple(Place(c.source, c.row, c.claim.published) for c in group),
            f"{name}: {column} of {_lines(group)} could not be checked, for {why}.",
        )
        for (name, column, why), group in found.items()
    ]


def _lines(checks: Sequence[Check]) -> str:
    word = "line" if len(checks) == 1 else "lines"
    return f"{word} {listed(str(check.row.line) for check in checks)}"


def shown_as_printed(place: Place) -> str:
    """The figure with thousands separators, with the decimals that it was printed with."""
    figure = place.figure
    if figure is None:
        return ""
    return shown(figure.value, decimals(figure.unit)) + ("%" if figure.percent else "")


def _id(place: Place) -> tuple[str, int, str]:
    return place.source.table.name, place.row.line, place.column


def _digits(check: Check) -> int:
    figure = check.encrypted.figure
    return figure.digits if figure else 0


def _where(check: Check) -> str:
    name = check.source.name(check.row)
    where = f"{check.source.table.name}, line {check.row.line}"
    several = len(check.source.shape.claims) > 1
    return f"{where}{f' ({name})' if name else ''}{f', {check.claim.published}' if several else ''}"


def _spot(place: Place) -> str:
    return f"{place.source.table.name}, line {place.row.line}"


def _apart(one: Check, other: Check, *, both: bool = False) -> str:
    """What tells the other row from this one."""
    names = [*other.source.shape.keys, *other.source.shape.labels]
    differing = [
        f"{n} {other.row.cells[n]}" for n in names if both or one.row.cells[n] != other.row.cells[n]
    ]
    return ", ".join(differing) or "of the same keys"


def _sign(check: Check) -> str:
    return " %" if check.percent else ""


def published(check: Check) -> str:
    """The published figure with its unit."""
    figure = check.published
    return f"{shown(figure.value, decimals(figure.unit))}{_sign(check)}"


def _sum(check: Check) -> str:
    if check.plain is None:
        return ""
    plain, encrypted = shown_as_printed(check.plain), shown_as_printed(check.encrypted)
    words = check.formula.spelled(plain, encrypted)
    if check.plain.source is check.source:
        return words
    return f"{words} ({check.plain.column} of {_spot(check.plain)})"


def result(check: Check) -> str:
    """What comes out of the printed figures; empty where nothing does.

    Two digits more than were published, and more where those would round to something else.
    """
    value = check.result
    if value is None:
        return ""
    digits = whole = decimals(check.published.unit)
    digits += 2
    while digits < whole + 6 and _round(_round(value, digits), whole) != _round(value, whole):
        digits += 1
    return f"{shown(value, digits)}{_sign(check)}"


def _round(value: Fraction, digits: int) -> Fraction:
    """Halves away from 0, as `shown` does."""
    steps = int(abs(value) * 10**digits + Fraction(1, 2))
    return Fraction(steps if value >= 0 else -steps, 10**digits)


def _needed(check: Check) -> str:
    span, figure = check.needed or Span(Fraction(0), Fraction(0)), check.encrypted.figure
    digits = decimals(figure.unit) if figure else 0
    return f"{check.claim.encrypted} from {shown(span.low, digits)} to {shown(span.high, digits)}"
