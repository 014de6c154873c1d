"""Which papers a text cites, in order, and how they are named in it: by key, by author and year, in a bibliography."""

import re
from collections.abc import Callable, Iterable, Mapping

from marwg.text.markup import MARKER, citations_of, unique
from marwg.text.sources import cited_as
from marwg.types import Draft, Paper, PaperId, Section


def cited_in(sections: Iterable[Section]) -> tuple[PaperId, ...]:
    """The papers that some sections cite, in order of appearance."""
    return unique(i for section in sections for sentence in section.sentences for i in citations_of(sentence.text))


def cited(draft: Draft) -> tuple[PaperId, ...]:
    """The papers that a draft cites, in order of appearance; its bibliography holds exactly these."""
    return cited_in(draft.sections)


def authors_in_text(paper: Paper) -> str:
    """ "Li", "Li and Wu", "Li et al."; a paper without authors is named by the first words of its title."""
    if named := cited_as(paper):
        return named
    words = paper.title.split()
    return f"“{' '.join(words[:4])}{'…' if len(words) > 4 else ''}”"


def labels(papers: Iterable[Paper]) -> dict[PaperId, tuple[str, str]]:
    """Authors and year of each paper as cited; years of equal labels get a letter, in the order given."""
    papers = list(papers)
    plain = {p.paper_id: (authors_in_text(p), str(p.year) if p.year else "n.d.") for p in papers}
    shown: dict[PaperId, tuple[str, str]] = {}
    for paper in papers:
        same = [p.paper_id for p in papers if plain[p.paper_id] == plain[paper.paper_id]]
        authors, year = plain[paper.paper_id]
        letter = _letters(same.index(paper.paper_id)) if len(same) > 1 else ""
        shown[paper.paper_id] = (authors, year + ("-" if letter and not paper.year else "") + letter)
    return shown


def _letters(index: int) -> str:
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def replace_markers(text: str, change: Callable[[tuple[PaperId, ...]], str]) -> str:
    """The text with each marker `[@a; @b]` replaced by what `change` makes of its ids."""
    return MARKER.sub(lambda m: change(citations_of(m.group())), text)


def with_keys(text: str, keys: Mapping[PaperId, str]) -> str:
    """The text with `[@key]` in place of `[@paper_id]`; an id without a key stays as it is."""
    return replace_markers(text, lambda ids: f"[{'; '.join(f'@{keys.get(i, i)}' for i in ids)}]")


def with_names(text: str, papers: Iterable[Paper]) -> str:
    """The text with "(Li et al., 2020)" in place of markers, and "(2020)" where the authors stand right before it."""
    shown = labels(papers)

    def named(match: re.Match[str]) -> str:
        ids = citations_of(match.group())
        before = text[: match.start()].rstrip()
        if len(ids) == 1 and ids[0] in shown and before.casefold().endswith(shown[ids[0]][0].casefold()):
            return f"({shown[ids[0]][1]})"
        return f"({'; '.join(', '.join(shown[i]) if i in shown else f'@{i}' for i in ids)})"

    return MARKER.sub(named, text)


def bibliography(draft: Draft, papers: Iterable[Paper], by: str = "authors") -> tuple[Paper, ...]:
    """The papers that a draft cites: in order of appearance (`by="appearance"`), or by author, year and title."""
    known = {p.paper_id: p for p in papers}
    listed = [known[i] for i in cited(draft) if i in known]
    if by == "appearance":
        return tuple(listed)
    return tuple(
        sorted(listed, key=lambda p: (authors_in_text(p).casefold(), p.year or 0, p.title.casefold(), p.paper_id))
    )
