"""From a model's topics and the taxonomy to an outline that keeps the rules, or without a model from the taxonomy alone."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from marwg.organizing.clustering import normal_form
from marwg.organizing.outline import LEAST, MOST, THIN, TITLE_WORDS, in_no_topic, new_topic_id
from marwg.tasks import TopicChoice, TopicReply
from marwg.text.markup import unique
from marwg.types import Dimension, LeftOut, Outline, PaperId, Taxonomy, Topic

FEW = 4
"""With fewer papers than this, one topic is enough."""

OTHER = "Other related approaches"

_ROOT_TITLES = {
    Dimension.TASK: "Tasks and applications",
    Dimension.METHODOLOGY: "Methods",
    Dimension.DATASET: "Data sets",
    Dimension.EVALUATION: "Evaluation",
}

Homes = Mapping[PaperId, frozenset[str]]
"""The nodes below a root that each paper is at."""


def homes_of(taxonomy: Taxonomy) -> dict[PaperId, frozenset[str]]:
    """The nodes of each paper, roots left out: these hold too much to make two papers alike."""
    below = {child for _, child in taxonomy.edges}
    found: dict[PaperId, set[str]] = {}
    for node in taxonomy.nodes:
        for paper in node.papers if node.node_id in below else ():
            found.setdefault(paper, set()).add(node.node_id)
    return {paper: frozenset(nodes) for paper, nodes in found.items()}


# ---------------------------------------------------------------- what a model proposes


def problems(
    topics: Sequence[TopicReply],
    nodes: Collection[str],
    papers: Collection[PaperId],
    kept: Sequence[Topic] = (),
    at_most: int | None = None,
) -> tuple[str, ...]:
    """Why this cannot be the outline, in sentences for the one who proposed it; empty if it can.

    `at_most` is the number of topics that the user set; what they fixed is never too much.
    """
    found = []
    most = max(at_most or MOST, len(kept))
    least = min(most, LEAST if len(papers) >= FEW else 1)
    if not least <= len(topics) <= most:
        found.append(f"There are {len(topics)} topics; there must be {least} to {most}.")
    forms = [normal_form(t.title) for t in topics]
    fixed = {normal_form(t.title) for t in kept}
    for topic, form in zip(topics, forms, strict=True):
        if not form:
            found.append("A topic has no title.")
        elif len(topic.title.split()) > TITLE_WORDS and form not in fixed:
            found.append(f"The title '{_shown(topic.title)}' has more than ten words.")
        if forms.count(form) > 1 and form:
            found.append(f"Two topics are called '{_shown(topic.title)}'.")
    found += [f"There is no node {_shown(n)}." for t in topics for n in t.nodes if n.strip() not in nodes]
    placed = [p for t in topics for p in unique(_id(p) for p in t.papers)]
    found += [f"There is no paper {_shown(p)}." for p in placed if p not in papers]
    found += [f"The paper {p} is in two topics." for p in papers if placed.count(p) > 1]
    found += [f"The topic '{t.title}' must stay, under this title." for t in kept if normal_form(t.title) not in forms]
    return unique(found)


def _id(paper: str) -> PaperId:
    return paper.strip(" []@")


def _shown(text: str) -> str:
    return " ".join(text.split())[:80]


def outline_from(topics: Sequence[TopicReply], papers: Sequence[PaperId], kept: Sequence[Topic] = ()) -> Outline:
    """The outline of proposed topics; what the user fixed is in it by id, title, order and pinned papers.

    A fixed topic that was not proposed is added as it was.
    """
    fixed = {normal_form(t.title): t for t in kept}
    order = [fixed.get(normal_form(t.title)) for t in topics]
    there = {t.topic_id for t in order if t}
    in_order = iter(t for t in kept if t.topic_id in there)
    places: list[Topic | None] = [next(in_order) if t else None for t in order]
    said = {normal_form(t.title): t for t in topics}
    pinned = {p for t in kept for p in t.pinned}
    known, taken = set(papers), {t.topic_id for t in kept}
    made: list[Topic] = []
    for reply, keep in zip(topics, places, strict=True):
        reply = said[normal_form(keep.title)] if keep else reply
        mine = unique((*(keep.pinned if keep else ()), *(p for p in map(_id, reply.papers) if p not in pinned)))
        title = " ".join(reply.title.split())
        topic = keep or Topic(topic_id=new_topic_id(title, taken), title=title)
        taken.add(topic.topic_id)
        nodes = unique(n.strip() for n in reply.nodes) or topic.nodes
        update = {"nodes": nodes, "papers": tuple(p for p in mine if p in known), "secondary": ()}
        made.append(topic.model_copy(update=update))
    absent = [t for t in kept if t.topic_id not in there]
    made += [t.model_copy(update={"papers": tuple(p for p in t.pinned if p in known), "secondary": ()}) for t in absent]
    return Outline(topics=tuple(made))


# ---------------------------------------------------------------- without a model


def densest(
    taxonomy: Taxonomy,
    papers: Sequence[PaperId],
    kept: Sequence[Topic] = (),
    placed: Collection[PaperId] = (),
    most: int = MOST,
) -> tuple[TopicReply, ...]:
    """Topics from the nodes that cover most of the papers not yet covered, beside the fixed ones.

    Where the taxonomy was not divided, its roots serve, the smallest first; what is left is a topic of its own.
    """
    below = {child for _, child in taxonomy.edges}
    left = {p for p in papers if p not in placed}
    nodes = [n for n in taxonomy.nodes if n.node_id in below]
    fixed = [TopicReply(title=t.title, nodes=t.nodes) for t in kept]
    names = {normal_form(t.title) for t in kept} | {normal_form(OTHER)}
    chosen: list[TopicReply] = []
    while nodes and len(fixed) + len(chosen) < most:
        node = max(nodes, key=lambda n: len(left & set(n.papers)))
        nodes.remove(node)
        mine = tuple(p for p in node.papers if p in left)
        if len(mine) < THIN:
            break
        title = _title(node.label)
        if normal_form(title) not in names:
            names.add(normal_form(title))
            left -= set(mine)
            chosen.append(TopicReply(title=title, nodes=(node.node_id,), papers=mine))
    if not chosen:
        roots = sorted((n for n in taxonomy.nodes if n.node_id not in below), key=lambda n: len(n.papers))
        for root in roots[: max(0, most - 1 - len(fixed))]:
            mine = tuple(p for p in root.papers if p in left)
            title = _ROOT_TITLES[root.dimension]
            if len(mine) >= THIN and len(left) - len(mine) >= THIN and normal_form(title) not in names:
                left -= set(mine)
                chosen.append(TopicReply(title=title, nodes=(root.node_id,), papers=mine))
    wanted = min(most, LEAST if len(papers) >= FEW else 1)
    if len(fixed) + len(chosen) < wanted or (not fixed and not chosen):
        chosen.append(TopicReply(title=OTHER, papers=tuple(p for p in papers if p in left)))
    return (*fixed, *_halved(chosen, wanted - len(fixed)))


def _halved(topics: Sequence[TopicReply], wanted: int) -> Sequence[TopicReply]:
    """The topics; where one holds all papers and two are needed, its papers in two parts."""
    whole = [t for t in topics if t.papers]
    if len(whole) != 1 or wanted < LEAST:
        return topics
    papers = whole[0].papers
    half = (len(papers) + 1) // 2
    first = whole[0] if whole[0].title != OTHER else TopicReply(title="Closest related approaches")
    return (
        first.model_copy(update={"papers": papers[:half]}),
        TopicReply(title=OTHER, nodes=whole[0].nodes, papers=papers[half:]),
    )


def _title(label: str) -> str:
    title = " ".join(label.split()[:TITLE_WORDS])
    return title[:1].upper() + title[1:]


# ---------------------------------------------------------------- every paper in its topic


def with_choices(
    outline: Outline, choices: Mapping[PaperId, TopicChoice], papers: Sequence[PaperId]
) -> tuple[Outline, dict[PaperId, str]]:
    """The outline with these papers where the choices put them, and why the others are still in no topic.

    A choice that names no topic of the outline counts for nothing; a pinned paper stays where it is.
    """
    ids = {t.topic_id for t in outline.topics}
    pinned = {p for t in outline.topics for p in t.pinned}
    primary: dict[PaperId, str] = {}
    secondary: dict[PaperId, set[str]] = {}
    why: dict[PaperId, str] = {}
    for paper in papers:
        choice = choices.get(paper)
        if choice and choice.primary.strip() in ids and paper not in pinned:
            primary[paper] = choice.primary.strip()
        elif paper in in_no_topic(outline, papers):
            why[paper] = (
                "it fits no topic" if choice and not choice.primary.strip() else "the model named no topic for it"
            )
        secondary[paper] = {t.strip() for t in choice.secondary} if choice else set()
    topics = []
    for topic in outline.topics:
        mine = unique((*(p for p in topic.papers if primary.get(p, topic.topic_id) == topic.topic_id),
                       *(p for p in papers if primary.get(p) == topic.topic_id)))  # fmt: skip
        also = unique((*topic.secondary, *(p for p in papers if topic.topic_id in secondary[p])))
        topics.append(topic.model_copy(update={"papers": mine, "secondary": tuple(p for p in also if p not in mine)}))
    return outline.model_copy(update={"topics": tuple(topics)}), why


def nearest_topic(papers: Iterable[PaperId], topics: Sequence[Topic], homes: Homes) -> Topic | None:
    """The topic whose papers share most nodes with these, on average; None where no node is shared."""
    mine = [homes.get(p, frozenset()) for p in papers]
    best, most = None, 0.0
    for topic in topics:
        shared = sum(len(a & homes.get(p, frozenset())) for p in topic.papers for a in mine)
        shared_on_average = shared / len(topic.papers) if topic.papers else 0.0
        if shared_on_average > most:
            best, most = topic, shared_on_average
    return best


def with_secondary(outline: Outline, taxonomy: Taxonomy) -> Outline:
    """Papers at a node that a topic draws on, but at home in another topic, as its secondary ones."""
    below = {child for _, child in taxonomy.edges}
    at = {n.node_id: n.papers for n in taxonomy.nodes if n.node_id in below}
    placed = {p for t in outline.topics for p in t.papers}
    topics = []
    for topic in outline.topics:
        also = unique((*topic.secondary, *(p for n in topic.nodes for p in at.get(n, ()) if p in placed)))
        topics.append(topic.model_copy(update={"secondary": tuple(p for p in also if p not in topic.papers)}))
    return outline.model_copy(update={"topics": tuple(topics)})


def without_thin(outline: Outline, homes: Homes, papers: int) -> tuple[Outline, tuple[str, ...]]:
    """Topics with fewer than two papers merged into the nearest, or the one before; and what was done, in sentences.

    Topics that the user fixed stay, and so do the last two.
    """
    topics, said = list(outline.topics), []
    least = LEAST if papers >= FEW else 1
    while True:
        thin = next((t for t in topics if len(t.papers) < THIN and not t.fixed_by_user), None)
        if thin is None or len(topics) <= least:
            break
        place = topics.index(thin)
        others = [t for t in topics if t is not thin]
        into = nearest_topic(thin.papers, others, homes) or topics[place - 1 if place else 1]
        primary = unique((*into.papers, *thin.papers))
        secondary = tuple(p for p in unique((*into.secondary, *thin.secondary)) if p not in primary)
        nodes = unique((*into.nodes, *thin.nodes))
        joined = into.model_copy(update={"papers": primary, "secondary": secondary, "nodes": nodes})
        topics = [joined if t is into else t for t in others]
        said.append(f"“{thin.title}” had fewer than two papers and went into “{into.title}”.")
    return outline.model_copy(update={"topics": tuple(topics)}), tuple(said)


def with_uncovered(outline: Outline, papers: Sequence[PaperId], why: Mapping[PaperId, str]) -> Outline:
    """The outline with every paper that no topic has listed under `uncovered`, with its reason."""
    before = {u.paper_id: u for u in outline.uncovered}

    def told(paper: PaperId) -> LeftOut:
        was = before.get(paper, LeftOut(paper_id=paper, reason="no topic has it"))
        return was if was.by_user or paper not in why else LeftOut(paper_id=paper, reason=why[paper])

    return outline.model_copy(update={"uncovered": tuple(map(told, in_no_topic(outline, papers)))})
