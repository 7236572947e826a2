"""A server that is not there."""

from types import SimpleNamespace

SERVER = SimpleNamespace(
    engine="postgresql",
    layout=SimpleNamespace(port=5432),
    credentials={"username": "encbench", "password": "secret", "ca.crt": ""},
)
