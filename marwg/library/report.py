"""What an import did, entry by entry, in words that a user can act on."""

from collections.abc import Sequence

from marwg.library.identifiers import Identifier
from marwg.types import Frozen, Page, Paper, PaperId


class Remark(Frozen):
    """Something about one entry of one source."""

    source: str
    where: str = ""
    reason: str

    def __str__(self) -> str:
        named = self.reason.startswith(self.source)  # an error about a whole file names it
        return ": ".join(part for part in ("" if named else self.source, self.where, self.reason) if part)


class Parsed(Frozen):
    """What a reader took from one file. Pages point to their paper by the id that the paper has here."""

    papers: tuple[Paper, ...] = ()
    places: tuple[str, ...] = ()
    """Where each paper stands in the file, for remarks; as long as `papers`."""
    pages: tuple[Page, ...] = ()
    incomplete: tuple[Remark, ...] = ()
    refused: tuple[Remark, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    """What the file names and does not describe: papers that are still to be fetched."""


class ImportReport(Frozen):
    """How many entries were read, which of them were merged or are incomplete, and what was refused and why."""

    read: int = 0
    added: int = 0
    pages: int = 0
    paper_ids: tuple[PaperId, ...] = ()
    merged: tuple[Remark, ...] = ()
    incomplete: tuple[Remark, ...] = ()
    refused: tuple[Remark, ...] = ()

    def __add__(self, other: "ImportReport") -> "ImportReport":
        return ImportReport.of([self, other])

    @classmethod
    def of(cls, reports: Sequence["ImportReport"]) -> "ImportReport":
        """Several reports as one, in their order."""
        return cls(
            read=sum(r.read for r in reports),
            added=sum(r.added for r in reports),
            pages=sum(r.pages for r in reports),
            paper_ids=tuple(dict.fromkeys(i for r in reports for i in r.paper_ids)),
            merged=tuple(remark for r in reports for remark in r.merged),
            incomplete=tuple(remark for r in reports for remark in r.incomplete),
            refused=tuple(remark for r in reports for remark in r.refused),
        )

    def summary(self) -> str:
        """One sentence for the user."""
        papers = f"{self.read} paper{'' if self.read == 1 else 's'} read, {self.added} new"
        counts = (
            (self.merged, "merged with papers already here"),
            (self.incomplete, "incomplete"),
            (self.refused, "refused"),
        )
        more = [f"{len(remarks)} {what}" for remarks, what in counts if remarks]
        if self.pages:
            more.insert(0, f"{self.pages} pages of full text")
        return ", ".join([papers, *more]) + "."
