"""BibTeX and biblatex files to papers, and papers to BibTeX."""

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any

from marwg.library.identity import find_arxiv_id, normal_doi, usable_key
from marwg.library.latex import decode, encode
from marwg.library.names import read_names, split_top_level, write_names
from marwg.library.records import missing_in
from marwg.library.report import Parsed, Remark
from marwg.types import Paper

NOTE_FIELD = "x-note"
"""The field in which a note of ours is written, so that it never comes back as the authors' abstract."""

Fields = dict[str, str]

_VENUE_FIELDS = (
    "journal",
    "journaltitle",
    "booktitle",
    "maintitle",
    "eventtitle",
    "school",
    "institution",
    "organization",
    "howpublished",
    "publisher",
)
_VENUE_FIELD_OF = {
    "article": "journal",
    "inproceedings": "booktitle",
    "conference": "booktitle",
    "incollection": "booktitle",
    "inbook": "booktitle",
    "phdthesis": "school",
    "mastersthesis": "school",
    "thesis": "institution",
    "techreport": "institution",
    "report": "institution",
    "book": "publisher",
    "collection": "publisher",
    "proceedings": "publisher",
}
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_NO_PAPERS = {
    "set": "a set of other entries",
    "xdata": "data for other entries",
    "control": "a setting",
    "bibnote": "a note",
}
_NOT_INHERITED = frozenset(
    "ids crossref xref entryset entrysubtype execute label options presort related sortkey xdata abstract".split()
)
_HASH = re.compile(r"#")


def decode_bytes(data: bytes) -> str:
    """The text of a file in UTF-8 or UTF-16 with or without mark, or else Latin-1, with plain line ends."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    elif data[:400].count(0) > len(data[:400]) // 4:
        text = data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-16-be", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


# ---------------------------------------------------------------- reading


def read_bibtex(text: str, source: str = "") -> Parsed:
    """Every entry that can be read, and for each other one its line or key and the reason."""
    papers: list[Paper] = []
    places: list[str] = []
    incomplete: list[Remark] = []
    refused: list[Remark] = []
    entries, strings, failed = _blocks(text)
    incomplete += [
        Remark(source=source, where=where, reason=reason) for where, reason in failed if reason.startswith("unread")
    ]
    refused += [
        Remark(source=source, where=where, reason=reason) for where, reason in failed if not reason.startswith("unread")
    ]
    raw = [(kind, key, line, _fields(fields, strings)) for kind, key, line, fields in entries]
    by_key = {key.casefold(): fields for _, key, _, fields in reversed(raw)}
    for kind, key, line, fields in raw:
        where = f"line {line}, {key}" if key else f"line {line}"
        if kind in _NO_PAPERS:
            refused.append(Remark(source=source, where=where, reason=f"not a paper but {_NO_PAPERS[kind]}"))
            continue
        paper = _paper(kind, key, _with_inherited(fields, by_key))
        if not paper.title:
            refused.append(Remark(source=source, where=where, reason="no title"))
            continue
        papers.append(paper)
        places.append(where)
        if lacking := missing_in(paper):
            incomplete.append(Remark(source=source, where=where, reason=lacking))
    return Parsed(papers=tuple(papers), places=tuple(places), incomplete=tuple(incomplete), refused=tuple(refused))


_Entry = tuple[str, str, int, list[tuple[str, str]]]


def _blocks(text: str) -> tuple[list[_Entry], Fields, list[tuple[str, str]]]:
    """Entries as (type, key, line, fields), the strings, and what could not be read as (where, reason)."""
    import bibtexparser
    from bibtexparser.model import Entry, ImplicitComment, ParsingFailedBlock, String

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # what it logs comes back as failed blocks
    entries: list[_Entry] = []
    strings: Fields = {}
    failed: list[tuple[str, str]] = []
    for block in bibtexparser.parse_string(text, parse_stack=[]).blocks:
        line = (block.start_line or 0) + 1
        found: Any = block
        while isinstance(found, ParsingFailedBlock) and found.ignore_error_block is not None:
            found = found.ignore_error_block  # a key or a field given twice: the entry itself is fine
        if isinstance(found, Entry):
            fields = [(field.key.casefold().strip(), str(field.value)) for field in found.fields]
            entries.append((found.entry_type.casefold().strip(), found.key.strip(), line, fields))
        elif isinstance(found, String):
            strings[found.key.casefold()] = str(found.value)
        elif isinstance(found, ParsingFailedBlock):
            failed.append((_where(line, found.raw or ""), _reason(found.raw or "")))
        elif isinstance(found, ImplicitComment) and re.search(
            r"^[\s,]*[\w-]+\s*=\s*[{\"]", found.comment, re.MULTILINE
        ):
            failed.append((f"line {line}", "unread fields: a brace too many closes the entry before them"))
    return entries, strings, failed


def _where(line: int, raw: str) -> str:
    key = re.match(r"\s*@\w+\s*[{(]\s*([^\s,={}]+)\s*,", raw)
    return f"line {line}, {key.group(1)}" if key else f"line {line}"


def _reason(raw: str) -> str:
    plain = re.sub(r"\\[{}\"\\]", "", raw)
    if plain.count("{") != plain.count("}") or plain.count('"') % 2:
        return "a brace or quotation mark is not closed"
    return "not valid BibTeX (a comma, an equals sign or a brace is missing)"


def _fields(fields: Sequence[tuple[str, str]], strings: Fields) -> Fields:
    """Field values without their delimiters, strings put in; of a field given twice, the first that says something."""
    values: Fields = {}
    for name, raw in fields:
        value = _value(raw, strings)
        if value and not values.get(name):
            values[name] = value
    return values


def _value(raw: str, strings: Fields, depth: int = 0) -> str:
    pieces = [piece.strip() for piece in _concatenated(raw)]
    values: list[str] = []
    for piece in pieces:
        if (piece.startswith("{") and piece.endswith("}")) or (len(piece) > 1 and piece[0] == piece[-1] == '"'):
            values.append(piece[1:-1])
        elif piece.casefold() in strings and depth < 10:
            values.append(_value(strings[piece.casefold()], strings, depth + 1))
        else:
            values.append(piece)
    return "".join(values).strip()


def _concatenated(raw: str) -> list[str]:
    """The pieces of `a # "b" # {c}`; a # inside quotation marks or braces is a character."""
    if "#" not in raw:
        return [raw]
    shielded = re.sub(r'"(?:[^"{}]|\{[^{}]*\})*"', lambda quoted: quoted.group(0).replace("#", "\x00"), raw)
    return [piece.replace("\x00", "#") for piece in split_top_level(shielded, _HASH)]


