"""The outline from the papers themselves: two to four themes, named by their best phrases, the nearest one last."""

import re
from collections.abc import Sequence

import numpy as np

from marwg.extractive.casing import Casing
from marwg.extractive.focal import terms
from marwg.extractive.papers import Encode, PaperText, read_papers, vectors, whole_text
from marwg.extractive.phrases import normal
from marwg.extractive.text import capitalise
from marwg.extractive.themes import Name, Naming, group, nearest_last
from marwg.tasks import (
    AssignTopics,
    MakeOutline,
    NodeView,
    OutlineReply,
    TopicChoice,
    TopicChoices,
    TopicReply,
    TopicView,
)
from marwg.types import Focal

_COUNTS = {"two": 2, "three": 3, "four": 4, "2": 2, "3": 3, "4": 4}


def make_outline(task: MakeOutline, encode: Encode) -> OutlineReply:
    """Themes by clustering; titles that the user fixed stay and take the papers nearest to them."""
    papers = read_papers(task.papers)
    if not papers:
        return OutlineReply(topics=tuple(TopicReply(title=title) for title in task.kept_titles))
    rows = vectors(papers, encode)
    focal = whole_text(task.focal.title, task.focal.abstract)
    similarity = rows @ encode([focal])[0]
    kept, free = _kept_groups(task.kept_titles, papers, rows, encode)
    groups = _free_groups(task, papers, rows, free, len(kept))
    groups = nearest_last([members for members in groups if members], similarity)
    casing = Casing([task.focal.abstract, *(p.body for p in papers)], [p.voice.name for p in papers if p.voice.name])
    naming = Naming(papers, rows, encode, casing)
    used = [normal(title) for title in task.kept_titles]
    topics = [_topic(title, members, papers, task.nodes) for title, members in kept]
    groups = _merge_unnamed(groups, naming, used, rows)
    for members in groups:
        title, phrases = _title(naming, members, used, task.focal)
        used += phrases
        topics.append(_topic(title, members, papers, task.nodes))
    return OutlineReply(topics=tuple(topics))


def _merge_unnamed(groups: list[list[int]], naming: Naming, used: Sequence[str], rows: np.ndarray) -> list[list[int]]:
    """A group that no phrase names joins the nearest one, as long as two are left."""
    while len(groups) > 2:
        unnamed = next((g for g in groups if len(g) < 6 and not naming.names(g, used, most=1)), None)
        if unnamed is None:
            break
        centre = rows[unnamed].mean(axis=0)
        others = [g for g in groups if g is not unnamed]
        target = max(others, key=lambda g: float(rows[g].mean(axis=0) @ centre))
        groups = [sorted([*g, *unnamed]) if g is target else g for g in others]
    return groups


