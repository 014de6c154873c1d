"""The text of a Word file, as Markdown: headings, paragraphs, list items. Fields of citation managers are plain text in it."""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from marwg.errors import UnreadableFile

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LARGEST = 50 * 1024**2


def docx_text(path: Path) -> str:
    """The running text of a .docx file; UnreadableFile where it is none, is encrypted or has no text."""
    try:
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo("word/document.xml")
            if entry.file_size > _LARGEST:
                raise UnreadableFile(
                    f"{path.name} is larger than can be read.", "Save the section as a file of its own."
                )
            data = archive.read(entry)
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError) as error:
        raise UnreadableFile(
            f"{path.name} cannot be read as a Word file.", "Save it as .docx without a password, or paste its text."
        ) from error
    if b"<!DOCTYPE" in data[:2000]:
        raise UnreadableFile(f"{path.name} cannot be read as a Word file.", "Save it again with Word or LibreOffice.")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise UnreadableFile(f"{path.name} is broken.", "Save it again with Word or LibreOffice.") from error
    blocks = [block for paragraph in root.iter(f"{_W}p") if (block := _paragraph(paragraph))]
    if not blocks:
        raise UnreadableFile(f"{path.name} has no text.", "Paste the section into the chat.")
    return "\n\n".join(blocks) + "\n"


def _paragraph(paragraph: ElementTree.Element) -> str:
    pieces = []
    for node in paragraph.iter():
        if node.tag == f"{_W}t":
            pieces.append(node.text or "")
        elif node.tag in (f"{_W}tab", f"{_W}br"):
            pieces.append(" ")
    text = " ".join("".join(pieces).split())
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    heading = re.match(r"heading\s?(\d)|title", style.get(f"{_W}val", "") if style is not None else "", re.IGNORECASE)
    return f"{'#' * int(heading[1] or 1)} {text}" if heading and text else text
