"""The comparison matrix: papers × problem, method, data, evaluation, result, limitation, and the focal paper below them.

It is made from the cards alone. A cell stands with the words of its source and their page, or is empty.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from marwg.text.references import labels
from marwg.types import CARD_FIELDS, Card, Cell, Paper, PaperId
from marwg.verification.claims import FOCAL

HEADS = {
    "problem": "Task",
    "method": "Method",
    "data": "Data",
    "evaluation": "Evaluation",
    "result": "Result",
    "limitation": "Limitation",
}
"""How the columns are called, in order, by the field of the card."""

OURS = "This work"


@dataclass(frozen=True)
class Row:
    """One paper of the matrix: how it is cited, and a cell for each column."""

    paper_id: PaperId
    name: str
    key: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Matrix:
    """The papers in the order given; the last row is the focal paper's, whose key is empty."""

    rows: tuple[Row, ...]

    @property
    def heads(self) -> tuple[str, ...]:
        """The names of the columns of cells."""
        return tuple(HEADS.values())

    def shown(self) -> tuple[int, ...]:
        """The columns in which at least one cell says something."""
        return tuple(n for n in range(len(HEADS)) if any(row.cells[n].text for row in self.rows))

    @property
    def silent(self) -> int:
        """How many cells are empty because the source does not say."""
        return sum(not cell.text for row in self.rows for cell in row.cells)


def matrix(cards: Sequence[Card], focal_card: Card | None, papers: Iterable[Paper]) -> Matrix:
    """The matrix of some cards whose papers are known, the focal paper's own card last."""
    known = {p.paper_id: p for p in papers}
    listed = [known[c.paper_id] for c in cards if c.paper_id in known]
    names = labels(listed)
    rows = [
        Row(c.paper_id, " ".join(_bracketed(*names[c.paper_id])), known[c.paper_id].key, _cells(c))
        for c in cards
        if c.paper_id in known
    ]
    if focal_card is not None:
        rows.append(Row(FOCAL, OURS, "", _cells(focal_card)))
    return Matrix(tuple(rows))


def _bracketed(authors: str, year: str) -> tuple[str, str]:
    return authors, f"({year})"


def _cells(card: Card) -> tuple[Cell, ...]:
    """The cells of a card; one that rests on no words of the source says nothing."""
    cells: list[Cell] = [getattr(card, name) for name in CARD_FIELDS]
    return tuple(cell if cell.text.strip() and cell.quote.strip() else Cell() for cell in cells)


def only(whole: Matrix, paper_ids: Sequence[PaperId], fields: Sequence[str] = ()) -> Matrix:
    """The rows of some papers (and the focal one), with the cells of other columns emptied where fields are named."""
    wanted = {HEADS[f] for f in fields}
    rows = tuple(
        Row(
            row.paper_id,
            row.name,
            row.key,
            tuple(c if not wanted or h in wanted else Cell() for h, c in zip(HEADS.values(), row.cells, strict=True)),
        )
        for row in whole.rows
        if not paper_ids or row.paper_id in paper_ids or row.paper_id == FOCAL
    )
    return Matrix(rows)


def clipped(text: str, most: int = 90) -> str:
    """The beginning of a text, ended at a word."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    return f"{text[:most].rsplit(' ', 1)[0].rstrip(' ,;:.')} …"


def page_name(page: int) -> str:
    """ "p. 3", or "abstract"."""
    return f"p. {page}" if page else "abstract"


def markdown(whole: Matrix, most: int = 90) -> str:
    """The matrix as a Markdown table, cells clipped; columns about which no source says anything are left out."""
    columns = whole.shown()
    if not whole.rows or not columns:
        return "The cards of these papers say nothing that can be compared."
    heads = ["Paper", *(whole.heads[n] for n in columns)]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for row in whole.rows:
        name = f"**{row.name}**" if row.paper_id == FOCAL else row.name
        cells = (row.cells[n] for n in columns)
        lines.append(
            _line([name, *(f"{clipped(c.text, most)} ({page_name(c.page)})" if c.text else "" for c in cells)])
        )
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_in_table(c) for c in cells)} |"


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def table(whole: Matrix) -> list[list[str]]:
    """The matrix as rows of text, the first with the names of the columns: for each cell its text, quote and page."""
    heads = [name for head in whole.heads for name in (head, f"{head}: quote", f"{head}: page")]
    rows = [["Key", "Paper", *heads]]
    for row in whole.rows:
        cells = [t for c in row.cells for t in ((c.text, c.quote, page_name(c.page)) if c.text else ("", "", ""))]
        rows.append([row.key, row.name, *cells])
    return rows


def as_data(whole: Matrix) -> list[dict[str, object]]:
    """The matrix as plain values, to be written as JSON."""
    return [
        {
            "key": row.key or None,
            "paper": row.name,
            "cells": {
                head.lower(): {"text": c.text, "quote": c.quote, "page": c.page or "abstract"}
                for head, c in zip(whole.heads, row.cells, strict=True)
                if c.text
            },
        }
        for row in whole.rows
    ]


def cells_of(card: Card) -> Mapping[str, Cell]:
    """The cells of one card by field, only those that rest on words of the source."""
    return {name: cell for name, cell in zip(CARD_FIELDS, _cells(card), strict=True) if cell.text}
