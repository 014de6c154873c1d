"""What a person wrote, as sections whose citations are `[@id]`: LaTeX, Markdown, and plain text.

Understood are the `\\cite` family, Pandoc's `[@key]`, "(Li et al., 2020)", "Li et al. (2020)" and "[3]" with a reference
list below. What names no known paper keeps a marker of its own and is listed, never mapped to a paper that looks like it.
"""

import re
from collections.abc import Sequence

from marwg.text.markup import parse_body
from marwg.text.naming import References
from marwg.types import Section

_RELATED = re.compile(
    r"related\W+(?:work|literature|research|stud)|(?:previous|prior)\W+work|literature\W+review|state of the art"
    r"|^background(?: and related work)?$",
    re.IGNORECASE,
)
_LIST = re.compile(r"^(?:references|bibliography|works cited|literature cited)\W*$", re.IGNORECASE)

Block = tuple[int, str, str]
"""A stretch of a text under one heading: level of the heading (0 for none), heading, text."""


def sections_of(text: str, ending: str, references: References) -> tuple[Section, ...]:
    """The sections of a text in the format that `ending` (".tex", ".md", ".txt") names.

    Of a whole paper only the related-work section is taken; of any other text all of it.
    """
    text = text.replace("\r\n", "\n").lstrip("\ufeff")
    blocks = _tex_blocks(text, references) if ending == ".tex" or _looks_like_tex(text) else _md_blocks(text)
    listed = next((body for _, title, body in blocks if _LIST.match(title.strip())), "")
    references.number(listed)
    made = []
    for number, (_, title, body) in enumerate(_related(blocks), 1):
        section = parse_body(f"s{number}", title, references.marked(body))
        if section.paragraphs:
            made.append(section)
    return tuple(made)


def _looks_like_tex(text: str) -> bool:
    return bool(re.search(r"\\(?:cite\w*|(?:sub)*section|begin|paragraph)\*?\s*[\[{]", text))


