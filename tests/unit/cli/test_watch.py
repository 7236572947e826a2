"""Progress lines, live TPS, and the lines that are rewritten."""

import asyncio
import io
import itertools
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from encbench.api.campaign import Blocks, CampaignStatus
from encbench.api.kinds import CAMPAIGN, POD, TRIAL
from encbench.cli import progress
from encbench.cli import watch as watching
from encbench.cli.output import CommandError, write_in_any_encoding
from encbench.cli.progress import is_under_load, trial_line
from encbench.cli.screen import Screen
from encbench.cli.watch import Live
from encbench.kube.labels import TRIAL as OF_TRIAL
from encbench.ports import Body, NotAuthenticated, NotServed, Rejected, Unavailable
from encbench.reconcile import objects
from encbench.reconcile.campaign import decide
from encbench.reconcile.objects import Trial
from encbench.tools.gathering import gather_seconds
from tests.support.encoded_terminal import EncodedTerminal
from tests.support.fake_cluster import FakeCluster
from tests.support.manifests import body

RELEASED = datetime(2030, 1, 1, tzinfo=UTC)


def trial(**status: object) -> Trial:
    made = body(TRIAL, "one", "bench")
    made["spec"]["workload"]["load"] = {"concurrency": [8], "warmup": "5s", "duration": "12s"}
    made["metadata"]["uid"] = "uid"
    return objects.trial({**made, "status": status})


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-1, "preparing"), (3, "warming up 3 of 5 s"), (9, "measuring 4 of 12 s"), (40, "preparing")],
)
def test_what_a_trial_is_doing(seconds: float, said: str) -> None:
    found = trial(phase="Preparing", releaseAt=RELEASED.timestamp())
    line = trial_line(found, Blocks(), None, RELEASED + timedelta(seconds=seconds))
    assert line == f"  block 1  {said}  tde on small  oltp at 8 threads"


def test_several_clients_gather_before_they_warm_up() -> None:
    found = trial(releaseAt=RELEASED.timestamp())
    client = found.spec.workload.client.model_copy(update={"replicas": 4})
    workload = found.spec.workload.model_copy(update={"client": client})
    several = replace(found, spec=found.spec.model_copy(update={"workload": workload}))
    gathering = gather_seconds(several.spec)
    assert gathering > 1
    for seconds, said in (
        (0.5, "warming up 0 of 5 s"),
        (gathering + 4, "warming up 4 of 5 s"),
        (gathering + 9, "measuring 4 of 12 s"),
    ):
        now = RELEASED + timedelta(seconds=seconds)
        assert f"  {said}  " in trial_line(several, Blocks(), None, now)


def test_one_thread_is_one_thread() -> None:
    found = trial(phase="Preparing")
    one = replace(found, spec=found.spec.model_copy(update={"concurrency": 1}))
    assert trial_line(one, Blocks(), None, RELEASED).endswith("  oltp at 1 thread")


@pytest.mark.parametrize(("interleave", "name"), [({}, "solo 2"), (None, "1002")])
def test_a_solo_block_has_its_name(interleave: dict[str, Any] | None, name: str) -> None:
    found = trial(phase="Preparing")
    solo = replace(found, spec=found.spec.model_copy(update={"block": 1002}))
    blocks = Blocks.model_validate({} if interleave is None else {"interleave": interleave})
    assert trial_line(solo, blocks, None, RELEASED).startswith(f"  block {name}  preparing  ")


def test_a_trial_with_its_tps() -> None:
    found = trial(releaseAt=RELEASED.timestamp())
    line = trial_line(found, Blocks(), 1234.5, RELEASED + timedelta(seconds=6))
    assert "  measuring 1 of 12 s  1,234 TPS  " in line


def test_a_measured_trial_is_no_longer_under_load() -> None:
    now = RELEASED + timedelta(seconds=6)
    assert is_under_load(trial(releaseAt=RELEASED.timestamp()), now)
    window = {"start": 1, "end": 2}
    assert not is_under_load(trial(releaseAt=RELEASED.timestamp(), window=window), now)
    assert not is_under_load(trial(), now)


SILENT = "silent"


