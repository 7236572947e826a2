"""What is wrong with an object that a user wrote, found before anything starts.

Programs use `kind`, `subject` and `reason`. `text` is for people; no code compares it.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from encbench.api.kinds import Kind


class Reason(StrEnum):
    """Why an object cannot be used; also the reason of the condition that says so."""

    NOT_FOUND = "NotFound"
    """The object, or its entry that another object names, does not exist."""
    MALFORMED = "Malformed"
    """It does not fit the models of this version."""
    REJECTED = "Rejected"
    """`kubectl apply` would reject it."""
    ENTRY_MISSING = "EntryMissing"
    """A Secret or ConfigMap lacks an entry."""
    ENTRY_INVALID = "EntryInvalid"
    VERSION_UNSUPPORTED = "VersionUnsupported"
    MODE_UNSUPPORTED = "ModeUnsupported"
    """The engine or the tool lacks what the mode asks for."""
    MODE_UNPROVABLE = "ModeUnprovable"
    """The server could use it, but no proof could show that."""
    EXTERNAL_UNSUPPORTED = "ExternalUnsupported"
    """It needs a server that the operator runs."""
    SETTING_RESERVED = "SettingReserved"
    """A server's setting or a tool's option that the operator sets itself."""
    SETTING_UNKNOWN = "SettingUnknown"
    SETTING_INVALID = "SettingInvalid"
    MEMORY_TOO_SMALL = "MemoryTooSmall"
    SCRIPT_INVALID = "ScriptInvalid"
    DRIVER_UNSUPPORTED = "DriverUnsupported"
    COLUMN_UNKNOWN = "ColumnUnknown"
    BASELINE_ENCRYPTED = "BaselineEncrypted"
    RESET_REQUIRED = "ResetRequired"
    NOT_INSTALLED = "NotInstalled"
    """The chart's values do not install it."""
    TOO_MANY_CONDITIONS = "TooManyConditions"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with one object."""

    kind: Kind
    """The kind of the object that the user has to edit or create."""
    reason: Reason
    text: str
    """One sentence that says what to write instead."""
    subject: str = ""
    """The object's name. A check of bare specs, which have no names, leaves it empty."""

    def about(self, subject: str, where: str) -> "Problem":
        """The same problem of the object of that name; the sentence begins with `where`."""
        return replace(self, subject=subject, text=f"{where}: {self.text}")
