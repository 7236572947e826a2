"""Evidence as the agent gathers it beside a server in a mode."""

from typing import Any

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.core.tls import suite
from encbench.engines.marker import table_name

MARKER = "encbench-marker-0001"
OWN = "data/base/16387/16394"


def evidence(mode: dict[str, Any], *, full: bool = True) -> dict[str, Any]:
    """The evidence of a server in that mode."""
    parsed = EncryptionModeSpec.model_validate(mode)
    in_transit = parsed.in_transit
    network = "host" if in_transit is None else "hostssl"
    variables = {
        "data_checksums": "on",
        "default_table_access_method": "heap",
        "session_preload_libraries": "",
        "shared_preload_libraries": "",
        "ssl": "off" if in_transit is None else "on",
        "ssl_ciphers": "HIGH:MEDIUM:+3DES:!aNULL",
        "ssl_max_protocol_version": "",
        "ssl_min_protocol_version": "TLSv1.2",
        "wal_level": "replica",
        "pg_hba line 1": "local sbtest encbench_agent scram-sha-256",
        "pg_hba line 2": f"{network} sbtest encbench all scram-sha-256",
    }
    if in_transit is not None:
        variables["ssl_min_protocol_version"] = in_transit.version
        variables["ssl_max_protocol_version"] = in_transit.version
        if in_transit.version == "TLSv1.2":
            variables["ssl_ciphers"] = suite(in_transit)
    if parsed.enclave is not None:
        variables["session_preload_libraries"] = "encbench_enclave"
    types = {"encbench_enclave": "extension", "enc_int4": "type", "enc_text": "type"}
    files = [{"path": OWN, "kind": "table", "bytes": 8192, "found": True}]
    if full:
        files += [
            {"path": f"data/{path}", "kind": kind, "bytes": 8192, "found": found}
            for path, kind, found in (
                ("base/1/1259", "system", False),
                ("base/16387/16388", "table", False),
                ("pg_wal/000000010000000000000001", "redo", True),
                ("postgresql.auto.conf", "other", False),
            )
        ]
    return {
        "marker": MARKER,
        "full": full,
        "catalogue": {
            "variables": variables,
            "plugins": types if parsed.enclave is not None else {},
            "tablespaces": [
                {"name": name, "encrypted": False, "busy": False}
                for name in ("pg_default", "pg_global")
            ],
        },
        "files": files,
        "markerTable": table_name(MARKER),
        "markerFile": OWN,
        "tookSeconds": 0.1,
        "clock": 1_700_000_000.0,
    }
