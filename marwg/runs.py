"""The store of runs: their state after each stage, stage outputs by content, versions, and what the user decided.

A stage's output is kept under a digest of everything that it depends on. That one mechanism gives resuming, partial
rewriting after a change, undo, and runs that cost nothing when they are repeated.
"""

import hashlib
import json
import sqlite3
import threading
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlite_utils
from pydantic import BaseModel, ValidationError

from marwg.errors import RunError
from marwg.types import Decision, Draft, Ledger, Outline, Request, Run, Stage


def digest(*parts: Any) -> str:
    """A short digest of values that are models, tuples of models, or plain JSON."""

    def plain(value: Any) -> Any:
        if isinstance(value, BaseModel):
            return value.model_dump(mode="json")
        if isinstance(value, list | tuple):
            return [plain(v) for v in value]
        return value

    text = json.dumps([plain(p) for p in parts], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Runs:
    """Runs in SQLite, by run and by conversation (`thread_id`); every method is short and safe from any thread."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._db = sqlite_utils.Database(sqlite3.connect(path, check_same_thread=False, timeout=30))
        self._db.enable_wal()
        self._create()

    def _create(self) -> None:
        tables: dict[str, tuple[dict[str, type], str | tuple[str, ...]]] = {
            "runs": ({"run_id": str, "thread_id": str, "created": str, "updated": str, "state": str}, "run_id"),
            "outputs": ({"stage": str, "digest": str, "output": str, "made": str}, ("stage", "digest")),
            "versions": (
                {"run_id": str, "version": int, "draft": str, "ledger": str, "made": str},
                ("run_id", "version"),
            ),
            "outlines": ({"run_id": str, "number": int, "outline": str, "made": str}, ("run_id", "number")),
            "decisions": (
                {"run_id": str, "claim_id": str, "decision": str, "made": str},
                ("run_id", "claim_id", "made"),
            ),
        }
        for name, (columns, pk) in tables.items():
            self._db.table(name).create(columns, pk=pk, if_not_exists=True)

    # ------------------------------------------------------------ runs

    def start(self, thread_id: str, request: Request, **made_from: Any) -> Run:
        """A new run of this conversation; the conversation's earlier runs stay in the store."""
        run = Run(run_id=uuid.uuid4().hex, request=request, **made_from)
        with self._lock:
            self._db.table("runs").insert(
                {
                    "run_id": run.run_id,
                    "thread_id": thread_id,
                    "created": _now(),
                    "updated": _now(),
                    "state": run.model_dump_json(),
                }
            )
        return run

    def save(self, run: Run) -> None:
        """Keeps the state of a run that `start` made."""
        with self._lock:
            self._db.table("runs").update(run.run_id, {"state": run.model_dump_json(), "updated": _now()})

    def of_thread(self, thread_id: str) -> Run | None:
        """The newest run of a conversation, or None where it has none."""
        with self._lock:
            rows = list(
                self._db.table("runs").rows_where(
                    "thread_id = ?", [thread_id], order_by="created desc, rowid desc", limit=1
                )
            )
        return self._read(rows[0]) if rows else None

    def get(self, run_id: str) -> Run:
        """The run with this id; RunError where there is none or its state cannot be read."""
        with self._lock:
            rows = list(self._db.table("runs").rows_where("run_id = ?", [run_id]))
        if not rows:
            raise RunError("This run is not in the store.", "Start a new one from the title and abstract.")
        return self._read(rows[0])

    @staticmethod
    def _read(row: dict[str, Any]) -> Run:
        try:
            return Run.model_validate_json(row["state"])
        except ValidationError as error:
            raise RunError(
                "The saved state of this conversation was made by another version of the program and cannot be read.",
                "Start a new run; its model answers are cached.",
            ) from error

    # ------------------------------------------------------------ outputs by content

    def output(self, stage: Stage, key: str) -> Any | None:
        """The output kept for a stage under this digest, as plain JSON, or None."""
        with self._lock:
            rows = list(self._db.table("outputs").rows_where("stage = ? and digest = ?", [stage.value, key]))
        return json.loads(rows[0]["output"]) if rows else None

    def keep_output(self, stage: Stage, key: str, output: Any) -> None:
        """Keeps a stage's output (plain JSON) under the digest of what it depends on."""
        row = {"stage": stage.value, "digest": key, "output": json.dumps(output, ensure_ascii=False), "made": _now()}
        with self._lock:
            self._db.table("outputs").upsert(row, pk=("stage", "digest"))

    # ------------------------------------------------------------ versions and outlines

    def keep_version(self, run_id: str, draft: Draft, ledger: Ledger | None) -> None:
        """Keeps a version of the draft with its ledger; the same version number is replaced."""
        row = {
            "run_id": run_id,
            "version": draft.version,
            "draft": draft.model_dump_json(),
            "ledger": ledger.model_dump_json() if ledger else "",
            "made": _now(),
        }
        with self._lock:
            self._db.table("versions").upsert(row, pk=("run_id", "version"))

    def versions(self, run_id: str) -> list[tuple[Draft, Ledger | None]]:
        """All versions of the draft, oldest first."""
        with self._lock:
            rows = list(self._db.table("versions").rows_where("run_id = ?", [run_id], order_by="version"))
        return [
            (Draft.model_validate_json(r["draft"]), Ledger.model_validate_json(r["ledger"]) if r["ledger"] else None)
            for r in rows
        ]

    def keep_outline(self, run_id: str, outline: Outline) -> None:
        """Adds an outline to the history of a run, so that a change can be undone."""
        with self._lock:
            number = self._db.table("outlines").count_where("run_id = ?", [run_id]) + 1
            self._db.table("outlines").insert(
                {"run_id": run_id, "number": number, "outline": outline.model_dump_json(), "made": _now()}
            )

    def take_back_outline(self, run_id: str) -> Outline | None:
        """Drops the newest outline of the history and gives the one before it, or None where there is none."""
        with self._lock:
            rows = list(self._db.table("outlines").rows_where("run_id = ?", [run_id], order_by="number desc", limit=2))
            if len(rows) < 2:
                return None
            self._db.table("outlines").delete((run_id, rows[0]["number"]))
        return Outline.model_validate_json(rows[1]["outline"])

    # ------------------------------------------------------------ decisions

    def decide(self, run_id: str, claim_id: str, decision: str, before: str = "", after: str = "") -> None:
        """Records what the user decided about a claim (a kind of `Decision`), with the time."""
        made = Decision.model_validate(
            {"claim_id": claim_id, "kind": decision, "before": before, "after": after, "made": _now()}
        )
        row = {"run_id": run_id, "claim_id": claim_id, "decision": decision, "made": made.made}
        with self._lock:
            # A store of an earlier version has no column for the wording; two decisions in one millisecond are one.
            self._db.table("decisions").upsert(
                row | {"before": before, "after": after}, pk=("run_id", "claim_id", "made"), alter=True
            )

    def decided(self, run_id: str) -> tuple[Decision, ...]:
        """All decisions of the user about claims of this run, oldest first."""
        with self._lock:
            rows: Iterable[dict[str, Any]] = list(
                self._db.table("decisions").rows_where("run_id = ?", [run_id], order_by="made, rowid")
            )
        return tuple(
            Decision(
                claim_id=r["claim_id"],
                kind=r["decision"],
                before=r.get("before") or "",
                after=r.get("after") or "",
                made=r["made"],
            )
            for r in rows
        )

    def decisions(self, run_id: str) -> dict[str, str]:
        """The latest word for each claim_id: "accept" or "reject"; an edit or a move makes another claim of it."""
        return {d.claim_id: d.kind for d in self.decided(run_id) if d.kind in ("accept", "reject")}

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._db.close()
