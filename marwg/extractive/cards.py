"""Cards from classified sentences: each cell is one sentence of the paper, told in the third person, with its own words."""

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from marwg.extractive import sentences
from marwg.extractive.conversion import convert, without_lead
from marwg.extractive.papers import Encode, PaperText, read_paper, vectors, whole_text
from marwg.extractive.sentences import SourceSentence
from marwg.extractive.shortening import shorten, without_asides
from marwg.extractive.text import capitalise, without_markers
from marwg.tasks import CardReply, Cards, CellReply, Source, Summarize
from marwg.types import Focal, Relation
from marwg.verification.claims import FOCAL

_DATA = re.compile(
    r"\b(?:data ?sets?|corpus|corpora|benchmarks?|test collections?|test sets?|annotated|labell?ed (?:data|examples)|Wikipedia"
    r"|\d[\d,.]*[kKM]? (?:\w+ )?(?:questions|documents|images|sentences|tweets|records|queries|scans|papers|claims|videos|dialogues))\b"
)
_DATA_SURE = re.compile(r"\b(?:data ?sets?|corpus|corpora|benchmarks?|test collections?|test sets?)\b")
_FINDING = re.compile(
    r"\b(?:show|find|found|report|demonstrate|outperform|improve|surpass|exceed|beat|achieve|reach|best|better|reveal|prove)\w*\b|\d ?%|×"
)
_EVALUATION = re.compile(
    r"\b(?:evaluat\w+|experiment\w*|ablation\w*|metrics?|human (?:study|evaluation|judge?ments?)|we (?:test|compare|assess|validate)"
    r"|tested on|compared (?:with|to)|simulations?|user stud\w+|case stud\w+)\b",
    re.IGNORECASE,
)
_OWN_LIMIT = re.compile(
    r"\b(?:our|the proposed|this|these) (?:\w+ ){0,2}(?:method|approach|model|framework|system|work|study|results?|findings?)\b[^.]*"
    r"\b(?:limited to|does not|do not|cannot|only (?:works?|applies|covers?)|fails?|assumes?|relies on|requires?|restricted to)\b"
    r"|\b(?:a|one|the main|another|our) limitations?\b|\blimitations? of (?:our|this|the (?:proposed|present))\b"
    r"|\bwe (?:only|do not|did not|cannot|leave)\b|\bwe acknowledge\b|\bremains? (?:a challenge|difficult|hard|challenging) (?:even )?for (?:our|the proposed)\b"
    r"|\bthreats? to validity\b",
    re.IGNORECASE,
)  # fmt: skip
_MOST_PAGE_SENTENCES = 120


def summarize(task: Summarize, encode: Encode) -> Cards:
    """One card for each paper."""
    papers = [read_paper(source) for source in task.papers]
    if not papers:
        return Cards(cards=())
    focal_row = encode([whole_text(task.focal.title, task.focal.abstract)])[0]
    similarity = vectors(papers, encode) @ focal_row
    top = float(np.sort(similarity)[-5:].mean())
    return Cards(cards=tuple(_card(p, task.focal, float(s), top) for p, s in zip(papers, similarity, strict=True)))


def _card(paper: PaperText, focal: Focal, similarity: float, top: float) -> CardReply:
    abstract = paper.sentences
    pages = _page_sentences(paper.source) if paper.source.abstract.strip() else []
    relation, reason = _relation(paper, focal, similarity, top)
    used: set[str] = set()
    cell = partial(_cell, paper, used)
    return CardReply(
        id=paper.id,
        method=cell(abstract, _contribution_first, lambda s: s.kind in ("contribution", "method")),
        problem=_problem(paper),
        result=cell(abstract, _finding_first, lambda s: s.kind == "result"),
        data=cell([*abstract, *pages], _sure_data_first, _tells_data),
        evaluation=cell([*abstract, *pages], None, _tells_evaluation),
        limitation=cell([*_after_contribution(paper), *pages], None, lambda s: bool(_OWN_LIMIT.search(s.text))),
        relation=relation,
        relation_reason=reason,
    )


