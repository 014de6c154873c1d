"""RIS files to papers, and Web of Science exports, which are often named .ris too."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from marwg.library.records import paper_from, sorted_out, year_in
from marwg.library.report import Parsed
from marwg.types import Paper

_START = re.compile(r"^\ufeff?TY  ?-")
_END = re.compile(r"^ER  ?-")
_TAG = re.compile(r"^\ufeff?([A-Z][A-Z0-9])  ?- ?")
_TYPES = {
    "article": "JOUR EJOUR MGZN NEWS INPR JFULL ABST",
    "inproceedings": "CONF CPAPER",
    "book": "BOOK EBOOK EDBOOK",
    "incollection": "CHAP ECHAP",
    "phdthesis": "THES",
    "techreport": "RPRT GOVDOC",
}
_ENTRY_TYPE = {ris: bibtex for bibtex, names in _TYPES.items() for ris in names.split()}
_ENTRY_TYPE |= {"journal article": "article", "conference paper": "inproceedings", "book section": "incollection"}
_WOS_TYPE = {"J": "article", "C": "inproceedings", "B": "book", "S": "incollection"}

Record = Mapping[str, Any]


def is_web_of_science(text: str) -> bool:
    """Whether the text is in the field format of Web of Science, whatever its name says."""
    head = text[:5000]
    return not re.search(r"^\ufeff?TY  ?-", head, re.MULTILINE) and bool(
        re.search(r"^(?:FN .*\n(?:.*\n)*?)?PT [A-Z]\s*$", head, re.MULTILINE)
    )


def read_ris(text: str, source: str = "") -> Parsed:
    """Every record that can be read; one that is broken or has no title is refused with its line."""
    records = _web_of_science(text) if is_web_of_science(text) else _ris(text)
    return sorted_out(records, source)


# ---------------------------------------------------------------- RIS


def _ris(text: str) -> Iterator[tuple[str, Paper | str]]:
    import rispy

    for line, lines, lost in _ris_records(text):
        where = f"line {line}"
        if lost:
            yield where, "no TY line, so it cannot be told what this is"
            continue
        try:
            (record,) = rispy.loads("\n".join([*lines, "ER  - "]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            yield where, f"not valid RIS ({error})"
            continue
        paper = _ris_paper(record)
        yield f"{where}, {paper.key}" if paper.key else where, paper


def _ris_records(text: str) -> Iterator[tuple[int, list[str], bool]]:
    """The records, each with its first line; one that has no end stops where the next begins."""
    start, lines, lost = 0, list[str](), False
    for number, raw in enumerate(text.split("\n"), 1):
        line = _TAG.sub(r"\1  - ", raw)
        if _START.match(line):
            if lines:
                yield start, lines, lost
            start, lines, lost = number, [line], False
        elif _END.match(line):
            if lines:
                yield start, lines, lost
            lines = []
        elif lines:
            lines.append(line)
        elif _TAG.match(line) and not _between(line):
            start, lines, lost = number, [line], True
    if lines:
        yield start, lines, lost


def _between(line: str) -> bool:
    """A line that some services write between records."""
    return line.startswith("NL  - ")


def _ris_paper(record: Record) -> Paper:
    doi = next((v for name in ("doi", "custom3") if "10." in (v := _text(record, name))), "")
    urls = [url for url in record.get("urls", ()) if url.startswith("http")]
    pages = "--".join(p for p in (_text(record, "start_page"), _text(record, "end_page")) if re.match(r"\w*\d", p))
    return paper_from(
        key=_text(record, "id", "label") if re.search("[A-Za-z]", _text(record, "id", "label")) else "",
        title=_text(record, "title", "primary_title", "short_title"),
        authors=[*record.get("authors", ()), *record.get("first_authors", ())] or record.get("secondary_authors", ()),
        year=year_in(_text(record, "year", "publication_year", "date")),
        venue=_text(record, "journal_name", "alternate_title3", "secondary_title", "alternate_title2"),
        doi=doi,
        url=urls[0] if urls else "",
        entry_type=_ENTRY_TYPE.get(_kind(record), "misc"),
        abstract=_text(record, "abstract", "notes_abstract"),
        extra={
            "volume": _text(record, "volume"),
            "number": _text(record, "number"),
            "pages": pages,
            "publisher": _text(record, "publisher"),
            "issn": _text(record, "issn"),
        },
    )


def _kind(record: Record) -> str:
    kind = _text(record, "type_of_reference").strip()
    return kind if kind.isupper() else kind.casefold()


def _text(record: Record, *names: str) -> str:
    """The first of these fields that says something."""
    for name in names:
        value = record.get(name, "")
        text = " ".join(value) if isinstance(value, list) else str(value)
        if text.strip():
            return text.strip()
    return ""


# ---------------------------------------------------------------- Web of Science


def _web_of_science(text: str) -> Iterator[tuple[str, Paper | str]]:
    from rispy import WokParser

    start, lines = 0, list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("PT "):
            start, lines = number, []
        lines.append(line)
        if line.rstrip() != "ER" or not start:
            continue
        where = f"line {start}"
        try:
            (record,) = WokParser().parse_lines(iter(lines))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            yield where, f"not a valid Web of Science record ({error})"
        else:
            yield where, _wos_paper(record)
        start, lines = 0, []
    if start:
        yield f"line {start}", "the record has no end"


def _wos_paper(record: Record) -> Paper:
    pages = "--".join(p for p in (_text(record, "beginning_page"), _text(record, "ending_page")) if p)
    return paper_from(
        title=_text(record, "document_title"),
        authors=record.get("author_full_name") or record.get("authors") or record.get("group_authors", ()),
        year=year_in(_text(record, "publication_year", "early_access_year")),
        venue=_text(record, "publication_name"),
        doi=_text(record, "doi"),
        entry_type=_WOS_TYPE.get(_text(record, "publication_type"), "misc"),
        abstract=_text(record, "abstract"),
        extra={
            "volume": _text(record, "volume"),
            "number": _text(record, "issue"),
            "pages": pages,
            "publisher": _text(record, "publisher"),
            "issn": _text(record, "issn"),
        },
    )
