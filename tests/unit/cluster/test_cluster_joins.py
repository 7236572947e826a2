"""What an `up` does to a cluster that runs: nodes join it, or it is removed first."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster import bring_up, components, nodes, pki
from tests.cluster.layout import Layout

LAYOUT = Layout(
    repo=Path(__file__).resolve().parents[3], cache=Path("/cache"), state=Path("/state")
)
BUILD, OTHER_BUILD = Path("/cache/bin/kubernetes-1"), Path("/cache/bin/kubernetes-2")


def plan(count: int, kubernetes: Path = BUILD, layout: Layout = LAYOUT) -> frozenset[str]:
    return bring_up.plan_of(components.daemons(layout, nodes.planned(count)), [kubernetes])


@pytest.mark.parametrize(
    ("started", "wanted", "goes_on"),
    [
        (plan(1), plan(1), True),
        (plan(1), plan(3), True),
        (plan(2), plan(3), True),
        (plan(3), plan(1), False),
        (None, plan(1), False),
        (plan(1, OTHER_BUILD), plan(3), False),
        (plan(1, layout=replace(LAYOUT, state=Path("/elsewhere"))), plan(3), False),
        (frozenset({"of an earlier tool"}), plan(1), False),
    ],
    ids=["same", "two-join", "one-joins", "fewer", "unfinished", "build", "settings", "earlier"],
)
def test_only_a_part_of_the_plan_goes_on(
    started: frozenset[str] | None, wanted: frozenset[str], goes_on: bool
) -> None:
    assert bring_up.may_go_on(started, wanted) is goes_on


def test_each_node_has_a_line_of_its_own() -> None:
    numbers = sorted(line.split()[0] for line in plan(nodes.MOST))
    assert numbers == [str(node.number) for node in nodes.planned(nodes.MOST)]


def test_a_node_that_joins_gets_certificates_of_the_same_authority(tmp_path: Path) -> None:
    layout = replace(LAYOUT, state=tmp_path)
    pki.ensure(layout, nodes.planned(1))
    before = {path.name: path.read_bytes() for path in layout.pki.iterdir()}
    pki.ensure(layout, nodes.planned(3))
    after = {path.name: path.read_bytes() for path in layout.pki.iterdir()}
    assert before.items() <= after.items(), "what the running daemons have is not touched"
    for name in ("kubelet", "kubelet-server", "kube-proxy"):
        for number in (2, 3):
            assert f"{name}-{number}.key" in after
            made = f"{layout.pki}/{name}-{number}.crt"
            authority = ["openssl", "verify", "-CAfile", f"{layout.pki}/ca.crt"]
            subprocess.run([*authority, made], check=True, capture_output=True)
    assert not layout.pki.with_suffix(".partial").exists()


def test_a_certificate_that_was_half_made_is_made_again(tmp_path: Path) -> None:
    layout = replace(LAYOUT, state=tmp_path)
    pki.ensure(layout, nodes.planned(1))
    half = layout.pki / "kubelet-2.key"
    half.write_text("the key of a certificate that never came")
    pki.ensure(layout, nodes.planned(2))
    assert "PRIVATE KEY" in half.read_text()
    assert nodes.existing(layout) == nodes.planned(2)
