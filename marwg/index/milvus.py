"""Vectors in Milvus: Milvus Lite in a folder, or a server by its address; the same code for both."""

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from marwg.errors import IndexUnavailable, LibraryBusy, OtherEmbedding
from marwg.index.locking import FolderLock
from marwg.types import PaperId, Passage

PATIENCE = 5.0
"""Seconds until a server that does not answer counts as down."""
_SLOW = 120.0
_ROWS = 500
_MAX_TEXT = 65_535
_MOST_HITS = 16_384  # of a server, in one search
_STRONG = "Strong"
_OWN_WRITES = "Session"
"""A reader sees what it wrote itself at once, in 5 ms of a server; to see all that others just wrote takes 200."""
_QUIET = {"grpc.keepalive_time_ms": 600_000, "grpc.keepalive_permit_without_calls": 0}
"""By default the client pings an idle server every ten seconds, and the local one hangs up on that ("too_many_pings")."""


class VectorStore:
    """The vectors of papers and passages under one embedding model. Opens by itself; calls take their turn."""

    def __init__(self, where: str, model: str, dimension: int, token: str = "") -> None:
        self.where = where
        self.dimension = dimension
        slug = re.sub(r"\W+", "_", model.rpartition("/")[2]).strip("_").lower() or "model"
        self.papers, self.passages = (f"marwg_{kind}_{slug[:80]}_{dimension}" for kind in ("papers", "passages"))
        self._token = token
        self._client: Any = None
        self._lock = threading.RLock()
        local = "://" not in where
        self._folder = Path(where).expanduser().resolve() if local else None
        self._folder_lock = FolderLock(self._folder.with_suffix(".lock"), _purpose()) if self._folder else None
        self._served = False

    # ------------------------------------------------------------ reading

    def digests(self) -> dict[PaperId, str]:
        """The papers whose vectors are here, each with the digest that it was added with."""
        rows = self._ask("query", self.papers, filter='paper_id != ""', output_fields=["paper_id", "digest"])
        return {row["paper_id"]: row["digest"] for row in sorted(rows, key=lambda row: str(row["paper_id"]))}

    def search(self, vector: np.ndarray, limit: int) -> list[tuple[PaperId, float]]:
        """The papers nearest to a unit vector with their cosines, nearest first."""
        if limit <= 0:
            return []
        how = {"metric_type": "COSINE", "params": {"ef": max(64, 2 * limit)}}
        most = min(limit, _MOST_HITS)
        found = self._ask(
            "search",
            self.papers,
            data=[vector.tolist()],
            limit=most,
            search_params=how,
            output_fields=["paper_id"],
            consistency_level=_OWN_WRITES,
        )
        hits = [(str(hit["entity"]["paper_id"]), float(hit["distance"])) for hit in found[0]]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))

    def vectors(self, ids: Sequence[PaperId]) -> dict[PaperId, np.ndarray]:
        """The vectors of these papers, in this order; papers without one are left out."""
        found: dict[PaperId, np.ndarray] = {}
        for some in _chunks(list(dict.fromkeys(ids)), _ROWS):
            fields = ["paper_id", "vector"]
            rows = self._read(self.papers, some, fields)
            found.update({row["paper_id"]: np.asarray(row["vector"], dtype=np.float32) for row in rows})
        return {i: found[i] for i in dict.fromkeys(ids) if i in found}

    def _read(self, collection: str, ids: Sequence[PaperId], fields: list[str]) -> Any:
        how = {"filter": _among(ids), "output_fields": fields, "consistency_level": _OWN_WRITES}
        return self._ask("query", collection, **how)

    def passages_of(self, paper_id: PaperId) -> list[tuple[Passage, np.ndarray]]:
        """The passages of a paper in reading order, with their vectors."""
        fields = ["page", "start", "end", "text"]
        rows = self._read(self.passages, [paper_id], [*fields, "vector"])
        found = [
            (
                Passage(paper_id=paper_id, **{name: row[name] for name in fields}),
                np.asarray(row["vector"], dtype=np.float32),
            )
            for row in rows
        ]
        return sorted(found, key=lambda pair: (pair[0].page, pair[0].start))

    def collections(self) -> list[str]:
        """All collections of ours, those of other embedding models too."""
        return sorted(name for name in self._ask("list_collections") if name.startswith("marwg_"))

    # ------------------------------------------------------------ changing

    def put(
        self,
        papers: Mapping[PaperId, tuple[str, np.ndarray]],
        passages: Sequence[tuple[Passage, np.ndarray]] = (),
    ) -> None:
        """Sets the vectors of papers (with their digests) and all their passages, in place of those before.

        Papers are written last: one that a crash left half done is not there, and is done again.
        """
        self._delete(self.passages, list(papers))
        for part in _chunks(list(passages), _ROWS):
            self._ask("upsert", self.passages, data=[_passage_row(passage, vector) for passage, vector in part])
        for some in _chunks(list(papers.items()), _ROWS):
            rows = [{"paper_id": i, "digest": digest, "vector": vector.tolist()} for i, (digest, vector) in some]
            self._ask("upsert", self.papers, data=rows)

    def remove(self, ids: Sequence[PaperId]) -> None:
        """Forgets papers and their passages; unknown ids are no error."""
        self._delete(self.papers, list(ids))
        self._delete(self.passages, list(ids))

    def drop(self, collections: Sequence[str]) -> None:
        """Deletes whole collections, such as those of an embedding model that is not used any more."""
        for name in collections:
            self._ask("drop_collection", name)
        if {self.papers, self.passages} & set(collections):
            self.close()  # opening makes them anew

    def settle(self) -> None:
        """Writes out what Milvus Lite still holds apart: it searches there ten times slower. A server does so itself."""
        if self._folder is not None:
            for name in (self.papers, self.passages):
                self._ask("flush", name)

    def _delete(self, collection: str, ids: list[PaperId]) -> None:
        for some in _chunks(ids, _ROWS):
            self._ask("delete", collection, filter=_among(some))

    # ------------------------------------------------------------ connection

    def close(self) -> None:
        """Ends the connection, and lets other programs have the folder."""
        with self._lock:
            client, self._client = self._client, None
            if client is not None:
                client.close()
            if self._served:
                from milvus_lite.server_manager import server_manager_instance

                server_manager_instance.release_server(str(self._folder))
                self._served = False
            if self._folder_lock:
                self._folder_lock.release()

    def _ask(self, method: str, *args: Any, **options: Any) -> Any:
        """Calls a method of the client; where the connection is lost, once more over a new one."""
        from pymilvus.exceptions import MilvusException

        with self._lock:
            try:
                return getattr(self._opened(), method)(*args, timeout=_SLOW, **options)
            except MilvusException as error:
                if not _is_lost(error):
                    raise IndexUnavailable(
                        f"The vector database refused a request: {_first_line(error)}", "Try again, or look at its log."
                    ) from error
            # The program whose server we shared has ended, or the server was started anew.
            self.close()
            try:
                return getattr(self._opened(), method)(*args, timeout=_SLOW, **options)
            except MilvusException as error:
                raise self._down(error) from error

    def _opened(self) -> Any:
        if self._client is None:
            from pymilvus import MilvusClient
            from pymilvus.exceptions import MilvusException

            address = self._address()
            try:
                self._client = MilvusClient(uri=address, token=self._token, timeout=PATIENCE, grpc_options=_QUIET)
                for name, fields in ((self.papers, _paper_fields), (self.passages, _passage_fields)):
                    self._prepare(name, fields)
            except MilvusException as error:
                self.close()
                raise self._down(error) from error
            except BaseException:
                self.close()
                raise
        return self._client

    def _address(self) -> str:
        """Where the server listens: the one named, or the one that serves our folder, here or in another program."""
        if self._folder is None or self._folder_lock is None:
            return self.where
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        if not self._folder_lock.acquire():
            return self._other_program()
        from milvus_lite.server_manager import server_manager_instance

        address = server_manager_instance.start_and_get_uri(str(self._folder))
        if address is None:
            self._folder_lock.release()
            raise LibraryBusy(
                f"Another program holds the vectors in {self._folder}, or they are damaged.",
                f"Close that program, or let both use one server: {_server_line(self._folder)}",
            )
        self._served = True
        self._folder_lock.publish(address)
        return str(address)

    def _other_program(self) -> str:
        assert self._folder_lock is not None
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            holder = self._folder_lock.holder()
            if holder.address:
                return holder.address
            if self._folder_lock.acquire():
                self._folder_lock.release()
                return self._address()
            time.sleep(0.1)
        assert self._folder is not None
        raise LibraryBusy(
            f"The program {holder.purpose or 'marwg'} (process {holder.pid}) holds the library and does not share it.",
            f"Close it, or let both use one server: {_server_line(self._folder)}",
        )

    def _down(self, error: Exception) -> IndexUnavailable:
        if self._folder is not None:
            return IndexUnavailable(
                f"The vectors in {self._folder} cannot be opened: {_first_line(error)}", "Try again."
            )
        return IndexUnavailable(
            f"Milvus at {self.where} does not answer.", "Start it, or unset MILVUS_URI to use the local index."
        )

    def _prepare(self, name: str, fields: Callable[[Any], None]) -> None:
        """Creates the collection where it is missing, and loads it."""
        client = self._client
        if not client.has_collection(name, timeout=PATIENCE):
            from pymilvus import DataType

            schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
            fields(schema)
            schema.add_field("vector", DataType.FLOAT_VECTOR, dim=self.dimension)
            client.create_collection(name, schema=schema, consistency_level=_STRONG, timeout=_SLOW)
        if not client.list_indexes(name):
            index = client.prepare_index_params()
            flat = self._folder is not None or name == self.passages
            kind, build = ("FLAT", {}) if flat else ("HNSW", {"M": 16, "efConstruction": 200})
            index.add_index("vector", index_type=kind, metric_type="COSINE", params=build)
            client.create_index(name, index, sync=False, timeout=_SLOW)  # waiting polls by the half second
        for field in client.describe_collection(name, timeout=PATIENCE)["fields"]:
            stored = int(field["params"].get("dim", self.dimension))
            if stored != self.dimension:
                raise OtherEmbedding(
                    f"The collection {name} holds vectors of {stored} numbers, and the embedding model gives {self.dimension}.",
                    f"Drop the collection {name} to embed the library again, or go back to the model it was made with.",
                )
        client.load_collection(name, timeout=_SLOW)


