"""What the agent costs before it answers: at a twentieth of a core a millisecond takes 20."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

OPERATOR = Path(__file__).parents[4] / "operator"

_LOADED = """
import json, sys
before = set(sys.modules)
import encbench.sidecars.agent.__main__
from encbench.adapters import sql
from encbench.engines.facts import facts
try:
    sql.connect(facts(sys.argv[1]).driver, "/no/server", "user", "password")
except sql.SqlError:
    print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.mark.parametrize("engine", ["mariadb", "mysql", "postgresql"])
def test_nothing_heavy_is_imported_until_the_server_answers(engine: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, engine],
        env={"PYTHONPATH": str(OPERATOR)},
        capture_output=True,
        check=True,
        timeout=30,
    )
    loaded = json.loads(done.stdout)
    heavy = {"aiohttp", "asyncio", "cryptography", "prometheus_client", "pydantic", "http.server"}
    assert heavy & set(loaded) == set()
    foreign = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    drivers = {"pg8000", "scramp", "asn1crypto", "dateutil", "six"}
    assert foreign <= {"encbench", *(drivers if engine == "postgresql" else {"pymysql"})}
