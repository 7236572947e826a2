"""A campaign under faults: each fault that is on is ended, and what stands still is named."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from tests.chaos import campaign, course, evidence, oracle
from tests.chaos.faults import Begun
from tests.chaos.oracle import Evidence
from tests.chaos.scene import NotThere, Scene
from tests.chaos.schedule import Planned
from tests.cluster.layout import Layout
from tests.support.kube import Kube

Body = dict[str, Any]
NAME = "c"
COMPLETE = {"type": "Complete", "status": "True", "lastTransitionTime": "2"}
STARTED = {"type": "Accepted", "status": "True", "lastTransitionTime": "1"}


@dataclass
class Breaks:
    """A fault that writes down when it began and ended."""

    name: str = "breaks"
    lane: str = "one"
    hold: tuple[float, float] = (0, 0)
    log: list[str] = field(default_factory=list)
    problem: Exception | None = None

    def begin(self, scene: Scene, draw: Random) -> Begun:
        if self.problem is not None:
            raise self.problem
        self.log.append("begin")
        return Begun("it", lambda: self.log.append("end"))


class Applied:
    """A cluster that takes everything."""

    def apply(self, *objects: Body) -> None: ...


class Played(Scene):
    """A scene in which the campaign is as written down, look by look; the last stays."""

    looks: Iterator[list[Body]]

    def objects(self, what: str, selector: str = "", namespace: str = "") -> list[Body]:
        return next(self.looks) if what == "campaigns" else []


Play = Callable[..., campaign.Outcome]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Play:
    """Run a campaign that shows these conditions, under these faults at once."""
    monkeypatch.setattr(campaign, "_calm", lambda scene: [])
    monkeypatch.setattr(campaign, "_gone", lambda scene: [])
    monkeypatch.setattr(evidence, "gather", lambda scene: Evidence({}, [], {}, {}))
    monkeypatch.setattr(oracle, "judge", lambda found, undisturbed: [])

    def run(shown: list[list[Body] | None], *faults: Breaks) -> campaign.Outcome:
        layout = Layout(tmp_path, tmp_path, tmp_path)
        scene = Played(cast(Kube, Applied()), layout, NAME)

        def bodies() -> Iterator[list[Body]]:
            for facts in [*shown, *[shown[-1]] * 1000]:
                own = {"metadata": {"name": NAME}, "status": {"conditions": facts}}
                yield [] if facts is None else [own]

        object.__setattr__(scene, "looks", bodies())
        plan = [Planned(fault, 0, 0, 1) for fault in faults]
        return campaign.run(scene, {}, plan, say=lambda text: None)

    return run


def test_a_fault_begins_and_ends_and_the_campaign_goes_on(play: Play) -> None:
    fault = Breaks()
    outcome = play([[STARTED], [STARTED], [STARTED, COMPLETE]], fault)
    assert fault.log == ["begin", "end"]
    (hit,) = outcome.hits
    assert hit.target == "it"
    assert hit.recovery is not None
    assert outcome.violations == []


def test_a_fault_without_target_is_counted_as_that(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "KEEN", 0)
    outcome = play([[STARTED], [COMPLETE]], Breaks(problem=NotThere("no client")))
    (hit,) = outcome.hits
    assert (hit.target, hit.problem) == ("", "no client")


def test_a_fault_without_target_comes_again(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "AGAIN", 0)

    class Late(Breaks):
        def begin(self, scene: Scene, draw: Random) -> Begun:
            if not self.log:
                self.log.append("not there")
                raise NotThere("no client yet")
            return super().begin(scene, draw)

    fault = Late()
    outcome = play([[STARTED]] * 3 + [[COMPLETE]], fault)
    assert fault.log == ["not there", "begin", "end"]
    assert [hit.target for hit in outcome.hits] == ["it"]


def test_two_faults_of_one_lane_wait_for_each_other(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "AGAIN", 0)
    log: list[str] = []
    first, second = Breaks(log=log), Breaks(log=log)
    play([[STARTED]] * 6 + [[COMPLETE]], first, second)
    assert log == ["begin", "end"] * 2


def test_an_end_may_wait_for_the_end_of_another(play: Play) -> None:
    """As when a replica has to come back, and the API server stands still."""
    log: list[str] = []

    class NeedsOther(Breaks):
        def begin(self, scene: Scene, draw: Random) -> Begun:
            return Begun("it", self.end)

        def end(self) -> None:
            if "end" not in log:
                raise NotThere("the API server is away")
            log.append("end of the first")

    play([[STARTED], [COMPLETE]], NeedsOther(lane="one"), Breaks(lane="two", log=log))
    assert log == ["begin", "end", "end of the first"]


def test_all_faults_end_when_one_goes_wrong(play: Play) -> None:
    first, second = Breaks(lane="one"), Breaks(lane="two")
    with pytest.raises(ZeroDivisionError):
        play([[STARTED]], first, second, Breaks(lane="three", problem=ZeroDivisionError()))
    assert first.log == second.log == ["begin", "end"]


def test_a_campaign_that_vanishes_is_a_violation(play: Play) -> None:
    outcome = play([[STARTED], None], Breaks())
    assert outcome.violations == ["the campaign is gone, and no fault deleted it"]


def test_a_campaign_that_a_fault_deleted_is_none(play: Play) -> None:
    assert play([[STARTED], [STARTED], None], Breaks(lane="campaign")).violations == []


def test_a_campaign_that_stands_still_is_named(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(course, "MOST", 0)
    outcome = play([[STARTED]], Breaks())
    assert "no end 0 s after the last fault" in outcome.violations[0]
