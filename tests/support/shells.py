"""The POSIX shells that the packaged scripts have to run under."""

import shutil

import pytest

SHELLS = [
    pytest.param(
        words,
        id=words[-2] if words[0] == "busybox" else words[0],
        marks=pytest.mark.skipif(shutil.which(words[0]) is None, reason=f"no {words[0]} here"),
    )
    for words in (["dash"], ["bash", "--posix"], ["busybox", "sh"])
]
