"""The text of a draft as text: citation markers `[@id]`, sentences, and sections to Markdown and back."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from marwg.types import PaperId, Section, Sentence

MARKER = re.compile(r"\[\s*@[^\[\]]*\]")
_ID = re.compile(r"@([\w.:/+-]*\w)")
_ID_END = re.compile(r"[\w.:/+-]*\w\Z")


@dataclass(frozen=True)
class Group:
    """One marker in a text: where it stands and which papers it names."""

    start: int
    end: int
    citations: tuple[PaperId, ...]


# ---------------------------------------------------------------- citation markers


def groups(text: str) -> tuple[Group, ...]:
    """The citation markers of a text in reading order."""
    return tuple(Group(m.start(), m.end(), unique(_ID.findall(m.group()))) for m in MARKER.finditer(text))


def citations_of(text: str) -> tuple[PaperId, ...]:
    """The ids that a text cites, each once, in order of appearance."""
    return unique(paper_id for group in groups(text) for paper_id in group.citations)


def marker(citations: Iterable[PaperId]) -> str:
    """`[@a; @b]`, or nothing for no paper."""
    ids = unique(citations)
    return f"[{'; '.join(f'@{i}' for i in ids)}]" if ids else ""


def tidy(text: str) -> str:
    """One space between words, none before punctuation, no empty brackets."""
    text = re.sub(r"\(\s*\)|\[\s*\]", "", text)
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.;:!?)])(?!\w)", r"\1", text)
    text = re.sub(r"([,;:])\1+", r"\1", text)
    return re.sub(r"[,;:]\s*([.!?])", r"\1", text)


def without_citations(text: str) -> str:
    """The plain words of a text."""
    return tidy(MARKER.sub(" ", text))


def map_citations(text: str, change: Callable[[tuple[PaperId, ...]], Iterable[PaperId]]) -> str:
    """The text with the ids of each marker changed; a marker that keeps no id goes."""
    changed = MARKER.sub(lambda m: marker(change(unique(_ID.findall(m.group())))), text)
    return text if changed == text else tidy(changed)


def keep_citations(text: str, allowed: Collection[PaperId]) -> str:
    """The text citing nothing but `allowed`."""
    return map_citations(text, lambda ids: [i for i in ids if i in allowed])


def add_citations(text: str, citations: Iterable[PaperId]) -> str:
    """The text with the papers that it does not cite yet appended before its final punctuation."""
    missing = [i for i in unique(citations) if i not in citations_of(text)]
    if not missing:
        return text
    match = re.search(r"([.!?]+[\"”’)]*)\s*$", text)
    head, tail = (text[: match.start()], match.group(1)) if match else (text.rstrip(), ".")
    return f"{head.rstrip()} {marker(missing)}{tail}"


def normalise_markers(text: str) -> str:
    """Markers in one spelling: `[@a, @b]`, `[@a;@b]` and `[@a] [@b]` become `[@a; @b]`."""
    text = MARKER.sub(lambda m: marker(_ID.findall(m.group())), text)
    while joined := re.search(r"\[(@[^\[\]]*)\]\s*[,;]?\s*\[(@[^\[\]]*)\]", text):
        ids = _ID.findall(joined.group(1)) + _ID.findall(joined.group(2))
        text = text[: joined.start()] + marker(ids) + text[joined.end() :]
    return text


def valid_id(paper_id: str) -> bool:
    """Whether an id can stand in a marker and be read back."""
    return bool(_ID_END.match(paper_id))


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """Each item once, in the order of first appearance."""
    return tuple(dict.fromkeys(items))


# ---------------------------------------------------------------- sentences

_ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        "al e.g i.e cf vs etc fig figs eq eqs sec secs tab no nos vol ch chap app ref refs resp approx dr prof mr mrs ms "
        "st jr sr inc ltd co corp dept univ ed eds pp p v viz ca est ex def thm prop lem alg w.r.t a.k.a",
    )
)
_END = re.compile(r"([.!?]+)([\"”’')\]]*)((?:\s*\[@[^\[\]]*\])*)(?=\s+|$)")


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of one paragraph; "et al.", "e.g.", "Fig. 2", initials and decimals do not end one.

    A marker that follows the final period belongs to the sentence before it. Joined by one space the sentences are the
    paragraph again.
    """
    text = re.sub(r"\s+", " ", text).strip()
    sentences, start = [], 0
    for match in _END.finditer(text):
        if match.end() <= start or not _ends_sentence(text, match):
            continue
        sentences.append(text[start : match.end()].strip())
        start = match.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return tuple(sentences)


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    if match.end() == len(text):
        return True
    if _inside_marker(text, match.start()):
        return False
    following = text[match.end() :].lstrip()
    first = following.lstrip("\"“‘'([$")[:1]
    if not (first.isupper() or first.isdigit() or "\u3400" <= first <= "\u9fff" or _lowercase_name(following)):
        return False
    if match.group(1) != ".":
        return True
    word = re.search(r"(\S+)$", text[: match.start()])
    last = word.group(1).strip("([\"“‘'").lower() if word else ""
    if last == "al" or last in _ABBREVIATIONS:
        # "et al. [@a]. The" ends at its second period; "etc. The" ends where a new sentence plainly begins.
        return (
            last in {"etc", "al"} and not match.group(3) and bool(re.match(r"(The|This|These|In|However)\b", following))
        )
    return not re.fullmatch(r"[a-z]", last) or bool(match.group(3))


