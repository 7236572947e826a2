"""What the report takes from the bucket, what it refuses, and what counts."""

import math
import subprocess
import sys

import pytest

from encbench.api.overheadreport import MAX_HEADLINE, MAX_ROWS, OverheadReportStatus
from encbench.core.artefact import RecordError, decode, digest_of, encode
from encbench.core.records import IndexRecord, IndexScript, IndexTrial, TrialRecord
from encbench.report.analysis.bucket import Load, ObjectMissing
from encbench.report.analysis.build import build, to_status
from encbench.report.document import Report
from encbench.report.formats.markdown import markdown
from encbench.report.formats.page import page
from tests.data.report.golden import report_of
from tests.data.report.synthetic import Bucket, Study, write

BROKEN = Study(
    concurrency=(4, 16), blocks=3, seconds=10, fail={(16, 2, "tde"): ("Invalid", "ProofFailed")}
)


@pytest.fixture
def written() -> tuple[IndexRecord, Bucket]:
    return write(BROKEN)


def _load(bucket: Bucket) -> Load:
    """As the operator's own does with what the bucket lacks."""

    def load(key: str) -> bytes:
        if key not in bucket:
            raise ObjectMissing(key)
        return bucket[key]

    return load


# ---------------------------------------------------------------------------------- the bucket


