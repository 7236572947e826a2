"""The API server that the tests of this folder share."""

from tests.support.apiserver import api_server

__all__ = ["api_server"]
