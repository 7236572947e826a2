"""The study behind the golden files, and their renewal: `python -m tests.data.report.golden`.

Renew them only for a wanted change, and read the difference as a reader of the report would.
"""

from pathlib import Path

from encbench.report.document import Report
from encbench.report.model import build
from encbench.report.render import render
from tests.data.report.synthetic import Study, write

FOLDER = Path(__file__).parent / "expected"
STUDY = Study(
    name="golden",
    concurrency=(4, 16),
    blocks=3,
    seconds=12,
    fail={(16, 2, "tde"): ("Invalid", "ProofFailed")},
    without_cpu=frozenset({(4, 1, "tde")}),
)


def report() -> Report:
    index, bucket = write(STUDY)
    return build(index, bucket.__getitem__)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, rendering in render(report()).items():
        if name != "html":
            (FOLDER / rendering.name).write_bytes(rendering.content)


if __name__ == "__main__":
    main()
