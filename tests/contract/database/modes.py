"""The modes of MariaDB that the tests share a server of, by name."""

from typing import Any

from tests.support.testbeds import PLAINTEXT, TDE

MODES: dict[str, dict[str, Any]] = {"plaintext": PLAINTEXT, "tde": TDE}