class Scrapable(FakeCluster):
    """With two clients, whose answers are a test's."""

    def __init__(self, *answers: str | Exception) -> None:
        super().__init__()
        self.answers = dict(enumerate(answers))
        self.asked = 0
        for number in self.answers:
            labels = {OF_TRIAL: "one"}
            pod = {"metadata": {"name": f"p{number}", "namespace": "bench", "labels": labels}}
            self.add(POD, {"apiVersion": "v1", "kind": "Pod", **pod})

    async def scrape(self, namespace: str, pod: str, port: int) -> str:
        assert (namespace, port) == ("bench", 9471)
        self.asked += 1
        answer = self.answers[int(pod[1:])]
        if answer == SILENT:
            await asyncio.sleep(60)
        if isinstance(answer, Exception):
            raise answer
        return answer


TPS = "# TYPE encbench_client_tps gauge\nencbench_client_tps {}\nencbench_client_qps 9\n"


async def test_tps_of_all_clients_is_summed() -> None:
    cluster = Scrapable(TPS.format("100.5"), TPS.format("2e2"))
    assert await Live(cluster, "bench").tps("one") == 300.5
    assert await Live(cluster, "bench").tps("other") is None


@pytest.mark.parametrize(
    "silent",
    [
        "encbench_client_cpu_seconds_total 3\n",
        Unavailable("away"),
        *(TPS.format(odd) for odd in ("-", "1e", "1.2.3", "1e999", "-1e9")),
    ],
)
async def test_tps_that_one_client_does_not_say_is_not_known(silent: str | Exception) -> None:
    live = Live(Scrapable(TPS.format("100"), silent), "bench")
    assert await live.tps("one") is None


@pytest.mark.parametrize(
    "answer", [Rejected("pods p0 is forbidden"), NotAuthenticated("the pod itself answered 401")]
)
async def test_without_the_right_to_reach_pods_it_asks_once(answer: Exception) -> None:
    cluster = Scrapable(answer)
    live = Live(cluster, "bench")
    assert await live.tps("one") is None
    assert await live.tps("one") is None
    assert cluster.asked == 1


async def test_a_pod_that_a_network_policy_hides_is_not_asked_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "PATIENCE", 0.02)
    cluster = Scrapable(SILENT, SILENT)
    live = Live(cluster, "bench")
    for _ in range(watching.TOO_OFTEN + 1):
        assert await live.tps("one") is None
    assert cluster.asked == watching.TOO_OFTEN


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


def test_on_a_terminal_lines_are_rewritten() -> None:
    out = Terminal()
    screen = Screen(out, lambda: (20, 10))
    screen.show(["campaign " + "x" * 40, "  trial"], steady="a")
    first = out.getvalue()
    assert first.split("\n")[0].endswith("\033[Jcampaign …"), "cut, lest it wraps"
    assert not first.endswith("\n")
    screen.show(["campaign"], steady="a")
    assert out.getvalue()[len(first) :] == "\033[1A\r\033[Jcampaign", "one line up, then anew"
    screen.close()
    assert out.getvalue().endswith("campaign\n")


def test_what_a_cluster_says_does_not_command_a_terminal() -> None:
    for out in (Terminal(), io.StringIO()):
        Screen(out, lambda: (80, 10)).show(["trial\x1b]0;title\x07\u202e \x9b2J"], steady="a")
        shown = out.getvalue().replace("\r\033[J", "").rstrip("\n")
        assert shown == "trial ]0;title    2J"


def test_elsewhere_a_line_comes_with_each_change() -> None:
    out = io.StringIO()
    screen = Screen(out)
    for steady in ("a", "a", "b"):
        screen.show([f"campaign {steady}", "  trial"], steady=steady)
    screen.close()
    assert out.getvalue() == "campaign a\ncampaign b\n"


