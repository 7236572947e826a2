"""Evidence as an agent beside a real MySQL gives it, for any mode and flavour."""

from collections.abc import Mapping
from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.tls import suite
from encbench.engines.innodb.marker import table_file
from encbench.engines.marker import table_name
from encbench.engines.mysql.flavour import FLAVOURS

MARKER = "encbench-marker-0001"


def evidence(
    mode: Mapping[str, Any], *, engine: str = "mysql", full: bool = True, version: str = "8.4.3"
) -> dict[str, Any]:
    """What is seen where this mode is in force."""
    spec, flavour = EncryptionModeSpec.model_validate(mode), FLAVOURS[engine]
    scope = flavour.scope(spec)
    table = table_name(MARKER)
    own = table_file(table)
    tables, system, undo = "tables" not in scope, "system" not in scope, "undo" not in scope
    files = [_file(f"data/{own}", "table", tables, tables)]
    if full:
        logs = [part not in scope for part in ("redo", "binlog")]
        files += [
            _file("data/#ib_16384_0.dblwr", "doublewrite", tables, tables or system or undo),
            _file("data/#innodb_redo/#ib_redo5", "redo", logs[0], logs[0]),
            _file("data/#innodb_temp/temp_1.ibt", "temporary", False, False),
            _file("data/binlog.000002", "binlog", logs[1], logs[1]),
            _file("data/ibdata1", "system", False, False),
            _file("data/mysql.ibd", "system", False, system),
            _file("data/undo_001", "undo", False, undo),
            _file("initialised", "other", False, False),
        ]
    return {
        "marker": MARKER,
        "full": full,
        "catalogue": {
            "variables": {
                "log_bin": "ON",
                "version": version,
                "innodb_change_buffering": "none",
                "innodb_doublewrite": "ON",
                **{name: "ON" if on else "OFF" for name, on in flavour.switches(spec).items()},
                **_in_transit(spec),
            },
            "plugins": {"component_keyring_file": "ACTIVE"} if scope else {},
            "tablespaces": [
                {"name": name, "encrypted": part in scope, "busy": False}
                for name, part in (
                    ("mysql", "system"),
                    ("innodb_undo_001", "undo"),
                    ("sys/sys_config", "system"),
                    (own.removesuffix(".ibd"), "tables"),
                )
            ],
            "binaryLogs": [{"name": "binlog.000002", "encrypted": "binlog" in scope}],
            "otherTables": {},
        },
        "files": files,
        "markerTable": table,
    }


def _file(path: str, kind: str, found: bool, echoed: bool) -> dict[str, Any]:
    entry = {"path": path, "kind": kind, "bytes": 4096, "found": found}
    return {**entry, "echoed": True} if echoed else entry


def _in_transit(mode: EncryptionModeSpec) -> dict[str, str]:
    in_transit = mode.in_transit
    if in_transit is None:
        return {"tls_version": "", "Ssl_server_not_after": ""}
    suites = "tls_ciphersuites" if in_transit.version == "TLSv1.3" else "ssl_cipher"
    return {
        "tls_version": in_transit.version,
        suites: suite(in_transit),
        "require_secure_transport": "ON",
        "Ssl_server_not_after": "Nov 18 14:19:23 2036 GMT",
    }
