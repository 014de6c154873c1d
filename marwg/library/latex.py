"""Text in LaTeX to plain text and back."""

import html
import logging
import re
import unicodedata
from functools import lru_cache
from typing import Any

_TAG = re.compile(
    r"</?(?:jats:)?(?:p|i|b|u|em|strong|sub|sup|title|sec|br|span|scp|italic|bold|sc|tt|inf|list|list-item)(?:\s[^<>]*)?/?>",
    re.I,
)
_PLAIN = re.compile(r"[\\{}$%&~^_#]|--|``|''|[?!]`|<<|>>|,,")
_MATH = re.compile(r"(?<!\\)\$[^$]+(?<!\\)\$")
_OWN_WORDS = re.compile(r"\\(textasciicircum|LaTeX|TeX|BibTeX|noopsort\s*\{[^{}]*\}|protect)(?:\{\}|(?![A-Za-z])\s*)")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_MEANING = {"textasciicircum": "^", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX"}
_LIGATURES = re.compile(r"-(?=-)|`(?=`)|'(?=')|[?!](?=`)|<(?=<)|>(?=>)|,(?=,)")


def decode(text: str) -> str:
    """The plain text of a BibTeX value: commands, accents, braces, HTML tags and entities resolved, math as it stands."""
    text = _TAG.sub("", html.unescape(text)) if "<" in text or "&" in text else text
    if _PLAIN.search(text):
        text = _without_commands(text)
    return plain(text)


def plain(text: str) -> str:
    """Composed characters, single spaces, no control characters."""
    text = unicodedata.normalize("NFC", text)
    return " ".join("".join(c if c.isprintable() or c.isspace() else "" for c in text).split())


def encode(text: str) -> str:
    """LaTeX for a plain text, such that `decode` gives the text back; well-formed math stays as it is."""
    parts: list[str] = []
    position = 0
    for math in _MATH.finditer(text):
        formula = math.group(0)
        if not re.search(r"[\\^_=]", formula) or decode(formula) != formula or not braces_balance(formula):
            continue
        parts += [_escaped(text[position : math.start()]), math.group(0)]
        position = math.end()
    parts.append(_escaped(text[position:]))
    written = "".join(parts)
    return written if len(parts) == 1 or decode(written) == text else _escaped(text)


def braces_balance(text: str) -> bool:
    """Whether every brace of a LaTeX text is closed; an escaped one counts for BibTeX too."""
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def _escaped(text: str) -> str:
    text = _LIGATURES.sub(lambda mark: mark.group(0) + "\x00", text)
    return "".join(_ESCAPES.get(c, c) for c in text).replace("\x00", "{}")


def _without_commands(text: str) -> str:
    # In a .bib file a bare % or & is a character, where LaTeX sees a comment or a table.
    text = re.sub(r"(?<!\\)([%&#])", r"\\\1", text)
    if len(re.findall(r"(?<!\\)\$", text)) % 2:
        text = re.sub(r"(?<!\\)\$", r"\\$", text)
    text = _OWN_WORDS.sub(lambda word: _MEANING.get(word.group(1), ""), text)
    return str(_converter().latex_to_text(text)).replace("\xa0", " ")


@lru_cache(maxsize=1)
def _converter() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)  # it tolerates what it logs
    return LatexNodes2Text(math_mode="verbatim", keep_comments=False, strict_latex_spaces=False)
