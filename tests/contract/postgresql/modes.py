"""The modes of PostgreSQL that the tests share a server of."""

from typing import Any

from tests.support.testbeds import PLAINTEXT, TLS

OTHER = {"inTransit": {"version": "TLSv1.2", "cipherSuite": "TLS_AES_256_GCM_SHA384"}}
MODES: dict[str, dict[str, Any]] = {"plaintext": PLAINTEXT, "tls": TLS, "other": OTHER}
