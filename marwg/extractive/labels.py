"""Labels of the taxonomy: dimensions by cues, a subtopic for each paper, names for clusters, children by their words."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from marwg.extractive.casing import Casing
from marwg.extractive.papers import Encode, PaperText, read_papers, surface_forms, vectors
from marwg.extractive.phrases import can_name, normal, rarity
from marwg.extractive.text import flat
from marwg.extractive.themes import Naming
from marwg.tasks import (
    AssignChildren,
    ChildChoice,
    ChildChoices,
    ClassifyDimensions,
    ClusterName,
    ClusterNames,
    ClusterView,
    DimensionChoice,
    DimensionChoices,
    LabelPapers,
    NameClusters,
    NodeView,
    PairChoice,
    PairChoices,
    PaperLabel,
    PaperLabels,
    SameTopic,
)
from marwg.types import Dimension

# ---------------------------------------------------------------- dimensions

_METHOD = re.compile(
    r"\b(?:propos|introduc|develop|design|method|approach|framework|algorithm|architecture|model|technique|pipeline|system|network)\w*"
)
_DATA = re.compile(
    r"\b(?:data ?sets?|corpus|corpora|benchmarks?|test collections?|annotat\w+|labell?ed (?:data|examples)|training data|Wikipedia"
    r"|synthetic data|crowd-?sourc\w+)\b"
)
_EVALUATION = re.compile(
    r"\b(?:evaluat\w+|experiment\w*|benchmark\w*|metrics?|human (?:study|judge?ments?)|user stud\w+|outperform\w*|accuracy|F1|BLEU|ROUGE"
    r"|recall|precision|baselines?)\b"
)
_TASK_HEADS = frozenset(
    """retrieval generation verification segmentation classification detection recognition translation answering summarization
    prediction recommendation adaptation extraction linking parsing ranking matching search completion estimation reasoning
    dialogue planning navigation forecasting inference understanding analysis tagging modeling disambiguation alignment writing
    checking attribution localization tracking reconstruction synthesis editing design control simulation compression
    simplification captioning labeling mining hallucination safety privacy robustness sampling proof verification""".split()
)
_METHOD_HEADS = frozenset(
    """learning network transformer attention decoding distillation augmentation optimization regularization training sampling
    prompting embedding clustering search decomposition adaptation tuning encoder decoder quantization pruning graph memory agent
    ensemble loss supervision reinforcement diffusion autoencoder attack alignment retrieval reranking feedback encoding planning
    mechanism normalization initialization masking mixup teacher pseudo label self training self-training representation""".split()
)
_EVALUATION_HEADS = frozenset(
    """evaluation metric judgment judgement benchmark assessment study comparison test robustness accuracy precision recall
    agreement quality faithfulness factuality generalization efficiency ablation analysis shot transfer""".split()
)
_DATA_HEADS = frozenset(
    """corpus dataset collection annotation benchmark abstract article claim citation image scene query passage wikipedia
    document question conversation news web text literature driving label supervision domain publication knowledge""".split()
)
_HEADS = {
    Dimension.TASK: _TASK_HEADS,
    Dimension.METHODOLOGY: _METHOD_HEADS,
    Dimension.DATASET: _DATA_HEADS,
    Dimension.EVALUATION: _EVALUATION_HEADS,
}
_CONTEXT = {
    Dimension.TASK: re.compile(r"\b(?:task|problem|for|address\w*|aims?)\b"),
    Dimension.METHODOLOGY: re.compile(r"\b(?:propos\w+|introduc\w+|present\w*|us(?:e|es|ing)|based on|by|via|with|train\w*|combin\w+)\b"),
    Dimension.DATASET: _DATA,
    Dimension.EVALUATION: _EVALUATION,
}  # fmt: skip


def classify_dimensions(task: ClassifyDimensions) -> DimensionChoices:
    """Multi-label by cues in the paper's own sentences; data and evaluation that are merely used count too."""
    return DimensionChoices(
        papers=tuple(DimensionChoice(id=p.id, dimensions=_dimensions(p)) for p in read_papers(task.papers))
    )


