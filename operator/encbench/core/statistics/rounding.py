"""How many digits a figure has: in a trial's result, in a block plan and in the report the same."""


def rounded(value: float) -> float:
    """Six significant digits: far below the noise, and no longer than a table has room for."""
    return float(f"{value:.6g}")


def rounded_if_known(value: float | None) -> float | None:
    """The same of a figure that may be absent."""
    return None if value is None else rounded(value)