def test_an_altered_record_is_refused(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    key = index.trials[3].key or ""
    bucket[key] = bucket[key].replace(b'"tps"', b'"tps" ')
    with pytest.raises(RecordError, match=f"{key} is not what was archived"):
        build(index, bucket.__getitem__)


def test_a_lost_record_is_refused(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    key = index.trials[0].key or ""
    del bucket[key]
    with pytest.raises(RecordError, match=f"the bucket has no {key}"):
        build(index, _load(bucket))


def test_a_lost_or_altered_script_is_refused(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    key = f"{index.storage.prefix}/scripts/oltp.lua"
    script = IndexScript(workload="oltp", key=key, digest=digest_of(b"-- mine"))
    gone = IndexScript(workload="gone", digest=digest_of(b"-- mine"))
    index = index.model_copy(update={"scripts": (script, gone)})
    with pytest.raises(RecordError, match=f"the bucket has no {key}"):
        build(index, _load(bucket))
    bucket[key] = b"-- mine"
    assert build(index, _load(bucket)).scripts == (script, gone)
    bucket[key] = b"-- edited"
    with pytest.raises(RecordError, match=f"{key} is not what was archived"):
        build(index, _load(bucket))


def test_a_fault_of_the_program_is_no_lost_record(written: tuple[IndexRecord, Bucket]) -> None:
    def load(_: str) -> bytes:
        raise KeyError("Body")

    with pytest.raises(KeyError, match="Body"):
        build(written[0], load)


def test_a_record_of_another_trial_is_refused(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    first, second = index.trials[:2]
    swapped = second.model_copy(update={"name": first.name})
    wrong = index.model_copy(update={"trials": (swapped,)})
    with pytest.raises(RecordError, match=f"the index says Succeeded trial {first.name}"):
        build(wrong, bucket.__getitem__)


def test_an_altered_series_is_refused(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    key = next(key for key in bucket if key.endswith("series.csv"))
    bucket[key] += b"\n"
    with pytest.raises(RecordError, match=r"series\.csv is not what was archived"):
        build(index, bucket.__getitem__)


def test_a_full_proof_is_neither_altered_nor_lost(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    key = next(key for key in bucket if key.endswith("proof.json"))
    proof = bucket.pop(key)
    with pytest.raises(RecordError, match=f"the bucket has no {key}"):
        build(index, _load(bucket))
    bucket[key] = proof + b" "
    with pytest.raises(RecordError, match=f"{key} is not what was archived"):
        build(index, _load(bucket))


def test_a_trial_rests_on_the_proof_of_its_own_testbed(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    entry = index.trials[0]
    record = decode(TrialRecord, bucket[entry.key or ""], "")
    (home,) = (one for one in index.testbeds if one.name == record.spec.testbed_ref.name)

    def resting_on(digest: str) -> IndexRecord:
        spec = record.spec.model_copy(update={"testbed_proof": digest})
        content = encode(record.model_copy(update={"spec": spec}))
        bucket[entry.key or ""] = content
        own = entry.model_copy(update={"digest": digest_of(content)})
        return index.model_copy(update={"trials": (own, *index.trials[1:])})

    assert home.proof is not None
    same = resting_on(home.proof.digest or "")
    build(same, bucket.__getitem__)
    bare = home.model_copy(update={"proof": None})
    without = tuple(bare if one is home else one for one in same.testbeds)
    with pytest.raises(RecordError, match=f"names no {home.proof.key}, which trial {entry.name}"):
        build(same.model_copy(update={"testbeds": without}), bucket.__getitem__)
    with pytest.raises(RecordError, match="rests on: digest sha256:"):
        build(resting_on(digest_of(b"another")), bucket.__getitem__)


def test_a_lost_series_leaves_the_figures(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    full = build(index, bucket.__getitem__)
    for key in [key for key in bucket if key.endswith("series.csv")]:
        del bucket[key]
    bare = build(index, _load(bucket))
    assert all(trial.series for trial in full.trials)
    assert not any(trial.series for trial in bare.trials)
    assert bare.groups == full.groups


def test_two_trials_in_one_place_are_refused(written: tuple[IndexRecord, Bucket]) -> None:
    index, bucket = written
    twice = index.model_copy(update={"trials": (index.trials[0], index.trials[0])})
    with pytest.raises(RecordError, match="claim the same place"):
        build(twice, bucket.__getitem__)


def test_series_are_thinned_and_keep_their_mean() -> None:
    found = report_of(Study(concurrency=(4,), blocks=1, seconds=600))
    trial = found.trials[0]
    assert len(trial.series) == 60
    assert 0 <= trial.series[0][0] < trial.series[-1][0] < 600
    mean = sum(tps for _, tps in trial.series) / 60
    assert mean == pytest.approx(trial.tps, rel=0.03)


# ------------------------------------------------------------------------------ what counts


def test_a_broken_block_is_replaced_and_left_out_for_every_arm() -> None:
    found = report_of(BROKEN)
    group = found.groups[1]
    assert [(b.block, b.counted) for b in group.blocks] == [
        (1, True),
        (2, False),
        (3, True),
        (4, True),
    ]
    assert group.blocks[1].why == "tde was Invalid (ProofFailed)"
    assert {row.blocks for row in group.rows} == {3}
    out = [t for t in found.trials if t.concurrency == 16 and t.block == 2]
    assert out
    assert not any(trial.counted for trial in out)
    good = [t for t in found.trials if t.counted and t.concurrency == 16]
    logs = [math.log(t.tps or 0) for t in good if t.arm == "tde"]
    assert group.row("tde").tps == pytest.approx(math.exp(sum(logs) / 3), rel=1e-5)
    both = [math.log(t.tps or 0) for t in good if t.arm != "tde"]
    assert group.row("plain").tps == pytest.approx(math.exp(sum(both) / 6), rel=1e-5)


def test_every_loss_follows_from_the_figures_beside_it() -> None:
    for group in report_of(BROKEN).groups:
        plain, tde = group.row("plain"), group.row("tde")
        assert plain.tps and tde.tps and tde.overhead
        assert tde.overhead.estimate == pytest.approx(1 - tde.tps / plain.tps, abs=2e-5)
        old, new = plain.database_cpu_ms_per_transaction, tde.database_cpu_ms_per_transaction
        assert old and new and tde.cpu_per_transaction_overhead
        assert tde.cpu_per_transaction_overhead.estimate == pytest.approx(new / old - 1, abs=2e-5)
        assert tde.database_cpu_percent is not None and plain.database_cpu_percent is not None
        assert tde.database_cpu_points == pytest.approx(
            tde.database_cpu_percent - plain.database_cpu_percent, abs=1e-3
        )


def test_withheld_cpu_leaves_its_block_out_of_the_cpu_figures_only() -> None:
    study = Study(concurrency=(4,), blocks=3, without_cpu=frozenset({(4, 2, "tde")}))
    found = report_of(study)
    group = found.groups[0]
    assert group.counted_blocks == 3
    plain = [t for t in found.trials if t.arm != "tde" and t.block != 2]
    expected = sum(t.database_cpu_percent or 0 for t in plain) / 4
    assert group.row("plain").database_cpu_percent == pytest.approx(expected, rel=1e-5)
    assert "Server CPU withheld" in {caveat.title for caveat in found.caveats}


def test_without_a_valid_block_there_is_no_figure_but_no_data() -> None:
    found = report_of(Study(always={"tde": ("Invalid", "ProofFailed")}, blocks=2))
    assert {row.verdict for row in found.rows} == {"NoData"}
    for row in found.rows:
        assert row.blocks == 0
        assert (row.tps, row.latency_p95_ms, row.overhead, row.database_cpu_percent) == (None,) * 4
    assert found.noise_floor is None


def test_one_block_has_estimates_without_intervals() -> None:
    found = report_of(Study(blocks=1))
    row = found.groups[0].row("tde")
    assert row.overhead is not None
    assert (row.overhead.low, row.overhead.high) == (None, None)
    assert row.verdict == "Inconclusive"
    assert found.noise_floor is None


def test_trials_without_a_record_are_counted_as_excluded() -> None:
    index, bucket = write(Study(concurrency=(4,), blocks=1))
    lost = IndexTrial(name="lost", outcome="Failed", reason="ArchiveDeadline")
    found = build(index.model_copy(update={"trials": (*index.trials, lost)}), bucket.__getitem__)
    assert found.unrecorded == (lost,)
    assert [(e.reason, e.count) for e in found.invalid] == [("ArchiveDeadline", 1)]


@pytest.mark.parametrize("arms", [("tde",), ("plain", "plain-control", "tde")])
def test_trials_without_a_record_are_among_the_explanations(arms: tuple[str, ...]) -> None:
    index, bucket = write(Study(concurrency=(4,), blocks=3))
    known = {trial.name: trial for trial in build(index, bucket.__getitem__).trials}
    trials = tuple(
        IndexTrial(
            name=own.name,
            outcome="Failed",
            reason="ArchiveTimeout",
            cell=own.cell,
            workload=own.workload,
            concurrency=own.concurrency,
            block=own.block,
            arm=own.arm,
        )
        if (own := known[entry.name]).arm in arms
        else entry
        for entry in index.trials
    )
    found = build(index.model_copy(update={"trials": trials}), bucket.__getitem__)
    why = "every trial was Failed (ArchiveTimeout 3)"
    assert found.headlines[0].text == f"no data for tde: {why}."
    assert found.groups[0].comparisons[0].why == why
    blocks = [block.why for block in found.groups[0].blocks]
    assert blocks == ["tde was Failed (ArchiveTimeout)"] * (3 if arms == ("tde",) else 0)
    count = 3 * len(arms)
    (many,) = [one for one in found.caveats if one.title == "Many trials did not succeed"]
    assert many.text == f"{count} of 9 (ArchiveTimeout {count})."
    assert "tde 3 of 3." in markdown(found)
    assert "tde 3 of 3" in page(found)


def test_colocation_is_read_from_where_the_pods_were() -> None:
    apart, together = report_of(Study(blocks=1)), report_of(Study(blocks=1, colocated=True))
    assert not apart.colocated
    assert together.colocated


# ------------------------------------------------------------------------------- the status


def test_status_of_a_report() -> None:
    found = report_of(BROKEN)
    status = to_status(found)
    assert status.headline == found.headlines[0].text
    assert status.verdict == found.headlines[0].verdict == "Overhead"
    assert status.overhead.endswith("] %")
    assert status.margin == BROKEN.margin
    assert status.noise_floor == max(g.noise_floor or 0 for g in found.groups)
    assert list(status.rows) == found.rows
    assert [(e.reason, e.count) for e in status.invalid] == [("ProofFailed", 1)]
    assert status.caveats
    assert [(c.weight, c.title) for c in status.caveats] == [
        (c.weight, c.title) for c in found.caveats
    ]
    assert OverheadReportStatus.model_validate(status.to_dict()) == status


def test_a_long_headline_ends_with_a_whole_sentence() -> None:
    found = report_of(Study(concurrency=(4,), blocks=2))
    headline = found.headlines[0]
    many = found.model_copy(update={"headlines": (headline,) * 40})
    status = to_status(many)
    shown = status.headline.count(headline.text)
    assert MAX_HEADLINE - len(headline.text) - 60 < len(status.headline) <= MAX_HEADLINE
    assert status.headline.endswith(
        f"{headline.text} The page has what is known of {40 - shown} more."
    )
    long = headline.model_copy(update={"text": "x" * (MAX_HEADLINE + 1)})
    status = to_status(found.model_copy(update={"headlines": (long,)}))
    assert status.headline == "The page has the answer on 1 mode, which is long."


def test_a_full_status_fits_into_an_object_of_kubernetes() -> None:
    found = report_of(Study(concurrency=(4,), blocks=2))
    name = "a" * 63
    row = (
        found.groups[0]
        .row("tde")
        .model_copy(update={"instance": name, "workload": name, "arm": name})
    )
    group = found.groups[0].model_copy(update={"rows": (row,) * (MAX_ROWS + 1)})
    status = to_status(found.model_copy(update={"groups": (group,)}))
    assert len(status.rows) == MAX_ROWS
    assert len(status.model_dump_json(by_alias=True)) < 1.4 * 2**20


def test_the_report_reads_back() -> None:
    found = report_of(BROKEN)
    assert Report.model_validate_json(encode(found)) == found


def test_an_operator_starts_without_the_libraries_of_a_rendering() -> None:
    code = (
        "import sys, encbench.report.analysis.build, encbench.report.formats.render; "
        "import encbench.report.formats.summary; "
        "print({'scipy', 'matplotlib', 'jinja2'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert found.stdout.strip() == "set()"
