"""A parsed page for tests: tables by caption, texts by class, every attribute; nesting checked."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "hr", "img", "link", "input"}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    children: list["Node | str"] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside, white space folded."""
        parts = [c if isinstance(c, str) else c.text for c in self.children]
        return " ".join(" ".join(parts).split())

    def all(self, tag: str | None = None, cls: str | None = None) -> list["Node"]:
        """Every element below with that tag and class, in order of the document."""
        found: list[Node] = []
        for child in self.children:
            if isinstance(child, Node):
                fits = tag in (None, child.tag)
                if fits and (cls is None or cls in child.attributes.get("class", "").split()):
                    found.append(child)
                found += child.all(tag, cls)
        return found


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("document", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        closed = self.open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(source: str) -> Node:
    """The document; AssertionError where an element is not closed in its place."""
    parser = _Parser()
    parser.feed(source)
    parser.close()
    assert parser.open == [parser.root]
    return parser.root


def tables(page: Node) -> dict[str, list[list[str]]]:
    """The cells of each table's bodies by its caption, which no other table has."""
    found: dict[str, list[list[str]]] = {}
    for table in page.all("table"):
        caption = table.all("caption")[0].text
        assert caption not in found, f"two tables are called {caption!r}"
        found[caption] = [
            [cell.text for cell in row.children if isinstance(cell, Node)]
            for body in table.all("tbody")
            for row in body.all("tr")
        ]
    return found
