"""A local server that answers as arXiv, OpenAlex, Semantic Scholar and Zotero do, with faults where a test wants them."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

Reply = tuple[int, dict[str, str], bytes]


class World:
    """The papers that all services know, what they were asked, and what is wrong with them."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        self.faults: dict[str, list[Callable[[], Reply]]] = {}
        self.url = ""

    def fail(self, service: str, *faults: Callable[[], Reply], always: bool = False) -> None:
        """The next answers of a service; the last one for good with `always`."""
        self.faults[service] = [*faults] * (50 if always else 1)

    def queries(self, service: str) -> list[dict[str, str]]:
        """What a service was asked."""
        return [params for path, params, _ in self.asked if service_of(path) == service]

    def reply(self, path: str, params: dict[str, str]) -> Reply:
        """What the service of a path says."""
        if self.faults.get(service_of(path)):
            return self.faults[service_of(path)].pop(0)()
        if path == "/api/query":
            ids = params.get("id_list", "2301.00001").split(",")
            return 200, {"content-type": "application/atom+xml"}, atom(*(i for i in ids if i != "2399.99999")).encode()
        if path == "/works" and params.get("select") == "id,referenced_works":
            cited = [["W1", "W2"], ["W1", "W3"], ["https://openalex.org/W1", None], None]
            return as_json({"results": [{"id": f"W9{n}", "referenced_works": refs} for n, refs in enumerate(cited)]})
        if path == "/works" and params.get("filter", "").startswith("openalex:"):
            return as_json({"results": [work("10.1000/cited"), {"id": "https://openalex.org/W2"}]})
        if path == "/works":
            dois = [d for d in params.get("filter", "").removeprefix("doi:").split("|") if d.startswith("10.")]
            return as_json({"results": [work(doi) for doi in dois if doi != "10.1000/unknown"] or [work("10.1000/oa")]})
        if path == "/graph/v1/paper/search":
            return as_json({"total": 2, "data": [S2, {"paperId": "2", "title": None, "abstract": None}]})
        if path.startswith("/graph/v1/paper/URL:"):
            return as_json(S2)
        if path.startswith("/zotero/"):
            return zotero(params)
        return 404, {"content-type": "application/json"}, b'{"error": "not found"}'


def service_of(path: str) -> str:
    return next(
        (name for mark, name in (("/api/", "arxiv"), ("/pdf/", "pdf"), ("/works", "openalex"), ("/zotero", "zotero"))
         if path.startswith(mark)),
        "s2",
    )  # fmt: skip


def as_json(value: object) -> Reply:
    return 200, {"content-type": "application/json"}, json.dumps(value).encode()


def busy(seconds: str = "0") -> Callable[[], Reply]:
    return lambda: (429, {"retry-after": seconds}, b"slow down")


def down() -> Reply:
    return 503, {}, b"<html>down</html>"


def page() -> Reply:
    return 200, {"content-type": "text/html; charset=utf-8"}, b"<!DOCTYPE html><html>sign in</html>"


def to_page() -> Reply:
    return 302, {"location": "/login"}, b""


def slow() -> Reply:
    time.sleep(1.0)
    return as_json({})


def broken() -> Reply:
    return 200, {"content-type": "application/json"}, b'{"results": [{"title": "x"'


def cut() -> Reply:
    return 200, {"content-type": "application/atom+xml"}, atom("2301.00001").encode()[:300]


def atom(*ids: str) -> str:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{i}v2</id><published>2023-01-01T00:00:00Z</published>"
        f"<title>Retrieval of\n  passages {i}</title><summary> We retrieve passages &amp; rank them. </summary>"
        "<author><name>Ada van der Bell</name></author><author><name>Plato</name></author>"
        "<arxiv:journal_ref>J. Tests 3</arxiv:journal_ref></entry>"
        for i in ids
    )
    spaces = 'xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'
    return f'<?xml version="1.0"?><feed {spaces}>{entries}<entry><id>http://arxiv.org/api/errors#x</id></entry></feed>'


def work(doi: str) -> dict[str, object]:
    return {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{doi}",
        "title": f"Dense search {doi}",
        "publication_year": 2021,
        "type": "article",
        "authorships": [{"author": {"display_name": "Carl Dorn"}}, {"author": None}, None],
        "primary_location": {"source": {"display_name": "Journal of Tests"}, "landing_page_url": None},
        "biblio": None,
        "abstract_inverted_index": {"passages": [2], "We": [0], "search": [1]},
    }


S2 = {
    "paperId": "1",
    "title": "Ranking passages",
    "abstract": "We rank passages.",
    "year": None,
    "venue": "",
    "authors": [{"name": "Eva Frey"}, {"name": None}],
    "externalIds": {"ArXiv": "2302.00002", "DOI": "10.48550/arXiv.2302.00002"},
    "publicationTypes": None,
    "journal": None,
}


def zotero(params: dict[str, str]) -> Reply:
    """Three items in pages of two."""
    items = [
        {
            "key": "AAAA",
            "data": {"itemType": "journalArticle", "extra": "Citation Key: bell2020"},
            "csljson": {"id": "1/AAAA", "type": "article-journal", "title": "Zoo", "author": [{"family": "Bell"}]},
        },
        {"key": "BBBB", "data": {"itemType": "note"}},
        {"key": "CCCC", "data": {"itemType": "book"}, "csljson": {"id": "1/CCCC", "type": "book"}},
    ]
    start = int(params["start"])
    status, headers, body = as_json(items[start : start + 2])
    return status, headers | {"Total-Results": "3"}, body


@contextmanager
def serving(world: World) -> Iterator[World]:
    """The world behind an address of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            params = {name: values[0] for name, values in parse_qs(parts.query).items()}
            world.asked.append((parts.path, params, {k.lower(): v for k, v in self.headers.items()}))
            status, headers, body = page() if parts.path == "/login" else world.reply(parts.path, params)
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except BrokenPipeError:
                pass  # the client did not wait

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    world.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield world
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