def _with_inherited(fields: Fields, by_key: dict[str, Fields], depth: int = 0) -> Fields:
    """The fields with those that a cross-referenced entry lends."""
    result = dict(fields)
    for reference in ("crossref", "xdata"):
        for key in fields.get(reference, "").split(","):
            parent = by_key.get(key.strip().casefold())
            if not parent or depth > 5:
                continue
            for name, value in _with_inherited(parent, by_key, depth + 1).items():
                if name in {"title", "subtitle"} and reference == "crossref":
                    name = "book" + name
                if name not in _NOT_INHERITED and (
                    reference == "xdata" or name not in {"author", "doi", "url", "pages"}
                ):
                    result.setdefault(name, value)
    return result


def _paper(kind: str, key: str, fields: Fields) -> Paper:
    used = {"title", "subtitle", "author", "year", "abstract", NOTE_FIELD, "doi", "url", "crossref", "xdata"}
    title = decode(fields.get("title", ""))
    if title and (subtitle := decode(fields.get("subtitle", ""))):
        title += f"{'' if title[-1] in '?!:' else ':'} {subtitle}"
    year, date = fields.get("year", ""), fields.get("date", "")
    if re.fullmatch(r"\d{4}", date):
        used.add("date")
    venue_field = next((name for name in _venue_fields(kind) if decode(fields.get(name, ""))), "")
    used.add(venue_field)
    names = read_names(fields.get("author", ""))
    if not names:
        names = read_names(fields.get("editor", ""))
        used |= {"editor"}
    arxiv_id, arxiv_fields = _arxiv(fields)
    used |= arxiv_fields
    note = decode(fields.get(NOTE_FIELD, ""))
    abstract = decode(fields.get("abstract", ""))
    url = _verbatim(fields.get("url", ""))
    return Paper(
        paper_id="",
        key=usable_key(key),
        title=title,
        authors=names,
        year=_year(decode(year)) or _year(date),
        venue=decode(fields.get(venue_field, "")),
        doi=normal_doi(_verbatim(fields.get("doi", ""))) or (normal_doi(url) if "doi.org/" in url else ""),
        arxiv_id=arxiv_id,
        url=url,
        entry_type=kind,
        extra=tuple((name, " ".join(value.split())) for name, value in fields.items() if name not in used),
        abstract=abstract or note,
        abstract_is_note=bool(note) and not abstract,
    )