@pytest.mark.parametrize("term", ["dumb", "", None])
def test_a_terminal_that_rewrites_nothing_gets_lines(
    term: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERM") if term is None else monkeypatch.setenv("TERM", term)
    out = Terminal()
    screen = Screen(out)
    for steady in ("a", "a", "b"):
        screen.show([f"campaign {steady}", "  trial"], steady=steady)
    screen.close()
    assert out.getvalue() == "campaign a\ncampaign b\n"


STEP = "block 3, read-write at 4 threads: tde on mariadb-small"
LINES = [
    f"tde-small  [#######.............] 6/18 trials  ETA 4:12 (14:05:12 UTC)  {STEP}",
    "  block 3  measuring 7 of 120 s  1,271 TPS  tde on mariadb-small  read-write at 4 threads",
]


def test_the_lines_are_those_of_the_plugin_s_page() -> None:
    now = datetime(2030, 1, 1, 14, 1, tzinfo=UTC)
    status = CampaignStatus.model_validate(
        {
            "progress": {"planned": 18, "succeeded": 6},
            "step": STEP,
            "estimatedCompletionTime": "2030-01-01T14:05:12Z",
        }
    )
    assert progress.line("tde-small", status, now) == LINES[0]
    assert f"    {LINES[0]}\n" in Path("docs/plugin.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [*range(24, 150, 3)])
def test_a_narrow_screen_ends_with_a_whole_word(width: int) -> None:
    out = Terminal()
    Screen(out, lambda: (width, 24)).show(LINES, steady="")
    for shown, line in zip(out.getvalue().split("\033[J")[1].split("\n"), LINES, strict=True):
        assert len(shown) < width
        words = line.split()
        assert shown.split() in (words, *([*words[:n], "…"] for n in range(1, len(words))))


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("width", [*range(24, 110, 7)])
def test_a_line_fits_the_screen_in_the_letters_of_its_encoding(
    width: int, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ellipsis is three dots where the encoding lacks it."""
    out = EncodedTerminal(encoding)
    monkeypatch.setattr(sys, "stdout", out)
    write_in_any_encoding()
    Screen(size=lambda: (width, 24)).show(
        [*LINES, "  waits → the node’s room ≤ 3 … " * 4], steady=""
    )
    shown = out.written().split("\033[J")[1].split("\n")
    assert all(len(line) < width for line in shown)
    assert shown[2].endswith("..." if encoding in ("latin-1", "ascii") else "…")


def test_time_left_and_tps_are_there_at_80_columns() -> None:
    out = Terminal()
    Screen(out, lambda: (80, 24)).show(LINES, steady="")
    first, second = out.getvalue().split("\n")
    assert "  ETA 4:12 (14:05:12 UTC) " in first
    assert "  1,271 TPS  tde on mariadb-small " in second


# ------------------------------------------------------------------------------- the whole command


def campaign(
    cluster: FakeCluster, *conditions: tuple[str, str, str], step: str = "", reason: str = "Because"
) -> None:
    made = body(CAMPAIGN, "demo", "bench")
    found = [
        {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastTransitionTime": "2030-01-01T00:00:00Z",
        }
        for kind, status, message in conditions
    ]
    cluster.add(CAMPAIGN, {**made, "status": {"conditions": found, "step": step}})


def at_look(
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    cluster: FakeCluster,
    condition: tuple[str, str, str],
    step: str = "",
) -> None:
    """From that look on the campaign has this condition instead of its own."""
    get, looks = cluster.get, itertools.count(1)

    async def changed(*args: Any) -> Body | None:
        if next(looks) == number:
            cluster.remove(CAMPAIGN, "bench", "demo")
            campaign(cluster, condition, step=step)
        return await get(*args)

    monkeypatch.setattr(cluster, "get", changed)


@pytest.mark.parametrize(
    ("condition", "code", "said"),
    [
        (("Complete", "True", "every planned block is valid"), 0, "every planned block"),
        (("Failed", "True", "too many trials were Invalid"), watching.FAILED, "too many trials"),
        (("Accepted", "False", "there is no Workload x"), watching.REFUSED, "no Workload x"),
    ],
)
async def test_the_exit_code_says_how_it_ended(
    condition: tuple[str, str, str],
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    monkeypatch.setattr(watching, "refusal_stands", lambda *_: 0.05)
    cluster = Scrapable()
    campaign(cluster, condition, step="done")
    assert await watching.follow(cluster, "bench", "demo", None) == code
    captured = capsys.readouterr()
    assert said in (captured.err if code else captured.out)


async def test_a_refusal_that_is_being_corrected_is_not_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    monkeypatch.setattr(watching, "refusal_stands", lambda *_: 60.0)
    cluster = Scrapable()
    campaign(cluster, ("Accepted", "False", "there is no Workload x"), step="waiting for its parts")
    at_look(
        *(3, monkeypatch, cluster),
        ("Complete", "True", "every planned block is valid"),
        step="done",
    )
    assert await watching.follow(cluster, "bench", "demo", None) == 0
    assert "waiting for its parts" in capsys.readouterr().out


async def test_a_refusal_after_an_undecided_look_is_the_end_at_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    monkeypatch.setattr(watching, "refusal_stands", lambda *_: 60.0)
    cluster = Scrapable()
    campaign(cluster, step="waiting for what is applied with it")
    at_look(3, monkeypatch, cluster, ("Accepted", "False", "there is no Workload x"))
    assert await watching.follow(cluster, "bench", "demo", None) == watching.REFUSED
    assert "no Workload x" in capsys.readouterr().err


async def test_a_campaign_that_waits_for_others_is_followed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    monkeypatch.setattr(watching, "refusal_stands", lambda *_: 0.0)
    cluster = Scrapable()
    full = ("Accepted", "False", "its trials and those of others are too many")
    campaign(cluster, full, step="waiting until others end", reason="NamespaceFull")
    at_look(3, monkeypatch, cluster, ("Complete", "True", "every planned block is valid"))
    assert await watching.follow(cluster, "bench", "demo", None) == 0
    assert "waiting until others end" in capsys.readouterr().out


@pytest.mark.parametrize(("refused", "stands"), [(-30, 15), (60, 15), (300, 35), (9000, 65)])
def test_a_refusal_is_believed_after_the_next_look_of_the_operator(
    refused: int, stands: float
) -> None:
    assert watching.PARTS_AGAIN == (decide.RESOLVE_AGAIN, decide.RESOLVE_SELDOM)
    cluster, moment = Scrapable(), datetime(2030, 1, 1, tzinfo=UTC)
    campaign(cluster, ("Accepted", "False", "there is no Workload x"))
    status = objects.campaign(cluster.one(CAMPAIGN, "bench", "demo")).status
    assert watching.refusal_stands(status, moment + timedelta(seconds=refused)) == stands


@pytest.mark.parametrize("ended", [True, False])
async def test_no_time_at_all_is_enough_for_one_look(ended: bool) -> None:
    cluster = Scrapable()
    campaign(cluster, ("Complete" if ended else "Accepted", "True", ""), step="done")
    code = await asyncio.wait_for(watching.follow(cluster, "bench", "demo", 0.0), 5)
    assert code == (0 if ended else watching.TIMED_OUT)


async def test_it_gives_up_after_its_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    cluster = Scrapable()
    campaign(cluster, ("Accepted", "True", ""), step="preparing testbeds")
    assert await watching.follow(cluster, "bench", "demo", 0.05) == watching.TIMED_OUT
    captured = capsys.readouterr()
    assert captured.out.count("preparing testbeds") == 1, "once, not at each look"
    assert "it keeps running" in captured.err


async def test_a_refusal_is_said_at_the_limit_at_the_latest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cluster = Scrapable()
    campaign(cluster, ("Accepted", "False", "there is no Workload x"))
    assert await watching.follow(cluster, "bench", "demo", 0.0) == watching.REFUSED
    said = capsys.readouterr().err
    assert "no Workload x" in said and "keeps running" not in said


async def test_an_error_begins_below_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    out, cluster = Terminal(), Scrapable()
    monkeypatch.setattr(watching, "Screen", lambda: Screen(out, lambda: (80, 10)))
    campaign(cluster, ("Accepted", "True", ""), step="preparing testbeds")
    cluster.fail_next(Rejected("log in again"), verb="get", kind=CAMPAIGN, skip=1)
    with pytest.raises(Rejected):
        await watching.follow(cluster, "bench", "demo", None)
    assert out.getvalue().endswith("preparing testbeds\n")


async def test_a_campaign_that_is_not_there_is_an_error() -> None:
    with pytest.raises(CommandError, match="there is no campaign demo in namespace bench"):
        await watching.follow(Scrapable(), "bench", "demo", None)


async def test_a_cluster_without_encbench_has_no_campaign_anywhere() -> None:
    cluster = Scrapable()
    cluster.fail_next(NotServed("there are no campaigns"), verb="list", kind=CAMPAIGN)
    with pytest.raises(NotServed):
        await watching.follow(cluster, "bench", "demo", None)


async def test_a_cluster_that_does_not_answer_at_first_is_an_error() -> None:
    cluster = Scrapable()
    campaign(cluster, ("Accepted", "True", ""))
    cluster.fail_next(Unavailable("502: connection refused"), verb="get", kind=CAMPAIGN)
    with pytest.raises(Unavailable):
        await watching.follow(cluster, "bench", "demo", None)


async def test_a_cluster_that_goes_away_is_said_once_and_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    cluster = Scrapable()
    campaign(cluster, ("Accepted", "True", ""), step="preparing testbeds")
    for skip in (1, 0, 0, 1):
        cluster.fail_next(Unavailable("502: gone"), verb="get", kind=CAMPAIGN, skip=skip)
    at_look(7, monkeypatch, cluster, ("Complete", "True", "every planned block is valid"))
    assert await watching.follow(cluster, "bench", "demo", None) == 0
    said = capsys.readouterr().err
    assert said.count("waiting for the API server to answer again: 502: gone") == 2, said
