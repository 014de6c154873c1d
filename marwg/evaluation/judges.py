"""Who judges: models that neither wrote nor verified, or offline a comparison of words and vectors of its own.

The offline judge shares no code with the built-in verifier; its figures are labelled with its name.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from marwg.concurrency import all_of
from marwg.errors import InputError, InvalidReply, ModelTimeout
from marwg.evaluation.tasks import JudgeOrganization, JudgeQuality, JudgeSupport, SupportQuestion
from marwg.language_models import Models
from marwg.metrics import QUALITIES
from marwg.tasks import Source
from marwg.text.markup import split_sentences
from marwg.text.sources import match_ids
from marwg.types import Focal, Usage

QUESTIONS_A_CALL = 10
READINGS = 3

SUPPORTED_FROM = 0.5
"""The score from which the offline judge calls a statement supported; benchmarks/evaluation_judge.py shows how well."""

_WORD = re.compile(r"[a-z][a-z0-9-]+|\d+(?:[.,]\d+)*%?")
_FUNCTION = frozenset(
    "a an the of in on at to for from by with without and or but nor so yet as is are was were be been being it its this that "
    "these those their they them he she we our us i you which who whose whom what when where how why than then thus hence "
    "also both each other such some any all no not can could may might will would should do does did has have had if into "
    "over under between among through during more most very much many et al via using use used uses".split()
)


class Judge(Protocol):
    """Says whether papers support statements; `reads` where it can also tell how good a text is."""

    name: str
    reads: bool

    async def support(self, questions: Sequence[SupportQuestion]) -> list[bool | None]:
        """An answer to each question in order; None where there is none."""

    async def quality(self, focal: Focal, text: str) -> list[tuple[int, ...]]:
        """The five judgements of each reading; none where the judge does not read."""

    async def organization(self, focal: Focal, text: str, human: str) -> tuple[float, float] | None:
        """The outcome for `text` against the human one, seen first and seen second."""

    @property
    def usage(self) -> Usage: ...


# ---------------------------------------------------------------- offline


class OfflineJudge:
    """Supported is what words and vectors of two neighbouring sentences of the papers carry.

    The score is the mean of (a) the share of the statement's words, weighted by rarity in the corpus, that the nearest
    such stretch of each paper has, and (b) the highest cosine of the statement to a stretch. A number that no paper
    has makes it unsupported.
    """

    name = "offline: words and vectors"
    reads = False
    usage = Usage()

    def __init__(self, encode: Callable[[Sequence[str]], np.ndarray], corpus: Iterable[str]) -> None:
        self._encode = encode
        counts: Counter[str] = Counter()
        size = 0
        for text in corpus:
            counts.update(set(_words(text)))
            size += 1
        self._counts, self._size = counts, size

    async def support(self, questions: Sequence[SupportQuestion]) -> list[bool | None]:
        return [s >= SUPPORTED_FROM for s in await asyncio.to_thread(self.scores, questions)]

    def scores(self, questions: Sequence[SupportQuestion]) -> list[float]:
        """How far each statement is carried, from 0 to 1."""
        stretches = {p: _stretches(p) for q in questions for p in q.papers}
        texts = list(dict.fromkeys([*(q.claim for q in questions), *(t for s in stretches.values() for t in s)]))
        rows = dict(zip(texts, self._encode(texts), strict=True)) if texts else {}
        return [self._score(q, {p: stretches[p] for p in q.papers}, rows) for q in questions]

    def _score(
        self, question: SupportQuestion, stretches: dict[Source, list[str]], rows: dict[str, np.ndarray]
    ) -> float:
        claim = question.claim
        wanted = set(_words(claim))
        if not wanted or not stretches:
            return 0.0
        everything = {w for p in stretches for w in (*_words(p.title), *_words(p.authors), str(p.year or ""))}
        nearest = 0.0
        for texts in stretches.values():
            scored = [(float(rows[claim] @ rows[t]) + self._weight(wanted & set(_words(t)), wanted), t) for t in texts]
            _, text = max(scored, key=lambda s: s[0])
            nearest = max(nearest, max(float(rows[claim] @ rows[t]) for t in texts))
            everything |= set(_words(text))
        whole = {w for texts in stretches.values() for t in texts for w in _words(t)} | everything
        if any(w[0].isdigit() and w not in whole for w in wanted):
            return 0.0
        return (self._weight(wanted & everything, wanted) + max(0.0, nearest)) / 2

    def _weight(self, found: set[str], wanted: set[str]) -> float:
        total = sum(map(self._rarity, wanted))
        return sum(map(self._rarity, found)) / total if total else 0.0

    def _rarity(self, word: str) -> float:
        return math.log((self._size + 1) / (self._counts[word] + 0.5))

    async def quality(self, focal: Focal, text: str) -> list[tuple[int, ...]]:
        return []

    async def organization(self, focal: Focal, text: str, human: str) -> tuple[float, float] | None:
        return None


def _stretches(paper: Source) -> list[str]:
    """Title, and every two neighbouring sentences of abstract and passages."""
    found = [paper.title]
    for text in (paper.abstract, *(p.text for p in paper.passages)):
        sentences = split_sentences(" ".join(text.split()))
        found += [" ".join(sentences[i : i + 2]) for i in range(max(1, len(sentences) - 1))] if sentences else []
    return found


@lru_cache(maxsize=50_000)
def _words(text: str) -> tuple[str, ...]:
    """The words of a text, cut to a stem of at most seven letters; numbers whole."""
    found = (w for w in _WORD.findall(text.casefold()) if w not in _FUNCTION)
    return tuple(w.rstrip(".,%") if w[0].isdigit() else _stem(w) for w in found)


def _stem(word: str) -> str:
    return re.sub(r"(?:ies|es|s|ed|ing)$", "", word)[:7] if len(word) > 4 else word


# ---------------------------------------------------------------- models


class ModelJudge:
    """A language model as the judge, in calls of some questions each."""

    reads = True

    def __init__(self, models: Models, writers: Iterable[str]) -> None:
        self.name = models.name()
        if self.name in set(writers):
            raise InputError(
                f"{self.name} wrote or verified these drafts and cannot judge them.", "Name another model as the judge."
            )
        self._models = models

    @property
    def usage(self) -> Usage:
        return self._models.usage

    async def support(self, questions: Sequence[SupportQuestion]) -> list[bool | None]:
        batches = [questions[i : i + QUESTIONS_A_CALL] for i in range(0, len(questions), QUESTIONS_A_CALL)]
        return [answer for batch in await all_of(map(self._answers, batches)) for answer in batch]

    async def _answers(self, batch: Sequence[SupportQuestion]) -> list[bool | None]:
        """The answers to one batch; what is missing is asked for once more, then stays open."""
        named = {f"q{n}": q.model_copy(update={"id": f"q{n}"}) for n, q in enumerate(batch, 1)}
        found: dict[str, bool] = {}
        for _ in range(2):
            missing = [q for i, q in named.items() if i not in found]
            if not missing:
                break
            try:
                reply = await self._models.run(JudgeSupport(questions=tuple(missing)))
            except (InvalidReply, ModelTimeout):
                break
            found |= {i: a.supported for i, a in match_ids(reply.answers, list(named)).found.items()}
        return [found.get(i) for i in named]

    async def quality(self, focal: Focal, text: str) -> list[tuple[int, ...]]:
        tasks = [JudgeQuality(focal=focal, text=text, reading=n) for n in range(1, READINGS + 1)]
        return [
            tuple(getattr(reply, name) for name in QUALITIES)
            for reply in await all_of(self._models.run(task) for task in tasks)
        ]

    async def organization(self, focal: Focal, text: str, human: str) -> tuple[float, float] | None:
        first, second = await all_of(
            self._models.run(JudgeOrganization(focal=focal, first=a, second=b))
            for a, b in ((text, human), (human, text))
        )
        return _outcome(first.better, "first"), _outcome(second.better, "second")


def _outcome(better: str, own: str) -> float:
    return 0.5 if better == "equal" else float(better == own)