def _dimensions(paper: PaperText) -> tuple[Dimension, ...]:
    own = " ".join(s.text for s in paper.sentences if s.kind in ("contribution", "method", "result")) or paper.text
    text = f"{paper.title}. {own}"
    found = {
        Dimension.TASK: paper.kind != "theory",
        Dimension.METHODOLOGY: paper.kind in ("method", "theory")
        or bool(_METHOD.search(own) and paper.kind != "survey"),
        Dimension.DATASET: bool(_DATA.search(text)),
        Dimension.EVALUATION: bool(_EVALUATION.search(text)),
    }
    return tuple(dimension for dimension in Dimension if found[dimension])


# ---------------------------------------------------------------- pseudo-labels


def label_papers(task: LabelPapers) -> PaperLabels:
    """For each paper its best phrase in this dimension; a label that is used already comes first where the paper has it."""
    papers = read_papers(task.papers)
    taken = {normal(label) for label in task.path}
    shared = Counter(phrase for paper in papers for phrase in paper.phrases.counts)
    casing = Casing([p.body for p in papers], [p.voice.name for p in papers if p.voice.name])
    used = list(task.used_labels)
    labels: list[PaperLabel] = []
    for paper in papers:
        label = _reused(paper, used, taken) or _own_label(paper, task.dimension, shared, taken, casing)
        if label not in used:
            used.append(label)
        labels.append(PaperLabel(id=paper.id, label=label, gloss=" ".join(paper.title.split()[:15])))
    return PaperLabels(papers=tuple(labels))


def _reused(paper: PaperText, used: Sequence[str], taken: set[str]) -> str:
    """The longest used label that the paper has in its title, or twice in its text."""
    fitting = [
        label
        for label in used
        if normal(label) not in taken
        and (f" {normal(label)}" in flat(paper.title) or paper.words.count(f" {normal(label)}") >= 2)
    ]
    return max(fitting, key=lambda label: (len(label.split()), label), default="")


def _own_label(paper: PaperText, dimension: Dimension, shared: Counter[str], taken: set[str], casing: Casing) -> str:
    name = normal(paper.voice.name) if paper.voice.name else ""
    title = flat(paper.title)
    heads = _HEADS[dimension]
    context = " ".join(s.text for s in paper.sentences if _CONTEXT[dimension].search(s.text)).lower().replace("-", " ")

    def score(phrase: str) -> tuple[float, str]:
        words = phrase.split()
        value = (1.0 + 0.8 * (f" {phrase}" in title)) * (0.3 if len(words) == 1 else 1.0 if len(words) < 4 else 0.8)
        value *= 1.0 + 0.8 * any(word in heads for word in words) + 0.5 * (words[-1] in heads)
        value *= 1.0 + 0.4 * (phrase in context) + 0.3 * min(3, shared[phrase] - 1)
        value *= 1.0 + 0.2 * min(3, paper.phrases.counts[phrase] - 1)
        return value * (0.3 + rarity(phrase)), phrase

    phrases = [
        phrase
        for phrase, (inner, final) in paper.phrases.bounds.items()
        if can_name(phrase)
        and phrase != name
        and phrase not in taken
        and final >= inner
        and len(phrase.split()) <= 5
        and not (name and name in phrase.split())
    ]
    if not phrases:
        return " ".join(casing.title(paper.title).split()[:5]) or str(dimension)
    best = max(phrases, key=score)
    forms = surface_forms([paper], best)
    form = min(forms, key=lambda f: (-forms[f], f)) if forms else best
    return casing.title(form)


# ---------------------------------------------------------------- clusters


def name_clusters(task: NameClusters, encode: Encode) -> ClusterNames:
    """Each cluster by the label or phrase that most of it has and the others have not."""
    papers = read_papers(task.papers)
    position = {paper.id: i for i, paper in enumerate(papers)}
    rows = vectors(papers, encode) if papers else np.zeros((0, 1))
    casing = Casing([p.body for p in papers], [p.voice.name for p in papers if p.voice.name])
    naming = Naming(papers, rows, encode, casing)
    used = [normal(label) for label in (*task.siblings, *task.path)]
    names = []
    for cluster in task.clusters:
        members = [position[paper_id] for paper_id in cluster.papers if paper_id in position]
        label = _cluster_label(cluster, members, papers, naming, used, encode)
        used.append(normal(label))
        gloss = "; ".join(dict.fromkeys(cluster.labels))
        names.append(ClusterName(label=label, gloss=" ".join(gloss.split()[:20]).rstrip(";,"), papers=cluster.papers))
    return ClusterNames(clusters=tuple(names))


