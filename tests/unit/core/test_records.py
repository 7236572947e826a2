"""Records: what is written is read, and nothing else is."""

import json

import pytest

from encbench.api.encryptionmode import EncryptionModeSpec
from encbench.api.testbed import Arm
from encbench.core.artefact import RecordError, check, decode, digest_of, encode
from encbench.core.evidence import Proof, ProofCheck, ProofRecord
from encbench.core.plan import Cell, LoadLevel
from encbench.core.records import IndexCell

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
