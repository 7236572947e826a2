"""What is asked of MinIO's admin API."""

from typing import Any
from urllib.error import URLError
from urllib.request import Request

import pytest

from encbench.adapters import minio
from encbench.adapters.minio import MinioAdmin
from encbench.ports import Unavailable


def test_a_blank_in_a_query_is_what_a_signature_takes_it_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    class Opener:
        def open(self, request: Request, **_: Any) -> None:
            asked.append(request.full_url)
            raise URLError("away")

    monkeypatch.setattr(minio, "_OPENER", Opener())
    with pytest.raises(Unavailable):
        MinioAdmin("http://minio", "root", "password").remove_user("team a+b")
    assert asked == ["http://minio/minio/admin/v3/remove-user?accessKey=team%20a%2Bb"]