def _cluster_label(
    cluster: ClusterView,
    members: Sequence[int],
    papers: Sequence[PaperText],
    naming: Naming,
    used: Sequence[str],
    encode: Encode,
) -> str:
    labels = Counter(normal(label) for label in cluster.labels)
    forms = {normal(label): label for label in reversed(cluster.labels)}
    for name in naming.names(members, used) if members else []:
        forms.setdefault(name.phrase, naming.printed(name.phrase, members))
    forms = {phrase: form for phrase, form in forms.items() if phrase and phrase not in used}
    if not forms:
        return cluster.labels[0] if cluster.labels else "Other"
    phrases = sorted(forms)
    centre = encode(sorted(set(cluster.labels)) or phrases).mean(axis=0)
    close = encode([forms[phrase] for phrase in phrases]) @ centre
    inside = [papers[i] for i in members]
    outside = [paper for i, paper in enumerate(papers) if i not in set(members)]

    def score(index: int) -> float:
        phrase = phrases[index]
        here = (sum(p.mentions(phrase) for p in inside) + 2 * labels[phrase]) / max(1, 3 * len(inside))
        there = sum(p.mentions(phrase) for p in outside) / max(1, len(outside))
        return (0.1 + here) * (0.3 + float(close[index])) * (1.2 - there) * (0.6 if " " not in phrase else 1.0)

    return forms[phrases[max(range(len(phrases)), key=lambda i: (score(i), phrases[i]))]]


# ---------------------------------------------------------------- children


_FITS = 0.42


def assign_children(task: AssignChildren, encode: Encode) -> ChildChoices:
    """A paper goes to the children it was clustered into, to those whose label it mentions, else to a near one or none."""
    papers = read_papers(task.papers)
    if not papers or not task.children:
        return ChildChoices(papers=tuple(ChildChoice(id=p.id, children=()) for p in papers))
    rows = vectors(papers, encode)
    labels = [child.path[-1] if child.path else "" for child in task.children]
    glosses = [
        f"{label}: {child.gloss}" if child.gloss else label for label, child in zip(labels, task.children, strict=True)
    ]
    close = rows @ encode(glosses).T
    choices = []
    for paper, row in zip(papers, close, strict=True):
        chosen = [i for i, child in enumerate(task.children) if paper.id in child.papers or _says(paper, labels[i])]
        if not chosen and float(row.max()) >= _FITS:
            chosen = [int(row.argmax())]
        phrase = next((found for i in chosen if (found := _phrase(paper, labels[i]))), "")
        choices.append(
            ChildChoice(
                id=paper.id,
                children=tuple(task.children[i].id for i in chosen),
                phrase=phrase or _nearest_phrase(paper),
            )
        )
    return ChildChoices(papers=tuple(choices))


def _says(paper: PaperText, label: str) -> bool:
    return bool(label) and " " in label and paper.mentions(normal(label))


def _phrase(paper: PaperText, label: str) -> str:
    """The label as the paper writes it, else its noun phrase that shares most words with the label."""
    forms = surface_forms([paper], normal(label))
    if forms:
        return min(forms, key=lambda form: (-forms[form], form))
    words = set(normal(label).split())
    best = max(paper.phrases.counts, key=lambda p: (len(words & set(p.split())), -len(p.split()), p), default="")
    if not best or not words & set(best.split()):
        return ""
    return min(paper.phrases.forms[best], key=lambda form: (-paper.phrases.forms[best][form], form))


def _nearest_phrase(paper: PaperText) -> str:
    return " ".join(paper.title.split()[:8])


def same_topic(task: SameTopic) -> PairChoices:
    """Without a model only equal labels are the same: most candidates by similarity are not."""
    last: Callable[[NodeView], str] = lambda node: normal(node.path[-1]) if node.path else ""  # noqa: E731
    return PairChoices(
        pairs=tuple(
            PairChoice(id=pair.id, same=bool(last(pair.first)) and last(pair.first) == last(pair.second))
            for pair in task.pairs
        )
    )