def _paper_fields(schema: Any) -> None:
    from pymilvus import DataType

    schema.add_field("paper_id", DataType.VARCHAR, max_length=64, is_primary=True)
    schema.add_field("digest", DataType.VARCHAR, max_length=64)


def _passage_fields(schema: Any) -> None:
    from pymilvus import DataType

    schema.add_field("passage_id", DataType.VARCHAR, max_length=128, is_primary=True)
    schema.add_field("paper_id", DataType.VARCHAR, max_length=64)
    for name in ("page", "start", "end"):
        schema.add_field(name, DataType.INT64)
    schema.add_field("text", DataType.VARCHAR, max_length=_MAX_TEXT)


def _passage_row(passage: Passage, vector: np.ndarray) -> dict[str, Any]:
    row = passage.model_dump()
    return {**row, "passage_id": f"{passage.paper_id}:{passage.page}:{passage.start}", "vector": vector.tolist()}


def _is_lost(error: Exception) -> bool:
    text = str(error).casefold()
    return any(word in text for word in ("connect", "unavailable", "deadline", "timeout", "closed", "not loaded"))


def _among(ids: Sequence[PaperId]) -> str:
    return f"paper_id in {json.dumps(list(ids), ensure_ascii=False)}"


def _chunks(items: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _first_line(error: Exception) -> str:
    message = str(getattr(error, "message", "") or error).splitlines()
    return (message[0] if message else type(error).__name__)[:200].rstrip(".") + "."


def _purpose() -> str:
    return " ".join([Path(sys.argv[0]).name or "python", *sys.argv[1:2]])


def _server_line(folder: Path) -> str:
    return (
        f"`milvus-lite server --data-dir {folder} --host 127.0.0.1 --port 19530` and MILVUS_URI=http://127.0.0.1:19530."
    )
