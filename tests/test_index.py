"""The index of a library: it keeps up by itself, finds by meaning and words, and survives interruptions."""

import asyncio
import socket

import numpy as np
import pytest

from marwg.errors import EmptyLibrary, IndexUnavailable
from marwg.events import Notice, Progress
from marwg.index import Index
from marwg.library import Library
from marwg.settings import Settings
from marwg.types import Page, Paper
from tests.fake_encoder import DIMENSION, encode


class CountingEmbedder:
    """The fake encoder as an Embedder that remembers what it was asked for, and fails when told to."""

    def __init__(self, name: str = "fake", fail_at: int = 0) -> None:
        self.name, self.dimension, self.fail_at = name, DIMENSION, fail_at
        self.asked: list[str] = []

    def encode(self, texts):
        self.asked += texts
        if self.fail_at and len(self.asked) >= self.fail_at:
            raise KeyboardInterrupt
        return encode(texts) if len(texts) else np.zeros((0, DIMENSION), dtype=np.float32)

    async def aencode(self, texts):
        return self.encode(texts)


TEXTS = {
    "pcat": ("Cats sleep", "Cats sleep most of the day and hunt at night."),
    "pdog": ("Dogs bark", "Dogs bark at strangers, at cats and at the moon."),
    "pfish": ("Fish swim", "Fish swim in water and breathe by gills."),
    "pnote": ("Birds", ""),
}


@pytest.fixture
def home(own_home):
    return Settings(home=own_home)


@pytest.fixture
def library(home):
    library = Library(home.home / "library.db")
    library.add([Paper(paper_id=i, key=i, title=title, abstract=abstract) for i, (title, abstract) in TEXTS.items()])
    yield library
    library.close()


@pytest.fixture
async def index(home, library):
    index = Index(home, CountingEmbedder(), library)
    yield index
    await index.close()


async def test_search_embeds_what_is_missing_first_and_says_so(index):
    events = []
    assert await index.pending() == list(TEXTS)
    hits = await index.search("cats that sleep", 2, report=events.append)
    assert [hit.paper_id for hit in hits] == ["pcat", "pdog"]
    assert [e.text for e in events if isinstance(e, Notice)] == [
        "4 papers of the library are embedded with fake first."
    ]
    assert [(e.done, e.total) for e in events if isinstance(e, Progress)] == [(4, 4)]
    assert await index.pending() == []
    events.clear()
    again = await index.search("cats that sleep", 2, report=events.append)
    assert again == hits
    assert events == []


