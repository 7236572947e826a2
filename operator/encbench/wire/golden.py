"""What the container of a golden copy says when it ends."""

from typing import Literal, TypedDict

Action = Literal["kept", "copied", "restored"]


class Outcome(TypedDict):
    """What was done, and to how much: the container's termination message."""

    action: Action
    files: int
    bytes: int
    seconds: float
