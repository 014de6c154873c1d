"""Check what I wrote, in a conversation and as a command; claims that are edited, moved, asked anew; and the reports."""

import csv
import io
import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from marwg import __main__ as terminal
from marwg import services as opening
from marwg.conversation import Answer, Assistant
from marwg.conversation.own_text import brought
from marwg.errors import InputError, ModelError
from marwg.events import Notice, RunFinished
from marwg.exports import csv_report, html_report, write_check
from marwg.types import ClaimState, Decision
from tests.paper_world import PAPERS
from tests.real_services import open_services

TEX = r"""\section{Related Work}
\paragraph{Retrieval.} \citet{karpukhin2020} learn dense representations with a dual encoder. A parametric generator is
combined with a non-parametric index of Wikipedia~\citep{karpukhin2020}. Retrieval improves accuracy by 77\%~\citep{karpukhin2020}.
Most existing methods ignore the order of passages. Some cite nobody~\citep{nokey2020}.
\paragraph{Evaluation.} Even the best models lack complete citation support 50\% of the time on ELI5~\citep{gao2023}.
"""


def bib(*papers: Any) -> str:
    rows = [
        f"@article{{{p.key}, title={{{p.title}}}, author={{{' and '.join(p.authors)}}}, year={{{p.year}}}, abstract={{{p.abstract}}}}}"
        for p in papers
    ]
    return "\n".join(
        [*rows, "@article{unused1, title={Something that nobody cites}, author={Doe, Jane}, year={2021}}", ""]
    )


def files(folder: Path) -> tuple[Path, Path]:
    folder.mkdir(exist_ok=True)
    (folder / "section.tex").write_text(TEX)
    (folder / "refs.bib").write_text(bib(*PAPERS))
    return folder / "section.tex", folder / "refs.bib"


@pytest_asyncio.fixture
async def assistant(own_home: Path) -> AsyncIterator[Assistant]:
    opened = Assistant(open_services(own_home, starter=False))
    yield opened
    await opened.close()


async def say(assistant: Assistant, text: str, given: tuple[Path, ...] = ()) -> list[Any]:
    return [told async for told in assistant.handle("t", text, given)]


async def press(assistant: Assistant, action: str, payload: dict[str, Any]) -> list[Any]:
    return [told async for told in assistant.act("t", action, payload)]


def answers(told: list[Any]) -> str:
    return "\n".join(t.text for t in told if isinstance(t, Answer))


async def test_an_uploaded_section_gets_its_ledger_and_what_it_misses(assistant: Assistant, tmp_path: Path) -> None:
    told = await say(assistant, "check this please", files(tmp_path / "f"))
    run = assistant.run("t")
    assert any(isinstance(t, RunFinished) for t in told)
    assert run.draft.author == "user"
    by_number = {e.claim.number: e for e in run.ledger.entries}
    assert by_number[1].state is ClaimState.SUPPORTED
    assert by_number[2].state is ClaimState.UNSUPPORTED
    assert by_number[3].state is ClaimState.NOT_CHECKED, "a number that the full text may have is held back"
    assert by_number[3].corrections[-1].reason.startswith("Held back: only the abstract")
    assert by_number[4].claim.kind == "uncited"
    assert by_number[5].state is ClaimState.UNSUPPORTED
    assert by_number[6].state is ClaimState.SUPPORTED
    assert all(c.before == c.after for e in run.ledger.entries for c in e.corrections), "nothing is changed"
    assert run.review.unknown == ("nokey2020",)
    keys = {p.paper_id: p.key for p in assistant._library.papers()}
    assert [keys[i] for i in run.review.unused] == ["lewis2020", "unused1"]
    assert [(b.claim_id, keys[b.paper_id]) for b in run.review.better] == [(by_number[2].claim.claim_id, "lewis2020")]
    assert "index of Wikipedia" in run.review.better[0].quote
    text = answers(told)
    assert "nokey2020" in text
    assert "Something that nobody cites" in text
    assert "A better source" in text


async def test_questions_about_the_own_text(assistant: Assistant, tmp_path: Path) -> None:
    await say(assistant, "check this please", files(tmp_path / "f"))
    assert "nokey2020" in answers(await say(assistant, "which keys are unknown?"))
    assert "nobody cites" in answers(await say(assistant, "which references are never cited?"))
    assert "instead of Karpukhin et al. (2020)" in answers(await say(assistant, "is there a better source?"))
    rest = answers(await say(assistant, "which claims rest on abstracts only?"))
    assert "Claim 1" in rest
    assert "dense representations" in rest
    assert "Claim 4" in answers(await say(assistant, "which sentences lack a citation?"))
    assert "Nothing was changed" in answers(await say(assistant, "what did you change and why?"))
    true = answers(await say(assistant, "is it true that the retriever outperforms BM25 by 42%?"))
    assert "outperforms a strong BM25 system by 9% to 19%" in true
    assert "“42%” is not there" in true
    unknown = answers(await say(assistant, "is it true that bananas are yellow and bend?"))
    assert "cannot say" in unknown
    with pytest.raises(InputError, match="your own text"):
        await say(assistant, "make it shorter")


