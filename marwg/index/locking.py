"""A lock beside the local index, which says who holds it and where its server listens."""

import json
import os
from pathlib import Path

from marwg.types import Frozen

try:
    import fcntl
except ImportError:  # Windows: Milvus Lite's own lock tells that the folder is taken, though not by whom
    fcntl = None  # type: ignore[assignment]


class Holder(Frozen):
    """The program that has the folder."""

    pid: int = 0
    purpose: str = ""
    address: str = ""


class FolderLock:
    """Held by one program at a time, until it releases it or ends."""

    def __init__(self, path: Path, purpose: str) -> None:
        self._path, self._purpose = path, purpose
        self._file: int | None = None

    def acquire(self) -> bool:
        """Takes the lock; False where another program has it."""
        if self._file is not None or fcntl is None:
            return True
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._file = file
        self.publish("")
        return True

    def publish(self, address: str) -> None:
        """Tells others where our server listens."""
        if self._file is None:
            return
        holder = Holder(pid=os.getpid(), purpose=self._purpose, address=address)
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, holder.model_dump_json().encode(), 0)

    def holder(self) -> Holder:
        """Who has the lock, as far as the file says."""
        try:
            return Holder.model_validate(json.loads(self._path.read_text(encoding="utf-8")))
        except (OSError, ValueError):  # being written, or not there yet
            return Holder()

    def release(self) -> None:
        """Lets the next program have it."""
        if self._file is not None:
            self.publish("")
            os.close(self._file)
            self._file = None
