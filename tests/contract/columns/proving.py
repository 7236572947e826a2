"""Proofs of encrypted columns: what the agent gathers through a real proxy, and its judgement."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from encbench.api.testbed import TestbedSpec
from encbench.core.columns import selection
from encbench.core.evidence import Proof
from encbench.proofs import columns as judging
from encbench.sidecars.agent.config import ColumnsConfig
from encbench.sidecars.agent.control import build
from encbench.sidecars.agent.watched import watched
from encbench.wire.agent import EvidenceRequest
from tests.contract.database.harness import MARKER, agent_config
from tests.support import confidential
from tests.support.confidential import KEY
from tests.support.testbeds import spec_of_testbed

GOOD = Proof(ok=True, summary="plaintext is in force")
OTHER_KEY = "ffeeddccbbaa99887766554433221100"
TABLES = 20
"""Of sysbench."""


def spec_of(columns: dict[str, Any], *, tpcc: bool) -> TestbedSpec:
    """The testbed of a mode with these columns: of TPC-C, or of many tables of sysbench."""
    whole = spec_of_testbed({"columns": {"method": "confidential", **columns}}).to_dict()
    client = whole["dataset"]["client"]
    sysbench = {"script": "oltp_read_write", "tables": TABLES, "tableSize": 1}
    own: dict[str, Any] = {"tpcc": {"warehouses": 1}} if tpcc else {"sysbench": sysbench}
    whole["dataset"] = {**own, "client": client}
    return TestbedSpec.model_validate(whole)


def evidence(
    server: Any,
    folder: Path,
    spec: TestbedSpec,
    *,
    text: str | None = None,
    algorithm: str | None = None,
    key: str = KEY,
    through: bool = True,
    full: bool = True,
    upstream: str = "",
) -> Any:
    """What the agent gathers through a proxy of these columns; the rest is what is broken."""
    columns = spec.mode.columns
    assert columns is not None
    tpcc = spec.dataset.tpcc is not None
    asked = selection.file_text(selection.schema_of(tpcc=tpcc), columns, 1 if tpcc else TABLES)
    with ExitStack() as stack:
        port = server.layout.port
        if through:
            chosen = algorithm or columns.algorithm
            sent = asked if text is None else text
            proxy = confidential.running(folder, upstream or port, sent, chosen)
            port = stack.enter_context(proxy).port
        own = ColumnsConfig(
            port=port,
            login_port=server.layout.port if upstream else None,
            chosen=frozenset(line for line in asked.splitlines() if "." in line),
            key=bytes.fromhex(key),
            username=server.credentials["username"],
            password=server.credentials["password"],
        )
        config = replace(agent_config(server), columns=own)
        agent = build(config, watched(config, server.proc))
        request = EvidenceRequest(marker=MARKER.format(7), full=full, seconds=60.0)
        return agent.evidence(request, lambda: False)


def judge(found: dict[str, Any], spec: TestbedSpec, *, full: bool = True) -> Proof:
    """The proof of the mode, where all else of it holds."""
    return judging.judge(GOOD, found, spec, full=full)