async def test_a_pasted_section_with_its_references(assistant: Assistant) -> None:
    pasted = "Check this:\nDense representations are learned by a dual encoder (Karpukhin et al., 2020).\n\n" + bib(
        PAPERS[0]
    )
    told = await say(assistant, pasted)
    assert [e.state for e in assistant.run("t").ledger.entries] == [ClaimState.SUPPORTED]
    assert any(isinstance(t, Notice) for t in told)


async def test_the_wish_alone_is_answered_with_how(assistant: Assistant) -> None:
    assert "upload" in answers(await say(assistant, "can you check my related work?"))


async def test_a_text_without_sentences_is_refused(assistant: Assistant, tmp_path: Path) -> None:
    path, refs = files(tmp_path / "f")
    path.write_text(r"\section{Related Work}")
    with pytest.raises(InputError, match="no text to check"):
        await say(assistant, "check this", (path, refs))


async def test_a_claim_is_moved_to_the_better_source(assistant: Assistant, tmp_path: Path) -> None:
    await say(assistant, "check this please", files(tmp_path / "f"))
    run = assistant.run("t")
    before = run.ledger.entries[1]
    better = run.review.better[0]
    await press(assistant, "decide", {"claim": 2, "decision": "move", "target": better.paper_id})
    after = assistant.run("t")
    assert (after.draft.version, after.draft.parent, after.ledger.version) == (2, 1, 2)
    assert after.ledger.entries[1].claim.citations == (better.paper_id,)
    assert after.ledger.entries[1].state is ClaimState.SUPPORTED
    assert after.ledger.entries[0].judgements == run.ledger.entries[0].judgements, (
        "unchanged claims keep their verdicts"
    )
    (decision,) = assistant._runs.decided(run.run_id)
    assert (decision.kind, decision.before, decision.claim_id) == ("move", before.claim.sentence, before.claim.claim_id)
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", decision.made)
    await say(assistant, "undo")
    assert assistant.run("t").draft.version == 1


async def test_a_claim_is_edited_and_checked(assistant: Assistant, tmp_path: Path) -> None:
    await say(assistant, "check this please", files(tmp_path / "f"))
    run = assistant.run("t")
    (cited,) = run.ledger.entries[2].claim.citations
    sentence = (
        f"The retriever outperforms a strong BM25 system by 9% to 19% in top-20 passage retrieval accuracy [@{cited}]"
    )
    await press(assistant, "decide", {"claim": 3, "decision": "edit", "sentence": sentence})
    entry = assistant.run("t").ledger.entries[2]
    assert (entry.claim.sentence, entry.state) == (f"{sentence}.", ClaimState.SUPPORTED)
    for wrong in ("", "Two. Sentences.", "It cites a stranger [@nobody]."):
        with pytest.raises(InputError):
            await press(assistant, "decide", {"claim": 3, "decision": "edit", "sentence": wrong})
    for wrong in (
        {"decision": "move", "target": "nobody"},
        {"decision": "shred"},
        {"decision": "move", "target": cited},
    ):
        with pytest.raises(InputError):
            await press(assistant, "decide", {"claim": 1, **wrong})


async def test_decisions_have_their_time_and_are_told(assistant: Assistant, tmp_path: Path) -> None:
    await say(assistant, "check this please", files(tmp_path / "f"))
    await press(assistant, "decide", {"claim": 2, "decision": "reject"})
    await press(assistant, "recheck", {"claim": 2})
    run = assistant.run("t")
    assert [d.kind for d in assistant._runs.decided(run.run_id)] == ["reject", "recheck"]
    assert assistant.decisions("t") == {run.ledger.entries[1].claim.claim_id: "reject"}
    assert "What you decided" in answers(await say(assistant, "why was claim 2 flagged?"))
    with pytest.raises(ModelError, match="names no model"):
        await press(assistant, "recheck", {"claim": 2, "model": "nonsense"})


# ---------------------------------------------------------------- reports


