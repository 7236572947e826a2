"""The life of each kind in one table: its conditions with their reasons, and its phases.

Decisions set these conditions and the phase is derived from them. Conditions are independent facts;
a phase is for people alone, and nothing acts on one. `docs/lifecycle.md` is generated from here by
`python -m encbench.api.lifecycle_page`.
"""

from dataclasses import replace

from encbench.api.kinds import CAMPAIGN, OVERHEAD_REPORT, TESTBED, TRIAL
from encbench.api.life import ConditionType, Holds, Lifecycle, Phase
from encbench.api.refusal import MEANINGS

ACCEPTED, SUSPENDED, REPORTED, COMPLETE = "Accepted", "Suspended", "Reported", "Complete"
CLEARED = "Cleared"
PROVISIONED, LOADED, COPIED, PROVEN = "Provisioned", "Loaded", "Copied", "Proven"
PREPARED, PROVEN_BEFORE, RELEASED = "Prepared", "ProvenBefore", "Released"
ALONE = "Alone"
RECOVERED, MEASURED, PROVEN_AFTER = "Recovered", "Measured", "ProvenAfter"
COLLECTED, ARCHIVED = "Collected", "Archived"
CONSISTENT, READY, FAILED = "Consistent", "Ready", "Failed"
UNDERSTOOD, HINDERED, STALLED = "Understood", "Hindered", "Stalled"
"""Names of conditions."""

IDLE, STARTING = "Idle", "Starting"
"""Reasons of a testbed's `Ready`: stopped until a trial needs it; on the way up for one."""
PROVING, CHECKING, UNCHECKED = "Proving", "Checking", "NotChecked"
"""Reasons of what is Unknown: under way; not to be had."""
EARLY = "Early"
"""The same of a trial whose clients start while the one before it is measured."""
IN_FORCE, NOT_IN_FORCE = "ModeInForce", "ModeNotInForce"
INCONSISTENT, CHECK_FAILED, CHECK_TIMEOUT = "Inconsistent", "CheckFailed", "CheckTimeout"
OOM, DISRUPTED, TOOL_FAILED = "OOMKilled", "Disrupted", "ToolFailed"
READING = "Reading"
"""Of `Archived` while much is read that a trial left behind."""
STOPPED = "Stopped"
"""Reason of `Measured` where a trial was over before its clients were."""
RECOVERY_FAILED, BLOCK_BROKEN = "RecoveryFailed", "BlockBroken"
SETTINGS_REFUSED = "SettingsRefused"
NOT_MARKED, ENTRY_INVALID, NOT_INSTALLED = "NotMarked", "EntryInvalid", "NotInstalled"
NOT_READY, IN_USE = "PodNotReady", "DatabaseInUse"
NO_LOGIN, LOAD_DISRUPTED, LOAD_TIMEOUT = "NoLogin", "LoadDisrupted", "LoadTimeout"
NODE_IN_USE = "NodeInUse"
UNLIKE_NODES, OTHER_LIMITS = "UnlikeNodes", "OtherLimits"
UNSCHEDULABLE = "Unschedulable"
POD_ENDED, NOT_STARTED, IMAGE_PULLING = "PodEnded", "NotStarted", "ImagePulling"
PROGRESSING, REFUSED, MALFORMED = "Progressing", "Refused", "Malformed"
NODE_LOST, NO_POD, NO_ANSWER, NOT_STORED = "NodeLost", "NoPod", "NoAnswer", "NotStored"
NOT_CREATED, REPORT_REFUSED, RECORD_LOST = "NotCreated", "ReportRefused", "RecordLost"
FAULT = "Fault"
HELD = "Held"
"""Of a deleted Testbed or Trial that does not go."""


