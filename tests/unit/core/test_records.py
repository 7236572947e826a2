"""Records: what is written is read, and nothing else is."""

import json
from collections.abc import Iterator

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.api.trial import Window
from encbench.core.artefact import Record, RecordError, check, decode, digest_of, encode
from encbench.core.evidence import Proof, ProofCheck, ProofRecord
from encbench.core.plan import Cell, LoadLevel
from encbench.core.records import IndexCell, MetricsRecord, PodCpu

ARM = Arm(name="plain", role="baseline", mode_ref="plain")


def record() -> ProofRecord:
    return ProofRecord(
        testbed="demo-c1-plain",
        cell="c1",
        arm=ARM,
        mode=EncryptionModeSpec(),
        proof=Proof(
            ok=True,
            summary="plaintext: the marker was found in 3 files",
            checks=(ProofCheck(name="marker", ok=True),),
            evidence={"files": [{"path": "a.ibd", "found": True}]},
        ),
    )


def test_round_trip() -> None:
    assert decode(ProofRecord, encode(record()), "proof.json") == record()


def test_the_same_record_gives_the_same_bytes() -> None:
    assert encode(record()) == encode(decode(ProofRecord, encode(record()), "proof.json"))


METRICS = MetricsRecord(
    window=Window(start=10.0, end=20.0),
    series={"x": ((10.25, 1e-09), (11.25, 3.0)), "none": ()},
    several={"y": 2},
    pods=(PodCpu(part="agent", testbed="bed", node="Köln", samples=((10.5, 7.125),)),),
)


def test_each_sample_is_on_one_line() -> None:
    lines = encode(METRICS).decode().splitlines()
    assert lines[7:11] == ['  "x": [', "   [10.25,1e-09],", "   [11.25,3.0]", "  ],"]
    assert "    [10.5,7.125]" in lines
    assert json.loads(encode(METRICS)) == METRICS.to_dict()
    assert decode(MetricsRecord, encode(METRICS), "metrics.json") == METRICS


def test_samples_are_read_however_they_were_written() -> None:
    """Earlier releases gave each number a line."""
    earlier = f"{json.dumps(METRICS.to_dict(), ensure_ascii=False, indent=1)}\n".encode()
    assert check(earlier, "metrics.json", digest_of(earlier)) == earlier
    assert decode(MetricsRecord, earlier, "metrics.json") == METRICS


def kinds(of: type[Record]) -> Iterator[type[Record]]:
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_all_other_records_are_written_as_they_were_by_earlier_releases() -> None:
    """An index is encoded again for the digest of what is stored."""
    assert [kind for kind in kinds(Record) if kind.in_lines] == [MetricsRecord]
    body = record().to_dict()
    assert encode(record()) == f"{json.dumps(body, ensure_ascii=False, indent=1)}\n".encode()


def test_the_schema_comes_first_and_nothing_is_null() -> None:
    body = json.loads(encode(record()))
    assert next(iter(body.items())) == ("schema", "encbench.io/proof/v1")
    assert "time" not in body["proof"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xff", "p.json is not JSON"),
        (b"[]", "p.json has schema None"),
        (b'{"schema": "encbench.io/proof/v2"}', "this version of encbench reads"),
        (b'{"schema": "encbench.io/proof/v1"}', "testbed: Field required"),
    ],
)
def test_what_is_no_record_is_refused_by_name(content: bytes, text: str) -> None:
    with pytest.raises(RecordError, match=text):
        decode(ProofRecord, content, "p.json")


def test_an_unknown_field_is_refused() -> None:
    body = json.loads(encode(record())) | {"surprise": 1}
    with pytest.raises(RecordError, match="surprise"):
        decode(ProofRecord, json.dumps(body).encode(), "p.json")


def test_other_content_is_refused() -> None:
    assert check(b"a", "k", digest_of(b"a")) == b"a"
    with pytest.raises(RecordError, match="k is not what was archived"):
        check(b"b", "k", digest_of(b"a"))


def test_a_cell_of_the_plan_becomes_one_of_the_index() -> None:
    cell = Cell("c1", "small", (ARM,), (LoadLevel("oltp", 4), LoadLevel("oltp", 16)))
    found = IndexCell.of(cell)
    assert found.to_dict()["conditions"][1] == {"workload": "oltp", "concurrency": 16}