class Reader(HTMLParser):
    """Collects the tags and whatever would be loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [v or "" for k, v in attrs if k in ("src", "href")]


async def test_the_report_is_one_page_with_all_claims_and_nothing_from_papers_runs_in_it(
    assistant: Assistant, tmp_path: Path
) -> None:
    section, refs = files(tmp_path / "f")
    section.write_text(TEX + "\nThey are <script>alert(1)</script> often said to be better~\\citep{gao2023}.\n")
    await say(assistant, "check this please", (section, refs))
    await press(assistant, "decide", {"claim": 2, "decision": "accept"})
    run = assistant.run("t")
    decided = assistant._runs.decided(run.run_id)
    made = write_check(tmp_path / "out", run, assistant._library.papers(), decided)
    assert [p.name for p in made] == ["ledger.json", "verification.html", "verification.csv"]
    page = made[1].read_text()
    reader = Reader()
    reader.feed(page)
    assert reader.outside == []
    assert reader.tags.count("script") == 1
    assert reader.tags.count("details") == len(run.ledger.entries)
    assert "mark" in reader.tags
    assert "accept, 20" in page
    assert page.index("A parametric generator") < page.index("(2020) learn dense representations"), "risk first"
    rows = list(csv.DictReader(io.StringIO(made[2].read_text())))
    assert [r["number"] for r in rows] == [str(e.claim.number) for e in run.ledger.entries]
    assert rows[1]["decision"] == "accept"
    assert rows[0]["citations"] == "karpukhin2020"


async def test_no_cell_of_the_table_begins_a_formula(assistant: Assistant, tmp_path: Path) -> None:
    section, refs = files(tmp_path / "f")
    section.write_text("=HYPERLINK(1) is what they write about dense retrieval and encoders [@gao2023].\n")
    await say(assistant, "check this please", (section.rename(section.with_suffix(".md")), refs))
    run = assistant.run("t")
    table = csv_report(run.draft, run.ledger, assistant._library.papers(), (Decision(claim_id="x", kind="accept"),))
    assert next(csv.DictReader(io.StringIO(table)))["sentence"].startswith("'=HYPERLINK")
    assert "<title>" in html_report(run.request.focal, run.draft, run.ledger, assistant._library.papers())


# ---------------------------------------------------------------- what is a text to check


@pytest.mark.parametrize(
    ("message", "is_one"),
    [
        ("check this: It works (Li et al., 2020).", True),
        ("verify the following:\n\nIt works \\cite{li2020}.", True),
        ("Retrieval is old [@a2020]. " + "It is used by many people in many ways. " * 6 + "It works [@b2021].", True),
        ("check this", False),
        ("make section 2 shorter", False),
        ("mention the paper by Li et al. (2020)", False),
        (
            "A title\n\nAbstract: we study (Li et al., 2020). " + "Words of an abstract. " * 20 + " See [@a] and [@b].",
            False,
        ),
    ],
)
def test_what_a_message_brings(message: str, is_one: bool) -> None:
    assert (brought(message, ()) is not None) == is_one


def test_a_whole_paper_is_checked_only_when_that_is_asked(tmp_path: Path) -> None:
    paper = tmp_path / "paper.tex"
    paper.write_text(
        "\\title{A paper}\\begin{document}\\begin{abstract}We do many things well.\\end{abstract}\n"
        "\\section{Related Work} It works~\\cite{a}.\\end{document}"
    )
    assert brought("", (paper,)) is None, "it is what a section is drafted for"
    asked = brought("check my citations", (paper,))
    assert asked is not None
    assert asked.focal is not None
    assert asked.focal.title == "A paper"
    section = tmp_path / "section.tex"
    section.write_text(r"It works~\cite{a}.")
    assert brought("", (section,)) is not None


# ---------------------------------------------------------------- the command


def run_command(monkeypatch: pytest.MonkeyPatch, home: Path, *arguments: str | Path) -> int:
    async def opened(settings: Any) -> Any:
        return open_services(home, starter=False)

    monkeypatch.setattr(opening, "open_services", opened)
    return terminal.main(["verify", *map(str, arguments)])


@pytest.mark.parametrize(
    ("fail_on", "status"), [("unsupported", 2), ("unknown,unused", 2), ("disputed", 0), ("none", 0), ("uncited", 2)]
)
def test_the_exit_status_says_whether_something_was_found(
    monkeypatch: pytest.MonkeyPatch,
    own_home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    fail_on: str,
    status: int,
) -> None:
    section, refs = files(tmp_path / "f")
    assert (
        run_command(monkeypatch, own_home, section, "--bib", refs, "--fail-on", fail_on, "--out", tmp_path / "o")
        == status
    )
    out = capsys.readouterr().out
    assert "2 (Retrieval): unsupported: A parametric generator" in out
    assert "nokey2020" in out
    assert (tmp_path / "o" / "verification.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere.tex",), "nowhere.tex cannot be read"),
        (("section.tex", "--fail-on", "everything"), "--fail-on cannot be everything"),
        (("section.tex", "--bib", "nowhere.bib"), "nowhere.bib"),
    ],
)
def test_what_cannot_be_checked_gets_status_1_and_one_sentence(
    monkeypatch: pytest.MonkeyPatch, own_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...], says: str,
) -> None:  # fmt: skip
    files(tmp_path)
    assert run_command(monkeypatch, own_home, *arguments) == 1
    assert says in capsys.readouterr().err
