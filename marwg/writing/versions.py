"""Versions of a draft: parts taken over from another one, and which version an undone change led to."""

from collections.abc import Sequence

from marwg.errors import InputError
from marwg.types import Draft, Section


def taken(current: Draft, source: Draft, section: int = 0, paragraph: int = 0) -> Draft:
    """The current draft with a paragraph (or a whole section, or everything) as it was in another version.

    Both are counted from 1; without a section the paragraph is counted over the whole text. All else stays as it is.
    """
    if not section and not paragraph:
        return current.model_copy(update={"sections": source.sections, "headings": source.headings})
    wanted, index = _found(source, section, paragraph)
    here = next((s for s in current.sections if s.topic_id == wanted.topic_id), None)
    if here is None:
        sections = _put_back(current.sections, wanted, source.sections)
        return current.model_copy(update={"sections": sections})
    paragraphs = wanted.paragraphs
    if paragraph:
        old, new = here.paragraphs, wanted.paragraphs[index]
        paragraphs = (*old[:index], new, *old[index + 1 :]) if index < len(old) else (*old, new)
    changed = here.model_copy(update={"paragraphs": paragraphs, "title": here.title})
    sections = tuple(changed if s.topic_id == here.topic_id else s for s in current.sections)
    return current.model_copy(update={"sections": sections})


def _found(source: Draft, section: int, paragraph: int) -> tuple[Section, int]:
    """The section meant and the index of the paragraph in it."""
    if section:
        if not 1 <= section <= len(source.sections):
            raise InputError(
                f"Version {source.version} has no section {section}.", f"It has {len(source.sections)} sections."
            )
        wanted = source.sections[section - 1]
        if paragraph > len(wanted.paragraphs):
            raise InputError(
                f"Section {section} of version {source.version} has no paragraph {paragraph}.",
                f"It has {len(wanted.paragraphs)}.",
            )
        return wanted, max(0, paragraph - 1)
    places = [(s, n) for s in source.sections for n in range(len(s.paragraphs))]
    if paragraph > len(places):
        raise InputError(f"Version {source.version} has no paragraph {paragraph}.", f"It has {len(places)} paragraphs.")
    return places[paragraph - 1]


def _put_back(sections: Sequence[Section], wanted: Section, order: Sequence[Section]) -> tuple[Section, ...]:
    """A section that is not there any more, behind those that stood before it."""
    before = [s.topic_id for s in order[: [s.topic_id for s in order].index(wanted.topic_id)]]
    place = max((n + 1 for n, s in enumerate(sections) if s.topic_id in before), default=0)
    return (*sections[:place], wanted, *sections[place:])


def redone(current: Draft, versions: Sequence[Draft]) -> Draft:
    """The newest version that was made from the current one; InputError where there is none."""
    later = [d for d in versions if d.parent == current.version and d.version != current.version]
    if not later:
        raise InputError("There is nothing to redo.", "This is the newest version of its line.")
    return max(later, key=lambda d: d.version)
