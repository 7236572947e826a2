"""What is generated for a testbed is in the data of its Secrets and nowhere else."""

import base64
import json
from typing import Any

import pytest

from encbench.api.testbed import TestbedSpec
from tests.support.testbeds import GOCRYPTFS, PLAINTEXT, TDE, TLS, counting_tokens, spec_of_testbed
from tests.unit.engines import rendering
from tests.unit.engines.mysql import golden as mysql
from tests.unit.engines.postgresql import golden as postgresql

COLUMNS: dict[str, Any] = {"columns": {"method": "confidential", "ratio": 100}}
SPECS = {
    "mariadb": spec_of_testbed(PLAINTEXT),
    "mariadb-tde": spec_of_testbed({**TDE, **TLS}),
    "mariadb-gocryptfs": spec_of_testbed(GOCRYPTFS),
    "mysql": mysql.spec({**mysql.ALL, **TLS}),
    "mysql-columns": mysql.spec(COLUMNS),
    **{f"postgresql-{name}": postgresql.spec(mode) for name, mode in postgresql.MODES.items()},
}
KEYS = {"mariadb-tde", "mariadb-gocryptfs", "mysql-columns", "postgresql-enclave"}
"""Where a key is generated beside two passwords and two tokens."""


@pytest.mark.parametrize("name", SPECS)
def test_nothing_secret_outside_of_the_data_of_secrets(name: str) -> None:
    tokens, data, rest = _made(SPECS[name])
    assert len(tokens) == (5 if name in KEYS else 4)
    assert all(token in data for token in tokens)
    for token in tokens:
        assert token not in rest
        assert base64.b64encode(token.encode()).decode() not in rest


def _made(spec: TestbedSpec) -> tuple[list[str], str, str]:
    """The tokens; the data of all Secrets, decoded; all else of the children, as JSON."""
    tokens: list[str] = []
    counted = counting_tokens()

    def random_token(size: int) -> str:
        tokens.append(counted(size))
        return tokens[-1]

    children = rendering.children(spec, random_token)
    secrets = [child for child in children if child["kind"] == "Secret"]
    data = [child.pop("data") for child in secrets]
    for child in secrets:
        child.pop("stringData", None)
    decoded = [base64.b64decode(value).decode() for one in data for value in one.values()]
    return tokens, "\n".join(decoded), json.dumps(children)
