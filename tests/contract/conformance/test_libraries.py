"""Libraries above JDBC: what they do at a server they do through driver and strict proxy too.

The same program runs twice, on a new bank each time: by the inner driver at the server itself, and
by ours through a proxy that encrypts every column. Both have to print the same.
"""

import subprocess
from pathlib import Path

import pytest

from tests.contract.columns.servers import PASSWORD, USER, Server
from tests.contract.conformance import bank
from tests.contract.conformance.bank import all_columns, anew, fresh
from tests.contract.conformance.outcomes import LIBRARIES, OUTCOMES, WORKS
from tests.support import conformance
from tests.support.confidential import AES, SM4

PARAMETERS = "sslMode=DISABLED&allowPublicKeyRetrieval=true"
QUICK = {"callable", "mybatis"}
"""Those that `make test` runs too."""
LINES = {"callable": 18, "template": 17, "mybatis": 13, "hikari": 14, "hibernate": 8, "flyway": 12}
"""What each prints at least."""


def run(library: str, url: str, folder: Path) -> str:
    """What the program says."""
    (folder / "password").write_text(PASSWORD)
    java = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
    main = ["-cp", conformance.class_path(), "io.encbench.conformance.Main"]
    words = [library, url, USER, f"{folder}/password", str(bank.SCHEMA)]
    done = subprocess.run(
        [*java, *main, *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-4000:]
    return done.stdout


def begin(server: Server, library: str) -> None:
    """The bank as the library wants to find it."""
    (anew if library == "flyway" else fresh)(server, bank.DATABASE)


def both(server: Server, folder: Path, library: str, algorithm: str) -> None:
    assert OUTCOMES[library].outcome == WORKS
    place = f"/{bank.DATABASE}?{PARAMETERS}"
    fresh(server)
    columns = all_columns(server)
    begin(server, library)
    direct = run(library, f"jdbc:mysql://127.0.0.1:{server.port}{place}", folder)
    assert len(direct.splitlines()) >= LINES[library]
    begin(server, library)
    with server.proxy(columns, algorithm) as proxy:
        url = f"jdbc:encbench:jdbc:mysql://127.0.0.1:{proxy.port}{place}"
        through = run(library, f"{url}&encbench.mekFile={proxy.folder}/mek", folder)
        assert proxy.said == ""
    assert through.splitlines() == direct.splitlines()


@pytest.mark.parametrize(
    "library",
    [pytest.param(one, marks=[] if one in QUICK else [pytest.mark.full]) for one in LIBRARIES],
)
def test_a_library_does_the_same(server: Server, tmp_path: Path, library: str) -> None:
    both(server, tmp_path, library, AES)


@pytest.mark.full
@pytest.mark.parametrize("library", LIBRARIES)
def test_with_the_other_algorithm(server: Server, tmp_path: Path, library: str) -> None:
    both(server, tmp_path, library, SM4)
