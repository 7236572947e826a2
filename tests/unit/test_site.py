"""The docs as a site: every page has its place, and every link between pages leads somewhere."""

import os
import subprocess
import sys
from pathlib import Path

from tests.chart_readme import CHART, values

REPO = Path(__file__).resolve().parents[2]


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=REPO,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for page in ("index.html", "plugin/index.html", "pictures/answers.png"):
        assert (tmp_path / page).exists(), page
    shown = (tmp_path / "reference/values/index.html").read_text(encoding="utf-8")
    for value in values((CHART / "values.yaml").read_text(encoding="utf-8")):
        assert f"<td><code>{'.'.join(value.path)}</code></td>" in shown
