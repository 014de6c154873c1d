"""From a text to its metrics: sentences and citations are taken apart here, the formulas are those of `metrics`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from marwg import metrics
from marwg.errors import MarwgError
from marwg.evaluation.benchmark import Topic
from marwg.evaluation.corpus_index import CorpusIndex
from marwg.evaluation.judges import Judge
from marwg.evaluation.records import Scored, Written
from marwg.evaluation.tasks import SupportQuestion
from marwg.tasks import Source
from marwg.text.markup import citations_of, markdown, split_sentences, without_citations
from marwg.text.references import cited_in, with_names
from marwg.text.sources import source_of
from marwg.types import Paper, PaperId
from marwg.verification import evidence
from marwg.verification.claims import is_about_focal, states_fact

_HUMAN_CITATION = re.compile(r"\s*\[[^\[\]]*(?:\d{4}[a-z]?|n\.d\.)[^\[\]]*\]|\s*\[\[[^\]]*\]\]")

TEXT_METRICS = (
    "clap", "citp", "citp_strict", "attribution", "rc", "ref_precision", "ref_f1", "cc", "single", "sn_p", "sn_r", "sn_f1",
    "sn_floor", "sn_over", "words", "recall_b", "recall_3b", "recall_6b", "invalid",
)  # fmt: skip
"""What every text has; a failure has 0 for each."""


def human_sentences(text: str) -> list[str]:
    """The sentences of a human section without its citations."""
    plain = _HUMAN_CITATION.sub("", text)
    return [s for block in re.split(r"\n+", plain) for s in split_sentences(" ".join(block.split())) if s]


def same_theme(topic: Topic, topics: Sequence[Topic], rows: np.ndarray) -> Topic | None:
    """The topic whose focal abstract is nearest, of the same area where there is one: whose human text is the floor."""
    place = [t.topic_id for t in topics].index(topic.topic_id)
    others = [(t.area == topic.area, float(rows[place] @ rows[i]), t) for i, t in enumerate(topics) if i != place]
    return max(others, key=lambda o: o[:2])[2] if others else None


@dataclass(frozen=True)
class Measures:
    """What texts are measured with."""

    index: CorpusIndex
    judge: Judge

    async def score(self, row: Written, topic: Topic, other: Topic | None) -> Scored:
        """All metrics of a text; a failure has 0 in all of them."""
        same = row.model_dump(include={"key", "corpus", "system", "breadth", "topic"})
        blank = Scored(**same, judge=self.judge.name, values=dict.fromkeys(TEXT_METRICS, 0.0), error=row.error)
        if row.error:
            return blank
        try:
            judged, asked, unanswered = await self._judged(row)
        except MarwgError as error:
            return blank.model_copy(update={"error": f"The judge failed: {error}"})
        values = self._support(row, judged) | self._references(row, topic) | await self._likeness(row, topic, other)
        update: dict[str, object] = {"questions": asked, "unanswered": unanswered}
        if self.judge.reads:
            try:
                update |= await self._readings(row, topic, values)
            except MarwgError as error:
                update["error"] = f"The judge did not read the text: {error}"
        return blank.model_copy(update=update | {"values": values})

    # ------------------------------------------------------------ support

    async def _judged(self, row: Written) -> tuple[list[metrics.Judged], int, int]:
        """Every cited sentence with its verdicts, how many questions were asked and how many got no answer."""
        cited = [(s.text, citations_of(s.text)) for section in row.sections for s in section.sentences]
        cited = [(text, ids) for text, ids in cited if ids]
        library = self.index.library
        known = {p.paper_id: p for p in library.papers(sorted({i for _, ids in cited for i in ids}))}
        questions: list[SupportQuestion] = []
        place: dict[tuple[int, tuple[PaperId, ...]], int] = {}
        vectors = await self.index.embedder.aencode([without_citations(t) for t, _ in cited])
        for number, (text, ids) in enumerate(cited):
            valid = tuple(i for i in ids if i in known)
            sets = [valid, *((i,) for i in valid), *(tuple(j for j in valid if j != i) for i in ids)]
            claim = without_citations(text)
            sources = {i: await self._source(claim, vectors[number], known[i]) for i in valid}
            for chosen in dict.fromkeys(s for s in sets if s):
                place[number, chosen] = len(questions)
                questions.append(SupportQuestion(id="", claim=claim, papers=tuple(sources[i] for i in chosen)))
        answers = await self.judge.support(questions)

        def said(number: int, chosen: tuple[PaperId, ...]) -> bool:
            return bool(chosen) and bool(answers[place[number, chosen]])

        judged = []
        for number, (_, ids) in enumerate(cited):
            valid = tuple(i for i in ids if i in known)
            judged.append(
                metrics.Judged(
                    citations=ids,
                    together=said(number, valid),
                    alone=tuple(i in known and said(number, (i,)) for i in ids),
                    without=tuple(said(number, tuple(j for j in valid if j != i)) for i in ids),
                    invalid=frozenset(i for i in ids if i not in known),
                )
            )
        return judged, len(questions), sum(a is None for a in answers)

    async def _source(self, claim: str, vector: np.ndarray, paper: Paper) -> Source:
        """A cited paper as a judge sees it: title, abstract and the passages nearest to the claim."""
        passages = await self.index.passages(paper.paper_id)
        chosen = evidence.choose(claim, vector, passages) if passages else ()
        return source_of(paper, [p for p, _ in chosen])

    def _support(self, row: Written, judged: Sequence[metrics.Judged]) -> dict[str, float]:
        plain = [s.text for section in row.sections for s in section.sentences if not citations_of(s.text)]
        uncited = sum(states_fact(text) and not is_about_focal(text) for text in plain)
        counts = [j.citations for j in judged]
        return {
            "clap": metrics.claim_precision(judged),
            "citp": metrics.citation_precision(judged),
            "citp_strict": metrics.strict_citation_precision(judged),
            "attribution": metrics.attribution_recall(judged, uncited),
            "cc": metrics.citations_per_claim(counts),
            "single": sum(len(c) == 1 for c in counts) / len(counts) if counts else 0.0,
            "invalid": float(sum(len(j.invalid) for j in judged)),
        }

    # ------------------------------------------------------------ references and likeness

    @staticmethod
    def _references(row: Written, topic: Topic) -> dict[str, float]:
        cited = cited_in(row.sections)
        precision = metrics.reference_precision(cited, topic.gold)
        coverage = metrics.reference_coverage(cited, topic.gold)
        recall = {
            name: metrics.recall_at(row.ranked, topic.gold, times * row.breadth)
            for name, times in (("recall_b", 1), ("recall_3b", 3), ("recall_6b", 6))
        }
        return {"rc": coverage, "ref_precision": precision, "ref_f1": metrics.f1(precision, coverage), **recall}

    async def _likeness(self, row: Written, topic: Topic, other: Topic | None) -> dict[str, float]:
        sentences = [without_citations(s.text) for section in row.sections for s in section.sentences]
        encode = self.index.embedder.aencode
        predicted = await encode(sentences) if sentences else np.zeros((0, 1))
        gold = await encode(human_sentences(topic.gold_text)) if topic.gold_text else np.zeros((0, 1))
        floor = 0.0
        if other is not None and other.gold_text:
            floor = metrics.sn_f1(predicted, [await encode(human_sentences(other.gold_text))])
        value = metrics.sn_f1(predicted, [gold])
        return {
            "sn_p": metrics.sn_precision(predicted, [gold]),
            "sn_r": metrics.sn_recall(predicted, [gold]),
            "sn_f1": value,
            "sn_floor": floor,
            "sn_over": value - floor,
            "words": float(sum(len(s.split()) for s in sentences)),
        }

    async def _readings(self, row: Written, topic: Topic, values: dict[str, float]) -> dict[str, object]:
        """TQ and the organization win rate, by a judge that reads."""
        text = with_names(markdown(row.sections), self.index.library.papers(list(cited_in(row.sections))))
        readings = await self.judge.quality(topic.focal, text)
        values["tq"] = metrics.text_quality(readings)
        outcome = await self.judge.organization(topic.focal, text, topic.gold_text) if topic.gold_text else None
        if outcome is not None:
            values["organization"] = metrics.win_rate([outcome])
        return {"readings": tuple(readings)}
