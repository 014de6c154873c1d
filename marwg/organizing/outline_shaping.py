"""Changes of the outline that need the taxonomy or the years of its papers: splitting, sorting, a number of topics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from marwg.errors import InputError
from marwg.organizing import outline as outlines
from marwg.organizing.clustering import normal_form
from marwg.organizing.outline import THIN, new_topic_id
from marwg.organizing.outline_making import homes_of, nearest_topic
from marwg.tasks import OutlineEditReply
from marwg.types import Dimension, Outline, Paper, PaperId, Taxonomy, Topic

MOST_PARTS = 3
"""A topic is split into so many at a time."""

_NAMES = {
    Dimension.TASK: ("task", "problem", "application", "setting", "domain"),
    Dimension.METHODOLOGY: ("method", "approach", "technique", "model", "architecture", "algorithm"),
    Dimension.DATASET: ("data", "corpus", "corpora", "benchmark"),
    Dimension.EVALUATION: ("evaluation", "metric", "measure", "experiment"),
}
_TIME = ("time", "year", "date", "period", "age", "chronolog", "decade", "old", "new")


@dataclass(frozen=True)
class Known:
    """What an outline is made of, beside itself."""

    taxonomy: Taxonomy
    papers: Mapping[PaperId, Paper]


def shape(outline: Outline, edit: OutlineEditReply, topic_ids: Sequence[str], known: Known) -> Outline:
    """The outline after a split, sort or resize; InputError says why it cannot be made."""
    if edit.kind == "sort":
        return sort(outline, edit.by, known)
    if edit.kind == "resize":
        return resize(outline, edit.count, edit.at_most, known)
    if len(topic_ids) != 1:
        raise InputError("It is not clear which topic is to be split.", "Name one, by number or title.")
    return (
        split_named(outline, topic_ids[0], edit.titles) if edit.titles else split(outline, topic_ids[0], edit.by, known)
    )


# ---------------------------------------------------------------- splitting


@dataclass(frozen=True)
class Part:
    """A part of a topic to be; without a title it is what is left of the topic."""

    title: str
    papers: tuple[PaperId, ...]
    nodes: tuple[str, ...] = ()


def split(outline: Outline, topic_id: str, by: str, known: Known) -> Outline:
    """A topic in parts by a dimension of the taxonomy or by time; without either, by what divides it most evenly.

    What no part takes stays under the topic's own title; otherwise the first part takes over its id.
    """
    topic = next(t for t in outline.topics if t.topic_id == topic_id)
    if len(topic.papers) < 2:
        raise InputError(f"“{topic.title}” has too few papers to be split.", "Move papers there first.")
    rule = _rule(by)
    if rule == "time":
        return _with_parts(outline, topic, _by_time(topic, known))
    tried = [rule] if isinstance(rule, Dimension) else list(Dimension)
    found = {d: parts for d in tried if len(parts := _by_dimension(topic, d, known.taxonomy)) > 1}
    if not found:
        raise InputError(_undivided(topic, rule, known), _other_ways(topic, known))
    best = min(found.values(), key=lambda parts: max(len(p.papers) for p in parts))
    return _with_parts(outline, topic, best)


def split_named(outline: Outline, topic_id: str, titles: Sequence[str]) -> Outline:
    """A topic in the parts that the user names; the first takes its id and, until they are divided, its papers."""
    topic = next(t for t in outline.topics if t.topic_id == topic_id)
    if len({normal_form(t) for t in titles if normal_form(t)}) < 2:
        raise InputError("A topic is split into two parts at least.", "Name them: split it into A and B.")
    place = outline.topics.index(topic) + 1
    outline = outlines.rename(outline, topic_id, titles[0])
    for offset, title in enumerate(titles[1:], 1):
        outline = outlines.add(outline, title, place + offset)
    return outline


def _rule(by: str) -> Dimension | str:
    """The dimension that is meant, "time", or nothing where nothing is said."""
    said = by.casefold()
    if not said.strip():
        return ""
    for dimension, names in _NAMES.items():
        if any(name in said for name in names):
            return dimension
    if any(name in said for name in _TIME):
        return "time"
    raise InputError(
        f"A topic cannot be split by “{by.strip()}”.",
        "It can be split by task, methodology, dataset, evaluation or time, or into parts that you name.",
    )


def _by_dimension(topic: Topic, dimension: Dimension, taxonomy: Taxonomy) -> tuple[Part, ...]:
    """Parts by the nodes that take most of the papers not yet taken, but never all; what is left comes last."""
    below = {child for _, child in taxonomy.edges}
    nodes = [n for n in taxonomy.nodes if n.dimension is dimension and n.node_id in below]
    least = THIN if len(topic.papers) >= 2 * THIN else 1
    parts: list[Part] = []
    left, names = list(topic.papers), {normal_form(topic.title)}
    while nodes and len(parts) < MOST_PARTS:
        node = max(nodes, key=lambda n: len(set(left) & set(n.papers)))
        nodes.remove(node)
        mine = tuple(p for p in left if p in node.papers)
        if len(mine) < least:
            break
        if len(mine) == len(topic.papers) or normal_form(node.label) in names or 0 < len(left) - len(mine) < least:
            continue
        names.add(normal_form(node.label))
        parts.append(Part(node.label[:1].upper() + node.label[1:], mine, (node.node_id,)))
        left = [p for p in left if p not in mine]
    if left:
        parts.append(Part("", tuple(left)))
    return tuple(parts)


def _by_time(topic: Topic, known: Known) -> tuple[Part, ...]:
    """Two parts, divided between two years, as even as can be."""
    years = sorted(y for p in topic.papers if p in known.papers and (y := known.papers[p].year))
    borders = sorted(set(years))[1:]
    if not borders:
        raise InputError(
            f"“{topic.title}” cannot be split by time: {'its papers are all from ' + str(years[0]) if years else 'no year of its papers is known'}."
        )
    border = min(borders, key=lambda b: abs(sum(y < b for y in years) - len(years) / 2))

    def early(paper: PaperId) -> bool:
        year = known.papers[paper].year if paper in known.papers else None
        return year is None or year < border

    last = max(y for y in years if y < border)
    return (
        Part(f"{topic.title}, until {last}", tuple(p for p in topic.papers if early(p))),
        Part(f"{topic.title}, since {border}", tuple(p for p in topic.papers if not early(p))),
    )


def _with_parts(outline: Outline, topic: Topic, parts: Sequence[Part]) -> Outline:
    """The parts in the place of the topic: what is left of it, or the first of them, keeps its id."""
    heir = next((p for p in parts if not p.title), parts[0])
    taken = {t.topic_id for t in outline.topics}
    others = {normal_form(t.title) for t in outline.topics if t is not topic}
    made = []
    for part in parts:
        title = part.title or topic.title
        title = f"{topic.title}: {title}" if normal_form(title) in others else title
        topic_id = topic.topic_id if part is heir else new_topic_id(title, taken)
        taken.add(topic_id)
        update = {
            "topic_id": topic_id,
            "title": title,
            "papers": part.papers,
            "nodes": part.nodes or topic.nodes,
            "secondary": topic.secondary if part is heir else (),
            "fixed_by_user": True,
            "pinned": tuple(p for p in topic.pinned if p in part.papers),
        }
        made.append(topic.model_copy(update=update))
    topics = [t for old in outline.topics for t in (made if old is topic else [old])]
    return outline.model_copy(update={"topics": tuple(topics)})


def _undivided(topic: Topic, rule: Dimension | str, known: Known) -> str:
    if not isinstance(rule, Dimension):
        return f"Nothing in the taxonomy divides the papers of “{topic.title}”."
    below = {child for _, child in known.taxonomy.edges}
    mine = set(topic.papers)
    nodes = [n for n in known.taxonomy.nodes if n.dimension is rule and n.node_id in below and mine & set(n.papers)]
    best = max(nodes, key=lambda n: len(mine & set(n.papers)), default=None)
    why = (
        f"{len(mine & set(best.papers))} of {len(mine)} are at “{best.label}”"
        if best
        else "none is at a subtopic there"
    )
    return f"The papers of “{topic.title}” cannot be divided by {rule.value.lower()}: {why}."


def _other_ways(topic: Topic, known: Known) -> str:
    """How this topic could be split instead."""
    ways = [d.value.lower() for d in Dimension if len(_by_dimension(topic, d, known.taxonomy)) > 1]
    if len({known.papers[p].year for p in topic.papers if p in known.papers and known.papers[p].year}) > 1:
        ways.append("time")
    named = "name the parts: split it into A and B"
    return f"It can be split by {' or '.join(ways)}; or {named}." if ways else f"{named[0].upper()}{named[1:]}."


# ---------------------------------------------------------------- sorting


def sort(outline: Outline, by: str, known: Known) -> Outline:
    """The topics by the years of their papers (the papers in them too) or by the number of their papers.

    A year counts as the mean of a topic; what has no year comes last.
    """
    said = by.casefold().strip()
    if any(word in said for word in ("largest", "smallest", "size", "number", "count")):
        sign = 1 if "small" in said else -1
        order = sorted(outline.topics, key=lambda t: sign * len(t.papers))
        return outlines.reorder(outline, [t.topic_id for t in order])
    if not any(word in said for word in (*_TIME, "oldest", "newest")):
        raise InputError(
            f"Topics cannot be ordered by “{by.strip()}”.", "They can be ordered by time, by size, or as you list them."
        )
    sign = -1 if any(word in said for word in ("newest", "latest", "recent", "descending")) else 1

    def when(papers: Sequence[PaperId]) -> tuple[bool, float]:
        years = [y for p in papers if p in known.papers and (y := known.papers[p].year)]
        return not years, sign * sum(years) / len(years) if years else 0.0

    if all(when(t.papers)[0] for t in outline.topics):
        raise InputError("No year of these papers is known, so they cannot be ordered by time.")
    one: Callable[[PaperId], tuple[bool, float]] = lambda p: when([p])  # noqa: E731
    topics = [t.model_copy(update={"papers": tuple(sorted(t.papers, key=one))}) for t in outline.topics]
    order = sorted(topics, key=lambda t: when(t.papers))
    return outlines.reorder(outline.model_copy(update={"topics": tuple(topics)}), [t.topic_id for t in order])


# ---------------------------------------------------------------- how many topics


def resize(outline: Outline, count: int, at_most: bool, known: Known) -> Outline:
    """The outline with so many topics: the thinnest go into the nearest, the largest are split; the number is kept in mind."""
    if not 1 <= count <= 12:
        raise InputError(f"An outline cannot have {count} topics.", "Two to four read best.")
    while len(outline.topics) > count:
        outline = _one_less(outline, known)
    while len(outline.topics) < count and not at_most:
        outline = _one_more(outline, count, known)
    return outline.model_copy(update={"at_most": count})


def _one_less(outline: Outline, known: Known) -> Outline:
    topics = outline.topics
    thin = min(topics, key=lambda t: (t.fixed_by_user, len(t.papers)))
    place = topics.index(thin)
    others = [t for t in topics if t is not thin]
    into = nearest_topic(thin.papers, others, homes_of(known.taxonomy)) or topics[place - 1 if place else 1]
    merged = outlines.merge(outline, [thin.topic_id, into.topic_id], into.title)
    fixed = thin.fixed_by_user or into.fixed_by_user
    return merged.model_copy(
        update={
            "topics": tuple(
                t.model_copy(update={"fixed_by_user": fixed}) if t.topic_id in (thin.topic_id, into.topic_id) else t
                for t in merged.topics
            )
        }
    )


def _one_more(outline: Outline, count: int, known: Known) -> Outline:
    """The outline with its largest topic that can be divided in two."""
    for topic in sorted(outline.topics, key=lambda t: -len(t.papers)):
        for dimension in Dimension:
            parts = _by_dimension(topic, dimension, known.taxonomy)
            if len(parts) > 1:
                rest = tuple(p for p in topic.papers if p not in parts[0].papers)
                return _with_parts(outline, topic, (parts[0], Part("", rest)))
    raise InputError(
        f"The taxonomy gives no {count} topics for these papers: {len(outline.topics)} are the most.",
        "Add a topic by its title, or split one into parts that you name.",
    )
