"""Acronyms: what a text defines, and each expanded once where it is first used."""

import re
from collections.abc import Iterable, Mapping

from marwg.extractive.tagging import singular
from marwg.extractive.text import fix_articles

EPONYMS = frozenset(
    "Gaussian Bayesian Markov Fourier Wasserstein Euclidean Lagrangian Chebyshev Shapley Hessian Monte Carlo Bernoulli Laplace "
    "Gibbs Langevin Bellman Nash Pareto Dirichlet Kalman Hilbert Riemannian Hamiltonian Jacobian Boltzmann Sinkhorn Fisher Poisson "
    "Lipschitz Newton Chinese English German French Amharic Arabic Hindi Japanese Twitter Wikipedia Stein Frechet Hebbian Siamese "
    "Internet Turing Kullback Leibler Cox Bayes Elo Korean Spanish Indian European African American Mandarin Web Python Java".split()
)
COMMON = frozenset(
    "LLM GPU CPU ASIC FPGA BERT GPT RNN CNN LSTM NLP AI BM25 MS MARCO TREC API SQL USA 3D 2D 1D RGB MRI CT BLEU ROUGE F1 AUC IoU "
    "mIoU ImageNet ResNet ID RAM DNA RNA PDF HTML XML JSON UK EU GAN MSE RMSE SOTA ML IEEE ACM ACL PhD OK QA".split()
)
_DEFINITION = re.compile(r"((?:[\w'/-]+ ){1,7})\(([A-Z][\w-]*[A-Z][\w-]*?)s?\)")
_ACRONYM = re.compile(r"(?<![@\w-])[A-Z][A-Za-z]*[A-Z][A-Za-z]*s?\b(?![^\[]*\])")
_COUNT_HEAD = re.compile(r" (?:protocol|model|method|system|task|algorithm|paradigm|setting|framework|program)")


def definitions(text: str) -> dict[str, str]:
    """acronym → long form, for each "long form (LF)" whose initials agree."""
    found: dict[str, str] = {}
    for match in _DEFINITION.finditer(text):
        words, acronym = match[1].split(), match[2]
        letters = re.sub(r"[^A-Z]", "", acronym)
        for count in range(1, len(words) + 1):
            span = words[-count:]
            pieces = "".join(piece[0] for word in span for piece in word.split("-") if piece).upper()
            if letters in (pieces, "".join(word[0] for word in span).upper()):
                found.setdefault(acronym, " ".join(span))
                break
    return found


def lower_words(phrase: str) -> str:
    """The phrase in lower case, but for names and words with capitals inside."""
    return " ".join(
        word if re.search(r"[a-z][A-Z]|[A-Z]{2}|\d", word) or word in EPONYMS else word.lower()
        for word in phrase.split()
    )


def agreed(texts: Iterable[str]) -> dict[str, str]:
    """acronym → long form over several papers, only where they agree: the same letters may mean two things."""
    senses: dict[str, dict[str, int]] = {}
    forms: dict[tuple[str, str], str] = {}
    for text in texts:
        for acronym, long_form in definitions(text).items():
            sense = " ".join(singular(word) for word in long_form.lower().replace("-", " ").split())
            counts = senses.setdefault(acronym, {})
            counts[sense] = counts.get(sense, 0) + 1
            forms.setdefault((acronym, sense), long_form)
    table: dict[str, str] = {}
    for acronym, counts in senses.items():
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if len(ranked) == 1 or ranked[0][1] >= 4 * ranked[1][1]:
            table[acronym] = forms[acronym, ranked[0][0]]
    return table


class Expander:
    """Expands acronyms sentence by sentence; remembers what the section has already introduced."""

    def __init__(self, own: Mapping[str, Mapping[str, str]], shared: Mapping[str, str], names: Iterable[str]) -> None:
        self._own = own
        self._shared = shared
        self._names = frozenset(names)
        self._done: set[str] = set()

    def apply(self, sentence: str, paper_id: str = "") -> str:
        """The sentence with acronyms expanded at first use and not defined a second time."""
        sentence = self._drop_repeated_definitions(sentence)
        table = {**self._shared, **self._own.get(paper_id, {})}

        def replace(match: re.Match[str]) -> str:
            return self._expand(match, sentence, table)

        return fix_articles(self._drop_repeats_within(_ACRONYM.sub(replace, sentence)))

    def _known(self, acronym: str) -> bool:
        return bool({acronym, acronym.removesuffix("s")} & (COMMON | self._names))

    def _expand(self, match: re.Match[str], sentence: str, table: Mapping[str, str]) -> str:
        acronym = match[0]
        base = acronym[:-1] if acronym.endswith("s") and acronym[:-1].isupper() else acronym
        before, after = sentence[: match.start()], sentence[match.end() :]
        if self._known(acronym) or base in self._done:
            return acronym
        if before.endswith("(") and after.startswith(")"):
            self._done.add(base)
            return acronym
        long_form = table.get(base)
        predicate = re.search(r"\b(?:is|are|be|both|not)\s$", before) and re.match(r"\s(?:and|or)\b|\.", after)
        in_name = re.search(r"[A-Z][\w-]* $|[\w-]+-$", before) and re.match(r" [A-Z]", after)
        quoted = before.count('"') % 2 == 1
        if in_name or quoted:
            return acronym
        if not long_form or predicate or before.endswith(("-", "(")) or after[:1] in ("-", "'", "/", ")"):
            return acronym
        self._done.add(base)
        long_form = lower_words(long_form)
        if acronym == base and long_form.endswith("s") and not long_form.endswith("ss") and _COUNT_HEAD.match(after):
            long_form = long_form[:-1]
        ending = "s" if acronym != base and not long_form.endswith("s") else ""
        return f"{long_form}{ending} ({acronym})"

    def _drop_repeated_definitions(self, sentence: str) -> str:
        """ "long form (LF)" becomes "LF" where LF is already introduced."""
        for acronym in sorted(self._done):
            long_form = definitions(sentence).get(acronym)
            if long_form:
                sentence = re.sub(rf"{re.escape(long_form)} \({re.escape(acronym)}(s?)\)", rf"{acronym}\1", sentence)
        return sentence

    @staticmethod
    def _drop_repeats_within(sentence: str) -> str:
        """One definition a sentence: expansion may have set a second one beside the author's own."""
        for acronym, long_form in definitions(sentence).items():
            defined = f"{long_form} ({acronym})"
            if sentence.count(defined) > 1:
                first = sentence.index(defined) + len(defined)
                sentence = sentence[:first] + sentence[first:].replace(defined, acronym)
        return sentence
