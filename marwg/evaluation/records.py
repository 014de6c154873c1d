"""What an evaluation keeps: one line a topic for what a system wrote, and one for what a judge said of it."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from marwg.errors import InputError
from marwg.types import Frozen, PaperId, Section, Usage


class Written(Frozen):
    """What one system wrote for one topic, or why it did not. `key` digests everything that it depends on."""

    key: str
    corpus: str
    system: str
    breadth: int
    topic: str
    sections: tuple[Section, ...] = ()
    ranked: tuple[PaperId, ...] = ()
    shortlist: tuple[PaperId, ...] = ()
    flagged: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    error: str = ""


class Scored(Frozen):
    """The metrics of one text. `readings` are the five judgements of each reading, `unanswered` questions count as no."""

    key: str
    corpus: str
    system: str
    breadth: int
    topic: str
    judge: str
    values: dict[str, float]
    readings: tuple[tuple[int, ...], ...] = ()
    questions: int = 0
    unanswered: int = 0
    error: str = ""


class Setting(Frozen):
    """What a report states of the run that it shows."""

    benchmark: str
    corpus: str
    corpus_size: int
    topics: int
    embedding: str
    models: dict[str, str]
    judge: str
    parameters: dict[str, str]
    prompts: dict[str, str]
    versions: dict[str, str]
    seed: int = 0


Row = TypeVar("Row", Written, Scored)


class Records:
    """The folder of an evaluation. Rows are appended as they come; the last row for a key counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)

    def setting(self) -> Setting | None:
        """What was run here before."""
        place = self.folder / "setting.json"
        return Setting.model_validate_json(place.read_text(encoding="utf-8")) if place.is_file() else None

    def open_for(self, setting: Setting) -> None:
        """Makes this the folder of such runs; refuses a folder with results on another corpus."""
        before = self.setting()
        for name in ("corpus", "embedding", "models") if before else ():
            if getattr(before, name) != getattr(setting, name):
                raise InputError(
                    f"{self.folder} holds results with another {name} ({getattr(before, name)}); those do not compare.",
                    "Choose another --out.",
                )
        (self.folder / "setting.json").write_text(setting.model_dump_json(indent=1), encoding="utf-8")

    def written(self) -> dict[str, Written]:
        """All texts by key."""
        return self._read("drafts", Written)

    def scored(self, judge: str) -> dict[str, Scored]:
        """All metrics by one judge, by the key of the text."""
        return self._read(f"scores/{slug(judge)}", Scored)

    def results(self, judge: str) -> list[tuple[Written, Scored]]:
        """Every text with its metrics by this judge, the latest for each system, B and topic."""
        scores = self.scored(judge)
        latest = {
            (w.system, w.breadth, w.topic): (w, scores[w.key]) for w in self.written().values() if w.key in scores
        }
        return list(latest.values())

    def add(self, row: Written | Scored) -> None:
        """Appends a row and has it on disk when it returns."""
        kind = "drafts" if isinstance(row, Written) else f"scores/{slug(row.judge)}"
        place = self.folder / kind / f"{row.system}-b{row.breadth}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("a", encoding="utf-8") as file:
            file.write(row.model_dump_json() + "\n")

    def _read(self, kind: str, row_type: type[Row]) -> dict[str, Row]:
        rows: dict[str, Row] = {}
        for path in sorted((self.folder / kind).glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                if _whole(line):
                    row = row_type.model_validate_json(line)
                    rows[row.key] = row
        return rows


def _whole(line: str) -> bool:
    """Whether a line was written to its end: a run may have been stopped in the middle of one."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def of_one_corpus(rows: Iterable[Written | Scored]) -> None:
    """Refuses to put results of different corpora into one table."""
    found = sorted({row.corpus for row in rows})
    if len(found) > 1:
        raise InputError(
            f"These results come from different corpora ({', '.join(found)}) and cannot stand in one report.",
            "Make a report for each.",
        )


def slug(name: str) -> str:
    """A name as part of a path."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")