def _kept_groups(
    titles: Sequence[str], papers: Sequence[PaperText], rows: np.ndarray, encode: Encode
) -> tuple[list[tuple[str, list[int]]], list[int]]:
    """For each fixed title an equal share at most of the papers that are nearest to it; and the papers left over."""
    if not titles:
        return [], list(range(len(papers)))
    scores = rows @ encode(list(titles)).T
    share = max(3, len(papers) // max(len(titles), 3))
    taken: set[int] = set()
    kept: list[tuple[str, list[int]]] = []
    for column, title in enumerate(titles):
        wanted = [
            int(i)
            for i in np.argsort(-scores[:, column], kind="stable")
            if int(i) not in taken and int(scores[i].argmax()) == column and scores[i, column] > 0.25
        ][:share]
        taken |= set(wanted)
        kept.append((title, sorted(wanted)))
    return kept, [i for i in range(len(papers)) if i not in taken]


def _free_groups(
    task: MakeOutline, papers: Sequence[PaperText], rows: np.ndarray, free: Sequence[int], kept: int
) -> list[list[int]]:
    if not free:
        return []
    most = max(1, 4 - kept)
    wanted = re.search(
        r"\b(two|three|four|[234])\b (?:\w+ )?(?:topics?|sections?|groups?|themes?|parts?)", task.wish.lower()
    )
    if wanted:
        most = max(1, min(most, _COUNTS[wanted[1]] - kept))
    if most == 1 or len(free) < 6:
        return [list(free)]
    groups = group([papers[i] for i in free], rows[list(free)], most=most)
    return [[free[i] for i in members] for members in groups]


def _title(naming: Naming, members: Sequence[int], used: Sequence[str], focal: Focal) -> tuple[str, list[str]]:
    """The best phrase, with a second one beside it where that is nearly as good; and the phrases that are now used."""
    names = naming.names(members, used)
    if not names:
        own = next((form for phrase, form in terms(focal) if phrase not in used), "the topic")
        return f"Further work on {own}", []
    title = naming.printed(names[0].phrase, members)
    if len(names) > 1 and _is_second(names[0], names[1]):
        second = naming.printed(names[1].phrase, members)
        if not re.search(r"[A-Z]", second) and len(title.split()) + len(second.split()) <= 8:
            title = f"{title} and {second}"
    return capitalise(title), [name.phrase for name in names[:3]]


def _is_second(first: Name, second: Name) -> bool:
    apart = not set(first.phrase.split()) & set(second.phrase.split())
    enough = apart and second.score > 0.5 * first.score and second.coverage >= 0.3
    return enough and (" " in second.phrase or second.in_titles > 0)


def _topic(title: str, members: Sequence[int], papers: Sequence[PaperText], nodes: Sequence[NodeView]) -> TopicReply:
    ids = {papers[i].id for i in members}
    overlap = [
        (len(ids & set(node.papers)) / len(ids | set(node.papers)), node.id) for node in nodes if ids & set(node.papers)
    ]
    best = [node_id for score, node_id in sorted(overlap, key=lambda item: (-item[0], item[1])) if score >= 0.2][:3]
    return TopicReply(title=title, nodes=tuple(best), papers=tuple(papers[i].id for i in members))


# ---------------------------------------------------------------- papers to topics


def assign_topics(task: AssignTopics, encode: Encode) -> TopicChoices:
    """Each paper to the topic whose title and members are nearest to it."""
    if not task.topics or not task.papers:
        return TopicChoices(papers=tuple(TopicChoice(id=source.id) for source in task.papers))
    papers = read_papers(task.papers)
    rows = vectors(papers, encode)
    scores = _topic_scores(task.topics, papers, rows, encode)
    choices = []
    for paper, row in zip(papers, scores, strict=True):
        order = [int(i) for i in np.argsort(-row, kind="stable")]
        primary = task.topics[order[0]].id
        secondary = tuple(task.topics[i].id for i in order[1:2] if row[i] > 0.9 * row[order[0]] and row[i] > 0.35)
        choices.append(TopicChoice(id=paper.id, primary=primary, secondary=secondary))
    return TopicChoices(papers=tuple(choices))


def _topic_scores(
    topics: Sequence[TopicView], papers: Sequence[PaperText], rows: np.ndarray, encode: Encode
) -> np.ndarray:
    """Half the title, half the mean of the members that are among these papers (the paper itself left out)."""
    titles = rows @ encode([topic.title for topic in topics]).T
    position = {paper.id: i for i, paper in enumerate(papers)}
    scores = np.array(titles, dtype=float)
    close = rows @ rows.T
    for column, topic in enumerate(topics):
        members = [position[paper_id] for paper_id in topic.papers if paper_id in position]
        for i in range(len(papers)):
            others = [m for m in members if m != i]
            if others:
                scores[i, column] = 0.5 * titles[i, column] + 0.5 * float(close[i, others].mean())
    words = [set(normal(topic.title).split()) for topic in topics]
    for i, paper in enumerate(papers):
        for column, topic in enumerate(topics):
            scores[i, column] += 0.1 * (
                paper.mentions(normal(topic.title)) or words[column] <= set(paper.words.split())
            )
    return scores
