"""The focal papers that a newcomer can begin with."""

import json
from pathlib import Path

from marwg.conversation.views import Starter

FILE = Path(__file__).resolve().parents[2] / "examples" / "starters.json"


def load(path: Path = FILE) -> list[Starter]:
    """The starters in `examples/starters.json`, in order; none where the file was removed."""
    if not path.exists():
        return []
    entries = json.loads(path.read_text(encoding="utf-8"))
    return [Starter(label=e["label"], title=e["title"], abstract=e["abstract"]) for e in entries]
