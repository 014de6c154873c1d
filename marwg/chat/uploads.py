"""Uploaded files, kept under their own names: the framework renames them and deletes them with the session."""

import asyncio
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any


async def keep_files(elements: Iterable[Any], folder: Path) -> list[Path]:
    """Copies what came with a message into a folder, each under the name that the user gave it."""
    kept = []
    for element in elements:
        if element.path:
            kept.append(await asyncio.to_thread(_keep, Path(element.path), element.name, folder))
    return kept


def _keep(source: Path, name: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    clean = Path(re.sub(r"[^\w.() -]", "_", Path(name).name).strip(". ") or "file")
    stem, suffix = clean.stem[:100], clean.suffix[:10]
    number, target = 1, folder / f"{stem}{suffix}"
    while target.exists():
        number += 1
        target = folder / f"{stem} ({number}){suffix}"
    shutil.copyfile(source, target)
    return target