POD_REASONS = {
    UNSCHEDULABLE: "A pod fits no node.",
    "ImagePullFailed": "An image cannot be pulled.",
    IMAGE_PULLING: "A container has not begun for a minute, as where a node still pulls its image.",
    "ContainerFailed": "A container ended with an error or could not be created.",
    OOM: "A container exceeded its memory.",
    NODE_LOST: "A pod's node does not answer.",
    POD_ENDED: "A pod's node has rejected it, or ended it, as by an eviction.",
    NOT_STARTED: "A pod waits for its volumes or its network on its node.",
}
"""Meaning by reason of whatever keeps a pod from running."""
_SETTINGS = {SETTINGS_REFUSED: "The server refuses settings of the template."}
_MISSING = {
    NOT_MARKED: "A Secret or a claim is gone, or its owner has not marked it for this use.",
    ENTRY_INVALID: "A Secret's entry with a key is gone, or is no key.",
    NOT_INSTALLED: "The chart's values leave out what the mode needs.",
}
_NODE = {NODE_IN_USE: "Another campaign or cell works on its node; the message names it."}
_LOGIN = {NO_LOGIN: "The Secret of an external database is gone or incomplete."}
_PROVEN = {IN_FORCE: "Everything that was looked at agrees with the mode."}
_NOT_PROVEN = {NOT_IN_FORCE: "Something that was looked at disagrees with the mode."}
_PROVING = {PROVING: "The proof is being made."}
_CHECKS = {
    INCONSISTENT: "A query found rows that contradict each other, or that a load left rows, a key "
    "or an index out.",
    CHECK_FAILED: "A query could not be run.",
    CHECK_TIMEOUT: "The queries did not end within `stepDeadlines.proof`.",
}
_CHECKED = {"Consistent": "No query found a contradiction."}
_CHECKING = {CHECKING: "The queries run."}

_FAILURES = {
    "ProvisionTimeout": "The database did not start within `stepDeadlines.provision`.",
    NOT_READY: "The database was not ready for longer than `stepDeadlines.provision`.",
    "WrongVersion": "The image holds another version than the template says.",
    "TooFewConnections": "The server allows fewer connections than the load needs.",
    **_LOGIN,
    "LoadFailed": "The load Job failed.",
    LOAD_DISRUPTED: "The load's or the database's pod was deleted or evicted during the load, or "
    "its node restarted.",
    LOAD_TIMEOUT: "Loading did not end within `stepDeadlines.load`.",
    "CopyFailed": "The golden copy left no account of itself.",
    "ResetTimeout": "A start of the database did not end within `stepDeadlines.reset`.",
    "ProofTimeout": "The mode could not be proven within `stepDeadlines.proof`.",
    "ArchiveTimeout": "The store did not take the proof within `stepDeadlines.archive`.",
    **POD_REASONS,
    **_SETTINGS,
    **_MISSING,
    **_CHECKS,
}

_UNDERSTOOD = ConditionType(
    UNDERSTOOD,
    "This version of the operator understands the object.",
    true={"Understood": "It does again."},
    false={
        MALFORMED: "The object, or one that belongs to it, is of another version, or no campaign "
        "has planned it."
    },
    note="once it was not",
)

HINDRANCE = ConditionType(
    HINDERED,
    "Something keeps it from going on; the message names it.",
    true={
        **POD_REASONS,
        NO_POD: "A pod could not be made, such as for a quota or a Pod Security Standard.",
        NOT_CREATED: "The API server or an admission webhook refuses an object, or its name is "
        "taken.",
        NOT_READY: "The database's pod is not ready.",
        LOAD_TIMEOUT: "A load that took too long is being stopped.",
        NO_ANSWER: "The agent, its server, a recorder, or the store for the proof does not answer.",
        NOT_STORED: "The object store or Prometheus is away; nothing is lost.",
        FAULT: "A fault of the operator's own, which its log describes; it keeps trying.",
        IN_USE: "Another campaign uses the same external database, or an earlier load has not "
        "ended.",
        **_NODE,
        **_LOGIN,
        **_SETTINGS,
        **_MISSING,
    },
    false={"Unhindered": "It goes on again."},
    note="once something did",
)
"""As every kind has it; a campaign has reasons of its own as well."""

_STALLED = {
    FAILED: "As the condition `Failed` says.",
    REFUSED: "The condition `Accepted` says what to correct.",
}