def _page_sentences(source: Source) -> list[SourceSentence]:
    found = [s for passage in source.passages for s in sentences.read(passage.text, passage.page, source.title)]
    return [s for s in found if 6 <= len(s.text.split()) <= 45][:_MOST_PAGE_SENTENCES]


def _cell(
    paper: PaperText,
    used: set[str],
    among: Sequence[SourceSentence],
    rank: Callable[[SourceSentence], float] | None,
    fits: Callable[[SourceSentence], bool],
) -> CellReply:
    """The best sentence that fits, one that stands in no other cell if there is any; an empty cell where there is none."""
    fitting = [s for s in among if fits(s)]
    fitting = [s for s in fitting if s.raw not in used] or fitting
    if rank:
        fitting.sort(key=rank)
    if not fitting:
        return CellReply()
    chosen = fitting[0]
    used.add(chosen.raw)
    return CellReply(text=third_person(chosen, paper), quote=chosen.raw, page=chosen.page)


def third_person(sentence: SourceSentence, paper: PaperText) -> str:
    """The sentence about the paper, without a marker; the focal paper speaks for itself, as "we"."""
    if paper.id == FOCAL:
        return capitalise(sentence.text)
    return capitalise(without_markers(convert(sentence.text, paper.voice).text).replace(" .", "."))


def _problem(paper: PaperText) -> CellReply:
    """What the paper says is missing: the last gap before its contribution, else the last background sentence."""
    before = []
    for sentence in paper.sentences:
        if sentence.kind == "contribution" or re.search(r"\b(?:[Ww]e|[Oo]ur)\b", sentence.text):
            break
        before.append(sentence)
    gaps = [s for s in before if s.kind == "limitation"] or [s for s in before if s.kind == "background"]
    if not gaps:
        return CellReply()
    chosen = gaps[-1]
    text = shorten(without_lead(without_asides(chosen.text)))
    return CellReply(text=f"{capitalise(text)}.", quote=chosen.raw, page=chosen.page)


def _contribution_first(sentence: SourceSentence) -> float:
    return 0.0 if sentence.kind == "contribution" else 1.0


def _finding_first(sentence: SourceSentence) -> float:
    return 0.0 if _FINDING.search(sentence.text) else 1.0


def _sure_data_first(sentence: SourceSentence) -> float:
    return 0.0 if _DATA_SURE.search(sentence.text) else 1.0


def _is_own(sentence: SourceSentence) -> bool:
    return sentence.kind in ("contribution", "method", "result")


def _tells_data(sentence: SourceSentence) -> bool:
    return _is_own(sentence) and bool(_DATA.search(sentence.text))


def _tells_evaluation(sentence: SourceSentence) -> bool:
    return _is_own(sentence) and bool(_EVALUATION.search(sentence.text))


def _after_contribution(paper: PaperText) -> list[SourceSentence]:
    """What the abstract says after its contribution; before it, limits are those of earlier work."""
    kinds = [s.kind for s in paper.sentences]
    start = kinds.index("contribution") + 1 if "contribution" in kinds else len(kinds)
    return list(paper.sentences[start:])


def _relation(paper: PaperText, focal: Focal, similarity: float, top: float) -> tuple[Relation, str]:
    """What can be said honestly without reading: named in the focal abstract, data, survey, near or not."""
    name = paper.voice.name
    text = f"{focal.title}. {focal.abstract}"
    if name and len(name) > 2 and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
        relation: Relation = "supplies" if paper.kind == "benchmark" else "extends"
        return relation, f"The focal abstract names {name}."
    if paper.kind == "benchmark":
        return "supplies", "It contributes data or a benchmark."
    if paper.kind in ("survey", "theory", "study"):
        return "background", {
            "survey": "It is a survey.",
            "theory": "It is a theoretical work.",
            "study": "It is a study.",
        }[paper.kind]
    if similarity >= 0.95 * top:
        return "competes", "It is among the papers nearest to the focal abstract and proposes a method."
    return "background", "It is less close to the focal abstract than the nearest papers."
