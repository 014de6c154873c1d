"""What makes two records the same paper, and the ids and keys that follow from it."""

import base64
import hashlib
import re
import unicodedata
from collections.abc import Sequence

from marwg.types import Paper, PaperId

_ARXIV = r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Za-z]{2})?/\d{7})"
_ARXIV_MENTION = re.compile(
    rf"(?:arxiv(?:\.org)?[:/.\s]*(?:abs/|pdf/|html/)?|\babs/)\s*({_ARXIV})(?:v\d+)?", re.IGNORECASE
)
_ARXIV_WHOLE = re.compile(rf"^(?:arxiv:)?({_ARXIV})(?:v\d+)?(?:\s*\[[\w.-]+\])?$", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_PREPRINT_DOIS = (
    "10.48550/",
    "10.1101/",
    "10.2139/",
    "10.21203/",
    "10.31234/",
    "10.31219/",
    "10.20944/",
    "10.26434/",
    "10.36227/",
    "10.5281/",
)
_PREPRINT_VENUE = re.compile(
    r"^(?:corr\b|arxiv|biorxiv|medrxiv|ssrn|preprint|.*\bpreprint\b|.*\barxiv\b)", re.IGNORECASE
)
_KEY_STOP = frozenset("a an the on of in for to and with from towards toward by at is are how what why do does".split())
_UNUSABLE_IN_KEY = re.compile(r"[\s,{}\"#%~\\=()@;']+")
_SURE_TITLE_WORDS = 4


def normal_doi(text: str) -> str:
    """The DOI in `text` without its resolver, in lower case; empty if there is none."""
    found = _DOI.search(text.replace("\\_", "_").replace("%2F", "/"))
    return found.group(0).rstrip(".,;)}").lower() if found else ""


def find_arxiv_id(*texts: str) -> str:
    """The first arXiv id that a text mentions or is, without its version; empty if there is none."""
    for text in texts:
        found = _ARXIV_WHOLE.match(text.strip()) or _ARXIV_MENTION.search(text)
        if found:
            return found.group(1)
    return ""


def normal_title(title: str) -> str:
    """Letters and digits of a title, case and accents folded: what two spellings of it share."""
    folded = unicodedata.normalize("NFKD", title).casefold()
    return "".join(c for c in folded if c.isalnum())


def family_name(author: str) -> str:
    """The family name, case and accents folded, of "Family, Given"; of a name in one piece, all of it."""
    return normal_title(author.partition(",")[0])


def first_author(authors: Sequence[str]) -> str:
    """The folded family name of the first author; empty if nobody is named."""
    return family_name(authors[0]) if authors and authors[0] != "others" else ""


def is_preprint(paper: Paper) -> bool:
    """Whether the record describes a preprint, as far as its DOI and venue tell."""
    if paper.doi and not paper.doi.startswith(_PREPRINT_DOIS):
        return False
    return not paper.venue or bool(_PREPRINT_VENUE.match(paper.venue))


def same_paper(one: Paper, other: Paper) -> str:
    """What tells that two records are the same paper ("the same DOI", …); empty if nothing does."""
    if one.doi and one.doi == other.doi:
        return "the same DOI"
    if one.arxiv_id and one.arxiv_id == other.arxiv_id:
        return "the same arXiv id"
    if one.arxiv_id and other.arxiv_id:
        return ""
    published = [p.doi for p in (one, other) if p.doi and not p.doi.startswith(_PREPRINT_DOIS)]
    if len(published) == 2 or not normal_title(one.title) or normal_title(one.title) != normal_title(other.title):
        return ""
    if one.year and other.year and abs(one.year - other.year) > 1:
        return ""
    names = {first_author(one.authors), first_author(other.authors)}
    if len(names) == 1 and "" not in names:
        return "the same title, year and first author"
    # Where a record names nobody, only a title that is hardly a coincidence will do.
    sure = len(one.title.split()) >= _SURE_TITLE_WORDS or len(normal_title(one.title)) >= 25
    return "the same title" if "" in names and sure else ""


def paper_id(paper: Paper, taken: Sequence[PaperId] | frozenset[PaperId] | set[PaperId] = frozenset()) -> PaperId:
    """A short id that the same record always gets; where another paper has it, the next one."""
    names = ("doi:" + paper.doi, "arxiv:" + paper.arxiv_id, f"title:{normal_title(paper.title)}:{paper.year or ''}")
    identity = next(name for name in names if not name.endswith(":")) if paper.doi or paper.arxiv_id else names[2]
    for attempt in range(1000):
        digest = hashlib.sha256(f"{identity}#{attempt}".encode() if attempt else identity.encode()).digest()
        candidate = "p" + base64.b32encode(digest)[:8].decode().lower()
        if candidate not in taken:
            return candidate
    raise RuntimeError("a thousand papers with one identity")


def usable_key(key: str) -> str:
    """A citation key without the characters that BibTeX and LaTeX stumble over."""
    return _UNUSABLE_IN_KEY.sub("", key)


def generated_key(paper: Paper) -> str:
    """A key like `li2024title`, from ASCII letters and digits; the paper's id where title and author have none."""
    words = [_ascii(word) for word in re.split(r"[\s\-–—:/]+", paper.title)]
    word = next((w for w in words if w and w not in _KEY_STOP), "")
    author = _ascii(paper.authors[0].partition(",")[0]) if paper.authors and paper.authors[0] != "others" else ""
    return f"{author[:20]}{paper.year or ''}{word[:20]}" if author or word else paper.paper_id


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[^a-z0-9]", "", folded)