CAMPAIGN_LIFE = Lifecycle(
    CAMPAIGN,
    (
        ConditionType(
            ACCEPTED,
            "The plan is frozen.",
            true={"Planned": "The campaign and everything that it names fit together."},
            false={reason.value: meaning for reason, meaning in MEANINGS.items()},
        ),
        ConditionType(
            SUSPENDED,
            "No new trial is started.",
            true={"Suspended": "`spec.suspend` is true."},
            false={"Resumed": "`spec.suspend` is false again."},
        ),
        ConditionType(
            REPORTED,
            "The report is in the bucket.",
            true={"Rendered": "It is there."},
            false={
                "Rendering": "It is being rendered, or the message says why it cannot be.",
                "RenderingAgain": "The operator ended during the first attempt.",
            },
        ),
        ConditionType(
            COMPLETE,
            "The campaign is over and every planned block is valid.",
            true={"AllBlocksMeasured": "Nothing is missing."},
        ),
        ConditionType(
            FAILED,
            "The campaign is over and something is missing.",
            true={
                "DeadlineExceeded": "Blocks were missing, or it was still refused, when "
                "`activeDeadlineSeconds` had passed.",
                "TestbedFailed": "A testbed failed, so its cell was given up.",
                "TooManyInvalidTrials": "A condition ran out of replacement blocks.",
                "ReportFailed": "No report within `stepDeadlines.archive`; all Trials stay. While "
                "a fault of the operator's own prevents it, a mended version may still write it.",
            },
        ),
        ConditionType(
            CLEARED,
            "None of its succeeded Trials is left.",
            true={"Expired": "`ttlSecondsAfterFinished` had passed."},
            note="once its succeeded Trials are deleted",
        ),
        ConditionType(
            READY,
            "The answer is there. Tools that use kstatus, such as Flux, wait for it.",
            true={COMPLETE: "As the condition `Complete` says."},
            false={
                PROGRESSING: "The campaign goes on.",
                SUSPENDED: "`spec.suspend` is true.",
                MALFORMED: "As the condition `Understood` says.",
                **_STALLED,
            },
        ),
        ConditionType(
            STALLED,
            "It does not go on by itself.",
            true={
                **_STALLED,
                REFUSED: f"{_STALLED[REFUSED]} If that may yet arrive (`NotFound`, `NotMarked`, "
                "`EntryMissing`), it has been missing for a minute. `NamespaceFull` passes by "
                "itself.",
            },
            false={PROGRESSING: "It goes on."},
            note="once it did not",
        ),
        replace(
            HINDRANCE,
            true={
                **HINDRANCE.true,
                MALFORMED: "As the condition `Understood` says.",
                REPORT_REFUSED: "The report is rejected, or its name is taken.",
                RECORD_LOST: "The bucket lacks a record of the report, or it cannot be read.",
                HELD: "A deleted Testbed or Trial does not go: a finalizer of others holds it.",
            },
        ),
        _UNDERSTOOD,
    ),
    (
        Phase("Failed", (Holds(FAILED),)),
        Phase("Succeeded", (Holds(COMPLETE),)),
        Phase("Refused", (Holds(ACCEPTED, ("False",)),), then=("Running", "Failed")),
        Phase("Suspended", (Holds(SUSPENDED),), then=("Running", "Succeeded", "Failed")),
        Phase("Running", (Holds(ACCEPTED),), then=("Suspended", "Succeeded", "Failed")),
        Phase("Pending", then=("Refused", "Running")),
    ),
    order=("Pending", "Refused", "Running", "Suspended", "Succeeded", "Failed"),
)

TESTBED_LIFE = Lifecycle(
    TESTBED,
    (
        ConditionType(
            PROVISIONED,
            "The database answers queries.",
            true={
                "Answering": "It does.",
                "External": "encbench does not run it; the load is the first to connect.",
            },
            false={
                "Creating": "Its objects are being created.",
                STARTING: "It is starting.",
                IN_USE: "Another campaign uses the same external database.",
                **_LOGIN,
                **_SETTINGS,
                **_MISSING,
                **POD_REASONS,
            },
            unknown={NODE_IN_USE: "Only nodes of the campaign's other cells have room for it."},
        ),
        ConditionType(
            ALONE,
            "No other measurement runs on its node, from the load until the proof.",
            true={"Leased": "Its cell has the lease."},
            false=_NODE,
            note="once it had to wait",
        ),
        ConditionType(
            LOADED,
            "The dataset is loaded.",
            true={
                "Loaded": "The load Job succeeded.",
                "Shared": "The baseline's testbed loaded it into the same external database.",
            },
            false={
                "Loading": "The load Job runs.",
                LOAD_TIMEOUT: "It ran for longer than `stepDeadlines.load`, and is being stopped.",
                **POD_REASONS,
            },
            unknown={
                NODE_IN_USE: "Its load has no room while others of its campaign load.",
                IN_USE: "An earlier load into the same database has not ended.",
            },
        ),
        ConditionType(
            CONSISTENT,
            "The loaded tables are consistent.",
            true=_CHECKED,
            false=_CHECKS,
            unknown=_CHECKING,
            note="of TPC-C",
        ),
        ConditionType(
            COPIED,
            "The golden copy of the data directory exists.",
            true={"Copied": "The server runs from it."},
            false={"Copying": "It is being made."},
            note="the golden copy, where one is wanted",
        ),
        ConditionType(
            PROVEN,
            "The mode is in force, by a full scan of the files.",
            true=_PROVEN,
            false=_NOT_PROVEN,
            unknown=_PROVING,
            note="False: the mode is not in force",
        ),
        ConditionType(
            READY,
            "A trial may use it.",
            true={
                "Ready": "The database runs.",
                IDLE: "The database is stopped until a trial needs it.",
            },
            false={
                STARTING: "The database is being started for a trial, or stopped in it.",
                **_FAILURES,
                NOT_READY: "The database's pod is not ready.",
            },
        ),
        ConditionType(FAILED, "The testbed is of no use; its cell is given up.", true=_FAILURES),
        HINDRANCE,
        _UNDERSTOOD,
    ),
    (
        Phase("Failed", (Holds(FAILED),)),
        Phase(
            "Idle", (Holds(READY, reason=IDLE),), then=("Starting", "Ready", "Proving", "Failed")
        ),
        Phase("Ready", (Holds(READY),), then=("Starting", "Idle", "Proving", "Failed")),
        Phase(
            "Starting",
            (Holds(PROVEN, ("True", "False")), Holds(READY, ("False",), STARTING)),
            then=("Ready", "Idle", "Proving", "Failed"),
        ),
        Phase("Copying", (Holds(COPIED, ("False",)),), then=("Proving", "Failed")),
        Phase("Proving", (Holds(LOADED),), then=("Copying", "Ready", "Idle", "Starting", "Failed")),
        Phase("Loading", (Holds(PROVISIONED),), then=("Provisioning", "Proving", "Failed")),
        Phase("Provisioning", then=("Loading", "Failed")),
    ),
    order=(
        *("Pending", "Provisioning", "Loading", "Copying", "Proving"),
        *("Ready", "Starting", "Idle", "Failed"),
    ),
    begins=("Provisioning",),
)

