"""Two records of one paper into one: the published version leads, and nothing is made up."""

from collections.abc import Sequence

from marwg.library.identity import is_preprint
from marwg.types import Paper


def merge(old: Paper, new: Paper, key: str) -> Paper:
    """One record with the id of `old`: facts of the published version, filled up from the other one."""
    lead, other = (new, old) if is_preprint(old) and not is_preprint(new) else (old, new)
    abstract, is_note = _abstract(lead, other)
    return lead.model_copy(
        update={
            "paper_id": old.paper_id,
            "key": key,
            "authors": _authors(lead, other),
            "year": lead.year or other.year,
            "venue": lead.venue or other.venue,
            "doi": lead.doi or other.doi,
            "arxiv_id": lead.arxiv_id or other.arxiv_id,
            "url": lead.url or other.url,
            "entry_type": other.entry_type
            if lead.entry_type == "misc" and _same_version(lead, other)
            else lead.entry_type,
            "extra": _extra(lead, other),
            "abstract": abstract,
            "abstract_is_note": is_note,
        }
    )


def _same_version(lead: Paper, other: Paper) -> bool:
    return is_preprint(lead) == is_preprint(other)


def _authors(lead: Paper, other: Paper) -> tuple[str, ...]:
    if not lead.authors:
        return other.authors
    cut_short = lead.authors[-1] == "others"
    return other.authors if cut_short and len(other.authors) > len(lead.authors) else lead.authors


def _extra(lead: Paper, other: Paper) -> tuple[tuple[str, str], ...]:
    """Volume and pages belong to one version: only records of the same version complete each other."""
    if not _same_version(lead, other):
        return lead.extra
    have = {name for name, _ in lead.extra}
    return lead.extra + tuple((name, value) for name, value in other.extra if name not in have)


def _abstract(lead: Paper, other: Paper) -> tuple[str, bool]:
    """An abstract goes before a note, a whole one before one that breaks off, then the leading version's."""
    texts: Sequence[Paper] = [p for p in (lead, other) if p.abstract]
    if not texts:
        return "", False
    best = min(texts, key=lambda p: (p.abstract_is_note, p.abstract.rstrip().endswith(("...", "…"))))
    return best.abstract, best.abstract_is_note
