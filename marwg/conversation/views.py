"""What a conversation says and shows beside events: plain values and Markdown, made from the state alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from marwg.library import ImportReport
from marwg.text.markup import section_markdown
from marwg.text.references import cited, labels, with_names
from marwg.types import Draft, Outline, Paper, PaperId, Run


@dataclass(frozen=True)
class Answer:
    """A message to the user, in Markdown; with `files` the files of the draft go with it."""

    text: str
    warning: bool = False
    files: bool = False


@dataclass(frozen=True)
class Starter:
    """A focal paper to begin with."""

    label: str
    title: str
    abstract: str


@dataclass(frozen=True)
class PaperView:
    """A paper as a table or a panel shows it."""

    paper_id: PaperId
    title: str
    cited_as: str
    key: str
    year: int | None
    venue: str
    url: str
    abstract: str
    full_text: bool
    is_note: bool


@dataclass(frozen=True)
class EvidenceView:
    """A passage that a claim was checked against; `marks` are spans of `text`; page 0 is the abstract."""

    paper_id: PaperId
    title: str
    cited_as: str
    page: int
    text: str
    url: str
    is_note: bool
    marks: tuple[tuple[int, int], ...] = field(default=())


HELP = """You can write to me in your own words. For example:

- **start**: send a title on the first line and the abstract below it, or upload your draft as `.md` or `.tex`
- **the outline**: "merge the first two", "split the third by dataset", "call 2 Evaluation", "move all surveys to topic 1", "order by time", "three topics at most", "why is Li in topic 2?", "undo", then "approve"
- **the text**: "shorter", "be more critical in section 2", "remove the paper by Li", "in British English", "without headings", "at most 500 words", "undo", "redo", "show version 1", "take the second paragraph from version 1"; or send the text back as you edited it
- **the papers**: "what data did Li et al. use?", "which papers use ImageNet?", "show the comparison table"
- **the evidence**: "why was claim 4 flagged?", "which claims rest on abstracts only?", "what did you change and why?", "is it true that …?"
- **your own text**: paste a section, or upload it as `.tex`, `.md` or `.docx` with its `.bib`, and say "check this"
- **your library**: upload `.bib` files and PDFs at any time
- **take it away**: "export"
"""


def paper_view(paper: Paper, full_text: bool) -> PaperView:
    """What is shown of a paper."""
    authors, year = labels([paper])[paper.paper_id]
    url = paper.url or (f"https://doi.org/{paper.doi}" if paper.doi else "")
    url = url or (f"https://arxiv.org/abs/{paper.arxiv_id}" if paper.arxiv_id else "")
    return PaperView(
        paper_id=paper.paper_id,
        title=paper.title,
        cited_as=f"{authors} ({year})",
        key=paper.key,
        year=paper.year,
        venue=paper.venue,
        url=url if url.startswith(("https://", "http://")) else "",
        abstract=paper.abstract,
        full_text=full_text,
        is_note=paper.abstract_is_note,
    )


def outline_text(outline: Outline, papers: Mapping[PaperId, Paper]) -> str:
    """The outline as a list: titles, and the papers behind each."""
    names = labels(papers.values())
    lines = []
    for number, topic in enumerate(outline.topics, 1):
        shown = "; ".join(" ".join(names[p]) for p in topic.papers if p in names)
        lines.append(f"{number}. **{topic.title}** ({len(topic.papers)} papers){f': {shown}' if shown else ''}")
    for left in outline.uncovered:
        name = " ".join(names.get(left.paper_id, (left.paper_id, "")))
        lines.append(f"\nNot covered: {name} ({left.reason})")
    return "\n".join(lines)


def draft_text(draft: Draft, papers: Iterable[Paper]) -> str:
    """A version of the draft to be read: author-year citations, then the references."""
    known = {p.paper_id: p for p in papers}
    used = [known[i] for i in cited(draft) if i in known]
    shown = (s if draft.headings else s.model_copy(update={"title": ""}) for s in draft.sections)
    text = "\n\n".join(section_markdown(section, level=3) for section in shown)
    return f"{with_names(text, used)}\n\n**References**\n\n{reference_list(used)}"


def reference_list(papers: Sequence[Paper]) -> str:
    """One line a paper; what is not known is left out."""
    names = labels(papers)
    lines = []
    for paper in papers:
        authors, year = names[paper.paper_id]
        where = paper.venue or (f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else "")
        lines.append(f"- {authors} ({year}). {paper.title.rstrip('.')}.{f' *{where}*.' if where else ''}")
    return "\n".join(sorted(lines, key=str.casefold))


def import_text(report: ImportReport) -> str:
    """What became of uploaded files, with the reason for everything that was not read as it stands."""
    groups = (("Refused", report.refused), ("Incomplete", report.incomplete), ("Merged", report.merged))
    blocks = [report.summary()]
    for name, remarks in groups:
        if remarks:
            shown = [f"- {remark}" for remark in remarks[:20]]
            rest = [f"- and {len(remarks) - 20} more"] if len(remarks) > 20 else []
            blocks.append("\n".join([f"**{name}**", *shown, *rest]))
    return "\n\n".join(blocks)


def stage_of(run: Run | None) -> str:
    """Where a conversation stands: "empty", "outline" or "drafted"."""
    if run is None:
        return "empty"
    return "drafted" if run.draft is not None else "outline"