_ENDS = ("Succeeded", "Invalid", "Failed")
_STOPPED_WRONGLY = {
    DISRUPTED: "It restarted before it was stopped, or was stopped too late.",
    "NotRestarted": "The process that answers is the one that was to be stopped.",
    "NoRecovery": "Its log shows no recovery after the crash.",
    "NotClean": "Its log shows a recovery after a clean stop.",
}
_OUTCOMES = {
    "Invalid": {
        "ProofFailed": "The mode was not in force, or a client could not confirm it.",
        "ProofTimeout": "The second proof could not be made within `stepDeadlines.proof`.",
        **_CHECKS,
        **_STOPPED_WRONGLY,
        DISRUPTED: "A pod or the server restarted or was deleted during the run, or an external "
        "database closed connections.",
        OOM: "The server ran out of memory and restarted.",
        BLOCK_BROKEN: "Another trial of its interleaved block ended without a result, or before "
        "this one began.",
        "NotUnderLoad": "The load ended before the server was stopped.",
        "SlotMissed": "A client did not run in a slot of its interleaved block as planned.",
        "ArtefactsLost": "A client's log is missing or is not what the recorder stored.",
        "OutputTooLarge": "A client stored more than the operator reads.",
        "ClockSet": "A client's clock or the operator's was set during the run, or before its "
        "samples were read, or a window lies outside of it.",
        "NoTransactions": "The tool finished no transaction in the window.",
        "ErrorRate": "The run had more errors than `maxErrorRate` allows.",
        "NotInMemory": "The database read more from its disk than `maxReadKib` allows.",
        "SeriesLost": "Prometheus gave no series of the database or the proxy in the window, or "
        "lacks what `maxReadKib` is judged by.",
        "ClientThrottled": "A client was throttled for longer than `limits.clientThrottling`.",
        OTHER_LIMITS: "A container has other limits than its template says.",
        UNLIKE_NODES: "Its database's node is unlike the baseline's (`limits.likeNodes`).",
        "ForeignLoad": "Other programs used more CPU than `limits.foreignCpu` allows.",
        "NotIdle": "The other databases used more CPU than `limits.idleCpu` allows, or restarted.",
    },
    "Failed": {
        "TestbedGone": "The testbed was deleted.",
        "TestbedFailed": "The testbed failed.",
        "StartTimeout": "The clients or the database were not ready in time.",
        "ProofTimeout": "The first proof could not be made within `stepDeadlines.proof`.",
        "ClientFailed": "A client pod failed before the start.",
        **POD_REASONS,
        TOOL_FAILED: "A client ended with an error.",
        OOM: "A client ran out of memory.",
        "Overrun": "The tool did not end within `stepDeadlines.overrun`.",
        RECOVERY_FAILED: "The server did not come back, or could not be stopped.",
        "ArchiveTimeout": "The store did not take the log or the record in time.",
        "OutputUnreadable": "The tool's output holds no figures of the whole load.",
    },
}

