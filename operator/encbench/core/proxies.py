"""By which HTTP proxies an object store is reached: the plugin and `encbench.load` agree on it."""

from urllib.parse import urlsplit

_HERE = ("127.0.0.1", "::1", "localhost")


def proxies(endpoint: str | None) -> dict[str, str] | None:
    """The proxies by scheme of a store at that URL; None is those of the environment.

    A port that kubectl forwards is this machine's own, which no proxy reaches.
    """
    return {} if endpoint and urlsplit(endpoint).hostname in _HERE else None
