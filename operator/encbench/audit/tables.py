"""A published table as read: text cells by column, each row with its line in the file."""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from encbench.audit.figures import ColumnPrecision, NotAFigure, PrintedFigure, figure
from encbench.text.words import listed


class BadInput(Exception):
    """The input cannot be audited. The text says what to supply instead."""


@dataclass(frozen=True)
class TableRow:
    """One line below the header."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True)
class PublishedTable:
    """One file."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    commas: bool = True
    """Whether figures may have commas between thousands."""

    def figure(self, row: TableRow, column: str) -> PrintedFigure | None:
        """The figure in a cell, None where there is none; BadInput for anything else.

        It has the precision of its column.
        """
        try:
            found = self._read(row, column)
        except NotAFigure as error:
            raise BadInput(f"{self.name}, line {row.line}, column {column}: {error}") from error
        precision = self._precisions.get(column)
        return precision.refined(found) if found and precision else found

    @cached_property
    def texts(self) -> frozenset[str]:
        """The columns with a cell that holds something else than a figure."""
        return frozenset(c for c in self.columns if any(self._is_text(r, c) for r in self.rows))

    @cached_property
    def _precisions(self) -> dict[str, ColumnPrecision]:
        columns = (c for c in self.columns if c not in self.texts)
        known = {
            c: ColumnPrecision.of(filter(None, (self._read(r, c) for r in self.rows)))
            for c in columns
        }
        return {column: found for column, found in known.items() if found}

    def _is_text(self, row: TableRow, column: str) -> bool:
        try:
            self._read(row, column)
        except NotAFigure:
            return True
        return False

    def _read(self, row: TableRow, column: str) -> PrintedFigure | None:
        return figure(row.cells[column], commas=self.commas)


def read(name: str, content: bytes) -> PublishedTable:
    """The table in a CSV file; BadInput if it is not one.

    The separator is a comma, a semicolon or a tab, whichever makes most cells of the header.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not text in UTF-8: save it as CSV in UTF-8") from error
    separator = max(",;\t", key=lambda one: _header_cells(name, text, one))
    lines = list(_lines(name, text, separator))
    if len(lines) < 2:
        raise BadInput(f"{name} has no table: write a line of column names and lines of figures")
    columns = tuple(cell.strip() for cell in lines[0][1])
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise BadInput(f"{name} has more than one column {listed(twice)}: name each differently")
    for line, cells in lines[1:]:
        if len(cells) != len(columns):
            raise BadInput(
                f"{name}, line {line} has {len(cells)} cells where the header has {len(columns)}: "
                "put quotes around a cell that holds the separator"
            )
    return PublishedTable(
        name=name,
        columns=columns,
        # Spreadsheets write semicolons where a comma is the decimal point.
        commas=separator != ";",
        rows=tuple(
            TableRow(line, {c: cell.strip() for c, cell in zip(columns, cells, strict=True)})
            for line, cells in lines[1:]
        ),
    )


def _header_cells(name: str, text: str, separator: str) -> int:
    """How many cells the header has with that separator; quoted cells may hold it too."""
    try:
        return next((len(cells) for _, cells in _lines(name, text, separator)), 0)
    except BadInput:
        return 0


def _lines(name: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that is not empty, with its number."""
    # Old spreadsheets end a line with a carriage return alone.
    file = io.StringIO(text, newline=None)
    reader = csv.reader(file, delimiter=separator, skipinitialspace=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise BadInput(f"{name}, line {reader.line_num} is not CSV: {error}") from error