def _inside_marker(text: str, position: int) -> bool:
    opened = text.rfind("[@", 0, position)
    return opened >= 0 and text.find("]", opened) >= position


def _lowercase_name(text: str) -> bool:
    """A sentence may begin with a name such as `iCaRL` or `vLLM`."""
    return bool(re.match(r"[a-z]{1,3}[A-Z]\w*", text))


# ---------------------------------------------------------------- Markdown


def body(section: Section) -> str:
    """The paragraphs of a section, without its heading."""
    return "\n\n".join(" ".join(s.text for s in paragraph) for paragraph in section.paragraphs if paragraph)


def section_markdown(section: Section, level: int = 2) -> str:
    """A section with its heading; a section without title has none."""
    heading = f"{'#' * level} {section.title}\n\n" if section.title else ""
    return f"{heading}{body(section)}".rstrip()


def markdown(sections: Iterable[Section], level: int = 2) -> str:
    """All sections as one Markdown text."""
    return "\n\n".join(section_markdown(s, level) for s in sections) + "\n"


def parse_body(topic_id: str, title: str, text: str) -> Section:
    """A section from the Markdown of its paragraphs."""
    paragraphs = []
    for block in re.split(r"\n\s*\n", text.strip()):
        sentences = split_sentences(normalise_markers(block))
        if sentences:
            paragraphs.append(tuple(Sentence(text=s) for s in sentences))
    return Section(topic_id=topic_id, title=title, paragraphs=tuple(paragraphs))


def parse_markdown(text: str, known: Sequence[Section] = ()) -> tuple[Section, ...]:
    """The sections of a Markdown text, pasted or our own.

    A heading that a known section has keeps its topic id; the other sections get ids by their place. Sentences that
    did not change keep the passages that they were made from.
    """
    ids = {_plain(s.title): s.topic_id for s in known}
    sources = {s.text: s.sources for section in known for s in section.sentences if s.sources}
    chunks: list[tuple[str, list[str]]] = [("", [])]
    for line in text.replace("\r\n", "\n").split("\n"):
        if heading := re.match(r"#{1,6}\s+(.*?)\s*#*\s*$", line):
            chunks.append((heading.group(1), []))
        else:
            chunks[-1][1].append(line)
    sections: list[Section] = []
    taken: set[str] = set()
    for title, lines in chunks:
        if not "".join(lines).strip() and (not title or _plain(title) not in ids):
            continue
        topic_id = ids.get(_plain(title), "")
        if not topic_id or topic_id in taken:
            topic_id = _free_id(len(sections) + 1, {*taken, *ids.values()})
        taken.add(topic_id)
        parsed = parse_body(topic_id, title, "\n".join(lines))
        kept = tuple(
            tuple(Sentence(text=s.text, sources=sources.get(s.text, ())) for s in p) for p in parsed.paragraphs
        )
        sections.append(parsed.model_copy(update={"paragraphs": kept}))
    return tuple(sections)


def _free_id(number: int, taken: Collection[str]) -> str:
    while f"s{number}" in taken:
        number += 1
    return f"s{number}"


def _plain(title: str) -> str:
    return re.sub(r"\W+", " ", title).strip().lower()
