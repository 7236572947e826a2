"""The wrapper by itself, with scripts in the place of the clients."""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from encbench.tools.tpcc.parser import parse
from tests.support.shells import SHELLS

REPO = Path(__file__).parents[4]
SCRIPT = REPO / "operator/encbench/tools/tpcc/client.sh"
PROGRAM = REPO / "images/tpcc/tpcc.sh"
DATA = Path(__file__).parents[3] / "data" / "tpcc"
PASSWORD = r"p\a ss=#!:$(x)"
ADDRESSES = "-Djava.net.preferIPv6Addresses=system"
"""Two of the drivers try the first address alone, and Java's own order begins with IPv4."""


@dataclass
class Pod:
    """What the tool's container has."""

    folder: Path

    def program(self, path: str, script: str) -> Path:
        """An executable in the container."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    def run(
        self, shell: list[str], *arguments: str, **more: str
    ) -> subprocess.CompletedProcess[str]:
        """The wrapper with these arguments, its output in output.log as `run.sh` has it."""
        (self.folder / "run").mkdir(exist_ok=True)
        environment = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "ENCBENCH_PROPS": "db=mysql\nwarehouses=2\n",
            "ENCBENCH_CREDENTIALS": str(self.folder / "credentials"),
            "ENCBENCH_SCRATCH": str(self.folder / "scratch"),
            "ENCBENCH_RUN_DIR": str(self.folder / "run"),
            "ENCBENCH_BENCHMARKSQL": str(self.folder / "home"),
            "ENCBENCH_HEAP_MIB": "179",
            **more,
        }
        output = self.folder / "run/output.log"
        with output.open("w") as file:
            done = subprocess.run(
                [*shell, str(SCRIPT), *arguments],
                env=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=20,
                check=False,
            )
        done.stdout = output.read_text()
        return done

    @property
    def props(self) -> Path:
        """The props file."""
        return self.folder / "scratch/encbench/props"


@pytest.fixture
def pod(tmp_path: Path) -> Pod:
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "username").write_text("encbench")
    (credentials / "password").write_text(PASSWORD)
    found = Pod(tmp_path)
    found.program("bin/tpcc", 'echo "did $*"; cat "$3"; exit "${CODE:-0}"')
    return found


def benchmarksql(pod: Pod, log: str = "", histogram: str = "", code: int = 0) -> None:
    """An image with BenchmarkSQL whose run folder nobody may write to."""
    (pod.folder / "said.log").write_text(log)
    result = 'mkdir -p "$SCRATCH/encbench/results/data"; printf "%s" "$HISTOGRAM" '
    result += '>"$SCRATCH/encbench/results/data/histogram.csv"' if histogram else ">/dev/null"
    pod.program(
        "home/run/runBenchmark.sh",
        f"echo 1 >.jTPCC_run_seq.dat || exit 9\ncat ../lib/jar >/dev/null || exit 8\n{result}\n"
        f'cat "$1" >"{pod.folder}/props.seen"; cat "{pod.folder}/said.log"; exit {code}',
    )
    pod.program("home/run/runDatabaseDestroy.sh", 'echo "no such table"; exit 1')
    pod.program("home/run/runDatabaseBuild.sh", 'echo "built from $1"; exit "${CODE:-0}"')
    pod.program("home/lib/jar", "")
    for file in (pod.folder / "home/run").iterdir():
        file.chmod(0o555)
    (pod.folder / "home/run").chmod(0o555)


@pytest.mark.parametrize("shell", SHELLS)
def test_our_own_client_reads_the_password_itself(shell: list[str], pod: Pod) -> None:
    done = pod.run(shell, "own", "run", "terminals=3", "seed=7")
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == f"did run --props {pod.props}"
    assert pod.props.read_text().splitlines() == [
        "db=mysql",
        "warehouses=2",
        "",
        "terminals=3",
        "seed=7",
        "user=encbench",
        f"passwordFile={pod.folder}/credentials/password",
    ]


@pytest.mark.parametrize("shell", SHELLS)
def test_its_exit_code_is_the_wrapper_s(shell: list[str], pod: Pod) -> None:
    assert pod.run(shell, "own", "load", CODE="2").returncode == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_where_no_agent_looks_the_load_does(shell: list[str], pod: Pod) -> None:
    done = pod.run(shell, "own", "load", ENCBENCH_CHECK="true")
    did = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("did ")]
    assert (done.returncode, did) == (0, ["load", "check"])
    done = pod.run(shell, "own", "load", ENCBENCH_CHECK="true", CODE="1")
    assert done.returncode == 1
    assert "did check" not in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_benchmarksql_finds_the_password_in_a_file_that_only_it_may_read(
    shell: list[str], pod: Pod
) -> None:
    benchmarksql(pod, (DATA / "benchmarksql5.log").read_text())
    done = pod.run(shell, "5", "run", "terminals=3")
    assert done.returncode == 0, done.stdout
    assert PASSWORD not in done.stdout
    assert stat.S_IMODE(pod.props.stat().st_mode) == 0o600
    lines = (pod.folder / "props.seen").read_text().splitlines()
    assert "terminals=3" in lines
    (line,) = [line for line in lines if line.startswith("password=")]
    assert _java(line.removeprefix("password=")) == PASSWORD


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("image", "options"),
    [
        ({}, f"-Xmx179m {ADDRESSES}"),
        ({"JAVA_TOOL_OPTIONS": "-Xmx1g"}, f"-Xmx179m {ADDRESSES} -Xmx1g"),
    ],
)
def test_benchmarksql_s_heap_is_bounded_whether_or_not_its_jvm_sees_the_limit(
    shell: list[str], pod: Pod, image: dict[str, str], options: str
) -> None:
    """Of several a JVM takes the last."""
    benchmarksql(pod)
    seen = pod.folder / "options"
    pod.folder.joinpath("home/run").chmod(0o755)
    pod.program("home/run/runDatabaseBuild.sh", f'echo "$JAVA_TOOL_OPTIONS" >{seen}')
    assert pod.run(shell, "5", "load", **image).returncode == 0
    assert seen.read_text() == f"{options}\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_our_own_client_takes_addresses_in_the_system_s_order(shell: list[str], pod: Pod) -> None:
    pod.program("bin/java", 'echo "$@"')
    path = f"{pod.folder}/bin:{os.environ['PATH']}"
    done = subprocess.run(
        [*shell, str(PROGRAM), "run"],
        env={"PATH": path, "TPCC_JAVA_OPTIONS": "-Xmx1g"},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    options = done.stdout.partition(" -cp ")[0].split()
    assert ADDRESSES in options
    assert options[-1] == "-Xmx1g"


def _java(text: str) -> str:
    """A value as java.util.Properties reads it, as far as these tests go."""
    return re.sub(r"\\(.)", r"\1", text)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("said", ["ERROR, no connection\n", ""])
@pytest.mark.parametrize(("code", "seen"), [(0, 3), (4, 4)])
def test_a_run_without_a_report_fails_whatever_the_script_says(
    shell: list[str], pod: Pod, said: str, code: int, seen: int
) -> None:
    benchmarksql(pod, said, code=code)
    done = pod.run(shell, "5", "run")
    assert done.returncode == seen
    assert "ended without its final report" in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_benchmarksql_6_s_histogram_joins_the_log(shell: list[str], pod: Pod) -> None:
    rows = "NEW_ORDER,0.00101339,5\nNEW_ORDER,0.002,0\nPAYMENT,1.02E-3,7\n"
    benchmarksql(pod, (DATA / "benchmarksql6.log").read_text(), rows)
    done = pod.run(
        shell,
        "6",
        "run",
        SCRATCH=str(pod.folder / "scratch"),
        HISTOGRAM=f"ttype,edge,numtrans\n{rows}",
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-2:] == [
        "encbench-histogram NEW_ORDER,0.00101339,5",
        "encbench-histogram PAYMENT,1.02E-3,7",
    ]
    assert parse(done.stdout).transactions == 148460, "without the error"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_load_begins_with_what_may_be_there(shell: list[str], pod: Pod) -> None:
    benchmarksql(pod)
    done = pod.run(shell, "5", "load")
    assert (done.returncode, done.stdout) == (0, f"built from {pod.props}\n")
    assert pod.run(shell, "5", "load", CODE="1").returncode == 1


@pytest.mark.parametrize("shell", SHELLS)
def test_a_login_beyond_ascii_is_refused_for_benchmarksql_alone(shell: list[str], pod: Pod) -> None:
    benchmarksql(pod)
    (pod.folder / "credentials/password").write_text("pässwörd")
    done = pod.run(shell, "6", "run")
    assert done.returncode == 2
    assert "ASCII letters only" in done.stdout
    assert "pässwörd" not in done.stdout
    assert pod.run(shell, "own", "run").returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="runs as another user")
def test_a_folder_that_the_pod_s_user_may_not_enter_is_named(pod: Pod) -> None:
    benchmarksql(pod)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(pod.folder / "home", folder / "root/home")
        (folder / "root").chmod(0o700)
        shutil.copytree(pod.folder / "credentials", folder / "credentials")
        (folder / "scratch").mkdir(mode=0o777)
        (folder / "scratch").chmod(0o777)
        done = subprocess.run(
            ["setpriv", "--reuid=10001", "--clear-groups", "sh", "-s", "6", "run"],
            env={
                "PATH": os.environ["PATH"],
                "ENCBENCH_PROPS": "db=mysql",
                "ENCBENCH_CREDENTIALS": f"{folder}/credentials",
                "ENCBENCH_SCRATCH": f"{folder}/scratch",
                "ENCBENCH_BENCHMARKSQL": f"{folder}/root/home",
            },
            input=SCRIPT.read_text(),
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    assert done.returncode == 2
    assert f"user 10001 may not read {folder}/root in the image" in done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_an_image_without_benchmarksql_says_where_we_looked(shell: list[str], pod: Pod) -> None:
    done = pod.run(shell, "6", "run")
    assert done.returncode == 2
    assert f"{pod.folder}/home/run/runBenchmark.sh" in done.stdout
    assert "tpcc.benchmarksql.home" in done.stdout


MEK = "00112233445566778899aabbccddeeff"
TEMPLATE = "jdbc:mysql:encdb://db:3307/sbtest?MEK={mek}&ENC_ALGO=SM4_128_GCM"


def with_key(pod: Pod, end: str) -> dict[str, str]:
    (pod.folder / "mek").write_text(MEK + end)
    return {"ENCBENCH_URL": TEMPLATE, "ENCBENCH_MEK_FILE": str(pod.folder / "mek")}


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_url_with_the_key_is_a_file_for_our_own_client(
    shell: list[str], pod: Pod, end: str
) -> None:
    done = pod.run(shell, "own", "run", **with_key(pod, end))
    assert done.returncode == 0
    url = pod.folder / "scratch/encbench/url"
    assert f"connFile={url}" in pod.props.read_text().splitlines()
    assert url.read_text() == TEMPLATE.replace("{mek}", MEK) + "\n"
    assert stat.S_IMODE(url.stat().st_mode) == 0o600
    assert MEK not in done.stdout
    assert not (pod.folder / "scratch/encbench/mek.sed").exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_url_without_the_key_needs_no_file_of_it(shell: list[str], pod: Pod) -> None:
    done = pod.run(shell, "own", "run", ENCBENCH_URL="jdbc:x://db")
    assert done.returncode == 0
    assert (pod.folder / "scratch/encbench/url").read_text() == "jdbc:x://db\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_benchmarksql_gets_url_and_jar(shell: list[str], pod: Pod) -> None:
    benchmarksql(pod, log=(DATA / "benchmarksql5.log").read_text())
    drivers = pod.folder / "drivers"
    drivers.mkdir()
    (drivers / "driver.jar").write_text("")
    done = pod.run(shell, "5", "run", TPCC_DRIVERS=str(drivers), **with_key(pod, ""))
    assert done.returncode == 0, done.stdout
    seen = (pod.folder / "props.seen").read_text()
    assert "conn=" + TEMPLATE in seen.splitlines(), "it prints its URL"
    assert MEK not in seen + done.stdout
    assert not (pod.folder / "scratch/encbench/url").exists()
    libraries = pod.folder / "scratch/encbench/benchmarksql/lib"
    assert {one.name for one in libraries.iterdir()} == {"jar", "driver.jar"}


UTILITIES = (
    *("awk", "basename", "cat", "chmod", "chown", "cp", "cut", "date", "dirname", "env", "expr"),
    *("find", "grep", "head", "hostname", "id", "install", "ln", "ls", "mkdir", "mkfifo", "mktemp"),
    *("mv", "nproc", "od", "ps", "rm", "sed", "seq", "sleep", "sort", "stat", "tail", "tee"),
    *("timeout", "touch", "tr", "uname", "uniq", "wc", "xargs"),
)
"""What a script may well use that no shell has built in."""


def utilities(script: Path) -> set[str]:
    """Those that it starts."""
    code = re.sub("(?m)^ *#.*$", "", script.read_text())
    before = r"(?:^|(?<!\$)[|;&({!]|\$\(|\b(?:do|else|exec|if|then|while)\b)\s*(?:\w+=\S*\s+)*"
    return {one for one in UTILITIES if re.search(rf"{before}{one}\b", code, re.MULTILINE)}


def test_the_page_names_the_programs_that_an_image_of_benchmarksql_needs() -> None:
    used = utilities(SCRIPT) | utilities(REPO / "operator/encbench/tools/run.sh")
    text = " ".join((REPO / "docs/tpcc-workload.md").read_text().split())
    said = re.search(r"and a shell with ([\w, ]+) \(of coreutils", text)
    assert said is not None
    assert set(re.split(", | and ", said[1])) == used


@pytest.mark.parametrize("shell", SHELLS)
def test_without_a_driver_of_its_own_nothing_is_said_of_a_url(shell: list[str], pod: Pod) -> None:
    pod.run(shell, "own", "run")
    assert "conn" not in pod.props.read_text()
    assert not (pod.folder / "scratch/encbench/url").exists()
