"""Models for the organization stage: one that does its work on papers with themes, and one that answers anything."""

import random
from collections.abc import Callable

from marwg import tasks
from marwg.tasks import Reply, Task
from marwg.types import Dimension, Paper

THEMES = {
    Dimension.TASK: ("question answering", "text summarization", "citation checking", "dialogue", "table reading"),
    Dimension.METHODOLOGY: (
        "dense retrieval",
        "query rewriting",
        "reinforcement learning",
        "graph networks",
        "distillation",
    ),
    Dimension.DATASET: ("encyclopedia articles", "medical records", "court rulings", "news stories"),
    Dimension.EVALUATION: ("human ratings", "automatic metrics", "adversarial tests", "cost studies"),
}
FINER = ("short", "long", "multilingual")


def papers(count: int) -> list[Paper]:
    """Papers that each speak of one theme of every dimension, and of a finer one."""
    made = []
    for n in range(count):
        words = [themes[(n * (3 + i) + n // 7) % len(themes)] for i, themes in enumerate(THEMES.values())]
        text = f"{'; '.join(words)}; {FINER[n % 3]} w{n}"
        made.append(Paper(paper_id=f"p{n:02}", key=f"k{n}", title=f"Paper on {words[0]} {n}", abstract=text))
    return made


def _theme(text: str, dimension: Dimension) -> str:
    return next(t for t in THEMES[dimension] if t in text)


def _finer(text: str) -> str:
    return next(f for f in FINER if f" {f} " in text)


def good(task: Task) -> Reply:
    """What a careful reader would answer."""
    if isinstance(task, tasks.ClassifyDimensions):
        return tasks.DimensionChoices(
            papers=tuple(tasks.DimensionChoice(id=p.id, dimensions=tuple(Dimension)) for p in task.papers)
        )
    if isinstance(task, tasks.LabelPapers):
        if task.level == 1:
            pairs = [(p.id, _theme(p.abstract, task.dimension), "") for p in task.papers]
        else:
            texts = {p.id: p.abstract for p in task.papers}
            nodes = task.nodes or (tasks.NodeView(id="", path=task.path, papers=tuple(texts)),)
            pairs = [(p, f"{_finer(texts[p])} {n.path[-1]}", n.id) for n in nodes for p in n.papers]
        return tasks.PaperLabels(
            papers=tuple(tasks.PaperLabel(id=i, label=t, gloss=f"about {t}", node=n) for i, t, n in pairs)
        )
    if isinstance(task, tasks.NameClusters):
        named = [tasks.ClusterName(label=c.labels[0], papers=c.papers) for c in task.clusters]
        return tasks.ClusterNames(clusters=tuple(named))
    if isinstance(task, tasks.AssignChildren):
        return tasks.ChildChoices(papers=tuple(_children(task, p) for p in task.papers))
    if isinstance(task, tasks.SameTopic):
        return tasks.PairChoices(pairs=tuple(tasks.PairChoice(id=p.id, same=False) for p in task.pairs))
    if isinstance(task, tasks.MakeOutline):
        half = len(task.papers) // 2
        parts = (("Earlier approaches", task.papers[:half]), ("Recent approaches", task.papers[half:]))
        return tasks.OutlineReply(
            topics=tuple(tasks.TopicReply(title=t, papers=tuple(p.id for p in part[:-1])) for t, part in parts)
        )
    assert isinstance(task, tasks.AssignTopics)
    choices = [
        tasks.TopicChoice(id=p.id, primary=task.topics[i % len(task.topics)].id) for i, p in enumerate(task.papers)
    ]
    return tasks.TopicChoices(papers=tuple(choices))


def _children(task: tasks.AssignChildren, paper: tasks.Source) -> tasks.ChildChoice:
    """The children whose words are all in the paper."""
    mine = [c.id for c in task.children if set(c.path[-1].split()) <= set(paper.abstract.replace(";", "").split())]
    phrase = next((c.path[-1] for c in task.children if c.id in mine), "")
    return tasks.ChildChoice(id=paper.id, children=tuple(mine), phrase=phrase)


def hostile(seed: int) -> Callable[[Task], Reply]:
    """Replies of the right form with anything in them: unknown, repeated and missing ids, empty and endless labels."""
    chance = random.Random(seed)

    def some(items, most: int = 6) -> list:
        given = [*items, "p999", "", "[@p01]"]
        return [chance.choice(given) for _ in range(chance.randint(0, most))]

    one_label = chance.choice([None, None, "same", "", "标签 retrieval"])

    def label() -> str:
        if one_label is not None:
            return one_label
        words = ["dense", "sparse", "", "é", "x" * 300, "survey of", "\n\0", "検索", "- ** -"]
        return " ".join(chance.choice(words) for _ in range(chance.randint(0, 4)))

    def answer(task: Task) -> Reply:
        ids = [p.id for p in getattr(task, "papers", ())]
        shown = chance.sample(ids, len(ids)) if chance.random() < 0.5 else some(ids, 2 * len(ids))
        if isinstance(task, tasks.ClassifyDimensions):
            said = [
                tasks.DimensionChoice(id=i, dimensions=tuple(chance.sample(list(Dimension), chance.randint(0, 4))))
                for i in shown
            ]
            return tasks.DimensionChoices(papers=tuple(said))
        if isinstance(task, tasks.LabelPapers):
            nodes = [*(n.id for n in task.nodes), "", "nowhere"]
            said = [tasks.PaperLabel(id=i, label=label(), gloss=label(), node=chance.choice(nodes)) for i in shown]
            return tasks.PaperLabels(papers=tuple(said))
        if isinstance(task, tasks.NameClusters):
            clusters = (
                [c.papers for c in task.clusters] if chance.random() < 0.5 else [tuple(some(ids)) for _ in range(4)]
            )
            return tasks.ClusterNames(clusters=tuple(tasks.ClusterName(label=label(), papers=c) for c in clusters))
        if isinstance(task, tasks.AssignChildren):
            children = [c.id for c in task.children]
            everywhere = chance.random() < 0.3
            said = [
                tasks.ChildChoice(id=i, children=tuple(children if everywhere else some(children)), phrase=label())
                for i in shown
            ]
            return tasks.ChildChoices(papers=tuple(said))
        if isinstance(task, tasks.SameTopic):
            return tasks.PairChoices(
                pairs=tuple(
                    tasks.PairChoice(id=i, same=chance.random() < 0.7) for i in some([p.id for p in task.pairs], 20)
                )
            )
        if isinstance(task, tasks.MakeOutline):
            nodes = [n.id for n in task.nodes]
            said = [
                tasks.TopicReply(title=label(), nodes=tuple(some(nodes, 2)), papers=tuple(some(ids)))
                for _ in range(chance.randint(0, 5))
            ]
            return tasks.OutlineReply(topics=tuple(said))
        assert isinstance(task, tasks.AssignTopics)
        topics = [t.id for t in task.topics]
        said = [
            tasks.TopicChoice(id=i, primary=chance.choice([*topics, "", "t?"]), secondary=tuple(some(topics)))
            for i in shown
        ]
        return tasks.TopicChoices(papers=tuple(said))

    return answer
