"""A Zotero library, by its web interface or by the one of the program on this machine."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from marwg.errors import SourceUnavailable
from marwg.library.csl import paper_of
from marwg.library.records import sorted_out
from marwg.library.report import Parsed
from marwg.live.courier import Budget, Courier
from marwg.types import Paper

NAME = "Zotero"
_PAGE = 100
_NO_PAPERS = ("attachment", "note", "annotation")


async def read(courier: Courier, base: str, library: str, key: str, collection: str, budget: Budget) -> Parsed:
    """All items of a library ("users/12345" or "groups/678"), or of one of its collections, named by its key."""
    within = f"/collections/{collection}" if collection else ""
    headers = {"Zotero-API-Version": "3"} | ({"Zotero-API-Key": key} if key else {})
    items: list[Any] = []
    while True:
        params = {"include": "csljson,data", "limit": str(_PAGE), "start": str(len(items)), "itemType": "-attachment"}
        url = f"{base}/{library}{within}/items/top"
        answer = await courier.get(NAME, url, budget, params=params, headers=headers, pause=0.2, fresh=True)
        try:
            more = list(json.loads(answer.body))
        except (ValueError, TypeError) as error:
            raise SourceUnavailable(f"{NAME} sent an answer that cannot be read.") from error
        items += more
        if not more or len(items) >= int(answer.headers.get("total-results") or len(items)):
            return sorted_out(_papers(items), NAME)


def _papers(items: list[Any]) -> Iterator[tuple[str, Paper | str]]:
    for item in items:
        if not isinstance(item, Mapping):
            yield "item", "not a Zotero item"
            continue
        data, record = item.get("data") or {}, item.get("csljson")
        if data.get("itemType") in _NO_PAPERS:
            continue
        where = f"item {item.get('key', '')}"
        if not isinstance(record, Mapping):
            yield where, f"Zotero gives no record of this {data.get('itemType', 'item')}"
            continue
        try:
            yield where, paper_of({**record, "id": "", "citation-key": _key(data)})
        except (TypeError, ValueError, AttributeError, KeyError, IndexError) as error:
            yield where, f"not a valid record ({error})"


def _key(data: Mapping[str, Any]) -> str:
    """The citation key that Zotero, or Better BibTeX in the field "extra", has for an item."""
    stated = re.search(r"^citation key:\s*(\S+)", str(data.get("extra") or ""), re.IGNORECASE | re.MULTILINE)
    return str(data.get("citationKey") or "") or (stated.group(1) if stated else "")
