"""The evaluation end to end on a small benchmark of the starter papers: systems, judges, records, report, command."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from marwg import prompts
from marwg.__main__ import main
from marwg.errors import InputError, KeyRefused, ModelUnavailable, UnreadableFile
from marwg.evaluation import runner
from marwg.evaluation.benchmark import paper_id_of, read_benchmark
from marwg.evaluation.corpus_index import CorpusIndex
from marwg.evaluation.judges import ModelJudge, OfflineJudge
from marwg.evaluation.making import human_text, related_work
from marwg.evaluation.measuring import Measures, human_sentences
from marwg.evaluation.parts import OneByOne, SummaryLibrary
from marwg.evaluation.records import Records, Written, of_one_corpus
from marwg.evaluation.report import Results, markdown_report, pictures, write_report
from marwg.evaluation.runner import Asked, forecast, opened, run
from marwg.evaluation.systems import SYSTEMS, Made
from marwg.evaluation.tasks import TASKS, Preference, Quality, SupportAnswer, SupportAnswers, SupportQuestion
from marwg.extractive import ExtractiveWriter
from marwg.library.starter import STARTER
from marwg.settings import Settings
from marwg.tasks import CardReply, Cards, Source, Summarize
from marwg.text.references import cited_in
from marwg.types import Card, Cell, Focal, Section, Sentence
from tests.fake_encoder import encode
from tests.fake_model import FakeModels
from tests.real_services import FastEmbedder

ROWS = [json.loads(line) for line in STARTER.read_text(encoding="utf-8").splitlines() if line.strip()]


def write_benchmark(folder: Path, topics: int = 2) -> Path:
    """The starter papers as a corpus; each topic is one of them, taken out, whose gold are its next neighbours in file."""
    folder.mkdir(parents=True)
    names = [f"x:{n}" for n in range(len(ROWS))]
    focal = [0, 60][:topics]
    corpus = [
        {"id": i, "title": r["title"], "abstract": r["note"], "authors": r["authors"], "year": r["year"]}
        for i, r in zip(names, ROWS, strict=True)
        if int(i[2:]) not in focal
    ]
    rows = [
        {
            "id": f"topic-{n}",
            "title": ROWS[n]["title"],
            "abstract": ROWS[n]["note"],
            "date": "2030-01",
            "area": "cs.AR" if n else "cs.CL",
            "related_work": f"{ROWS[n + 1]['note']} [Li et al., 2020]\n{ROWS[n + 2]['note']}",
            "gold_refs": [f"x:{n + k}" for k in range(1, 7)],
        }
        for n in focal
    ]
    for name, content in (("corpus.jsonl", corpus), ("topics.jsonl", rows)):
        (folder / name).write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
    return folder


def offline() -> Settings:
    return Settings(generator="built-in", verifier="built-in")


def asked(tmp_path, **changed) -> Asked:
    folder = tmp_path / "bench"
    if not folder.is_dir():
        write_benchmark(folder)
    plan = Asked(folder, tmp_path / "out", breadths=(6,), words=200)
    return replace(plan, **changed)


@pytest.fixture(scope="module")
def everything(tmp_path_factory) -> Results:
    """All systems on one topic, once."""

    async def evaluated() -> Results:
        folder = tmp_path_factory.mktemp("evaluation")
        async with opened(asked(folder, topics=1), offline(), lambda text: None, FastEmbedder()) as bench:
            return Results(bench.records.setting(), bench.topics, await run(bench, lambda text: None))

    return asyncio.run(evaluated())


def test_every_system_writes_from_its_papers_only(everything):
    assert everything.systems == list(SYSTEMS)
    for written, scored in everything.rows:
        assert not written.error
        assert not scored.error
        assert len(written.shortlist) <= 6
        assert set(cited_in(written.sections)) <= set(written.shortlist)
        assert scored.values["invalid"] == 0
        assert scored.values["rc"] <= scored.values["recall_b"]


def test_systems_with_the_same_retrieval_have_the_same_papers(everything):
    naive, extraction = (everything.of(name, 6) for name in ("naive", "rewos"))
    assert [w.shortlist for w, _ in naive] == [w.shortlist for w, _ in extraction]


def test_the_report_states_what_was_compared_and_hides_no_metric(everything, tmp_path):
    files = write_report(tmp_path, everything)
    text, page = (f.read_text(encoding="utf-8") for f in files)
    for system in SYSTEMS.values():
        assert system.title in text
    for word in (
        "SN floor",
        "CitP-strict",
        "recall",
        "Ablations",
        "Cross-domain",
        "offline: words and vectors",
        "None.",
    ):
        assert word in text
    assert "TQ" not in text.split("## All systems")[1]  # nobody read the texts
    assert page.count("<svg") == len(pictures(everything)) >= 6
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in page


def test_readings_are_reported_with_how_far_they_agree(everything):
    marks = [((5, 4, 4, 4, 3), (5, 4, 4, 4, 4)), ((2, 2, 1, 2, 1), (2, 2, 2, 2, 1)), ((3,) * 5, (3,) * 5)]
    rows = everything.of("naive", 6) + everything.of("ours", 6) + everything.of("rewos", 6)
    judged = [
        (w, s.model_copy(update={"readings": m, "values": s.values | {"tq": 3.0, "organization": 0.5}, "questions": 9}))
        for (w, s), m in zip(rows, marks, strict=True)
    ]
    text = markdown_report(replace(everything, rows=judged))
    assert "ICC(2,1) of the 2 readings over 3 texts: 0.99" in text
    assert "0 of 27 questions got no answer" in text
    assert "| 3.00 [3.00, 3.00] | 0.50 [0.50, 0.50] |" in text


async def test_the_forecast_goes_from_rough_figures_to_those_of_the_run(tmp_path):
    models = FakeModels(default=baseline_answers)
    models.for_run = lambda: models
    async with opened(
        asked(tmp_path, systems=("naive", "rewos")), offline(), lambda text: None, FastEmbedder()
    ) as bench:
        bench = replace(bench, models=models)
        assert "naive: about 2 calls" in forecast(bench)
        assert "rewos" not in forecast(bench)  # no model is asked
        await run(replace(bench, topics=bench.topics[:1]), lambda text: None)
        assert "(from 1 here)" in forecast(bench)


def test_the_cross_domain_table_holds_only_those_topics(everything):
    part = markdown_report(everything).split("## Cross-domain")[1]
    assert "1 topics: topic-60 (cs.AR)." in part


async def test_a_second_run_makes_nothing_again_and_a_failure_is_tried_again(tmp_path, monkeypatch):
    plan = asked(tmp_path, systems=("naive",))
    calls = []
    original = SYSTEMS["naive"]

    async def sometimes(setup) -> Made:
        calls.append(setup.request.focal.title)
        if len(calls) == 1:
            raise ModelUnavailable("The model is away.")
        return await original.run(setup)

    monkeypatch.setitem(SYSTEMS, "naive", replace(original, run=sometimes))
    async with opened(plan, offline(), lambda text: None, FastEmbedder()) as bench:
        first = await run(bench, lambda text: None)
        assert forecast(bench).startswith("1 of 2 texts are there")
    assert [bool(w.error) for w, _ in first] == [True, False]
    assert set(first[0][1].values.values()) == {0.0}  # a failure is 0 and stays in the means
    assert "The model is away." in markdown_report(Results(bench.records.setting(), bench.topics, first))
    async with opened(plan, offline(), lambda text: None, FastEmbedder()) as bench:
        second = await run(bench, lambda text: None)
    assert len(calls) == 3
    assert not any(w.error for w, _ in second)
    assert len(bench.records.results(bench.judge.name)) == 2


async def test_a_refused_key_ends_the_evaluation(tmp_path, monkeypatch):
    async def refused(setup) -> Made:
        raise KeyRefused("The key is not accepted.")

    monkeypatch.setitem(SYSTEMS, "naive", replace(SYSTEMS["naive"], run=refused))
    async with opened(asked(tmp_path, systems=("naive",)), offline(), lambda text: None, FastEmbedder()) as bench:
        with pytest.raises(KeyRefused):
            await run(bench, lambda text: None)


async def test_results_of_different_corpora_are_not_mixed(tmp_path):
    plan = asked(tmp_path, systems=("naive",))
    async with opened(plan, offline(), lambda text: None, FastEmbedder()):
        pass
    corpus = plan.benchmark / "corpus.jsonl"
    corpus.write_text(
        corpus.read_text() + '\n{"id": "x:new", "title": "One more", "abstract": "Text."}', encoding="utf-8"
    )
    with pytest.raises(InputError, match="another corpus"):
        async with opened(plan, offline(), lambda text: None, FastEmbedder()):
            pass
    one, other = (Written(key="k", corpus=c, system="naive", breadth=6, topic="t") for c in "ab")
    with pytest.raises(InputError, match="different corpora"):
        of_one_corpus([one, other])


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    records = Records(tmp_path)
    records.add(Written(key="k", corpus="c", system="naive", breadth=6, topic="t"))
    with (tmp_path / "drafts" / "naive-b6.jsonl").open("a") as file:
        file.write('{"key": "k2", "corp')
    assert list(records.written()) == ["k"]


async def test_the_oracle_takes_as_many_papers_as_there_is_gold(tmp_path):
    plan = asked(tmp_path, systems=("naive",), breadths=(4, runner.ORACLE))
    async with opened(plan, offline(), lambda text: None, FastEmbedder()) as bench:
        rows = await run(bench, lambda text: None)
    assert [len(w.shortlist) for w, _ in rows] == [4, 6, 4, 6]
    assert "## Reference coverage against B" in markdown_report(Results(bench.records.setting(), bench.topics, rows))


@pytest.mark.parametrize("changed", [{"systems": ("nobody",)}, {"breadths": (101,)}, {"systems": ()}])
def test_what_cannot_be_evaluated_is_refused(tmp_path, changed):
    with pytest.raises(InputError):
        replace(Asked(tmp_path, tmp_path), **changed).checked()


# ---------------------------------------------------------------- benchmark and index


def test_a_benchmark_is_read_once_and_keeps_its_ids(tmp_path):
    folder = write_benchmark(tmp_path / "bench")
    first = read_benchmark(folder, tmp_path)
    again = read_benchmark(folder, tmp_path)
    assert first.size == again.size == len(ROWS) - 2
    assert first.topics == again.topics
    assert first.topics[0].gold[0] == paper_id_of("x:1")
    assert first.topics[0].until.isoformat() == "2030-01-28"
    assert len(first.first(1)) == 1


def test_a_broken_row_is_named(tmp_path):
    folder = write_benchmark(tmp_path / "bench")
    (folder / "topics.jsonl").write_text('{"id": "a", "title": "b"}\n{"id": ')
    with pytest.raises(UnreadableFile, match=r"topics.jsonl, line 2"):
        read_benchmark(folder, tmp_path)


async def test_the_corpus_is_embedded_once(tmp_path):
    library = read_benchmark(write_benchmark(tmp_path / "bench"), tmp_path).library

    class Counting(FastEmbedder):
        asked = 0

        def encode(self, texts):
            Counting.asked += len(texts)
            return encode(texts)

    index = await CorpusIndex.open(library, Counting(), tmp_path / "vectors.npz")
    assert Counting.asked == len(library)
    again = await CorpusIndex.open(library, Counting(), tmp_path / "vectors.npz")
    assert Counting.asked == len(library)
    query = f"{ROWS[3]['title']}\n{ROWS[3]['note']}"
    hits = await again.search(query, 5)
    assert hits == await index.search(query, 5)
    assert hits[0].paper_id == paper_id_of("x:3")
    assert hits[0].similarity == pytest.approx(1, abs=1e-4)
    assert [h.similarity for h in await again.search(query, 9, lexical=False)] == sorted(
        (h.similarity for h in await again.search(query, 9, lexical=False)), reverse=True
    )


# ---------------------------------------------------------------- parts


async def test_one_by_one_asks_about_each_paper_and_joins_the_answers():
    papers = tuple(Source(id=f"p{n}", title="T", abstract="A.") for n in range(3))
    models = FakeModels({"summarize": lambda task: Cards(cards=(CardReply(id=task.papers[0].id),))})
    reply = await OneByOne(models).run(Summarize(focal=Focal(title="t", abstract="a"), papers=papers))
    assert [c.id for c in reply.cards] == ["p0", "p1", "p2"]
    assert [len(task.papers) for task in models.asked] == [1, 1, 1]


def test_summaries_stand_for_the_papers(tmp_path):
    library = read_benchmark(write_benchmark(tmp_path / "bench"), tmp_path).library
    one, other = library.papers()[:2]
    cards = [Card(paper_id=one.paper_id, method=Cell(text="It counts"), result=Cell(text="It works."))]
    shown = SummaryLibrary(library, cards).papers([one.paper_id, other.paper_id])
    assert [p.abstract for p in shown] == ["It counts. It works.", other.title]


# ---------------------------------------------------------------- judges

CATS = Source(id="p1", title="Counting cats", abstract="We count cats in 120 gardens. Most gardens have two cats.")
DOGS = Source(id="p2", title="Training dogs", abstract="Dogs are trained with rewards. They learn faster than wolves.")


def question(claim, *papers):
    return SupportQuestion(id="", claim=claim, papers=papers)


async def test_the_offline_judge_on_plain_cases():
    judge = OfflineJudge(encode, [f"{r['title']} {r['note']}" for r in ROWS])
    said = await judge.support(
        [
            question("Cats are counted in 120 gardens.", CATS),
            question("Cats are counted in 450 gardens.", CATS),
            question("Cats are counted in 120 gardens.", DOGS),
            question("Quantum error correction needs surface codes.", CATS, DOGS),
            question("Anything."),
        ]
    )
    assert said == [True, False, False, False, False]
    assert await judge.quality(Focal(title="t", abstract="a"), "text") == []


async def test_a_model_judge_keeps_unanswered_questions_open_and_sees_both_orders():
    def support(task):
        return SupportAnswers(answers=tuple(SupportAnswer(id=q.id, supported=True) for q in task.questions[:-1]))

    quality = Quality(clarity=4, structure=3, relevance=5, motivation=2, critics=1)
    replies = {
        "evaluation/judge_support": support,
        "evaluation/judge_quality": quality,
        "evaluation/judge_organization": Preference(better="first"),
    }
    judge = ModelJudge(FakeModels(replies, names=("judge", "judge")), ["writer"])
    assert await judge.support([question("a", CATS)] * 3) == [True, True, None]
    focal = Focal(title="t", abstract="a")
    assert await judge.quality(focal, "text") == [(4, 3, 5, 2, 1)] * 3
    assert await judge.organization(focal, "ours", "theirs") == (1.0, 0.0)


def test_who_wrote_does_not_judge():
    with pytest.raises(InputError, match="cannot judge"):
        ModelJudge(FakeModels(names=("one", "one")), ["one", "two"])


async def test_metrics_of_a_text_with_an_invented_id(tmp_path):
    async with opened(asked(tmp_path, systems=("naive",)), offline(), lambda text: None, FastEmbedder()) as bench:
        topic = bench.topics[0]
        good = bench.benchmark.library.get(topic.gold[0])
        first = good.abstract.split(". ")[0]
        section = Section(
            topic_id="t",
            title="",
            paragraphs=(
                (
                    Sentence(text=f"{first} [@{good.paper_id}; @pinvented]."),
                    Sentence(text="Recent methods such as ZQX outperform all of these by 40 % on every task."),
                ),
            ),
        )
        row = Written(key="k", corpus="c", system="naive", breadth=6, topic=topic.topic_id, sections=(section,))
        values = (await Measures(bench.index, bench.judge).score(row, topic, None)).values
    assert (values["clap"], values["citp"], values["invalid"], values["cc"]) == (1, 0.5, 1, 2)
    assert values["attribution"] == 0.5  # one of two factual sentences
    assert values["rc"] == pytest.approx(1 / 6)


def test_human_sentences_lose_their_citations():
    text = "Models grow [Li et al., 2020; Wu, n.d.]. They cost more [[arxiv:1]] than before.\nNext [x] stays."
    assert human_sentences(text) == ["Models grow.", "They cost more than before.", "Next [x] stays."]


# ---------------------------------------------------------------- a language model writes


def baseline_answers(task):
    writer = ExtractiveWriter(encode)
    from marwg.evaluation.tasks import KeywordQueries, PlanSentences, SentencePlan
    from marwg.tasks import CitedSentence, ParagraphReply, Queries, SectionReply

    match task:
        case KeywordQueries():
            return Queries(queries=(task.focal.title,))
        case PlanSentences():
            return SentencePlan(sentences=())
    if task.name.startswith("evaluation/write"):
        sentence = CitedSentence(sentence="They exist.", cite=(task.papers[0].id, "pinvented"))
        return SectionReply(paragraphs=(ParagraphReply(sentences=(sentence,)),))
    return writer.answer(task)


@pytest.mark.parametrize("name", ["naive", "citegeist", "litllm", "surveyforge", "paper", "ours"])
async def test_with_a_model_each_system_asks_its_own_prompts(tmp_path, name):
    models = FakeModels(default=baseline_answers)
    models.for_run = lambda: models
    async with opened(
        asked(tmp_path, systems=(name,), topics=1), offline(), lambda text: None, FastEmbedder()
    ) as bench:
        ((written, scored),) = await run(replace(bench, models=models), lambda text: None)
    tasks = {task.name for task in models.asked}
    own = {
        "naive": {"evaluation/write_at_once"},
        "citegeist": {"summarize", "evaluation/write_at_once"},
        "litllm": {
            "evaluation/keyword_queries",
            "read_candidates",
            "evaluation/plan_sentences",
            "evaluation/write_by_plan",
        },
        "surveyforge": {"make_outline", "evaluation/write_with_memory"},
        "paper": {"summarize", "classify_dimensions", "draft_section", "give_feedback", "judge_claims"},
        "ours": {
            "read_candidates",
            "summarize",
            "classify_dimensions",
            "draft_section",
            "give_feedback",
            "judge_claims",
        },
    }[name]
    assert own <= tasks
    assert not written.error
    if name in ("naive", "citegeist", "litllm", "surveyforge"):
        assert scored.values["invalid"] > 0  # a baseline's invention stays and counts
    if name == "paper":
        assert all(len(t.papers) == 1 for t in models.asked if t.name == "summarize")
        assert "read_candidates" not in tasks


async def test_what_is_later_than_the_topic_is_proposed_to_nobody(tmp_path):
    folder = write_benchmark(tmp_path / "bench")
    rows = [json.loads(line) | {"date": "2019-12-31"} for line in (folder / "topics.jsonl").read_text().splitlines()]
    (folder / "topics.jsonl").write_text("\n".join(map(json.dumps, rows)))
    async with opened(
        asked(tmp_path, systems=("naive", "ours")), offline(), lambda text: None, FastEmbedder()
    ) as bench:
        for written, _ in await run(bench, lambda text: None):
            years = [p.year for p in bench.benchmark.library.papers(list(written.ranked))]
            assert max(years) <= 2019


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_task_of_the_evaluation_has_its_prompt(task):
    assert prompts.load(task).purpose


# ---------------------------------------------------------------- a user's own papers

TEX = r"""\title{Counting \emph{Cats}}
\begin{document}
\begin{abstract}
We count cats in many gardens with a camera and a model that was trained on dogs, and we report how well this works in winter
and in summer for gardens of all sizes.
\end{abstract}
\section{Introduction} Cats \cite{nobody}.
\section{Related Work}
% a remark \cite{hidden}
Dogs were counted before \citep[see][]{dogs, wolves}. \paragraph{Birds} \citet{birds} count birds.
\section{Method} Ours \cite{method}.
\end{document}
"""
BIB = """
@article{dogs, title={Counting Dogs}, author={Bell, Ada}, year={2019}, abstract={Dogs are counted.}}
@article{wolves, title={Counting Wolves}, author={Dorn, Carl}, year={2020}}
@article{birds, title={Counting Birds}, author={Frey, Eva}, year={2021}, abstract={Birds are counted.}}
@article{more, title={Counting Fish}, author={Haas, Gil}, year={2021}, abstract={Fish are counted.}}
"""


def test_gold_is_taken_from_a_paper_and_its_references(tmp_path, capsys):
    (tmp_path / "cats.tex").write_text(TEX)
    (tmp_path / "cats.bib").write_text(BIB)
    command = ["benchmark", str(tmp_path / "bench"), str(tmp_path / "cats.tex"), str(tmp_path / "cats.bib")]
    assert main(command) == 0
    assert "2 of 3 cited references have an abstract and are gold; the corpus holds 3 papers" in capsys.readouterr().err
    assert main(command) == 0  # the same paper again changes nothing
    bench = read_benchmark(tmp_path / "bench", tmp_path)
    (topic,) = bench.topics
    assert topic.focal.title == "Counting Cats"
    titles = [bench.library.get(i).title for i in topic.gold]
    assert titles == ["Counting Dogs", "Counting Birds"]
    assert topic.gold_text == "Dogs were counted before.\ncount birds."


def test_a_paper_without_related_work_is_refused(tmp_path):
    assert related_work(r"\section{Method} Text.") == ""
    assert human_text(r"A \textbf{bold} claim~\cite{x}.") == "A bold claim."


def test_the_command_writes_a_report_and_refuses_what_it_cannot_do(tmp_path, capsys, monkeypatch):
    folder, out = write_benchmark(tmp_path / "bench"), tmp_path / "o"
    monkeypatch.setattr(runner, "Embedder", lambda settings, cached: FastEmbedder())
    words = ["evaluate", str(folder), "--out", str(out), "--breadth", "0"]
    assert main(words) == 1
    assert "--breadth cannot be '0'" in capsys.readouterr().err
    more = ["--systems", "naive,ours", "--topics", "1", "--models", "built-in,built-in", "--words", "150"]
    assert main([*words[:-1], "4", *more]) == 0
    assert "2/2" in capsys.readouterr().err
    assert "| ours |" in (out / "report.md").read_text(encoding="utf-8")
    assert main([*words[:-1], "4", *more, "--judge", "built-in"]) == 1
    assert "judges its own drafts" in capsys.readouterr().err
