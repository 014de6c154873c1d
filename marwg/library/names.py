"""Author names: from BibTeX and biblatex to "Family, Given" and back."""

import re

from marwg.library.latex import decode, encode

OTHERS = "others"
_EXTENDED = re.compile(r"\b(family|given|prefix|suffix)\s*=\s*(\{[^{}]*\}|\"[^\"]*\"|[^,]*)", re.IGNORECASE)


def read_names(value: str) -> tuple[str, ...]:
    """The names of an author or editor field in order; a name in braces (a group, a mononym) stays in one piece."""
    names = [_read_name(raw) for raw in _separate(" ".join(value.split()))]
    return tuple(name for name in names if name)


def write_names(names: tuple[str, ...]) -> str:
    """An author field that `read_names` reads back as the same names."""
    return " and ".join(_write_name(name) for name in names)


def split_top_level(text: str, separator: re.Pattern[str]) -> list[str]:
    """`text` cut at the matches of `separator` that are in no braces."""
    parts, depth, start = [], 0, 0
    position = 0
    while position < len(text):
        char = text[position]
        if char == "\\":
            position += 2
            continue
        depth += (char == "{") - (char == "}")
        if depth == 0 and (found := separator.match(text, position)):
            parts.append(text[start : found.start()])
            start = position = found.end()
            continue
        position += 1
    return [*parts, text[start:]]


_AND = re.compile(r"(?<=[\s}])and(?=[\s{])|\sand$|^and\s", re.IGNORECASE)
_SEMICOLON = re.compile(r";")
_COMMA = re.compile(r",")


def _separate(value: str) -> list[str]:
    names = [name.strip() for name in split_top_level(value, _AND)]
    if len(names) > 1:
        return names
    if len(by_semicolon := split_top_level(value, _SEMICOLON)) > 1:
        return [name.strip() for name in by_semicolon]
    # "Ada Bell, Carl Dorn, Eva Frey, Gil Haas": full names between commas, which BibTeX does not know but people write.
    by_comma = [name.strip() for name in split_top_level(value, _COMMA)]
    if len(by_comma) > 3 and all(" " in name for name in by_comma):
        return by_comma
    return names


def _read_name(raw: str) -> str:
    raw = raw.strip().strip(",").strip()
    if not raw:
        return ""
    if raw.casefold() in {"others", "et al.", "et al"}:
        return OTHERS
    if _EXTENDED.match(raw):
        return _read_extended(raw)
    parts = [decode(part) for part in split_top_level(raw, _COMMA)]
    if len(parts) == 2:
        return ", ".join(part for part in parts if part)
    if len(parts) > 2:  # von Last, Jr, First
        family, suffix, *given = parts
        return ", ".join(part for part in (family, " ".join(given), suffix) if part)
    if raw.startswith("{") and len(split_top_level(raw, re.compile(r"\s"))) == 1:
        return decode(raw)
    return _read_given_first(raw)


def _read_given_first(raw: str) -> str:
    from bibtexparser.middlewares.names import InvalidNameError, parse_single_name_into_parts

    try:
        parts = parse_single_name_into_parts(raw, strict=False)
    except InvalidNameError:
        return decode(raw)
    family = decode(" ".join([*parts.von, *parts.last]))
    given = decode(" ".join(parts.first))
    return f"{family}, {given}" if family and given else family or given


def _read_extended(raw: str) -> str:
    """The extended form of biblatex: family=…, given=…, prefix=…, suffix=…"""
    found = {name.casefold(): decode(value.strip().strip('"')) for name, value in _EXTENDED.findall(raw)}
    family = " ".join(part for part in (found.get("prefix", ""), found.get("family", "")) if part)
    return ", ".join(part for part in (family, found.get("given", ""), found.get("suffix", "")) if part)


def _write_name(name: str) -> str:
    if name == OTHERS:
        return OTHERS
    parts = name.split(", ")
    if len(parts) == 1:
        return "{" + encode(name) + "}"
    if len(parts) == 2:
        return ", ".join(_protected(part) for part in parts)
    if len(parts) == 3:
        return ", ".join(_protected(part) for part in (parts[0], parts[2], parts[1]))
    return f"{_protected(parts[0])}, {{{encode(', '.join(parts[1:]))}}}"


def _protected(part: str) -> str:
    """A part of a name, in braces where BibTeX would cut it."""
    written = encode(part)
    if re.search(r"[,;=]|\band\b", part, re.IGNORECASE) or part.casefold().strip(" .") in {"", "others", "et al"}:
        return "{" + written + "}"
    return written
