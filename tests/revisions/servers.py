"""The answers of agents beside MySQL, Percona Server and PostgreSQL.

The fake agents of the simulated world know MariaDB only. The answers are written here as they
appear on the wire, because they are inputs of both revisions and must not follow either.
"""

from collections.abc import Iterable
from typing import Any

from tests.revisions import surface

Answer = dict[str, Any]

VERSIONS = {
    "mariadb": "10.11.19-MariaDB",
    "mysql": "8.4.3",
    "percona": "8.0.36-28",
    "postgresql": "16.4",
}
"""What each server says of itself."""
DIGEST = "5f" * 32
"""Of each row of TPC-C's that agent and client read."""

_TLS12 = {
    "TLS_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
}
_COMMON = ("tables", "system", "redo", "undo", "binlog")
_SCOPES = {"mysql": _COMMON, "percona": (*_COMMON, "temporary")}
_SWITCHES = {
    "default_table_encryption": "tables",
    "innodb_redo_log_encrypt": "redo",
    "innodb_undo_log_encrypt": "undo",
    "binlog_encryption": "binlog",
}
_OF_PERCONA = {
    "innodb_sys_tablespace_encrypt": "system",
    "innodb_temp_tablespace_encrypt": "temporary",
    "encrypt_tmp_files": "temporary",
}
TPCC_TABLES = (
    "bmsql_config",
    "bmsql_warehouse",
    "bmsql_district",
    "bmsql_customer",
    "bmsql_history",
    "bmsql_new_order",
    "bmsql_oorder",
    "bmsql_order_line",
    "bmsql_item",
    "bmsql_stock",
)


def install(world: Any, engine: str, *, tpcc: bool) -> None:
    """Have the world's agents speak for servers of that engine."""
    agents = world.agent
    facts, evidence = agents.server, agents.evidence

    async def server(address: str, token: str) -> Answer:
        said: Answer = await facts(address, token)
        return {**said, "version": VERSIONS[engine]}

    async def seen(address: str, token: str, marker: str, *, full: bool) -> Answer:
        said: Answer = await evidence(address, token, marker, full=full)
        mode = agents.servers[address].in_force
        if engine in _SCOPES:
            said |= _mysql(said, mode, engine, full)
        if engine == "postgresql":
            said |= _postgresql(mode, full)
        if mode.columns is not None:
            said["columns"] = _columns(mode.columns, 0 if tpcc else agents.servers[address].tables)
        return said

    agents.server, agents.evidence = server, seen


def _mysql(said: Answer, mode: Any, engine: str, full: bool) -> Answer:
    scope = set(mode.tde.scope or _SCOPES[engine]) if mode.tde else set()
    switches = {**_SWITCHES, **(_OF_PERCONA if engine == "percona" else {})}
    own = f"sbtest/{said['markerTable']}"
    tables, system, undo = ("tables" in scope, "system" in scope, "undo" in scope)
    files = [_file(f"data/{own}.ibd", "table", not tables, echoed=not tables)]
    if full:
        inside = [part in scope for part in ("redo", "binlog")]
        written = not (tables and system and undo)
        files += [
            _file("data/#ib_16384_0.dblwr", "doublewrite", not tables, echoed=written),
            _file("data/#innodb_redo/#ib_redo5", "redo", not inside[0], echoed=not inside[0]),
            _file("data/#innodb_temp/temp_1.ibt", "temporary", False),
            _file("data/binlog.000002", "binlog", not inside[1], echoed=not inside[1]),
            _file("data/mysql.ibd", "system", False, echoed=not system),
            _file("data/undo_001", "undo", False, echoed=not undo),
        ]
    spaces = (("mysql", system), ("innodb_undo_001", undo), (own, tables))
    return {
        "catalogue": {
            "variables": {
                "log_bin": "ON",
                "version": VERSIONS[engine],
                "innodb_doublewrite": "ON",
                **{name: "ON" if part in scope else "OFF" for name, part in switches.items()},
                **_mysql_tls(mode.in_transit),
            },
            "plugins": {"component_keyring_file": "ACTIVE"} if scope else {},
            "tablespaces": _spaces(spaces),
            "binaryLogs": [{"name": "binlog.000002", "encrypted": "binlog" in scope}],
        },
        "files": files,
    }


def _mysql_tls(in_transit: Any) -> dict[str, str]:
    if in_transit is None:
        return {"tls_version": "", "Ssl_server_not_after": ""}
    suites = "tls_ciphersuites" if in_transit.version == "TLSv1.3" else "ssl_cipher"
    return {
        "tls_version": in_transit.version,
        suites: _suite(in_transit),
        "require_secure_transport": "ON",
        "Ssl_server_not_after": "Nov 18 14:19:23 2036 GMT",
    }


def _postgresql(mode: Any, full: bool) -> Answer:
    own, tls = "data/base/16387/16394", mode.in_transit
    variables = {
        "data_checksums": "on",
        "default_table_access_method": "heap",
        "shared_preload_libraries": "",
        "ssl": "on" if tls else "off",
        "ssl_ciphers": "HIGH:MEDIUM:+3DES:!aNULL",
        "ssl_max_protocol_version": tls.version if tls else "",
        "ssl_min_protocol_version": tls.version if tls else "TLSv1.2",
        "wal_level": "replica",
        "pg_hba line 1": "local sbtest encbench_agent scram-sha-256",
        "pg_hba line 2": f"{'hostssl' if tls else 'host'} sbtest encbench all scram-sha-256",
    }
    if tls and tls.version == "TLSv1.2":
        variables["ssl_ciphers"] = _suite(tls)
    files = [_file(own, "table", True)]
    if full:
        files += [
            _file("data/base/1/1259", "system", False),
            _file("data/pg_wal/000000010000000000000001", "redo", True),
            _file("data/postgresql.auto.conf", "other", False),
        ]
    spaces = (("pg_default", False), ("pg_global", False))
    catalogue = {"variables": variables, "plugins": {}, "tablespaces": _spaces(spaces)}
    return {"catalogue": catalogue, "files": files, "markerFile": own}


def _suite(in_transit: Any) -> str:
    suite: str = in_transit.cipher_suite
    return _TLS12[suite] if in_transit.version == "TLSv1.2" else suite


def _file(path: str, kind: str, found: bool, *, echoed: bool = False) -> Answer:
    entry = {"path": path, "kind": kind, "bytes": 4096, "found": found}
    return {**entry, "echoed": True} if echoed else entry


def _spaces(spaces: Iterable[tuple[str, bool]]) -> list[Answer]:
    return [{"name": name, "encrypted": inside, "busy": False} for name, inside in spaces]


def _columns(columns: Any, count: int) -> Answer:
    """What the agent sees through the proxy, of that many tables of sysbench's or else TPC-C's."""
    schema = ("sysbench", count) if count else ("tpcc",)
    chosen = set(surface.find("chosen_columns")(schema[0], columns, *schema[1:]))
    tables: dict[str, Answer] = {}
    for name in surface.find("all_columns")(*schema):
        table, _, column = name.partition(".")
        one = tables.setdefault(
            table, {"table": table, "row": True, "plain": [], "encrypted": {}, "null": []}
        )
        if name in chosen:
            one["encrypted"].setdefault(columns.algorithm, []).append(column)
        else:
            one["plain"].append(column)
    digest = None if count else DIGEST
    seen = [{**one, "wrong": {}, "digest": digest} for one in tables.values()]
    return {"chosen": len(chosen), "all": len(seen), "tables": seen}
