"""What is wrong with an object that a user wrote, found before anything starts.

Programs use `kind`, `subject` and `reason`. `text` is for people, and nothing compares it.
"""

from dataclasses import dataclass, replace

from encbench.api.kinds import Kind
from encbench.api.refusal import Reason

__all__ = ["Problem", "Reason"]


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with one object."""

    kind: Kind
    """The kind of the object that the user has to edit or to create."""
    reason: Reason
    text: str
    """One sentence that says what is wrong and what to write instead."""
    subject: str = ""
    """The object's name. Checks of bare specs, which have no names, leave it empty."""

    def about(self, subject: str, where: str) -> "Problem":
        """The same problem of a named object; its sentence begins with `where`."""
        return replace(self, subject=subject, text=f"{where}: {self.text}")
