"""The published studies of tests/data/reference, audited."""

from pathlib import Path

from encbench.audit.audit import Audit, audit
from encbench.audit.tables import read

FOLDER = Path(__file__).resolve().parents[2] / "data" / "reference"
NAMES = sorted(path.name for path in FOLDER.glob("*.csv"))


def audited(*names: str) -> Audit:
    """The audit of these files of the folder."""
    return audit([read(name, (FOLDER / name).read_bytes()) for name in names], None)


ALL = audited(*NAMES)
