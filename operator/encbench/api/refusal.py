"""Why a campaign is not accepted: the reasons of `Accepted=False`, one for each kind of problem."""

from enum import StrEnum


class Reason(StrEnum):
    """Why an object cannot be used."""

    NOT_FOUND = "NotFound"
    MALFORMED = "Malformed"
    REJECTED = "Rejected"
    NOT_MARKED = "NotMarked"
    NOT_ALLOWED = "NotAllowed"
    ENTRY_MISSING = "EntryMissing"
    ENTRY_INVALID = "EntryInvalid"
    VERSION_UNSUPPORTED = "VersionUnsupported"
    MODE_UNSUPPORTED = "ModeUnsupported"
    MODE_UNPROVABLE = "ModeUnprovable"
    EXTERNAL_UNSUPPORTED = "ExternalUnsupported"
    SETTING_RESERVED = "SettingReserved"
    SETTING_UNKNOWN = "SettingUnknown"
    SETTING_INVALID = "SettingInvalid"
    MEMORY_TOO_SMALL = "MemoryTooSmall"
    SCRIPT_INVALID = "ScriptInvalid"
    DRIVER_UNSUPPORTED = "DriverUnsupported"
    COLUMN_UNKNOWN = "ColumnUnknown"
    BASELINE_ENCRYPTED = "BaselineEncrypted"
    RESET_REQUIRED = "ResetRequired"
    RESET_ADVISED = "ResetAdvised"
    ROWS_GONE = "RowsGone"
    UNLIKE_TPCC = "UnlikeTpcc"
    STORAGE_TOO_SMALL = "StorageTooSmall"
    DEADLINE_TOO_SHORT = "DeadlineTooShort"
    NOT_INSTALLED = "NotInstalled"
    NOT_INTERLEAVED = "NotInterleaved"
    TOO_MANY_TRIALS = "TooManyTrials"
    NAMESPACE_FULL = "NamespaceFull"
    NOT_EXTENDABLE = "NotExtendable"
    NOT_SIDE_BY_SIDE = "NotSideBySide"
    NAMES_ALIKE = "NamesAlike"
    NAME_TAKEN = "NameTaken"
    MEASURED_TWICE = "MeasuredTwice"
    FITS_NO_NODE = "FitsNoNode"
    OUT_OF_RANGE = "OutOfRange"
    DISKS_STAY = "DisksStay"


MAY_ARRIVE = frozenset({Reason.NOT_FOUND, Reason.NOT_MARKED, Reason.ENTRY_MISSING})
"""Those that pass by themselves where other controllers write a part, such as a Secret."""

MEANINGS = {
    Reason.NOT_FOUND: "An object that the campaign names does not exist.",
    Reason.MALFORMED: "An object does not fit this version's schema.",
    Reason.REJECTED: "`kubectl apply` would reject an object (`plan` alone says so).",
    Reason.NOT_MARKED: "The owner of a Secret or a claim has not marked it for this use.",
    Reason.NOT_ALLOWED: "The administrator's lists do not allow an image, host, node or class.",
    Reason.ENTRY_MISSING: "A Secret or ConfigMap lacks an entry.",
    Reason.ENTRY_INVALID: "An entry of a Secret cannot be used.",
    Reason.VERSION_UNSUPPORTED: "encbench does not measure this version of the engine.",
    Reason.MODE_UNSUPPORTED: "The engine or the tool lacks what the mode asks for.",
    Reason.MODE_UNPROVABLE: "The mode could be turned on, but no proof could show that it is.",
    Reason.EXTERNAL_UNSUPPORTED: "This needs a server that the operator runs.",
    Reason.SETTING_RESERVED: "The operator sets this setting or option itself.",
    Reason.SETTING_UNKNOWN: "encbench does not know this setting (a note of `plan` alone).",
    Reason.SETTING_INVALID: "A setting's name or value cannot be used.",
    Reason.MEMORY_TOO_SMALL: "The memory of server, client or proxy does not hold the workload.",
    Reason.SCRIPT_INVALID: "A sysbench script cannot be used.",
    Reason.DRIVER_UNSUPPORTED: "The tool or the mode does not go with this JDBC driver.",
    Reason.COLUMN_UNKNOWN: "A mode names a column that the workload's tables lack.",
    Reason.BASELINE_ENCRYPTED: "The template's StorageClass is the one that a mode encrypts with.",
    Reason.RESET_REQUIRED: "The workload needs `spec.reset`.",
    Reason.RESET_ADVISED: "Arms may drift apart without `spec.reset` (a note of `plan` alone).",
    Reason.ROWS_GONE: "Statements may find their rows deleted (a note of `plan` alone).",
    Reason.UNLIKE_TPCC: "The load differs from what TPC-C specifies (a note of `plan` alone).",
    Reason.STORAGE_TOO_SMALL: "The volume does not hold the data (a note of `plan` alone).",
    Reason.DEADLINE_TOO_SHORT: "A step takes longer than its deadline (a note of `plan` alone).",
    Reason.NOT_INSTALLED: "The chart's values leave out what the mode needs.",
    Reason.NOT_INTERLEAVED: "The arms of a block cannot take turns.",
    Reason.TOO_MANY_TRIALS: "The matrix and `blocks` ask for more trials or rounds than are "
    "allowed, or `precision` for more plans.",
    Reason.NAMESPACE_FULL: "It waits until other campaigns of its namespace leave room for its "
    "trials.",
    Reason.NOT_EXTENDABLE: "The campaign to extend is not complete, or has another plan.",
    Reason.NOT_SIDE_BY_SIDE: "No plan with `parallelism` cells on nodes of their own is possible.",
    Reason.NAMES_ALIKE: "Two arms, or two campaigns, would have one testbed.",
    Reason.NAME_TAKEN: "An object without an owner has the name of one that the campaign makes.",
    Reason.MEASURED_TWICE: "An instance and a workload meet in two entries with different modes.",
    Reason.FITS_NO_NODE: "No node of the cluster could hold a pod (a note of `plan` alone).",
    Reason.OUT_OF_RANGE: "A LimitRange would refuse a pod (a note of `plan` alone).",
    Reason.DISKS_STAY: "A StorageClass keeps the testbeds' disks (a note of `plan` alone).",
}
