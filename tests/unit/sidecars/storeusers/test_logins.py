"""The files of logins, as people may write them."""

from pathlib import Path
from threading import Event

import pytest

from encbench.sidecars.storeusers import __main__ as program


class Once(Event):
    """Ends the program at its first pause."""

    def wait(self, timeout: float | None = None) -> bool:
        del timeout
        self.set()
        return True


@pytest.mark.parametrize("user", ["root", "operator", "analyst"])
@pytest.mark.parametrize("entry", ["access-key", "secret-key"])
@pytest.mark.parametrize("content", [b"s3cr3t\nK3Y", b"s3cr3t\xe4", b"\n"])
def test_an_entry_that_is_none_is_named_and_the_program_goes_on(
    user: str,
    entry: str,
    content: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(program, "MinioAdmin", None)
    words = ["--bucket=b", f"--made={tmp_path / 'made'}"]
    for name in ("root", "operator", "analyst"):
        folder = tmp_path / name
        folder.mkdir()
        words.append(f"--{name}={folder}")
        for file in ("access-key", "secret-key"):
            (folder / file).write_text(f"{name}-{file}")
    (tmp_path / user / entry).write_bytes(content)
    program.main(Once(), words)
    (said,) = [one.getMessage() for one in caplog.records]
    assert f"{tmp_path / user / entry}: it " in said
    assert "s3cr3t" not in said
    assert not (tmp_path / "made").exists()
