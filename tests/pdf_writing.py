"""Writes small PDFs for tests: pages of text at places, in Helvetica."""

from collections.abc import Sequence
from pathlib import Path

Placed = tuple[float, float, float, str]
"""Left, top, size, text; in points from the top left of a page of 612 × 792."""

WIDTH, HEIGHT = 612, 792


def write_pdf(path: Path, pages: Sequence[Sequence[Placed]]) -> Path:
    """A PDF with one content stream a page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in pages:
        content = "\n".join(
            f"BT /F1 {size} Tf 1 0 0 1 {left} {HEIGHT - top} Tm ({_escaped(text)}) Tj ET"
            for left, top, size, text in page
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {len(objects)} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    data, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    path.write_bytes(data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1"))
    return path


def column(text: str, left: float, top: float, size: float = 10, wide: int = 45) -> list[Placed]:
    """A text set in lines of at most `wide` characters."""
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) + 1 > wide and line:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    lines.append(line)
    return [(left, top + 1.2 * size * row, size, line) for row, line in enumerate(lines)]


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