def _related(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of the related-work section, where a paper has one; else all that is running text."""
    for place, (level, title, _) in enumerate(blocks):
        if level and _RELATED.search(title):
            end = next((n for n in range(place + 1, len(blocks)) if 0 < blocks[n][0] <= level), len(blocks))
            chosen = [(lv, t if n else "", body) for n, (lv, t, body) in enumerate(blocks[place:end])]
            if any(body.strip() for _, _, body in chosen):
                return chosen
    return [b for b in blocks if not _LIST.match(b[1].strip()) and not re.match(r"abstract\W*$", b[1], re.IGNORECASE)]


# ---------------------------------------------------------------- LaTeX

_CITE = re.compile(
    r"\\(?P<command>[A-Za-z]*cite[A-Za-z]*)\*?\s*(?P<notes>(?:\[[^\[\]]*\]\s*){0,2})\{(?P<keys>[^{}]*)\}"
    r"(?:\s*\{[^{}]*\}(?=\s*\{))?"
)
_NARRATIVE = re.compile(r"^(?:[Cc]itet|[Tt]extcite|[Cc]iteauthor|[Nn]ewcite|[Cc]itealt|shortcite[A]?|citeA)")
_ENVIRONMENT = re.compile(
    r"\\begin\{(figure|table|wrapfigure|wraptable|equation|align|gather|multline|algorithm\w*|lstlisting|verbatim|tikzpicture"
    r"|thebibliography|abstract|tabular|CCSXML)(\*?)\}.*?\\end\{\1\2\}",
    re.DOTALL,
)
_TEX_HEADING = re.compile(r"\\(section|subsection|subsubsection|paragraph)\*?\s*(?:\[[^\]]*\])?\s*\{")
_LEVELS = {"section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4}
_DROPPED = re.compile(
    r"\\(?:label|ref|eqref|autoref|[cC]ref|vspace|hspace|input|include|bibliography|bibliographystyle|todo|index|thanks|footnotemark"
    r"|printbibliography|looseness|setlength|addcontentsline)\*?\s*(?:\[[^\]]*\])?(?:\{[^{}]*\})*"
)


def _tex_blocks(text: str, references: References) -> list[Block]:
    text = re.sub(r"(?<!\\)%.*", "", text)
    text = _CITE.sub(lambda m: _cited(m, references), text)  # first, so that those in captions and notes count as cited
    body = re.search(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\\appendix\b|\Z)", text, re.DOTALL)
    text = body[1] if body else re.split(r"\\appendix\b", text)[0]
    text = _ENVIRONMENT.sub("\n\n", text)
    for command in (r"\\footnote(?:text)?\s*\{", r"\\title\s*\{", r"\\author\s*(?:\[[^\]]*\])?\{", r"\\caption\s*\{"):
        text = _without_argument(text, command)
    blocks: list[Block] = []
    level, title, start = 0, "", 0
    while match := _TEX_HEADING.search(text, start):
        blocks.append((level, title, text[start : match.start()]))
        end = _closing(text, match.end())
        level, title, start = _LEVELS[match[1]], _plain_tex(text[match.end() : end - 1]).rstrip("."), end
    blocks.append((level, title, text[start:]))
    return [
        (level, title, "\n\n".join(_plain_tex(p) for p in re.split(r"\n\s*\n", body) if p.strip()))
        for level, title, body in blocks
        if level or body.strip()
    ]


def _cited(match: re.Match[str], references: References) -> str:
    command = match["command"]
    keys = [k.strip() for k in match["keys"].split(",") if k.strip()]
    if command.lower() == "nocite":
        references.mention(keys)
        return ""
    if _NARRATIVE.match(command):
        return " and ".join(f"{references.authors(k)} {references.marker([k])}" for k in keys)
    return references.marker(keys)


def _closing(text: str, start: int) -> int:
    """Behind the brace that closes the argument that begins at `start`."""
    depth, end = 1, start
    while end < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0) if text[end - 1] != "\\" else 0
        end += 1
    return end


def _without_argument(text: str, command: str) -> str:
    while match := re.search(command, text):
        text = text[: match.start()] + text[_closing(text, match.end()) :]
    return text


def _plain_tex(text: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    text = _DROPPED.sub(" ", text)
    text = re.sub(r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?|\\item\b", " ", text)
    # Markers must come out as they went in: "_" in a citation key is no subscript.
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f"⟦{len(kept) - 1}⟧"

    text = re.sub(r"\[@[^\[\]]*\]", keep, text)
    plain = str(LatexNodes2Text(math_mode="text", keep_comments=False).latex_to_text(text))
    plain = re.sub(r"⟦(\d+)⟧", lambda m: kept[int(m[1])], plain)
    plain = plain.replace("``", "“").replace("''", "”").replace("\xa0", " ")
    return " ".join(re.sub(r"(?<=\w)(?=\[@)", " ", plain).split())


# ---------------------------------------------------------------- Markdown and plain text

_MD_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_NUMBERED_HEADING = re.compile(r"^(?:\d+(?:\.\d+)*\.?\s+)?([A-Z][\w ,:&/-]{2,70})$")


def _md_blocks(text: str) -> list[Block]:
    text = re.sub(r"\A---\n.*?\n(?:---|\.\.\.)\n", "", text, flags=re.DOTALL)
    text = re.sub(r"```.*?```|<!--.*?-->", "\n", text, flags=re.DOTALL)
    blocks: list[tuple[int, str, list[str]]] = [(0, "", [])]
    lines = text.split("\n")
    for place, line in enumerate(lines):
        heading = _MD_HEADING.match(line)
        alone = (not place or not lines[place - 1].strip()) and (
            place + 1 == len(lines) or not lines[place + 1].strip()
        )
        bare = _NUMBERED_HEADING.match(line.strip()) if alone or _LIST.match(line.strip()) else None
        if heading:
            blocks.append((len(heading[1]), heading[2], []))
        elif bare and (_RELATED.search(bare[1]) or _LIST.match(bare[1])):
            blocks.append((1, bare[1], []))
        else:
            blocks[-1][2].append(line)
    return [
        (level, _plain_md(title), _plain_md("\n".join(body)) if not _LIST.match(title) else "\n".join(body))
        for level, title, body in blocks
        if title or "".join(body).strip()
    ]


def _plain_md(text: str) -> str:
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"(?<!\\)\[([^\[\]@]+)\]\((?:https?://|#)[^)]*\)", r"\1", text)
    text = re.sub(r"(?<![\w*])(\*\*|\*)(?=\S)([^*\n]+?)(?<=\S)\1(?![\w*])", r"\2", text)
    text = re.sub(r"(?<![\w_])(__|_)(?=\S)([^_\n]+?)(?<=\S)\1(?![\w_])", r"\2", text)
    text = re.sub(r"^\s*(?:[-+*]|\d+[.)])\s+(?=\S)", "", text, flags=re.MULTILINE)
    return re.sub(r"\\([\\`*_{}\[\]()#+.!~<>$^@|-])", r"\1", text)
