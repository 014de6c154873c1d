"""The library: papers and pages in SQLite, duplicates merged, full text of titles and abstracts searchable."""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from marwg.errors import LibraryError
from marwg.library.identity import generated_key, normal_doi, normal_title, paper_id, same_paper, usable_key
from marwg.library.merging import merge
from marwg.library.report import ImportReport, Remark
from marwg.library.tables import opened
from marwg.library.words import WordIndex, words_of
from marwg.types import Page, Paper, PaperId

_CHUNK = 200  # papers per transaction: short enough that nobody waits for the lock
_MOST_IN_MEMORY = 60_000  # papers whose words are kept in memory: about 80 MB


class Library:
    """Papers by id. May be used from any thread; every call is short."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._words, self._words_at = WordIndex(), -1
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = sqlite3.connect(self.path, check_same_thread=False, timeout=30, isolation_level=None)
            self._db = opened(self._connection)
        except sqlite3.Error as error:
            raise LibraryError(
                f"The library {self.path} cannot be opened: {error}.",
                "Move the file away to start with an empty library, or set MARWG_HOME to another folder.",
            ) from error

    def close(self) -> None:
        """Ends the connection; the library is not usable afterwards."""
        with self._lock:
            self._connection.close()

    # ------------------------------------------------------------ reading

    def __len__(self) -> int:
        return int(self._rows("SELECT count(*) FROM papers")[0][0])

    def __contains__(self, paper_id: object) -> bool:
        return bool(self._rows("SELECT 1 FROM papers WHERE paper_id = ?", [paper_id]))

    def get(self, paper_id: PaperId) -> Paper:
        """The paper with this id; a LibraryError where there is none."""
        rows = self._rows("SELECT record FROM papers WHERE paper_id = ?", [paper_id])
        if not rows:
            raise LibraryError(f"There is no paper {paper_id} in the library.", "It may have been removed since.")
        return Paper.model_validate_json(rows[0][0])

    def papers(self, ids: Iterable[PaperId] | None = None) -> list[Paper]:
        """All papers in the order in which they came, or those of `ids` in that order, unknown ones left out."""
        if ids is None:
            rows = self._rows("SELECT record FROM papers ORDER BY seq")
            return [Paper.model_validate_json(row[0]) for row in rows]
        wanted = list(ids)
        found: dict[PaperId, str] = {}
        for chunk in _chunks(wanted, 500):
            marks = ",".join("?" * len(chunk))
            found.update(self._rows(f"SELECT paper_id, record FROM papers WHERE paper_id IN ({marks})", chunk))
        return [Paper.model_validate_json(found[i]) for i in wanted if i in found]

    def ids(self) -> list[PaperId]:
        """The ids of all papers in the order in which they came."""
        return [row[0] for row in self._rows("SELECT paper_id FROM papers ORDER BY seq")]

    def by_key(self, key: str) -> Paper | None:
        """The paper with this citation key, or with a key that it had before it was merged."""
        rows = self._rows("SELECT record FROM keys JOIN papers USING (paper_id) WHERE keys.key = ?", [usable_key(key)])
        return Paper.model_validate_json(rows[0][0]) if rows else None

    def identified(self, kind: str, value: str) -> Paper | None:
        """The paper with this DOI or arXiv id; None where it is not here, or the identifier is of another kind."""
        column = {"doi": "doi", "arxiv": "arxiv_id"}.get(kind)
        rows = self._rows(f"SELECT record FROM papers WHERE {column} = ? ORDER BY seq", [value]) if column else []
        return Paper.model_validate_json(rows[0][0]) if rows else None

    def pages(self, paper_id: PaperId) -> list[Page]:
        """The pages of a paper in order; none where only its abstract is here."""
        rows = self._rows("SELECT number, text FROM pages WHERE paper_id = ? ORDER BY number", [paper_id])
        return [Page(paper_id=paper_id, number=number, text=text) for number, text in rows]

    def has_full_text(self, paper_id: PaperId) -> bool:
        """Whether the library holds pages of this paper."""
        return bool(self._rows("SELECT 1 FROM pages WHERE paper_id = ? LIMIT 1", [paper_id]))

    def with_full_text(self) -> set[PaperId]:
        """The papers that the library holds pages of."""
        return {row[0] for row in self._rows("SELECT DISTINCT paper_id FROM pages")}

    def found_online(self) -> dict[PaperId, str]:
        """The papers that no file of the user gave, each with the live source that it came from."""
        return dict(self._rows("SELECT paper_id, source FROM found_online ORDER BY paper_id"))

    def digests(self) -> dict[PaperId, str]:
        """For each paper a digest of its text (title, abstract, pages): what an embedding depends on."""
        return dict(self._rows("SELECT paper_id, digest FROM papers ORDER BY seq"))

    def revision(self) -> int:
        """A number that grows with every change of the library, by any process."""
        return int(self._rows("SELECT value FROM state WHERE name = 'revision'")[0][0])

    def state(self) -> str:
        """A digest of all that is in the library."""
        digest = hashlib.sha256()
        for row in self._rows("SELECT paper_id, digest, record FROM papers ORDER BY paper_id"):
            digest.update("\x1f".join(row).encode())
        return digest.hexdigest()[:16]

    def lexical(self, query: str, limit: int, ids: Sequence[PaperId] | None = None) -> list[tuple[PaperId, float]]:
        """The papers that share most words with `query` by BM25, best first; with `ids`, among these only."""
        if limit <= 0:
            return []
        if len(self) <= _MOST_IN_MEMORY:
            return self._known_words().best(query, limit, ids)
        words = list(dict.fromkeys(words_of(query)))
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        sql = (
            "SELECT papers.paper_id, -bm25(papers_fts) AS score FROM papers_fts JOIN papers ON papers.seq = papers_fts.rowid"
            " WHERE papers_fts MATCH ? {among} ORDER BY score DESC, papers.seq LIMIT ?"
        )
        if ids is None:
            return [tuple(row) for row in self._rows(sql.format(among=""), [match, limit])]
        found: list[tuple[PaperId, float]] = []
        for chunk in _chunks(list(ids), 500):
            among = f"AND papers.paper_id IN ({','.join('?' * len(chunk))})"
            found += [tuple(row) for row in self._rows(sql.format(among=among), [match, *chunk, limit])]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]

    def _known_words(self) -> WordIndex:
        """The words of all papers as they are now."""
        with self._lock:
            if self._words_at != (revision := self.revision()):
                rows = self._rows("SELECT paper_id, digest, title || char(10) || abstract FROM papers ORDER BY seq")
                self._words.keep_up(rows)
                self._words_at = revision
            return self._words

    # ------------------------------------------------------------ topics

    def topics(self) -> tuple[str, dict[PaperId, str]]:
        """The topic labels that were saved last, and what they were made for; empty where there are none."""
        rows = self._rows("SELECT value FROM state WHERE name = 'topics'")
        labels = self._rows("SELECT paper_id, label FROM topics ORDER BY rowid")
        return (rows[0][0] if rows else ""), dict(labels)

    def topic_centres(self) -> dict[str, Any]:
        """What is needed to give a new paper a topic, as it was saved with the labels."""
        rows = self._rows("SELECT value FROM state WHERE name = 'topic_centres'")
        found: dict[str, Any] = json.loads(rows[0][0]) if rows else {}
        return found

    def save_topics(self, made_for: str, labels: dict[PaperId, str], centres: dict[str, Any] | None = None) -> None:
        """Keeps topic labels, and what gives new papers theirs, in place of those before."""
        with self._writing():
            self._db.execute("DELETE FROM topics")
            self._db["topics"].insert_all({"paper_id": i, "label": label} for i, label in labels.items())
            self._db["state"].upsert({"name": "topics", "value": made_for}, pk="name")
            self._db["state"].upsert({"name": "topic_centres", "value": json.dumps(centres or {})}, pk="name")

    # ------------------------------------------------------------ changing

    def add(
        self,
        papers: Iterable[Paper],
        pages: Iterable[Page] = (),
        source: str = "",
        places: Sequence[str] = (),
        found_by: str = "",
    ) -> ImportReport:
        """Takes papers in, each once: a duplicate is merged into the paper that is here.

        A paper without id gets one, a paper without key too. Pages belong to the paper that has their `paper_id` in this
        call, or in the library. `source` and `places` say where the papers come from, for the report. `found_by` names
        the live search that found them: they do not count as the user's own until a file of the user has them too.
        """
        texts: dict[PaperId, list[Page]] = {}
        for page in pages:
            texts.setdefault(page.paper_id, []).append(page)
        reports: list[ImportReport] = []
        for chunk in _chunks(list(enumerate(papers)), _CHUNK):
            with self._writing():
                for position, paper in chunk:
                    place = places[position] if position < len(places) else paper.key
                    done = self._add_one(paper, texts.pop(paper.paper_id, []), source, place)
                    self._note_origin(done, found_by)
                    reports.append(done)
        if texts:
            with self._writing():
                for stored_id, more in texts.items():
                    self.get(stored_id)
                    reports.append(ImportReport(pages=self._put_pages(stored_id, more)))
        return ImportReport.of(reports)

    def remove(self, ids: Iterable[PaperId]) -> None:
        """Forgets papers with their pages and keys; unknown ids are no error."""
        with self._writing():
            for one in ids:
                for table in ("pages", "keys", "topics", "found_online", "papers"):
                    self._db.execute(f"DELETE FROM {table} WHERE paper_id = ?", [one])

    def _add_one(self, paper: Paper, pages: list[Page], source: str, place: str) -> ImportReport:
        paper = paper.model_copy(update={"key": usable_key(paper.key), "doi": normal_doi(paper.doi)})
        old, why = self._same(paper)
        if old is None:
            stored = self._named(paper)
            remarks: tuple[Remark, ...] = ()
        else:
            own = self._rows("SELECT own_key FROM papers WHERE paper_id = ?", [old.paper_id])[0][0]
            key = old.key if own or not paper.key else self._free_key(paper.key, old.paper_id)
            stored = merge(old, paper, key)
            remarks = (Remark(source=source, where=place, reason=f"{why} as {stored.key}: {stored.title}"),)
        own_key = bool(paper.key) or (old is not None and bool(own))
        self._put(stored, own_key, new=old is None)
        if paper.key:
            self._db.execute("INSERT OR IGNORE INTO keys (key, paper_id) VALUES (?, ?)", [paper.key, stored.paper_id])
        count = self._put_pages(stored.paper_id, pages) if pages else 0
        return ImportReport(read=1, added=int(old is None), pages=count, paper_ids=(stored.paper_id,), merged=remarks)

    def _note_origin(self, done: ImportReport, found_by: str) -> None:
        for one in done.paper_ids:
            if not found_by:
                self._db.execute("DELETE FROM found_online WHERE paper_id = ?", [one])
            elif done.added:
                self._db["found_online"].upsert({"paper_id": one, "source": found_by}, pk="paper_id")

    def _same(self, paper: Paper) -> tuple[Paper | None, str]:
        """The paper in the library that this record describes too, and what tells so."""
        if paper.paper_id and paper.paper_id in self:
            return self.get(paper.paper_id), "the same id"
        found: dict[PaperId, Paper] = {}
        for column, value in (
            ("doi", paper.doi),
            ("arxiv_id", paper.arxiv_id),
            ("plain_title", normal_title(paper.title)),
        ):
            if value:
                rows = self._rows(f"SELECT paper_id, record FROM papers WHERE {column} = ? ORDER BY seq", [value])
                found.update({i: Paper.model_validate_json(record) for i, record in rows})
        for other in found.values():
            if why := same_paper(other, paper):
                return other, why
        return None, ""

    def _named(self, paper: Paper) -> Paper:
        """The paper with an id and a key that nobody else has."""
        if not paper.paper_id:
            taken: set[PaperId] = set()
            while (new_id := paper_id(paper, taken)) in self:
                taken.add(new_id)
            paper = paper.model_copy(update={"paper_id": new_id})
        key = self._free_key(paper.key or generated_key(paper), paper.paper_id)
        return paper.model_copy(update={"key": key})

    def _free_key(self, key: str, owner: PaperId) -> str:
        """`key`, or where another paper has it, `key` with the first free suffix a, b, …, z, aa, ab, …"""
        taken = dict(self._rows("SELECT key, paper_id FROM keys WHERE key >= ? AND key < ?", [key, key + "\U0010ffff"]))
        return next(k for k in _suffixed(key) if taken.get(k, owner) == owner)

    def _put(self, paper: Paper, own_key: bool, new: bool) -> None:
        row = {
            "paper_id": paper.paper_id,
            "key": paper.key,
            "own_key": int(own_key),
            "title": paper.title,
            "abstract": paper.abstract,
            "doi": paper.doi,
            "arxiv_id": paper.arxiv_id,
            "plain_title": normal_title(paper.title),
            "record": paper.model_dump_json(),
            "digest": self._digest(paper, self.pages(paper.paper_id)),
        }
        if new:
            self._db["papers"].insert(row)
        else:
            names = ", ".join(f"{name} = :{name}" for name in row)
            self._db.execute(f"UPDATE papers SET {names} WHERE paper_id = :paper_id", row)
        self._db.execute("INSERT OR IGNORE INTO keys (key, paper_id) VALUES (?, ?)", [paper.key, paper.paper_id])

    def _put_pages(self, stored_id: PaperId, pages: list[Page]) -> int:
        """Replaces the pages of a paper where the new ones say more; how many were taken."""
        old = self.pages(stored_id)
        if sum(len(p.text) for p in pages) <= sum(len(p.text) for p in old):
            return 0
        self._db.execute("DELETE FROM pages WHERE paper_id = ?", [stored_id])
        self._db["pages"].insert_all({"paper_id": stored_id, "number": p.number, "text": p.text} for p in pages)
        self._db.execute(
            "UPDATE papers SET digest = ? WHERE paper_id = ?", [self._digest(self.get(stored_id), pages), stored_id]
        )
        return len(pages)

    @staticmethod
    def _digest(paper: Paper, pages: Sequence[Page]) -> str:
        parts = [paper.title, paper.abstract, *(f"{p.number}\x1e{p.text}" for p in pages)]
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]

    # ------------------------------------------------------------ access

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, from its first read on closed to other writers."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("UPDATE state SET value = value + 1 WHERE name = 'revision'")
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise


def _suffixed(key: str) -> Iterator[str]:
    yield key
    letters = "abcdefghijklmnopqrstuvwxyz"
    yield from (key + a for a in letters)
    yield from (key + a + b for a in letters for b in letters)
    number = 1
    while True:
        yield f"{key}{number}"
        number += 1


def _chunks(items: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
