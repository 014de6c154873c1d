"""What leaves the program is complete, matches its bibliography, and sets every character as it was."""

import json
import re
from pathlib import Path

import networkx as nx
import pytest

from marwg.exports import latex, ledger_json, pandoc_markdown, write_all
from marwg.exports.latex import encoded
from marwg.organizing.taxonomy import Dag, taxonomy_of
from marwg.types import Claim, ClaimState, Dimension, Draft, Focal, Ledger, LedgerEntry, Paper, Section, Sentence

LI = Paper(paper_id="paaaaaaaa", key="li2020", title="On {A} & B", authors=("Li, Wei",), year=2020)
WU = Paper(paper_id="pbbbbbbbb", key="Wu:2021_x", title="C_D 100%", authors=("Wu, Ana", "Müller, Jörg"), year=2021)
UNUSED = Paper(paper_id="pcccccccc", key="nobody1999", title="Never cited", year=1999)
FOCAL = Focal(title="T", abstract="A")


def draft(*texts: str) -> Draft:
    section = Section(topic_id="t1", title="Costs & 50% of it", paragraphs=(tuple(Sentence(text=t) for t in texts),))
    return Draft(author="m", sections=(section,))


DRAFT = draft("Li [@paaaaaaaa] gains 5% on a_b.", "Both do so [@pbbbbbbbb; @paaaaaaaa], says “he” & α < β.")


def test_latex_cites_by_key_and_escapes_text():
    text = latex(DRAFT, [LI, WU])
    assert r"\cite{li2020} gains 5\% on a\_b." in text
    assert r"do so~\cite{Wu:2021_x,li2020}, says" in text
    assert r"\subsection{Costs \& 50\% of it}" in text
    assert r"\alpha" in text


def test_markdown_cites_by_key():
    text = pandoc_markdown(DRAFT, [LI, WU])
    assert "Li [@li2020] gains 5% on a\\_b." in text
    assert "[@Wu:2021_x; @li2020]" in text
    odd = LI.model_copy(update={"key": "li, (2020)"})
    assert "[@{li, (2020)}]" in pandoc_markdown(DRAFT, [odd, WU])


def test_the_files_of_one_version_belong_together(tmp_path: Path):
    claim = Claim(
        claim_id="c",
        number=1,
        topic_id="t1",
        sentence=DRAFT.sections[0].sentences[0].text,
        kind="cited",
        citations=(LI.paper_id,),
    )
    ledger = Ledger(version=1, judges=("a", "b"), entries=(LedgerEntry(claim=claim, state=ClaimState.SUPPORTED),))
    files = write_all(tmp_path / "out", FOCAL, DRAFT, ledger, [UNUSED, WU, LI])
    assert [f.name for f in files] == [
        "related_work.md", "related_work.tex", "references.bib", "ledger.json", "verification.html", "verification.csv",
        "related_work_natbib.tex", "related_work_biblatex.tex", "related_work.txt", "related_work.docx", "related_work.json",
    ]  # fmt: skip
    in_bib = set(re.findall(r"@\w+\{([^,]+),", files[2].read_text()))
    in_tex = {k for keys in re.findall(r"\\cite\{([^}]*)\}", files[1].read_text()) for k in keys.split(",")}
    assert in_bib == in_tex == {"li2020", "Wu:2021_x"}
    kept = json.loads(files[3].read_text())
    assert kept["states"] == {"supported": 1}
    assert kept["claims"][0]["sentence"] == "Li [@li2020] gains 5% on a_b."
    assert kept["version"] == 1


def test_a_taxonomy_comes_as_text_as_mermaid_and_as_graphml(tmp_path: Path):
    dag = Dag(Dimension.TASK, [LI.paper_id, WU.paper_id])
    child = dag.add_child("task", 'Costs "of" <it> & more', papers=[LI.paper_id])
    second = dag.add_child("task", "Savings", papers=[LI.paper_id, WU.paper_id])
    dag.link(second, child)
    files = write_all(tmp_path, FOCAL, DRAFT, None, [WU, LI], taxonomy=taxonomy_of([dag]))
    texts = {f.name: f.read_text(encoding="utf-8") for f in files if f.stem == "taxonomy"}
    assert len(texts) == 3
    assert "Savings · 2 papers" in texts["taxonomy.txt"]
    assert "On {A} & B (Li, 2020)" in texts["taxonomy.txt"]
    assert texts["taxonomy.mmd"].startswith("flowchart LR\n")
    assert "-.->" in texts["taxonomy.mmd"], "a further parent is drawn as such"
    graph = nx.parse_graphml(texts["taxonomy.graphml"])
    assert sorted(graph.edges) == [("task", "task-1"), ("task", "task-2"), ("task-2", "task-1")]
    assert graph.nodes["task-2"]["papers"] == "li2020 Wu:2021_x"
    assert graph.nodes["task-1"]["label"] == 'Costs "of" <it> & more'


def test_the_ledger_says_when_one_model_judged_twice():
    ledger = Ledger(version=1, judges=("a", "a"), entries=())
    assert json.loads(ledger_json(FOCAL, DRAFT, ledger, []))["independent_judges"] is False


@pytest.mark.parametrize(
    ("plain", "tex"),
    [
        ("50% & $3 #1 _x_ {y} ~z ^w", r"50\% \& \$3 \#1 \_x\_ \{y\} {\textasciitilde}z {\textasciicircum}w"),
        ('He said "so" – ’twas', "He said ``so'' -- 'twas"),
        ("naïve Łukasz α ≤ β", r"na{\"\i}ve {\L}ukasz \ensuremath{\alpha} \ensuremath{\leq} \ensuremath{\beta}"),
    ],
)
def test_special_characters_become_latex(plain: str, tex: str):
    assert encoded(plain) == tex
