"""The recorder's settings."""

from pathlib import Path

import pytest

from encbench.sidecars.recorder.config import from_environment


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "token").write_text("t0ken\n")
    return {
        "ENCBENCH_TOOL": "tpcc",
        "ENCBENCH_PROCESS": "java",
        "ENCBENCH_PREFIX": "bench/trial",
        "ENCBENCH_STORE": "http://store/bucket",
        "ENCBENCH_WARMUP": "2",
        "ENCBENCH_CPU_LIMIT": "1.5",
        "ENCBENCH_MEMORY_LIMIT": "268435456",
        "ENCBENCH_RUN_DIR": "/run/encbench",
        "ENCBENCH_CREDENTIALS": str(tmp_path),
        "ENCBENCH_PORT": "9471",
        "ENCBENCH_CONTROL_PORT": "9473",
        "ENCBENCH_GRACE": "55",
    }


def test_each_replica_stores_under_its_index(environment: dict[str, str]) -> None:
    config = from_environment({**environment, "JOB_COMPLETION_INDEX": "3"})
    assert (config.prefix, config.token) == ("bench/trial/client-3", "t0ken")


def test_an_environment_that_is_not_whole(environment: dict[str, str]) -> None:
    for name in ("ENCBENCH_WARMUP", "ENCBENCH_PROCESS", "ENCBENCH_GRACE"):
        without = {key: value for key, value in environment.items() if key != name}
        with pytest.raises(KeyError, match=name):
            from_environment(without)
