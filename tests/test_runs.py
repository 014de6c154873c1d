"""The store of runs keeps what it was given, across processes and threads."""

import threading
from pathlib import Path

import pytest

from marwg.errors import RunError
from marwg.runs import Runs, digest
from marwg.types import Draft, Focal, Ledger, Outline, Parameters, Request, Section, Sentence, Stage, Topic

REQUEST = Request(focal=Focal(title="A title", abstract="An abstract."))


@pytest.fixture
def runs(tmp_path: Path):
    store = Runs(tmp_path / "runs.db")
    yield store
    store.close()


def draft(version: int, text: str = "One sentence [@p1].") -> Draft:
    section = Section(topic_id="t1", title="T", paragraphs=((Sentence(text=text),),))
    return Draft(version=version, author="x", sections=(section,))


def test_a_run_is_there_after_the_file_is_opened_again(tmp_path: Path):
    store = Runs(tmp_path / "runs.db")
    run = store.start("thread", REQUEST, library="abc")
    changed = run.model_copy(update={"draft": draft(1)})
    store.save(changed)
    store.close()
    again = Runs(tmp_path / "runs.db")
    assert again.of_thread("thread") == changed == again.get(run.run_id)
    again.close()


def test_the_newest_run_of_a_conversation_is_the_current_one(runs: Runs):
    runs.start("thread", REQUEST)
    second = runs.start("thread", REQUEST)
    runs.start("other", REQUEST)
    assert runs.of_thread("thread") == second
    assert runs.of_thread("nobody") is None


def test_a_run_that_is_not_there_is_an_error_that_says_so(runs: Runs):
    with pytest.raises(RunError, match="not in the store"):
        runs.get("nothing")


def test_outputs_are_found_by_what_they_depend_on(runs: Runs):
    key = digest(REQUEST, "model")
    assert runs.output(Stage.CANDIDATES, key) is None
    runs.keep_output(Stage.CANDIDATES, key, {"a": [1, "ü"]})
    assert runs.output(Stage.CANDIDATES, key) == {"a": [1, "ü"]}
    assert runs.output(Stage.SUMMARIES, key) is None
    other = REQUEST.model_copy(update={"parameters": Parameters(breadth=7)})
    assert digest(other, "model") != key


def test_versions_and_outlines_can_be_had_back(runs: Runs):
    run = runs.start("thread", REQUEST)
    runs.keep_version(run.run_id, draft(1), None)
    runs.keep_version(run.run_id, draft(2, "Another [@p2]."), Ledger(version=2, entries=(), judges=("a", "b")))
    runs.keep_version(run.run_id, draft(1, "Mended [@p1]."), None)
    kept = runs.versions(run.run_id)
    assert [d.version for d, _ in kept] == [1, 2]
    assert kept[0][0].sections[0].sentences[0].text == "Mended [@p1]."
    first, second = (Outline(topics=(Topic(topic_id="t", title=t),)) for t in ("One", "Two"))
    runs.keep_outline(run.run_id, first)
    assert runs.take_back_outline(run.run_id) is None
    runs.keep_outline(run.run_id, second)
    assert runs.take_back_outline(run.run_id) == first


def test_the_last_decision_on_a_claim_counts(runs: Runs):
    run = runs.start("thread", REQUEST)
    runs.decide(run.run_id, "c1", "accept")
    runs.decide(run.run_id, "c2", "reject")
    runs.decide(run.run_id, "c1", "reject")
    assert runs.decisions(run.run_id) == {"c1": "reject", "c2": "reject"}


def test_many_threads_write_at_once_and_nothing_is_lost(runs: Runs):
    run = runs.start("thread", REQUEST)

    def work(n: int) -> None:
        for i in range(20):
            runs.keep_output(Stage.DRAFT, f"{n}-{i}", {"n": n, "i": i})
            runs.save(run.model_copy(update={"library": f"{n}-{i}"}))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(runs.output(Stage.DRAFT, f"{n}-{i}") == {"n": n, "i": i} for n in range(4) for i in range(20))
