"""The study behind the golden files, and their renewal: `python -m tests.data.report.golden`.

Renew them only for a wanted change, and read the difference as a reader of the report would.
"""

from functools import cache
from pathlib import Path

from encbench.report.analysis.build import build
from encbench.report.document import Report
from encbench.report.formats.render import Rendering, render
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

HOP = {"method": "confidential"}
DRIVER: dict[str, object] = {"encrypting": {}}
COLUMNS = Study(
    name="columns",
    workloads=("tpcc",),
    instances=("2x4c32g", "4x8c64g"),
    concurrency=(64, 512),
    blocks=4,
    seconds=12,
    tpcc=True,
    loss={
        "swap": 0.01,
        "enc20": 0.03,
        "enc50": 0.06,
        "enc100": 0.10,
        "enc100-sm4": 0.19,
        "direct": -0.07,
    },
    baseline={"columns": {**HOP, "ratio": 0}},
    modes={
        "direct": {},
        "swap": {"columns": {**HOP, "ratio": 0}, "driver": DRIVER},
        "enc20": {"columns": {**HOP, "ratio": 20}, "driver": DRIVER},
        "enc50": {"columns": {**HOP, "ratio": 50}, "driver": DRIVER},
        "enc100": {"columns": {**HOP, "ratio": 100}, "driver": DRIVER},
        "enc100-sm4": {
            "columns": {**HOP, "ratio": 100, "algorithm": "SM4_128_GCM"},
            "driver": DRIVER,
        },
    },
    client_work={"swap": 1.02, "enc20": 1.1, "enc50": 1.2, "enc100": 1.4, "enc100-sm4": 2.1},
    proxy={
        "plain": 0.4,
        "plain-control": 0.4,
        "swap": 0.4,
        "enc20": 0.45,
        "enc50": 0.5,
        "enc100": 0.6,
        "enc100-sm4": 0.9,
    },
    without_cpu=frozenset({(64, 1, "enc50")}),
)
"""As the published study has it, with the layers told apart: the baseline is through the proxy."""
STUDIES = {FOLDER: STUDY, FOLDER / "columns": COLUMNS}


def report_of(study: Study) -> Report:
    index, bucket = write(study)
    return build(index, bucket.__getitem__)


@cache
def known(folder: Path = FOLDER) -> Report:
    """The report of one of STUDIES, made when it is first asked for."""
    return report_of(STUDIES[folder])


@cache
def renderings(folder: Path = FOLDER) -> dict[str, Rendering]:
    """What is made of that, which takes seconds; not to be changed."""
    return render(known(folder))


def main() -> None:
    for folder, study in STUDIES.items():
        folder.mkdir(exist_ok=True)
        for name, rendering in render(report_of(study)).items():
            if name != "html":
                (folder / rendering.name).write_bytes(rendering.content)


if __name__ == "__main__":
    main()
