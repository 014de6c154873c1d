"""Answers by content: the same question to the same model is asked once."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite_utils

_log = logging.getLogger(__name__)


def key_for(**parts: Any) -> str:
    """The digest of everything that an answer depends on."""
    return sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Cache:
    """Answers in one SQLite file, safe to use from several threads and processes.

    A file that cannot be read or written costs money and no run, so it is reported in the log and passed over.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._database: sqlite_utils.Database | None = None

    def get(self, key: str) -> str | None:
        """The answer kept under a key."""
        try:
            with self._lock:
                row = self._opened().execute("select answer from answers where key = ?", [key]).fetchone()
        except (sqlite3.Error, OSError) as error:
            _log.warning("the cache of answers cannot be read: %s", error)
            return None
        return None if row is None else str(row[0])

    def put(self, key: str, model: str, task: str, answer: str) -> None:
        """Keep an answer."""
        row = {"key": key, "model": model, "task": task, "answer": answer, "made": datetime.now(UTC).isoformat()}
        try:
            with self._lock:
                database = self._opened()
                database.table("answers").upsert(row, pk="key")
                database.conn.commit()
        except (sqlite3.Error, OSError) as error:
            _log.warning("an answer could not be kept: %s", error)

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        with self._lock:
            if self._database is not None:
                self._database.close()
            self._database = None

    def _opened(self) -> sqlite_utils.Database:
        if self._database is None:
            import sqlite_utils  # brings pandas along where that is installed

            self._path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite_utils.Database(sqlite3.connect(self._path, timeout=5, check_same_thread=False))
            database.enable_wal()
            columns = {"key": str, "model": str, "task": str, "answer": str, "made": str}
            database.table("answers").create(columns, pk="key", if_not_exists=True)
            self._database = database
        return self._database
