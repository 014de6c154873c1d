"""Reads the lines of a PDF with their places and prints them as JSON: `python -m marwg.library.pdf_reader FILE`.

Runs in a process of its own, which whoever started it may kill: a PDF is somebody else's program.
"""

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

MAX_PAGES = 2000
MAX_MEMORY = 3 * 1024**3
_LINE_ENDS = frozenset("\r\n")


def main(path: str) -> None:
    """Prints {"pages": …, "metadata": …} or {"error": "encrypted" | "broken"}."""
    _limit_memory()
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(Path(path))
    except pypdfium2.PdfiumError as error:
        known = "encrypted" if "assword" in str(error) or "ecurity" in str(error) else "broken"
        print(json.dumps({"error": known}))
        return
    try:
        count = len(document)
        pages = [_page(document[number], number + 1) for number in range(min(count, MAX_PAGES))]
        print(json.dumps({"pages": pages, "metadata": document.get_metadata_dict(), "count": count}))
    finally:
        document.close()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit; the time-out remains
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def _page(page: Any, number: int) -> dict[str, Any]:
    text = page.get_textpage()
    try:
        return {"number": number, "width": page.get_width(), "height": page.get_height(), "lines": _lines(text, page)}
    finally:
        text.close()
        page.close()


def _lines(text: Any, page: Any) -> list[list[Any]]:
    """Runs of characters on one baseline, as [text, left, top, right, bottom, size], in the order of the file."""
    from pypdfium2 import raw

    handle, height = text.raw, page.get_height()
    box = [ctypes.c_double() for _ in range(4)]
    lines: list[list[Any]] = []
    line: list[Any] | None = None
    for index in range(text.count_chars()):
        code = raw.FPDFText_GetUnicode(handle, index)
        char = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        if char in _LINE_ENDS:
            line = None
            continue
        raw.FPDFText_GetCharBox(handle, index, *(ctypes.byref(value) for value in box))
        left, right, low, high = (value.value for value in box)
        if char.isspace() or right <= left:  # spaces that the library puts in have no place of their own
            if line is not None:
                line[0] += " " if char.isspace() else char
            continue
        size = raw.FPDFText_GetFontSize(handle, index)
        top, bottom = height - high, height - low
        if line is None or _apart(line, left, top, bottom, size):
            line = ["", left, top, right, bottom, size, 0]
            lines.append(line)
        line[0] += char
        line[1], line[2] = min(line[1], left), min(line[2], top)
        line[3], line[4] = max(line[3], right), max(line[4], bottom)
        line[5] = max(line[5], size) if line[6] < 3 else line[5]
        line[6] += 1
    return [[text, *(round(value, 1) for value in place)] for text, *place, _ in lines if text.strip()]


def _apart(line: list[Any], left: float, top: float, bottom: float, size: float) -> bool:
    """Whether a character cannot belong to the line: too far to the right of it, back to the left, or up or down."""
    step = max(line[5], size, 4.0)
    return left - line[3] > 2.0 * step or line[3] - left > 2.0 * step or top > line[4] + step or bottom < line[2] - step


if __name__ == "__main__":
    main(sys.argv[1])
