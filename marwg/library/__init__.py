"""Papers and their pages: the store, and what reads files into it. Knows no model."""

from marwg.library.report import ImportReport, Remark
from marwg.library.store import Library

__all__ = ["ImportReport", "Library", "Remark"]
