"""Published tables, with the slips of those who typed or exported them."""

from contextlib import suppress
from pathlib import Path

from encbench.audit import render
from encbench.audit.audit import audit
from encbench.audit.naming import Naming
from encbench.audit.tables import BadInput, read
from tests.fuzz.budget import Budget
from tests.fuzz.inputs import texts

REFERENCE = sorted((Path(__file__).parents[1] / "data" / "reference").glob("*.csv"))
TABLES = [path.read_text() for path in REFERENCE]
NAMED = "threads,plain,encrypted,overhead\n1,100.0,90.0,10.0%\n8,800,700,12.5%\n"


def test_tables_with_a_known_header(budget: Budget) -> None:
    def check(text: str) -> None:
        with suppress(BadInput):
            found = audit([read("table.csv", text.encode(errors="surrogatepass"))], None)
            for rendering in render.RENDERINGS.values():
                rendering(found)

    budget.spend(
        check,
        texts(TABLES),
        [
            "a\rb,c\n1,2\n",
            "a,b\n" + "1" * 200_000 + ",2\n",
            TABLES[0].replace("1", "9" * 5000),
            # A row that does not hold, so that its name is printed.
            TABLES[-1].replace("pk_plain_write,24", "[" * 48_000 + "pk_plain_write,24", 1),
        ],
    )


def test_tables_with_named_columns(budget: Budget) -> None:
    naming = Naming(plain="plain", encrypted="encrypted", published="overhead", keys=("threads",))

    def check(text: str) -> None:
        with suppress(BadInput):
            found = audit([read("table.csv", text.encode(errors="surrogatepass"))], naming)
            for rendering in render.RENDERINGS.values():
                rendering(found)

    budget.spend(check, texts([NAMED]))
