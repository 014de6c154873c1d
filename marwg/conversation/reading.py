"""Reads the focal paper's title and abstract out of what a user typed or uploaded, and refuses what cannot be used."""

import re
from pathlib import Path

from marwg.errors import InputError, UnreadableFile
from marwg.types import Focal

LONGEST_ABSTRACT = 6_000
"""Characters; an abstract is a tenth of that. More is a paper, and belongs in a file."""

SHORTEST_ABSTRACT = 20
"""Words; less does not say what a paper is about."""

DRAFT_ENDINGS = (".md", ".markdown", ".tex", ".txt")
"""Files from which a title and an abstract are read."""

_ENGLISH = frozenset(
    "the of and to in a is that we for on with this are as by an be it from which our can or at not have has these "
    "their such using between than while but into how its both more however show present propose".split()
)
_TITLE = re.compile(r"^\W*(?:paper\s+)?title\W*[:.]\W*(?P<title>.+)$", re.IGNORECASE | re.MULTILINE)
_ABSTRACT = re.compile(r"^\W*abstract(?=\W*[:.—–\n-])\W+(?P<abstract>.*)\Z", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,3}\s+(?P<heading>.+?)\s*#*\s*$", re.MULTILINE)
_TEX_TITLE = re.compile(r"\\title\s*(?:\[[^\]]*\])?\s*\{")
_TEX_ABSTRACT = re.compile(r"\\begin\{abstract\}(?P<abstract>.*?)\\end\{abstract\}", re.DOTALL)


def focal_in_text(text: str) -> Focal | None:
    """Title and abstract of a plain message, or None where it does not look like one.

    Understood are "Title: … Abstract: …", a Markdown heading with the abstract below, and a first line that is short
    with at least one longer paragraph after it.
    """
    text = text.replace("\r\n", "\n").strip()
    labelled = _ABSTRACT.search(text)
    heading = _HEADING.search(text)
    if labelled:
        before = text[: labelled.start()].strip()
        named = _TITLE.search(before)
        title = named["title"] if named else before.splitlines()[-1] if before else ""
        return _focal(title.lstrip("# "), _until_next_heading(labelled["abstract"]))
    if heading and not text[: heading.start()].strip():
        return _focal(heading["heading"], _until_next_heading(text[heading.end() :]))
    first, _, rest = text.partition("\n")
    named = _TITLE.match(first)
    title = named["title"] if named else first
    if rest.strip() and 2 <= len(title.split()) <= 40 and (named or len(rest.split()) >= SHORTEST_ABSTRACT):
        return _focal(title, rest)
    return None


def focal_in_file(path: Path) -> Focal:
    """Title and abstract of a draft in Markdown, plain text or LaTeX; UnreadableFile where it has none."""
    name = path.name
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read.", "Check that the file exists and is readable.") from error
    found = _focal_in_tex(text) if path.suffix.lower() == ".tex" else focal_in_text(text)
    if found is None or not found.title or not found.abstract:
        raise UnreadableFile(
            f"No title with an abstract was found in {name}.",
            "It needs the title as the first heading (or \\title) and the abstract below (or the abstract environment).",
        )
    return found


def checked(focal: Focal) -> Focal:
    """The focal paper if a section can be written for it; otherwise InputError says what is missing."""
    title, abstract = _one_line(focal.title), _one_line(focal.abstract)
    words = abstract.split()
    if not title:
        raise InputError("The title is missing.", "Send the title on the first line and the abstract below it.")
    if len(title) > 400:
        raise InputError("The first line is too long for a title.", "Send the title alone on the first line.")
    if not words:
        raise InputError("The abstract is missing.", "Send the title on the first line and the abstract below it.")
    if len(words) < SHORTEST_ABSTRACT:
        raise InputError(
            f"The abstract has only {len(words)} {'word' if len(words) == 1 else 'words'}, which does not say what to look for.",
            f"Send at least {SHORTEST_ABSTRACT} words: problem, approach, evaluation.",
        )
    if len(abstract) > LONGEST_ABSTRACT:
        raise InputError(
            f"This text has {len(abstract):,} characters, which is more than an abstract.",
            f"Send title and abstract alone (up to {LONGEST_ABSTRACT:,} characters), or upload the paper as .tex or .md.",
        )
    if not _is_english(words):
        raise InputError(
            "The abstract does not seem to be in English.",
            "The library is searched in English: send an English abstract.",
        )
    return Focal(title=title, abstract=abstract)


def _is_english(words: list[str]) -> bool:
    # English abstracts have 30 to 45 % of these words, other languages in Latin letters below 8 %.
    known = sum(w.strip(".,;:()").lower() in _ENGLISH for w in words)
    return known / len(words) >= 0.15


def _focal(title: str, abstract: str) -> Focal:
    return Focal(title=_one_line(title.strip(" *_\"'")), abstract=_one_line(abstract))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _until_next_heading(text: str) -> str:
    following = _HEADING.search(text)
    if following and following["heading"].strip().lower().rstrip(".:") == "abstract":
        return _until_next_heading(text[following.end() :])
    return text[: following.start()] if following else text


def _focal_in_tex(text: str) -> Focal | None:
    from pylatexenc.latex2text import LatexNodes2Text

    text = re.sub(r"(?<!\\)%.*", "", text)
    opening, abstract = _TEX_TITLE.search(text), _TEX_ABSTRACT.search(text)
    if not opening or not abstract:
        return None
    depth, end = 1, opening.end()
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0) if text[end - 1] != "\\" else 0
        end += 1
    plain = LatexNodes2Text(math_mode="verbatim", keep_comments=False).latex_to_text
    title = re.sub(r"\\\\|\\thanks\{[^{}]*\}", " ", text[opening.end() : end - 1])
    return _focal(plain(title), plain(abstract["abstract"]))