TRIAL_LIFE = Lifecycle(
    TRIAL,
    (
        ConditionType(
            PREPARED,
            "Every client waits for the start.",
            true={"Waiting": "They do."},
            false={STARTING: "Their pods are starting.", **POD_REASONS},
            unknown={
                EARLY: "A trial before it is being measured or stores its results, and its clients "
                "may hold what these need, or the tool of a deleted Trial runs on.",
                NODE_IN_USE: "A pod fits no node while another campaign or cell works on one that "
                "it could use.",
            },
        ),
        ConditionType(
            ALONE,
            "No other measurement runs on its nodes.",
            true={"Leased": "Its cell has their leases."},
            false={**_NODE, STARTING: "Its pods have no nodes yet."},
            note="once it had to wait",
        ),
        ConditionType(
            PROVEN_BEFORE,
            "The mode is in force before the run.",
            true=_PROVEN,
            false=_NOT_PROVEN,
            unknown=_PROVING,
        ),
        ConditionType(
            RELEASED,
            "The moment of the common start is fixed.",
            true={"Released": "The clients know when to start."},
            false={"Waiting": "The other trials of the interleaved block get ready."},
        ),
        ConditionType(
            RECOVERED,
            "The server was stopped under load and came back.",
            true={"Answered": "A new process answers queries."},
            false={
                RECOVERY_FAILED: "It did not come back, or could not be stopped.",
                **_STOPPED_WRONGLY,
            },
            unknown={"Planned": "It is stopped once the load has run its time."},
            note="recovery workloads",
        ),
        ConditionType(
            MEASURED,
            "Every client ran as planned.",
            true={"Measured": "They ended normally, or the intended stop cut them off."},
            false={
                TOOL_FAILED: "A client ended with an error.",
                OOM: "A client ran out of memory.",
                STOPPED: "The trial ended without them, and they have stopped.",
            },
        ),
        ConditionType(
            PROVEN_AFTER,
            "The mode is still in force after the run, on the same server process.",
            true=_PROVEN,
            false={
                **_NOT_PROVEN,
                DISRUPTED: "The server, its proxy or its file system restarted, or its pod was "
                "deleted.",
                OOM: "The server ran out of memory and restarted.",
                "ProofTimeout": "The proof could not be made within `stepDeadlines.proof`.",
            },
            unknown=_PROVING,
        ),
        ConditionType(
            CONSISTENT,
            "The tables are consistent after the run.",
            true=_CHECKED,
            false=_CHECKS,
            unknown={**_CHECKING, UNCHECKED: "An external database has no agent that could ask."},
            note="TPC-C",
        ),
        ConditionType(
            COLLECTED,
            "The clients' logs are read and give figures.",
            true={"Collected": "They do."},
            false={
                "Uploading": "The clients upload their logs.",
                "NoResult": "The trial ended without figures.",
            },
        ),
        ConditionType(
            ARCHIVED,
            "Nothing is left to do.",
            true={
                "Archived": "The trial's record is in the bucket.",
                "GivenUp": "The record could not be stored within twice `stepDeadlines.archive`.",
                "Rejected": "What lies in the bucket is not what the recorder stored.",
            },
            false={"Waiting": "The store or Prometheus is away; nothing is lost."},
            unknown={READING: "The samples of a long window are read."},
        ),
        HINDRANCE,
        _UNDERSTOOD,
    ),
    (
        *(Phase(one, (Holds(ARCHIVED),), (one,)) for one in _ENDS),
        Phase("Archiving", outcomes=_ENDS, then=_ENDS),
        Phase("Archiving", (Holds(ARCHIVED, ("False", "Unknown")),), then=_ENDS),
        Phase("Collecting", (Holds(PROVEN_AFTER, ("True", "False")),), then=("Archiving", *_ENDS)),
        Phase("Running", (Holds(RELEASED),), then=("Collecting", "Archiving")),
        Phase("Preparing", then=("Running", "Archiving")),
    ),
    order=("Pending", "Preparing", "Running", "Collecting", "Archiving", *_ENDS),
    begins=("Preparing", "Archiving"),
    outcomes=_OUTCOMES,
)

REPORT_LIFE = Lifecycle(
    OVERHEAD_REPORT,
    (
        ConditionType(
            READY, "The report can be read.", true={"Rendered": "The report is in the bucket."}
        ),
    ),
)

LIVES = (CAMPAIGN_LIFE, TESTBED_LIFE, TRIAL_LIFE, REPORT_LIFE)
