"""The reading pass by rules: how near a candidate is, what it would do in the section, and which phrases say so."""

import re

import numpy as np

from marwg.extractive.focal import all_phrases
from marwg.extractive.papers import Encode, PaperText, read_papers, vectors, whole_text
from marwg.extractive.phrases import can_name, rarity
from marwg.tasks import CandidateGrade, CandidateGrades, ReadCandidates
from marwg.types import PaperRole

GATE = 0.75
"""Below this share of the mean similarity of the five nearest, papers are look-alikes."""

_EVALUATES = re.compile(r"\b(evaluat\w+|metrics?|assess\w*|judg\w+|leaderboard)\b")
_DATA = re.compile(r"\b(dataset|data set|corpus|corpora|collection|annotat\w+)\b")
_GENERAL = re.compile(r"\b(pre-?train\w+|foundation model|attention is all|language models are)\b", re.IGNORECASE)


def read_candidates(task: ReadCandidates, encode: Encode) -> CandidateGrades:
    """A grade from similarity relative to the nearest papers, a role from cue words, a reason from shared phrases."""
    papers = read_papers(task.papers)
    if not papers:
        return CandidateGrades(papers=())
    similarity = vectors(papers, encode) @ encode([whole_text(task.focal.title, task.focal.abstract)])[0]
    top = float(np.sort(similarity)[-5:].mean())
    focal_phrases = all_phrases(task.focal)
    grades = []
    for paper, value in zip(papers, similarity, strict=True):
        grade = _grade(float(value), top)
        role = PaperRole.NOT_NEEDED if grade == 0 else _role(paper, float(value) / max(top, 1e-9))
        grades.append(CandidateGrade(id=paper.id, grade=grade, role=role, reason=_reason(paper, focal_phrases, grade)))
    return CandidateGrades(papers=tuple(grades))


def _grade(value: float, top: float) -> int:
    relative = value / top if top > 0 else 0.0
    if relative < GATE or value < 0.15:
        return 0
    return 3 if relative >= 1.0 else 2 if relative >= 0.87 else 1


def _role(paper: PaperText, relative: float) -> PaperRole:
    title = paper.title.lower()
    if paper.kind == "survey":
        return PaperRole.BACKGROUND
    if paper.kind == "benchmark":
        return PaperRole.EVALUATION if _EVALUATES.search(title) and not _DATA.search(title) else PaperRole.DATA
    if _EVALUATES.search(title):
        return PaperRole.EVALUATION
    if _GENERAL.search(title):
        return PaperRole.FOUNDATION
    if paper.kind in ("theory", "study"):
        return PaperRole.BACKGROUND
    return PaperRole.COMPETITOR if relative >= 0.95 else PaperRole.METHOD


def _reason(paper: PaperText, focal_phrases: frozenset[str], grade: int) -> str:
    """At most fifteen words."""
    shared = [p for p in paper.phrases.counts if p in focal_phrases and can_name(p) and rarity(p) > 0.2]
    shared.sort(key=lambda p: (-len(p.split()), -paper.phrases.counts[p], p))
    named: list[str] = []
    for phrase in shared:
        if not any(set(phrase.split()) & set(other.split()) for other in named):
            named.append(phrase)
        if len(named) == 2:
            break
    if named:
        return f"Shares {' and '.join(named)} with the focal paper."
    return "Its text is close to the focal abstract." if grade else "Its text is far from the focal abstract."
