"""What a turn changes in the outline and in the draft, checked, and how the change is told."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from marwg.errors import InputError
from marwg.organizing import outline as outlines
from marwg.organizing.outline_telling import difference, remarks
from marwg.text.references import cited, with_names
from marwg.types import Draft, Outline, Paper, PaperId, Run


class _TopicFromBrowser(BaseModel):
    model_config = ConfigDict(extra="ignore")
    topic_id: str = Field("", max_length=40)
    title: str = Field(max_length=200)
    papers: tuple[PaperId, ...] = Field(max_length=200)


class _OutlineFromBrowser(BaseModel):
    model_config = ConfigDict(extra="ignore")
    outline: tuple[_TopicFromBrowser, ...] = Field(min_length=1, max_length=12)


def from_browser(run: Run, payload: dict[str, Any]) -> Outline:
    """The outline as edited in place; InputError where the browser sent something that cannot be one."""
    if run.outline is None:
        raise InputError("There is no outline yet.", "Continue the run first.")
    try:
        sent = _OutlineFromBrowser.model_validate(payload)
    except ValidationError as error:
        raise InputError("The edited outline did not arrive whole.", "Reload the page and edit it again.") from error
    return outlines.replace(run.outline, [(t.topic_id, t.title, t.papers) for t in sent.outline])


def outline_difference(before: Outline, after: Outline, papers: Iterable[Paper]) -> str:
    """What changed in the outline, and what is unusual about it now, as Markdown."""
    lines = difference(before, after, {p.paper_id: p.title for p in papers})
    changed = [f"- {line}" for line in lines] or ["Nothing in the outline changed."]
    return "\n".join([*changed, *(f"\n{remark}" for remark in remarks(after))])


def draft_difference(before: Draft, after: Draft, papers: Iterable[Paper]) -> str:
    """What changed from one version to the next, section by section and sentence by sentence, as Markdown."""
    known = {p.paper_id: p for p in papers}
    used = [known[i] for i in dict.fromkeys((*cited(before), *cited(after))) if i in known]
    old = {s.topic_id: s for s in before.sections}
    blocks = []
    for section in after.sections:
        was = [s.text for s in old[section.topic_id].sentences] if section.topic_id in old else []
        now = [s.text for s in section.sentences]
        lines = _lines(was, now)
        if lines:
            blocks.append("\n".join([f"**{section.title}**", "", *(with_names(line, used) for line in lines)]))
    kept = {s.topic_id for s in after.sections}
    blocks += [f"**{s.title}** was taken out." for s in before.sections if s.topic_id not in kept]
    if before.headings != after.headings:
        blocks.insert(0, f"The headings are {'shown' if after.headings else 'left out'}.")
    if not blocks:
        return "The text did not change."
    return "\n\n".join([f"Version {after.version} differs from version {before.version} in this:", *blocks])


def _lines(was: list[str], now: list[str]) -> list[str]:
    lines = []
    for what, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if what != "equal":
            lines += [f"- removed: ~~{text}~~" for text in was[a:b]]
            lines += [f"- new: {text}" for text in now[c:d]]
    return lines