def _venue_fields(kind: str) -> tuple[str, ...]:
    """Where an entry of this type says where it appeared, likeliest first."""
    preferred = _VENUE_FIELD_OF.get(kind)
    return (preferred, *_VENUE_FIELDS) if preferred else _VENUE_FIELDS


def _year(text: str) -> int | None:
    found = re.search(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)", text)
    return int(found.group(1)) if found else None


def _arxiv(fields: Fields) -> tuple[str, set[str]]:
    """The arXiv id, and the fields that say nothing else."""
    archive = (fields.get("eprinttype") or fields.get("archiveprefix") or "").casefold()
    eprint = fields.get("eprint", "")
    if archive == "arxiv" or (not archive and find_arxiv_id(eprint)):
        whole = find_arxiv_id(eprint, f"arxiv:{eprint}")
        if whole:
            return whole, {"eprint", "eprinttype", "archiveprefix"}
    venue = " ".join(fields.get(name, "") for name in ("journal", "journaltitle", "howpublished", "note"))
    volume = f"arxiv:{fields.get('volume', '')}" if "corr" in venue.casefold() else ""
    doi = fields.get("doi", "")
    in_doi = doi if "10.48550/" in doi else ""
    url = fields.get("url", "") if "arxiv.org" in fields.get("url", "").casefold() else ""
    return find_arxiv_id(url, venue, volume.replace("abs/", ""), in_doi), set()


def _verbatim(value: str) -> str:
    """A URL or DOI as it is meant: without the backslashes and braces that some programs write into it."""
    found = re.search(r"\\url\{([^{}]*)\}", value)
    value = found.group(1) if found else value
    value = re.sub(r"\\([_%&#~$])", r"\1", value)
    return re.sub(r"[{}\s\\]", "", value)


# ---------------------------------------------------------------- writing


def to_bibtex(paper: Paper, key: str = "", abstract: bool = True) -> str:
    """The entry of one paper under `key`, else its own key; only facts that the paper has."""
    lines = [f"  {name} = {value}," for name, value in _written(paper, abstract)]
    return "\n".join([f"@{paper.entry_type or 'misc'}{{{usable_key(key or paper.key)},", *lines, "}"]) + "\n"


def _written(paper: Paper, abstract: bool) -> Iterator[tuple[str, str]]:
    yield "title", "{{" + encode(paper.title) + "}}"
    if paper.authors:
        yield "author", "{" + write_names(paper.authors) + "}"
    if paper.year is not None:
        yield "year", f"{{{paper.year}}}"
    if paper.venue:
        taken = {name for name, _ in paper.extra}
        usual = _VENUE_FIELD_OF.get(paper.entry_type, "howpublished")
        free = (name for name in (usual, *_VENUE_FIELDS) if name not in taken)
        yield next(free, usual), "{" + encode(paper.venue) + "}"
    if paper.doi:
        yield "doi", "{" + paper.doi + "}"
    if paper.arxiv_id:
        yield "eprint", "{" + paper.arxiv_id + "}"
        yield "archiveprefix", "{arXiv}"
    if paper.url:
        yield "url", "{" + paper.url + "}"
    if paper.abstract and abstract:
        yield (NOTE_FIELD if paper.abstract_is_note else "abstract"), "{" + encode(paper.abstract) + "}"
    for name, value in paper.extra:
        month = name == "month" and value.casefold() in _MONTHS
        yield name, value if month else "{" + (value if _balanced(value) else encode(value)) + "}"


def _balanced(value: str) -> bool:
    depth = 0
    for char in re.sub(r"\\[{}\\]", "", value):
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0 and not value.endswith("\\")
