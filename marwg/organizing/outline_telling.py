"""What is told of an outline: what is unusual about it, and what changed from one to another."""

from collections.abc import Mapping, Sequence

from marwg.organizing.outline import LEAST, MOST, THIN, TITLE_WORDS
from marwg.types import Outline, PaperId


def remarks(outline: Outline) -> tuple[str, ...]:
    """Where the outline goes beyond what a generated one may be, or has a topic that is hard to write."""
    said = []
    if not LEAST <= len(outline.topics) <= MOST:
        said.append(f"The outline has {len(outline.topics)} topics; two to four read best.")
    for number, topic in enumerate(outline.topics, 1):
        if (words := len(topic.title.split())) > TITLE_WORDS:
            said.append(f"The title of topic {number} has {words} words; at most ten read best.")
        if len(topic.papers) < THIN:
            has = "one paper only" if topic.papers else "no paper"
            said.append(f"Topic {number}, “{topic.title}”, has {has}: move papers there, or merge it.")
    return tuple(said)


def difference(before: Outline, after: Outline, titles: Mapping[PaperId, str] | None = None) -> tuple[str, ...]:
    """What changed from one outline to another, a line each; empty where nothing did."""
    old, new = ({t.topic_id: t for t in o.topics} for o in (before, after))
    home = {p: t.topic_id for t in after.topics for p in t.papers}
    lines: list[str] = []
    joined: set[PaperId] = set()
    for topic in (t for i, t in old.items() if i not in new):
        homes = {home.get(p) for p in topic.papers}
        into = homes.pop() if len(homes) == 1 else None
        if into is not None and into in old:
            lines.append(f"Merged: “{topic.title}” into “{new[into].title}”")
            joined |= set(topic.papers)
        else:
            lines.append(f"Dropped: “{topic.title}” ({_papers(len(topic.papers))})")
    lines += [
        f"Renamed: “{old[i].title}” → “{t.title}”" for i, t in new.items() if i in old and old[i].title != t.title
    ]
    for topic in (t for i, t in new.items() if i not in old):
        of = [t for t in old.values() if set(topic.papers) <= set(t.papers)]
        split = f", with {_papers(len(topic.papers))} of “{of[0].title}”" if topic.papers and of else ""
        lines.append(f"Added: “{topic.title}”{split}")
        joined |= set(topic.papers) if split else set()
    for i, topic in new.items():
        came = [p for p in topic.papers if p not in joined and (i not in old or p not in old[i].papers)]
        if came:
            lines.append(f"Moved to “{topic.title}”: {_listed(came, titles)}")
    if [i for i in old if i in new] != [i for i in new if i in old]:
        lines.append("Order: " + " · ".join(f"{n}. {t.title}" for n, t in enumerate(after.topics, 1)))
    was = {u.paper_id for u in before.uncovered}
    if lost := [u.paper_id for u in after.uncovered if u.paper_id not in was]:
        lines.append(f"In no topic now: {_listed(lost, titles)}")
    if after.at_most != before.at_most and after.at_most is not None:
        lines.append(f"Kept in mind: at most {after.at_most} topic{'s' if after.at_most > 1 else ''}")
    return tuple(lines)


def _papers(count: int) -> str:
    return "one paper" if count == 1 else f"{count} papers"


def _listed(papers: Sequence[PaperId], titles: Mapping[PaperId, str] | None) -> str:
    return "; ".join((titles or {}).get(p, p) for p in papers)
