"""The names of refused settings, and nothing else that a container might say."""

import pytest

from encbench.wire.initialise import refused_settings


def test_the_names_are_read() -> None:
    assert refused_settings('{"refusedSettings": ["a_b", "c1"]}') == ("a_b", "c1")


@pytest.mark.parametrize(
    "message",
    [
        "",
        "mysqld: unknown variable",
        "[]",
        '{"refusedSettings": "all"}',
        '{"refusedSettings": ["ok", 1]}',
        '{"refusedSettings": ["<script>"]}',
        '{"refusedSettings": ["the root key is 0123"]}',
        '{"digests": {}}',
    ],
)
def test_any_other_text_is_none(message: str) -> None:
    assert refused_settings(message) == ()
