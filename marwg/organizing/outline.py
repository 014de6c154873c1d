"""The outline as people change it: each edit gives a new outline or an InputError that says why it cannot be made.

A topic keeps its id through every edit, so that a draft knows which sections a change leaves alone. What the user
touched is `fixed_by_user` (title and order), the papers that they put somewhere are `pinned`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256

from marwg.errors import InputError
from marwg.organizing.clustering import normal_form
from marwg.tasks import OutlineEditReply
from marwg.text.markup import unique
from marwg.types import LeftOut, Outline, PaperId, Topic

LEAST, MOST, TITLE_WORDS = 2, 4, 10
"""Generated outlines have two to four topics with titles of at most ten words; a user may go beyond and is told so."""

THIN = 2
"""A topic should have at least so many papers."""

NO_TOPIC, TAKEN_OUT = "its topic was dropped", "taken out by the user"


def new_topic_id(title: str, taken: Collection[str]) -> str:
    """An id that no topic has: the same title gives the same id, as long as that is free."""
    for attempt in range(len(taken) + 1):
        topic_id = "t" + sha256(f"{normal_form(title)}\0{attempt}".encode()).hexdigest()[:8]
        if topic_id not in taken:
            return topic_id
    raise AssertionError("more topics than ids")


def in_no_topic(outline: Outline, papers: Iterable[PaperId]) -> tuple[PaperId, ...]:
    """The papers that are the primary ones of no topic, in the order given."""
    placed = {p for topic in outline.topics for p in topic.papers}
    return unique(p for p in papers if p not in placed)


# ---------------------------------------------------------------- edits


def rename(outline: Outline, topic_id: str, title: str) -> Outline:
    """The topic under another title."""
    topic = _topic(outline, topic_id)
    title = _title(title, [t for t in outline.topics if t is not topic])
    return _with(outline, topic.model_copy(update={"title": title, "fixed_by_user": True}))


def merge(outline: Outline, topic_ids: Sequence[str], title: str = "") -> Outline:
    """Several topics as one, in the place and under the id of the first of them in the outline."""
    merged = [t for t in outline.topics if t.topic_id in {_topic(outline, i).topic_id for i in topic_ids}]
    if len(merged) < 2:
        raise InputError("Two different topics are needed to merge.", "Name both, by number or title.")
    others = [t for t in outline.topics if t not in merged]
    papers = unique(p for t in merged for p in t.papers)
    one = Topic(
        topic_id=merged[0].topic_id,
        title=_title(title, others) if title.strip() else merged[0].title,
        nodes=unique(n for t in merged for n in t.nodes),
        papers=papers,
        secondary=tuple(p for p in unique(p for t in merged for p in t.secondary) if p not in papers),
        fixed_by_user=True,
        pinned=unique(p for t in merged for p in t.pinned),
    )
    topics = [one if t is merged[0] else t for t in outline.topics if t is merged[0] or t not in merged]
    return _checked(outline, topics)


def drop(outline: Outline, topic_id: str) -> Outline:
    """The outline without a topic; its papers go where they are secondary, the others are listed as uncovered."""
    dropped = _topic(outline, topic_id)
    topics = [t for t in outline.topics if t is not dropped]
    if not topics:
        raise InputError("The last topic cannot be dropped.", "Add another one first, or ask for a new outline.")
    for paper in dropped.papers:
        home = next((i for i, t in enumerate(topics) if paper in t.secondary), None)
        if home is not None:
            topics[home] = _taking(topics[home], [paper])
    return _checked(outline, topics, reasons=dict.fromkeys(dropped.papers, NO_TOPIC))


def add(outline: Outline, title: str, position: int | None = None) -> Outline:
    """A new topic without papers, at the end or at a position counted from 1."""
    taken = {t.topic_id for t in outline.topics}
    title = _title(title, outline.topics)
    if position is not None and not 1 <= position <= len(taken) + 1:
        raise InputError(f"There is no place {position} in an outline of {len(taken)} topics.")
    topics = list(outline.topics)
    topic = Topic(topic_id=new_topic_id(title, taken), title=title, fixed_by_user=True)
    topics.insert(len(topics) if position is None else position - 1, topic)
    return _checked(outline, topics)


def move_papers(outline: Outline, papers: Sequence[PaperId], topic_id: str) -> Outline:
    """These papers as primary and pinned ones of a topic, and of no other."""
    target = _topic(outline, topic_id)
    _in_outline(outline, papers)
    moved = unique(papers)
    topics = []
    for topic in outline.topics:
        if topic is target:
            taken = _taking(topic, moved)
            topic = taken.model_copy(update={"fixed_by_user": True, "pinned": unique((*taken.pinned, *moved))})
        else:
            topic = _losing(topic, moved)
        topics.append(topic)
    return _checked(outline, topics)


def leave_out(outline: Outline, papers: Sequence[PaperId]) -> Outline:
    """The outline without these papers; they are listed as uncovered, and only the user puts them back."""
    _in_outline(outline, papers)
    gone = set(papers)
    topics = [
        _losing(t, gone).model_copy(update={"secondary": tuple(p for p in t.secondary if p not in gone)})
        for t in outline.topics
    ]
    return _checked(outline, topics, reasons=dict.fromkeys(papers, TAKEN_OUT), by_user=gone)


def reorder(outline: Outline, topic_ids: Sequence[str]) -> Outline:
    """The topics in this order, which must name each of them once."""
    if sorted(topic_ids) != sorted(t.topic_id for t in outline.topics):
        raise InputError("An order must name every topic once.", f"There are {len(outline.topics)} topics.")
    topics = [_topic(outline, i).model_copy(update={"fixed_by_user": True}) for i in topic_ids]
    return _checked(outline, topics)


def apply(outline: Outline, edit: OutlineEditReply) -> Outline:
    """One edit as a message names it, with topics numbered from 1; "regenerate" is no edit and is refused."""
    ids = [_numbered(outline, number) for number in edit.topics]
    if edit.kind == "merge":
        return merge(outline, ids, edit.title)
    if edit.kind == "reorder":
        return reorder(outline, ids)
    if edit.kind == "add":
        return add(outline, edit.title)
    if edit.kind == "leave_out":
        return leave_out(outline, edit.papers)
    if edit.kind not in ("drop", "rename", "move_papers"):
        raise InputError(f"The change “{edit.kind}” needs more than the outline: it is made elsewhere.")
    if not ids:
        raise InputError("It is not clear which topic is meant.", "Name it by number or title.")
    if edit.kind == "drop":
        for topic_id in unique(ids):
            outline = drop(outline, topic_id)
        return outline
    if len(ids) > 1:
        raise InputError("This can be done to one topic at a time.", "Name one topic.")
    return rename(outline, ids[0], edit.title) if edit.kind == "rename" else move_papers(outline, edit.papers, ids[0])


def replace(outline: Outline, wanted: Sequence[tuple[str, str, Sequence[PaperId]]]) -> Outline:
    """The outline as edited in place: (topic id, title, papers) of each topic in order; an unknown id is a new topic.

    Papers that are in none of them become uncovered. Only what differs counts as fixed by the user.
    """
    before = {t.topic_id: t for t in outline.topics}
    placed = [p for _, _, papers in wanted for p in papers]
    if len(placed) != len(set(placed)) or not wanted:
        raise InputError("Each paper belongs to one topic, and there must be a topic.", "Load the page again.")
    if unknown := [p for p in placed if p not in _known(outline)]:
        raise InputError(f"These papers are not in the outline: {', '.join(unknown)}.", "Load the page again.")
    stay = [topic_id for topic_id, _, _ in wanted if topic_id in before]
    moved_order = stay != [i for i in before if i in set(stay)]
    topics: list[Topic] = []
    for topic_id, title, papers in wanted:
        old = before.get(topic_id)
        taken = {*before, *(t.topic_id for t in topics)}
        if old is None:
            old = Topic(topic_id=new_topic_id(title, taken), title="")
        title = old.title if title.strip() == old.title and title.strip() else _title(title, topics)
        put = tuple(p for p in papers if p not in old.papers)
        changed = bool(put) or title != old.title or moved_order
        update = {
            "title": title,
            "papers": unique(papers),
            "secondary": tuple(p for p in old.secondary if p not in papers),
            "fixed_by_user": old.fixed_by_user or changed,
            "pinned": tuple(p for p in unique((*old.pinned, *put)) if p in papers),
        }
        topics.append(old.model_copy(update=update))
    out = {p for t in topics if t.topic_id in before for p in before[t.topic_id].papers}
    why = {p: TAKEN_OUT if p in out else NO_TOPIC for t in before.values() for p in t.papers}
    return _checked(outline, topics, reasons=why, by_user=out)


# ---------------------------------------------------------------- parts of an edit


def _topic(outline: Outline, topic_id: str) -> Topic:
    for topic in outline.topics:
        if topic.topic_id == topic_id:
            return topic
    raise InputError("This topic is not in the outline.", "The outline may have changed since; look at it again.")


def _known(outline: Outline) -> set[PaperId]:
    return {p for t in outline.topics for p in (*t.papers, *t.secondary)} | {u.paper_id for u in outline.uncovered}


def _in_outline(outline: Outline, papers: Sequence[PaperId]) -> None:
    if unknown := [p for p in papers if p not in _known(outline)]:
        raise InputError(f"These papers are not in the outline: {', '.join(unknown)}.", "Name papers of the shortlist.")
    if not papers:
        raise InputError("No paper is named.", "Say which papers are meant: by author, year, title or subject.")


def _numbered(outline: Outline, number: int) -> str:
    if not 1 <= number <= len(outline.topics):
        raise InputError(f"There is no topic {number}.", f"The outline has {len(outline.topics)}.")
    return outline.topics[number - 1].topic_id


def _title(title: str, others: Iterable[Topic]) -> str:
    """The title on one line; refused where it is empty or another topic has it."""
    title = " ".join(title.split())
    form = normal_form(title)
    if not form:
        raise InputError("A topic needs a title.", "Say what it should be called.")
    if any(normal_form(t.title) == form for t in others):
        raise InputError(f"There is a topic “{title}” already.", "Choose another title, or merge the two.")
    return title


def _taking(topic: Topic, papers: Sequence[PaperId]) -> Topic:
    primary = unique((*topic.papers, *papers))
    return topic.model_copy(
        update={"papers": primary, "secondary": tuple(p for p in topic.secondary if p not in primary)}
    )


def _losing(topic: Topic, papers: Collection[PaperId]) -> Topic:
    kept = {f: tuple(p for p in getattr(topic, f) if p not in papers) for f in ("papers", "pinned")}
    return topic.model_copy(update=kept)


def _with(outline: Outline, topic: Topic) -> Outline:
    return _checked(outline, [topic if t.topic_id == topic.topic_id else t for t in outline.topics])


def _checked(
    outline: Outline,
    topics: Sequence[Topic],
    reasons: Mapping[PaperId, str] | None = None,
    by_user: Collection[PaperId] = (),
) -> Outline:
    """The outline with these topics; a paper that no topic has any more is uncovered, with a reason."""
    was = {u.paper_id: u for u in outline.uncovered}
    before = [p for t in outline.topics for p in (*t.papers, *t.secondary)] + list(was)
    left = in_no_topic(Outline(topics=tuple(topics)), before)
    why = reasons or {}
    new = (LeftOut(paper_id=p, reason=why.get(p, "no topic has it"), by_user=p in by_user) for p in left)
    uncovered = tuple(was.get(u.paper_id, u) if not u.by_user else u for u in new)
    return outline.model_copy(update={"topics": tuple(topics), "uncovered": uncovered})
