"""Attacks are made on the same installation as the end-to-end tests use."""

from tests.e2e.fixtures import installed, start

__all__ = ["installed", "start"]
