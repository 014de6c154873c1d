"""Questions about the outline, answered from the outline and the taxonomy alone, with quoted words; nothing is made up."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from marwg.errors import InputError
from marwg.organizing.clustering import normal_form
from marwg.organizing.taxonomy import as_text, dags_of
from marwg.tasks import TurnReply
from marwg.text.references import labels
from marwg.text.wording import content_words
from marwg.types import Draft, Node, Outline, Paper, PaperId, Taxonomy, Topic

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")


@dataclass(frozen=True)
class Seen:
    """What questions are answered from."""

    outline: Outline
    taxonomy: Taxonomy
    papers: Mapping[PaperId, Paper]
    draft: Draft | None = None

    def named(self, paper: PaperId) -> str:
        """ "Li et al. (2020), “Title”"."""
        known = self.papers.get(paper)
        if known is None:
            return "a paper that is no longer in the library"
        authors, year = labels(self.papers.values())[paper]
        return f"{authors} ({year}), “{known.title.rstrip('.')}”"


def answer(question: TurnReply, seen: Seen) -> str:
    """The answer in Markdown; InputError where what is asked about is not there."""
    topics = [(n, seen.outline.topics[n - 1]) for n in question.topics]
    match question.ask:
        case "why" | "where" if question.papers:
            return "\n\n".join(_why(paper, seen, topics) for paper in question.papers)
        case "why" | "where" | "behind" if topics and not question.node:
            return "\n\n".join(_topic(n, topic, seen) for n, topic in topics)
        case "why" | "where" | "behind" if question.node:
            return _node(question.node, seen)
        case "uncovered":
            return _uncovered(seen)
        case "overview":
            return _overview(seen)
    raise InputError(
        "It is not clear which paper, topic or subtopic you ask about.", "Name it by author, title or number."
    )


# ---------------------------------------------------------------- why a paper is where it is


def _why(paper: PaperId, seen: Seen, asked: Sequence[tuple[int, Topic]]) -> str:
    name = seen.named(paper)
    home = next(((n, t) for n, t in enumerate(seen.outline.topics, 1) if paper in t.papers), None)
    also = [(n, t) for n, t in enumerate(seen.outline.topics, 1) if paper in t.secondary]
    lines = []
    if home is None:
        reason = next((u.reason for u in seen.outline.uncovered if u.paper_id == paper), "no topic has it")
        lines.append(f"{name} is in no topic: {reason}.")
    else:
        number, topic = home
        asked_elsewhere = [n for n, t in asked if t is not topic and (n, t) not in also]
        not_there = f", not in topic {asked_elsewhere[0]}" if asked_elsewhere else ""
        by_user = " You put it there." if paper in topic.pinned else ""
        lines.append(f"{name} is in topic {number}, “{topic.title}”{not_there}.{by_user}")
    if also:
        lines.append("It may also be mentioned in " + _listed([f"topic {n}, “{t.title}”" for n, t in also]) + ".")
    lines.append(_reasons(paper, seen, home[1] if home else None))
    return "\n\n".join(line for line in lines if line)


def _reasons(paper: PaperId, seen: Seen, topic: Topic | None) -> str:
    """The nodes of the paper, those that its topic draws on first, with the words that put it there."""
    places = _places(paper, seen)
    if not places:
        said = _nearest(topic.title, seen.papers.get(paper)) if topic else ""
        rest = f" Nearest to the title are these words of it: “{said}”" if said else ""
        return f"It is at no subtopic of the taxonomy.{rest}"
    drawn = [p for p in places if topic and p[0].node_id in topic.nodes]
    rows = [_place(paper, node, path, seen) for node, path in (*drawn, *(p for p in places if p not in drawn))]
    lead = (
        "The topic draws on the first of these subtopics" if len(drawn) == 1 else "The topic draws on these subtopics"
    )
    told = f"{lead}, where the paper is:" if drawn else "In the taxonomy it is here:"
    if topic and not drawn and (said := _nearest(topic.title, seen.papers.get(paper))):
        told = f"Nearest to the title of the topic are these words of it: “{said}” In the taxonomy it is here:"
    return "\n".join([told, "", *rows])


def _place(paper: PaperId, node: Node, path: str, seen: Seen) -> str:
    phrase = next((a.phrase for a in seen.taxonomy.assignments if (a.paper_id, a.node_id) == (paper, node.node_id)), "")
    if phrase:
        return f"- {path}: it says “{phrase}”"
    said = _nearest(f"{node.label} {node.gloss}", seen.papers.get(paper))
    return (
        f"- {path}: nearest to it are these words of it: “{said}”"
        if said
        else f"- {path}: no words of it were given as the reason"
    )


def _places(paper: PaperId, seen: Seen) -> list[tuple[Node, str]]:
    """The deepest nodes of the paper, with their paths."""
    nodes = {n.node_id: n for n in seen.taxonomy.nodes}
    found = []
    for dag in dags_of(seen.taxonomy).values():
        for node in dag.nodes:
            mine = paper in dag.papers(node) and not any(paper in dag.papers(c) for c in dag.children(node))
            if mine and node != dag.root:
                found.append((nodes[node], " › ".join(dag.path(node))))
    return found


def _nearest(words: str, paper: Paper | None) -> str:
    """The sentence of title and abstract that shares most words with these; empty where none shares any."""
    wanted = content_words(words)
    sentences = [paper.title, *_SENTENCE.split(paper.abstract)] if paper else []
    best = max(sentences, key=lambda s: len(wanted & content_words(s)), default="")
    return " ".join(best.split()) if wanted & content_words(best) else ""


# ---------------------------------------------------------------- what is behind, and what is not covered


def _topic(number: int, topic: Topic, seen: Seen) -> str:
    paths = {n: " › ".join(d.path(n)) for d in dags_of(seen.taxonomy).values() for n in d.nodes}
    drawn = [paths[n] for n in topic.nodes if n in paths]
    lines = [f"**Topic {number}, “{topic.title}”**, {_papers(len(topic.papers))}:", ""]
    lines += [f"- {seen.named(p)}{' (put there by you)' if p in topic.pinned else ''}" for p in topic.papers]
    lines += ["", f"It draws on {_listed(drawn)}." if drawn else "It draws on no subtopic of the taxonomy."]
    if topic.secondary:
        lines += ["", "May be mentioned, but at home elsewhere:", *(f"- {seen.named(p)}" for p in topic.secondary)]
    return "\n".join(lines)


def _node(name: str, seen: Seen) -> str:
    """The papers of the nodes that are meant, each with the words that put it there."""
    meant = _meant(name, seen)
    if not meant:
        labels_there = [n.label for n in seen.taxonomy.nodes]
        raise InputError(
            f"The taxonomy has no subtopic “{name}”.", f"It has: {', '.join(dict.fromkeys(labels_there))}."
        )
    blocks = []
    for node, path in meant:
        phrases = {a.paper_id: a.phrase for a in seen.taxonomy.assignments if a.node_id == node.node_id}
        home = {p: n for n, t in enumerate(seen.outline.topics, 1) for p in t.papers}
        lines = [f"**{path}**, {_papers(len(node.papers))}:", ""]
        for paper in node.papers:
            where = f", topic {home[paper]}" if paper in home else ", in no topic"
            said = f": “{phrases[paper]}”" if phrases.get(paper) else ""
            lines.append(f"- {seen.named(paper)}{where}{said}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _meant(name: str, seen: Seen) -> list[tuple[Node, str]]:
    """Nodes of this id or label; else those whose label has all words of the name."""
    nodes = {n.node_id: n for n in seen.taxonomy.nodes}
    paths = {n: " › ".join(d.path(n)) for d in dags_of(seen.taxonomy).values() for n in d.nodes}
    form, wanted = normal_form(name), content_words(name)
    equal = [n for n in nodes.values() if n.node_id == name.strip() or normal_form(n.label) == form]
    near = [n for n in nodes.values() if wanted and wanted <= content_words(n.label)]
    return [(n, paths[n.node_id]) for n in equal or near]


def _uncovered(seen: Seen) -> str:
    lines = [f"- {seen.named(u.paper_id)}: {u.reason}" for u in seen.outline.uncovered]
    told = ["No topic covers these papers:", "", *lines] if lines else ["Every paper of the shortlist is in a topic."]
    empty = [f"“{t.title}”" for t in seen.outline.topics if not t.papers]
    if empty:
        told += ["", f"Without papers: {_listed(empty)}."]
    if seen.draft and seen.draft.uncited:
        told += [
            "",
            "The draft does not cite:",
            "",
            *(f"- {seen.named(u.paper_id)}: {u.reason}" for u in seen.draft.uncited),
        ]
    return "\n".join(told)


def _overview(seen: Seen) -> str:
    topics = [f"{n}. **{t.title}** ({_papers(len(t.papers))})" for n, t in enumerate(seen.outline.topics, 1)]
    titles = {p: seen.named(p) for p in seen.papers}
    return "\n".join([*topics, "", "The taxonomy that it rests on:", "", as_text(seen.taxonomy, titles)])


def _papers(count: int) -> str:
    return "one paper" if count == 1 else f"{count} papers"


def _listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
