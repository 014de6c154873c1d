"""Parts of speech by HanTa's packaged English model (C5 tags), loaded when a first sentence needs it."""

import re
import threading
from functools import lru_cache
from typing import Any, NamedTuple

FINITE_TAGS = frozenset("VVB VVZ VVD VBB VBZ VBD VHB VHZ VHD VDB VDZ VDD VM0".split())

_TOKEN = re.compile(r"[A-Za-z0-9$%\\][\w$%\\.'’*+/@-]*[\w%$*+]|\w|[^\w\s]")
_LEARNED_PLURALS = {
    "corpus": "corpora",
    "matrix": "matrices",
    "vertex": "vertices",
    "index": "indices",
    "criterion": "criteria",
}
_lock = threading.Lock()


class Word(NamedTuple):
    """One token with its lemma and C5 tag."""

    text: str
    lemma: str
    tag: str


@lru_cache(maxsize=1)
def _model() -> Any:
    from HanTa import HanoverTagger

    return HanoverTagger.HanoverTagger("morphmodel_en.pgz")


@lru_cache(maxsize=50_000)
def tag(text: str) -> tuple[Word, ...]:
    """The tokens of a sentence with their tags; the tagger keeps state while it works, so one at a time."""
    tokens = _TOKEN.findall(text)
    if not tokens:
        return ()
    with _lock:
        return tuple(Word(*word) for word in _model().tag_sent(tokens))


def has_finite_verb(text: str) -> bool:
    """Whether some word is tagged as a finite verb."""
    return any(word.tag in FINITE_TAGS for word in tag(text))


def third_person(verb: str) -> str:
    """The -s form of a verb in its plain form."""
    irregular = {"are": "is", "have": "has", "do": "does", "were": "was", "be": "is"}
    if verb in irregular:
        return irregular[verb]
    from lemminflect import getInflection, getLemma

    lemma = (getLemma(verb, "VERB") or (verb,))[0]
    return str((getInflection(lemma, "VBZ") or (f"{verb}s",))[0])


def plain_form(verb: str) -> str:
    """The form of a verb that stands after a plural subject, from its -s form."""
    irregular = {"is": "are", "has": "have", "does": "do", "was": "were"}
    if verb in irregular:
        return irregular[verb]
    from lemminflect import getLemma

    return str((getLemma(verb, "VERB") or (verb.removesuffix("s"),))[0])


def plural(noun: str) -> str:
    """The plural of a noun; learned plurals as technical writing has them."""
    if noun in _LEARNED_PLURALS:
        return _LEARNED_PLURALS[noun]
    from lemminflect import getInflection

    return str((getInflection(noun, "NNS") or (noun,))[0])


def singular(word: str) -> str:
    """The singular of a noun by its ending, which is enough to compare phrases."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word