async def test_similarity_is_the_plain_cosine_and_the_score_orders(index):
    query = "strangers at the moon, water and gills"
    hits = await index.search(query, 4)
    cosines = {i: float(row @ encode([query])[0]) for i, row in (await index.vectors(list(TEXTS))).items()}
    assert {hit.paper_id: hit.similarity for hit in hits} == pytest.approx(cosines, abs=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    dense = await index.search(query, 4, lexical=False)
    assert [hit.score for hit in dense] == [hit.similarity for hit in dense]
    assert [hit.paper_id for hit in dense] == sorted(cosines, key=lambda i: -cosines[i])


async def test_vectors_are_those_of_title_and_abstract(index):
    vectors = await index.vectors(["pfish", "nobody", "pcat"])
    assert list(vectors) == ["pfish", "pcat"]
    np.testing.assert_allclose(vectors["pcat"], encode(["\n".join(TEXTS["pcat"])])[0], atol=1e-6)
    np.testing.assert_allclose((await index.vectors(["pnote"]))["pnote"], encode(["Birds"])[0], atol=1e-6)


async def test_passages_come_from_pages_and_not_from_the_abstract(index, library):
    assert await index.passages("pcat") == []
    pages = [Page(paper_id="pcat", number=n, text=f"Page {n} says something about cats. " * 60) for n in (2, 3)]
    library.add([], pages)
    found = await index.passages("pcat")
    texts = {page.number: page.text for page in pages}
    assert {passage.page for passage, _ in found} == {2, 3}
    assert len(found) >= 4
    for passage, vector in found:
        assert passage.text == texts[passage.page][passage.start : passage.end]
        np.testing.assert_allclose(vector, encode([passage.text])[0], atol=1e-6)


async def test_only_what_changed_is_embedded_again(index, library):
    await index.add(list(TEXTS))
    index.embedder.asked.clear()
    await index.add(list(TEXTS))
    library.add(
        [
            Paper(paper_id="pnote", key="", title="Birds", abstract="Birds fly."),
            Paper(paper_id="pnew", key="", title="Bees"),
        ]
    )
    library.add([Paper(paper_id="pcat", key="", title="Cats sleep", venue="Journal of Cats")])
    assert await index.pending() == ["pnote", "pnew"]
    await index.vectors(["pcat"])
    assert sorted(index.embedder.asked) == ["Bees", "Birds\nBirds fly."]


async def test_an_import_that_was_stopped_goes_on_where_it_was(home, library):
    library.add([Paper(paper_id=f"p{n}", key="", title=f"Paper number {n}") for n in range(300)])
    library.add([], [Page(paper_id="p7", number=1, text="Words. " * 200)])
    stopped = Index(home, CountingEmbedder(fail_at=200), library)
    with pytest.raises(KeyboardInterrupt):
        await stopped.add(library.ids())
    await stopped.close()
    index = Index(home, CountingEmbedder(), library)
    left = await index.pending()
    assert 0 < len(left) < 304
    await index.add(library.ids())
    assert await index.pending() == []
    assert len([text for text in index.embedder.asked if text.startswith("Paper number")]) == len(
        [i for i in left if i[1:].isdigit()]
    )
    assert len(await index.vectors(library.ids())) == 304
    await index.close()


async def test_a_removed_paper_is_not_found(index, library):
    await index.add(list(TEXTS))
    library.remove(["pcat"])
    assert "pcat" not in {hit.paper_id for hit in await index.search("cats sleep", 4)}
    await index.remove(["pcat", "pdog"])
    assert await index.pending() == ["pdog"], "still in the library, so it comes back"
    assert await index.passages("pcat") == []
    assert await index.vectors(["pcat"]) == {}


async def test_another_embedding_model_embeds_again_and_keeps_what_was_there(home, library, index):
    await index.search("cats", 1)
    await index.close()
    events = []
    other = Index(home, CountingEmbedder("other"), library)
    assert (await other.search("cats sleep", 1, report=events.append))[0].paper_id == "pcat"
    assert "come from another embedding model" in events[0].text
    assert await other.other_models() == [f"marwg_papers_fake_{DIMENSION}", f"marwg_passages_fake_{DIMENSION}"]
    await other.close()
    assert await index.pending() == []
    await index.drop(await index.other_models())
    assert await index.other_models() == []


async def test_searches_at_the_same_time_embed_once(index):
    results = await asyncio.gather(*(index.search(f"cats {n}", 3) for n in range(6)))
    assert [len(hits) for hits in results] == [3] * 6
    assert len([text for text in index.embedder.asked if text.startswith("Cats sleep")]) == 1


async def test_edges(home, index, library):
    assert await index.search("cats", 0) == []
    assert await index.search("  ", 5) == []
    assert len(await index.search("cats", 50)) == 4
    assert len(await index.search("nothing that occurs", 50)) == 4
    library.remove(list(TEXTS))
    with pytest.raises(EmptyLibrary):
        await index.search("cats", 5)


async def test_a_milvus_that_is_down(own_home, library):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    index = Index(Settings(home=own_home, milvus_uri=f"http://127.0.0.1:{port}"), CountingEmbedder(), library)
    with pytest.raises(IndexUnavailable, match="does not answer"):
        await index.search("cats", 5)
    await index.close()


# ---------------------------------------------------------------- topics


async def test_a_small_library_has_no_topics(index):
    assert await index.topics() == {}
    assert await index.fit_topics() == {}


async def test_topics_are_fitted_once_and_are_the_same_each_time(index, library):
    about = {
        "cats": "cats sleep hunting whiskers",
        "ships": "ships sailing ocean harbour",
        "stars": "stars galaxies telescope astronomy",
    }
    library.remove(list(TEXTS))
    library.add(
        Paper(
            paper_id=f"p{subject}{n}", key="", title=f"{words.title()} study {'abcdefgh'[n]}", abstract=f"{words} " * 3
        )
        for subject, words in about.items()
        for n in range(8)
    )
    assert await index.topics() == {}
    assert index.start_topics() is index.start_topics()
    assert await index.topics() == {}, "nothing waits for the fit"
    await index.start_topics()
    labels = await index.fit_topics()
    assert set(labels) == set(library.ids())
    assert len({labels[f"pcats{n}"] for n in range(8)}) == 1
    assert len(set(labels.values())) == 3
    assert all(len(label.split(", ")) == 3 for label in labels.values())
    assert await index.topics() == labels
    library.save_topics("", {})
    assert await index.fit_topics() == labels
    library.add([Paper(paper_id="pnew", key="", title="Cats again")])
    assert "pnew" not in await index.topics(), "it is not embedded yet"
    await index.vectors(["pnew"])
    assert (await index.topics())["pnew"] == labels["pcats0"]
    fitted = await index.fit_topics()
    assert fitted == labels | {"pnew": labels["pcats0"]}, "one more paper does not change the topics"
    library.add(
        Paper(paper_id=f"pw{n}", key="", title=f"Wine {n}", abstract="wine grapes tasting " * 3) for n in range(12)
    )
    assert any("wine" in label for label in (await index.fit_topics()).values()), "many more are fitted anew"
