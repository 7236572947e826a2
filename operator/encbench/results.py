"""A campaign's results as data frames, for people who compute.

    import encbench
    results = encbench.load("s3://encbench/bench/demo-1a2b")
    results.rows.filter(["workload", "concurrency", "arm", "tps", "overhead.estimate"])
    results.series(results.trials.name[0])
    results.write_parquet("demo")

The source is a campaign's folder in the bucket, a copy of that folder, or its report.json alone,
which has no series. A series is read only if it is the one that the trial's record names, and the
record the one that report.json names. The bucket's credentials are those that botocore finds, such
as AWS_PROFILE.
This needs the extra `data`: `pip install ".[data]"` in a checkout.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from encbench.core.artefact import RecordError, check, decode
from encbench.core.proxies import proxies
from encbench.core.records import TrialRecord
from encbench.report.analysis.bucket import clock_ahead, series_of
from encbench.report.document import Report
from encbench.report.document.trial import TrialView
from encbench.wire.files import SERIES_TIME

if TYPE_CHECKING:
    from pandas import DataFrame

REPORT = "report/report.json"


class Folder(Protocol):
    """Where the files of a campaign lie."""

    def get(self, name: str) -> bytes | None:
        """A file by its path in the folder; None where there is none."""
        ...


@dataclass(frozen=True)
class Results:
    """A report, and frames that derive from it. Figures have the names of report.json."""

    report: Report
    _folder: Folder | None

    @property
    def rows(self) -> "DataFrame":
        """A row for each condition and arm: means, overheads with their intervals, verdicts."""
        return _frame([row.to_dict() for group in self.report.groups for row in group.rows])

    @property
    def trials(self) -> "DataFrame":
        """A row for each trial, whatever its outcome; little is known of those without a record.

        The report's figures are of those that are `counted` and not `solo`, which are the
        sequential blocks beside interleaved ones.
        """
        blocks = (block for group in self.report.groups for block in group.blocks)
        solo = {name for block in blocks if block.solo for name in block.trials}
        recorded = [{**one.to_dict(), "rounds": None} for one in self.report.trials]
        lost = [{**one.to_dict(), "counted": False} for one in self.report.unrecorded]
        trials = (*recorded, *lost)
        return _frame([{**one, "solo": one["name"] in solo} for one in trials], "rounds")

    @property
    def rounds(self) -> "DataFrame":
        """A row for each round of each trial of an interleaved block."""
        return _frame(
            [
                {"trial": one.name, "number": number, **turn}
                for one in self.report.trials
                for number, turn in enumerate(one.to_dict("rounds")["rounds"])
            ]
        )

    def series(self, trial: str) -> "DataFrame":
        """A row for each second of each client of a trial. LookupError where there is none.

        `time` is Unix time by the operator's clock, as the trial's window is, when that second
        ended; `second` is the time since the window's begin, and negative before it.
        RecordError where the trial's record, or a series that it names, is missing or altered.
        """
        found = next((one for one in self.report.trials if one.name == trial), None)
        if found is None:
            raise LookupError(f"the report has no trial {trial}")
        series = self._series(found)
        if series is None:
            raise LookupError(f"there is no series of trial {trial}: load the campaign's folder")
        return series

    def _series(self, trial: TrialView) -> "DataFrame | None":
        from pandas import concat, read_csv  # noqa: PLC0415

        if self._folder is None:
            return None
        record = decode(
            TrialRecord, self._checked(self._folder, trial.key, trial.digest), trial.key
        )
        begin = record.window.start if record.window else float("nan")
        frames = []
        for client, (name, digest) in series_of(record).items():
            content = self._checked(self._folder, record.key_of(name), digest)
            frame = read_csv(io.BytesIO(content))
            time = frame[SERIES_TIME] - clock_ahead(record, client)
            frames.append(frame.assign(time=time, client=client, second=time - begin))
        return concat(frames, ignore_index=True) if frames else None

    def _checked(self, folder: Folder, key: str, digest: str) -> bytes:
        content = folder.get(key.removeprefix(f"{self.report.storage.prefix}/"))
        if content is None:
            raise RecordError(
                f"there is no {key}, which has a trial's series: load the whole folder, or its "
                f"{REPORT} alone, which has no series"
            )
        return check(content, key, digest)

    def write_parquet(self, folder: str | Path) -> list[Path]:
        """Write rows, trials, rounds, and the series of every trial that has one.

        Of these four files, one that the campaign has nothing for is removed, because it is another
        campaign's. Of a report.json alone `series` is left as it is: it may be this campaign's.
        RecordError where a series is missing or altered: half of the seconds look like all.
        """
        from pandas import concat  # noqa: PLC0415

        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        frames: dict[str, Any] = {"rows": self.rows, "trials": self.trials, "rounds": self.rounds}
        found = ((one.name, self._series(one)) for one in self.report.trials)
        series = [frame.assign(trial=name) for name, frame in found if frame is not None]
        if series:
            frames["series"] = concat(series, ignore_index=True)
        written = []
        for name in ("rows", "trials", "rounds", "series"):
            frame, path = frames.get(name), target / f"{name}.parquet"
            if frame is None or frame.empty:
                if name != "series" or self._folder is not None:
                    path.unlink(missing_ok=True)
                continue
            written.append(path)
            frame.to_parquet(path, index=False)
        return written


def load(source: str | Path, *, endpoint: str | None = None) -> Results:
    """The results at `s3://bucket/folder`, in a folder, or in a report.json.

    `endpoint` is the URL of a store other than AWS's. FileNotFoundError without a report.
    """
    text = str(source)
    if not text.startswith("s3://") and Path(text).is_file():
        return Results(decode(Report, Path(text).read_bytes(), text), None)
    folder: Folder = _Bucket(text, endpoint) if text.startswith("s3://") else _Disk(Path(text))
    content = folder.get(REPORT)
    if content is None:
        raise FileNotFoundError(f"there is no {REPORT} in {text}: name a campaign's folder")
    return Results(decode(Report, content, text), folder)


def _frame(records: list[Mapping[str, Any]], *without: str) -> "DataFrame":
    """A column for each field; those of nested objects are joined by a dot."""
    from pandas import json_normalize  # noqa: PLC0415

    return json_normalize(records).drop(columns=list(without), errors="ignore")


@dataclass(frozen=True)
class _Disk:
    root: Path

    def get(self, name: str) -> bytes | None:
        path = self.root / name
        return path.read_bytes() if path.is_file() else None


class _Bucket:
    def __init__(self, url: str, endpoint: str | None) -> None:
        from botocore.config import Config  # noqa: PLC0415
        from botocore.session import get_session  # noqa: PLC0415

        parts = urlsplit(url)
        self._bucket, self._prefix = parts.netloc, parts.path.strip("/")
        way = Config(proxies=proxies(endpoint))
        self._s3 = get_session().create_client("s3", endpoint_url=endpoint, config=way)

    def get(self, name: str) -> bytes | None:
        try:
            found = self._s3.get_object(Bucket=self._bucket, Key=f"{self._prefix}/{name}")
        except self._s3.exceptions.NoSuchKey:
            return None
        return bytes(found["Body"].read())
