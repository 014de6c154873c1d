"""One themed section: an opener that can be checked, a sentence for most papers, findings of the nearest, titles of the rest."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from marwg.extractive import titles, wording
from marwg.extractive.acronyms import Expander, agreed, definitions
from marwg.extractive.casing import Casing
from marwg.extractive.choice import Choice, Chooser
from marwg.extractive.focal import gap_for_theme
from marwg.extractive.lint import CONNECTIVES, faults
from marwg.extractive.papers import Encode, PaperText, read_papers, vectors, whole_text
from marwg.extractive.phrases import can_name, normal
from marwg.extractive.text import capitalise, cited, word_count
from marwg.extractive.themes import Naming
from marwg.tasks import CitedSentence, DraftSection, ParagraphReply, SectionReply
from marwg.writing.drafting import POSITION_TITLE

_TIGHTNESS = ((0.75, 3), (0.65, 4), (0.55, 6), (0.5, 99))
"""Share of papers with a sentence of their own, and one finding for so many papers; from roomy to tight."""


_LONG_PARAGRAPH = 9
_CONNECTED = re.compile(rf"(?:{'|'.join(CONNECTIVES)}),")


@dataclass(frozen=True)
class Printed:
    """A sentence on its way to the page."""

    text: str
    source: str = ""
    page: int = 0
    paper: PaperText | None = None
    shape: str = ""


@dataclass(frozen=True)
class Term:
    """A subject within a theme and the papers whose text has it."""

    phrase: str
    printed: str
    papers: tuple[PaperText, ...]


class SectionWriter:
    """Drafts one section; everything that does not depend on its length is computed once."""

    def __init__(self, task: DraftSection, encode: Encode) -> None:
        self.task = task
        self.titles = tuple(title for title in task.plan.titles if title != POSITION_TITLE)
        self.encode = encode
        self.papers = read_papers(task.papers)
        self.others = [paper for paper in read_papers(task.mentioned) if paper.id not in {p.id for p in self.papers}]
        focal = whole_text(task.focal.title, task.focal.abstract)
        self.rows = vectors([*self.papers, *self.others], encode)
        self.focal_row = encode([focal])[0]
        own_rows = self.rows[: len(self.papers)]
        self.similarity = {p.id: float(s) for p, s in zip(self.papers, own_rows @ self.focal_row, strict=True)}
        self.row = {p.id: row for p, row in zip(self.papers, own_rows, strict=True)}
        everyone = [*self.papers, *self.others]
        names = {paper.voice.name for paper in everyone if paper.voice.name}
        surnames = {word for paper in everyone for word in re.findall(r"[A-Z][\w-]+", paper.voice.subject)}
        self.names = names
        self.casing = Casing([task.focal.abstract, *(p.body for p in everyone)], names | surnames)
        self.chooser = Chooser(self.papers, self.focal_row, own_rows, encode)
        self.theme = self._theme()
        self.terms = self._terms()

    # ------------------------------------------------------------ theme and its subjects

    def _theme(self) -> str:
        title = re.sub(r"\s+", " ", self.task.plan.title.strip().rstrip("."))
        return self.casing.title(title) if title else "related methods"

    def _terms(self) -> list[Term]:
        """At most three subjects that at least two papers have, each adding a paper; none a part of the theme."""
        naming = Naming([*self.papers, *self.others], self.rows, self.encode, self.casing)
        members = range(len(self.papers))
        theme_words = [set(normal(part).split()) for part in re.split(r" and |, ", self.theme) if part]
        covered: set[str] = set()
        terms: list[Term] = []
        for name in naming.names(members, used=[normal(self.theme)], most=8):
            words = name.phrase.split()
            if any(set(words) <= theme or theme <= set(words) or words[-1] in theme for theme in theme_words):
                continue
            having = tuple(p for p in self.papers if p.mentions(name.phrase) and p.kind != "survey")
            if len(having) < 2 or not {p.id for p in having} - covered:
                continue
            terms.append(Term(name.phrase, naming.printed(name.phrase, members), having))
            covered |= {p.id for p in having}
            if len(terms) == 3:
                break
        return terms

    def _opener(self) -> list[Printed]:
        on_theme = [p for p in self.papers if self._is_on_theme(p)]
        groups = [f"{t.printed} {wording.key_group(t.papers, self.similarity, 4)}" for t in self.terms]
        keys = wording.key_group(on_theme, self.similarity) if len(on_theme) > 1 else ""
        plan = self.task.plan
        text = wording.opener(self.theme, groups, keys, plan.index, len(self.titles))
        return [Printed(text)] if text else []

    def _is_on_theme(self, paper: PaperText) -> bool:
        parts = [normal(part) for part in re.split(r" and |, ", self.theme) if part.strip()]
        return any(paper.mentions(part) for part in parts if can_name(part) or " " in part)

    # ------------------------------------------------------------ which papers, in what order

    def _split(self, share: float) -> tuple[list[PaperText], list[PaperText]]:
        """Papers with a sentence of their own, and papers that are listed by title."""
        by_worth = sorted(self.papers, key=lambda p: (-self._worth(p), p.id))
        count = max(min(2, len(by_worth)), math.ceil(share * len(by_worth)))
        chosen = {p.id for p in by_worth[:count]}
        chosen |= {p.id for p in self.papers if not titles.as_noun_phrase(p, self.casing)}
        listed = [p for p in self.papers if p.id not in chosen]
        if len(listed) == 1:
            listed = []
        left = {p.id for p in listed}
        return [p for p in self.papers if p.id not in left], listed

    def _worth(self, paper: PaperText) -> float:
        ranked = self.chooser.ranked(paper)
        return (ranked[0].score if ranked else -1.0) + 2 * self.similarity[paper.id]

    def _ordered(self, papers: Sequence[PaperText]) -> list[PaperText]:
        """Surveys first, then subject by subject, similar papers beside each other, older before newer."""
        rank = {"survey": 0, "method": 1, "theory": 1, "study": 1, "benchmark": 1}
        subject = {p.id: self._subject(p) for p in papers}
        blocks = sorted({(rank[p.kind], subject[p.id]) for p in papers})
        ordered: list[PaperText] = []
        for block in blocks:
            ordered += self._chain([p for p in papers if (rank[p.kind], subject[p.id]) == block])
        return ordered

    def _subject(self, paper: PaperText) -> int:
        holding = [(len(term.papers), index) for index, term in enumerate(self.terms) if paper in term.papers]
        return min(holding)[1] if holding else -1

    def _chain(self, papers: list[PaperText]) -> list[PaperText]:
        waiting = sorted(papers, key=lambda p: (p.year, p.id))
        if len(waiting) < 3:
            return waiting
        chain = [waiting.pop(0)]
        while waiting:
            last = chain[-1]

            def closeness(paper: PaperText, last: PaperText = last) -> float:
                years = paper.year - last.year
                return float(self.row[paper.id] @ self.row[last.id]) - 0.02 * (years if years >= 0 else -3 * years)

            best = max(waiting, key=lambda p: (closeness(p), p.id))
            waiting.remove(best)
            chain.append(best)
        return chain

    # ------------------------------------------------------------ sentences

    def _body(self, own: Sequence[PaperText], one_finding_for: int) -> list[Printed]:
        nearest = sorted(own, key=lambda p: (-self.similarity[p.id], p.id))
        with_finding = {p.id for p in nearest[: max(1, len(own) // one_finding_for)]}
        said: list[Printed] = []
        history: list[str] = []
        before: Printed | None = None
        plain = authors = 0
        for paper in self._ordered(own):
            choice = self._choose(paper, said)
            text = choice.text
            link = ""
            if before and before.paper and plain >= 1 and choice.shape in ("author", "name", "paper", "method"):
                link = wording.connective(
                    paper, text, before.paper, before.text, self.papers, [p.text for p in said], normal(self.theme)
                )
            plain = 0 if link else plain + 1
            if link and text.startswith("The "):
                text = text[0].lower() + text[1:]
            text = wording.rotate_verb(link + text, history)
            authors += choice.shape == "author" and not link
            if choice.shape == "author" and not link and authors % 2 == 0:
                text = wording.purpose_first(text, paper.voice.subject) or text
            before = Printed(text, choice.source, choice.page, paper, choice.shape)
            said.append(before)
            finding = self.chooser.finding(paper, choice.position) if paper.id in with_finding else None
            if finding:
                said.append(self._after(finding, choice, paper))
        return said

    @staticmethod
    def _after(finding: Choice, choice: Choice, paper: PaperText) -> Printed:
        text = finding.text
        if choice.shape == "name" and text.startswith("They "):
            text = f"Its authors {text[5:]}"
        return Printed(text, finding.source, finding.page, paper, "finding")

    def _choose(self, paper: PaperText, before: Sequence[Printed]) -> Choice:
        """The best sentence, another shape if the one before has the same, the title if no sentence will do."""
        ranked = self.chooser.ranked(paper)
        good = [choice for choice in ranked[:4] if choice.printable]
        if good:
            pick = good[0]
            last = [printed.shape for printed in before if printed.shape != "finding"][-2:]
            if last and pick.shape == last[-1]:
                others = [c for c in good[1:] if c.shape != pick.shape and c.score > pick.score - 0.35 and not c.faults]
                pick = others[0] if others else pick
            if pick.shape == "name" and last == ["name", "name"]:
                pick = self.chooser.by_authors(paper, pick) or pick
            return pick
        if (
            not titles.as_statement(paper, self.casing)
            and ranked
            and ranked[0].score >= 0.3
            and set(ranked[0].faults) <= {"long"}
        ):
            return ranked[0]
        return Choice(titles.statement(paper, self.casing), paper.source.title, 0, "author", 0.0, (), -1)

    def _lists(self, listed: Sequence[PaperText]) -> list[Printed]:
        plan = self.task.plan
        items = [
            f"{titles.as_noun_phrase(p, self.casing)} [@{p.id}]" for p in sorted(listed, key=lambda p: (p.year, p.id))
        ]
        return [
            Printed(wording.title_list(items[start : start + 4], plan.index, len(self.titles)), shape="list")
            for start in range(0, len(items), 4)
        ]

    # ------------------------------------------------------------ the whole

    def write(self) -> SectionReply:
        """The section, as roomy as the aimed length allows; no paper of the plan is left out."""
        sentences: list[Printed] = []
        for share, one_finding_for in _TIGHTNESS:
            own, listed = self._split(share)
            sentences = [*self._opener(), *self._body(own, one_finding_for), *self._lists(listed)]
            if sum(word_count(s.text) for s in sentences) <= 1.15 * self.task.plan.words:
                break
        sentences = self._finish(sentences)
        gap = gap_for_theme(self.task.focal, self.titles, self.task.plan.index, self.encode)
        if gap:
            sentences.append(Printed(gap, gap))
        return SectionReply(
            paragraphs=tuple(
                ParagraphReply(sentences=tuple(self._reply(s) for s in part)) for part in self._paragraphs(sentences)
            )
        )

    def _paragraphs(self, sentences: Sequence[Printed]) -> list[Sequence[Printed]]:
        """Two paragraphs where one would be long: cut near the middle, best where the subject changes."""
        if len(sentences) <= _LONG_PARAGRAPH:
            return [sentences]
        middle = len(sentences) / 2

        def fitness(at: int) -> float:
            here, before = sentences[at].paper, sentences[at - 1].paper
            changes = bool(here and before and self._subject(here) != self._subject(before))
            return abs(at - middle) - 2.5 * changes

        places = [
            at
            for at in range(3, len(sentences) - 2)
            if sentences[at].paper and sentences[at].shape != "finding" and not _CONNECTED.match(sentences[at].text)
        ]
        if not places:
            return [sentences]
        cut = min(places, key=lambda at: (fitness(at), at))
        return [sentences[:cut], sentences[cut:]]

    def _finish(self, sentences: Sequence[Printed]) -> list[Printed]:
        """Casing and acronyms over the finished section; what then has a hard fault falls back to its title."""
        everyone = [*self.papers, *self.others]
        own = {p.id: definitions(p.text) for p in everyone}
        expander = Expander(own, agreed(p.text for p in everyone), self.names)
        finished: list[Printed] = []
        for sentence in sentences:
            paper_id = sentence.paper.id if sentence.paper else (cited(sentence.text) or ("",))[0]
            text = capitalise(expander.apply(self.casing.sentence(sentence.text), paper_id))
            if sentence.paper and any(fault.hard for fault in faults(text, follows=sentence.shape == "finding")):
                if sentence.shape == "finding":
                    continue
                sentence = replace(sentence, source=sentence.paper.source.title, page=0)
                text = titles.statement(sentence.paper, self.casing)  # type: ignore[arg-type]
            finished.append(replace(sentence, text=text))
        return finished

    @staticmethod
    def _reply(sentence: Printed) -> CitedSentence:
        return CitedSentence(
            sentence=sentence.text, cite=cited(sentence.text), source=sentence.source, source_page=sentence.page
        )


def draft_section(task: DraftSection, encode: Encode) -> SectionReply:
    """The section of one topic."""
    if not task.papers:
        return SectionReply(paragraphs=(), note="There is no paper to write this section from.")
    return SectionWriter(task, encode).write()
