"""Versions by conversation: text given back, parts of earlier versions, undo and redo, style, and questions about papers."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from marwg.conversation import Answer, Assistant, starters
from marwg.conversation.pasted import pasted
from marwg.conversation.views import draft_text
from marwg.errors import InputError
from marwg.text.references import with_names
from marwg.types import POSITION, Draft, Section, Sentence
from marwg.writing import versions
from marwg.writing.fitting import length
from tests.paper_world import PAPERS
from tests.real_services import open_services

STARTER = starters.load()[0]


@pytest_asyncio.fixture
async def assistant(own_home: Path) -> AsyncIterator[Assistant]:
    opened = Assistant(open_services(own_home))
    await opened.set_parameters("t", {"breadth": 10})
    await say(opened, f"{STARTER.title}\n\n{STARTER.abstract}")
    await say(opened, "approve")
    yield opened
    await opened.close()


async def say(assistant: Assistant, text: str) -> list[Any]:
    return [told async for told in assistant.handle("t", text)]


def answers(told: list[Any]) -> str:
    return "\n".join(t.text for t in told if isinstance(t, Answer))


def draft(assistant: Assistant) -> Draft:
    run = assistant.run("t")
    assert run is not None
    assert run.draft is not None
    return run.draft


async def test_an_edited_text_given_back_becomes_a_version_and_all_else_stays(assistant: Assistant):
    before = draft(assistant)
    papers = assistant._library.papers()
    shown = draft_text(before, papers)
    old = before.sections[1].sentences[-1].text
    read = with_names(old, [p for p in papers if f"@{p.paper_id}" in old])
    edited = shown.replace(read, f"{read[:-1]}, which I added myself.")
    assert edited != shown
    told = await say(assistant, f"Here is my version:\n\n{edited}")
    after = draft(assistant)
    assert (after.author, after.parent, after.version) == ("user", before.version, before.version + 1)
    assert after.sections[0] == before.sections[0]
    assert after.sections[2:] == before.sections[2:]
    assert after.sections[1].sentences[:-1] == before.sections[1].sentences[:-1]
    assert after.sections[1].sentences[-1].text == f"{old[:-1]}, which I added myself."
    assert "I added myself" in answers(told)
    ledger = assistant.run("t").ledger
    assert ledger.version == after.version
    assert any("I added myself" in e.claim.sentence for e in ledger.entries)
    # given back as it stands, nothing is a version
    told = await say(assistant, draft_text(after, papers))
    assert "nothing in it changed" in answers(told)
    assert draft(assistant).version == after.version


async def test_one_paragraph_given_back_changes_only_itself(assistant: Assistant):
    before = draft(assistant)
    papers = assistant._library.papers()
    paragraph = " ".join(s.text for s in before.sections[0].paragraphs[0])
    text = with_names(paragraph, papers) + " This sentence is mine."
    await say(assistant, text)
    after = draft(assistant)
    assert after.version == before.version + 1
    assert after.sections[1:] == before.sections[1:]
    assert [s.text for s in after.sections[0].paragraphs[0]][-1] == "This sentence is mine."
    assert after.sections[0].paragraphs[1:] == before.sections[0].paragraphs[1:]


async def test_undo_redo_and_a_part_of_an_earlier_version(assistant: Assistant):
    first = draft(assistant)
    await say(assistant, "make section 1 shorter by half")
    second = draft(assistant)
    assert second.sections[0] != first.sections[0]
    assert second.sections[1:] == first.sections[1:]  # byte for byte
    await say(assistant, "undo")
    assert draft(assistant) == first
    told = await say(assistant, "redo")
    assert draft(assistant) == second
    assert "Forward to version 2" in answers(told)
    with pytest.raises(InputError, match="nothing to redo"):
        await say(assistant, "redo")
    await say(assistant, "take the first paragraph from version 1")
    third = draft(assistant)
    assert third.sections[0].paragraphs[0] == first.sections[0].paragraphs[0]
    assert third.sections[1:] == first.sections[1:]
    assert third.author == "user"
    assert "version 1" in third.reason
    with pytest.raises(InputError, match="no version 9"):
        await say(assistant, "take section 1 from version 9")


async def test_style_in_words(assistant: Assistant):
    first = draft(assistant)
    told = await say(assistant, "without headings please")
    assert "The headings are left out." in answers(told)
    after = draft(assistant)
    assert not after.headings
    assert after.sections == first.sections
    assert f"### {first.sections[0].title}" not in draft_text(after, assistant._library.papers())
    await say(assistant, "drop the closing paragraph")
    assert POSITION not in {s.topic_id for s in draft(assistant).sections}
    await say(assistant, "add a closing paragraph")
    assert draft(assistant).sections[-1].topic_id == POSITION
    assert draft(assistant).sections[:-1] == first.sections[:-1]
    await say(assistant, "at most 200 words")
    assert sum(len(s.text.split()) for x in draft(assistant).sections for s in x.sentences) < 260
    assert assistant.run("t").request.parameters.style.word_limit == 200


async def test_a_style_that_is_wished_before_there_is_a_draft(own_home: Path):
    assistant = Assistant(open_services(own_home))
    await assistant.set_parameters("t", {"breadth": 10})
    assert "Noted" in answers(await say(assistant, "at most 300 words, please"))
    await say(assistant, f"{STARTER.title}\n\n{STARTER.abstract}")
    assert "Noted" in answers(await say(assistant, "no closing paragraph"))
    await say(assistant, "approve")
    made = draft(assistant)
    assert POSITION not in {s.topic_id for s in made.sections}
    assert length(made.sections) <= 300
    await assistant.close()


async def test_questions_are_answered_with_quote_and_page_or_not_at_all(assistant: Assistant):
    run = assistant.run("t")
    card = next(c for c in run.cards if c.method.text)
    paper = assistant._library.get(card.paper_id)
    told = answers(await say(assistant, f"what method does “{paper.title}” use?"))
    assert card.method.quote in told
    assert "(abstract)" in told or "(p. " in told
    told = answers(await say(assistant, "which papers use ImageNet-22K-zebra?"))
    assert "The library does not say" in told
    told = answers(await say(assistant, "show the comparison table"))
    assert "| Paper | Task" in told
    assert "**This work**" in told


async def test_the_abstract_sent_again_is_no_text_given_back(assistant: Assistant):
    assert pasted(f"{STARTER.title}\n\n{STARTER.abstract}", draft(assistant), assistant._library.papers()) is None


WORLD = Draft(
    version=2,
    author="m",
    sections=(
        Section(
            topic_id="t1",
            title="Retrieval",
            paragraphs=(
                (Sentence(text="Karpukhin et al. [@p1] learn a dual encoder for open-domain passages."),),
                (Sentence(text="Others combine a parametric generator with a non-parametric index [@p2]."),),
            ),
        ),
        Section(topic_id="t2", title="Evaluation", paragraphs=((Sentence(text="A benchmark is proposed [@p3]."),),)),
    ),
)


@pytest.mark.parametrize(
    "message",
    ["Here is a wish: make the second section shorter and say more of the data that Karpukhin et al. (2020) use, please.",
     "remove the paper by Lewis", "Retrieval"],
)  # fmt: skip
def test_a_wish_is_no_text(message: str):
    assert pasted(message, WORLD, PAPERS) is None


def test_latex_given_back_is_read_by_key():
    text = (
        "\\subsection{Retrieval}\n\nKarpukhin et al. \\cite{karpukhin2020} learn a dual encoder for open-domain passages.\n\n"
        "Others combine a strong generator with a non-parametric index~\\cite{lewis2020,nobody1999}."
    )
    given = pasted(text, WORLD, PAPERS)
    assert given is not None
    assert given.sections[0].paragraphs[0] == WORLD.sections[0].paragraphs[0]
    assert "[@p2; @nobody1999]" in given.sections[0].paragraphs[1][0].text
    assert given.unknown == ("nobody1999",)
    assert given.sections[1] == WORLD.sections[1]


def test_parts_are_taken_by_section_and_paragraph():
    changed = WORLD.model_copy(
        update={"sections": (WORLD.sections[0].model_copy(update={"paragraphs": WORLD.sections[1].paragraphs}),)}
    )
    assert versions.taken(changed, WORLD, 1, 2).sections[0].paragraphs[1] == WORLD.sections[0].paragraphs[1]
    assert versions.taken(changed, WORLD, 0, 3).sections[1] == WORLD.sections[1]
    assert versions.taken(changed, WORLD, 1).sections[0] == WORLD.sections[0]
    assert versions.taken(changed, WORLD).sections == WORLD.sections
    for section, paragraph in ((3, 0), (1, 3), (0, 4)):
        with pytest.raises(InputError):
            versions.taken(changed, WORLD, section, paragraph)


async def test_an_uploaded_paper_comes_back_with_its_section(own_home: Path, tmp_path: Path):
    paper = tmp_path / "paper.tex"
    paper.write_text(
        f"\\documentclass{{article}}\n\\usepackage{{natbib}}\n\\title{{{STARTER.title}}}\n\\begin{{document}}\n\\begin{{abstract}}{STARTER.abstract}"
        "\\end{abstract}\n\\section{Related Work}\nTo be written.\n\\section{Method}\nOurs.\n\\end{document}\n"
    )
    assistant = Assistant(open_services(own_home))
    await assistant.set_parameters("t", {"breadth": 8})
    assert [told async for told in assistant.handle("t", "", (paper,))]
    await say(assistant, "yes")
    await say(assistant, "approve")
    files = {p.name: p for p in await assistant.export("t", tmp_path / "out")}
    made = files["paper.tex"].read_text()
    assert "To be written" not in made
    assert "\\section{Method}\nOurs." in made
    assert "\\citep{" in made
    assert {"comparison.csv", "comparison.tex", "related_work.docx", "related_work.json"} <= set(files)
    await assistant.close()
