"""What is judged of a claim, and what two judges together say of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from marwg.text.markup import without_citations
from marwg.types import Claim, ClaimState, ErrorType, Finding, Judgement, PaperId, SubClaim
from marwg.verification.claims import FOCAL, says_only_what_is_near
from marwg.verification.gate import HARD, TURNING

UNION = "u"
"""The key of the view of a whole sentence with all its papers."""

MOST_REASONS = 4


@dataclass(frozen=True)
class View:
    """One thing to judge: a text and the papers that must carry it together."""

    key: str
    text: str
    citations: tuple[PaperId, ...]


@dataclass(frozen=True)
class Outcome:
    """Where a claim stands after its verdicts: state, kind of error, parts that nothing carries, citations not needed."""

    state: ClaimState
    error_type: ErrorType | None = None
    failing: tuple[SubClaim, ...] = ()
    superfluous: tuple[PaperId, ...] = ()

    @property
    def good(self) -> bool:
        return self.state is ClaimState.SUPPORTED

    @property
    def erroneous(self) -> bool:
        """Not supported by both: to be mended."""
        return self.state in (ClaimState.UNSUPPORTED, ClaimState.DISPUTED)


def views_of(claim: Claim) -> tuple[View, ...]:
    """The whole sentence against all its papers, and, where it cites several, each part against each of its own."""
    whole = without_citations(claim.sentence)
    if claim.kind == "uncited" or says_only_what_is_near(claim.sentence):
        return ()
    if claim.kind == "focal":
        return (View(UNION, whole, (FOCAL, *claim.citations)),)
    union = View(UNION, whole, claim.citations)
    if len(claim.citations) == 1:
        return (union,)
    pairs = [View(f"{n}.{i}", part.text, (i,)) for n, part in enumerate(claim.parts) for i in part.citations]
    return (union, *pairs)


Verdicts = Mapping[str, Sequence[Judgement]]
"""The judgements of both judges by view."""


def outcome(claim: Claim, verdicts: Verdicts, findings: Sequence[Finding]) -> Outcome:
    """What gate and judges together say: supported only where both support it and every part has a paper that does."""
    hard = [f for f in findings if f.rule in HARD]
    if claim.kind == "uncited":
        return Outcome(ClaimState.NOT_CHECKED)
    if any(f.rule == "citation" for f in hard):
        return Outcome(ClaimState.UNSUPPORTED, ErrorType.INCORRECT_ATTRIBUTION, claim.parts)
    labels = _labels(verdicts.get(UNION, ()))
    if not labels or "not checked" in labels:
        return Outcome(ClaimState.NOT_CHECKED)
    if labels == {"not supported"}:
        return Outcome(
            ClaimState.UNSUPPORTED, error_type(_against(verdicts), hard), _failing(claim, verdicts) or claim.parts
        )
    if "not supported" in labels:
        return Outcome(
            ClaimState.DISPUTED, error_type(_against(verdicts), hard), _failing(claim, verdicts) or claim.parts
        )
    turned = [f for f in findings if f.rule in TURNING]
    return _of_parts(claim, verdicts, hard, turned)


def _of_parts(claim: Claim, verdicts: Verdicts, hard: Sequence[Finding], turned: Sequence[Finding]) -> Outcome:
    """The outcome where both judges support the whole sentence."""
    failing = _failing(claim, verdicts)
    # One part whose papers only together support it is well cited; of several parts, each needs a paper of its own.
    if failing and len(claim.parts) > 1:
        disputed = any("supported" in _labels(verdicts.get(key, ())) for part in failing for key in _keys(claim, part))
        state = ClaimState.DISPUTED if disputed else ClaimState.UNSUPPORTED
        return Outcome(state, ErrorType.INCORRECT_ATTRIBUTION, failing)
    if hard:
        return Outcome(ClaimState.UNSUPPORTED, error_type((), hard), claim.parts)
    if any("not checked" in _labels(v) for v in verdicts.values()):
        return Outcome(ClaimState.NOT_CHECKED)
    # One model in both roles is one opinion; words that turn the meaning round are another. Judges read past "the
    # largest" easily, whoever they are.
    loud = any(f.rule == "superlative" for f in turned)
    if loud or (turned and len({j.judge for found in verdicts.values() for j in found}) == 1):
        return Outcome(ClaimState.DISPUTED, _BY_RULE.get(turned[0].rule, ErrorType.DIRECT_CONTRADICTION), claim.parts)
    return Outcome(ClaimState.SUPPORTED, superfluous=_superfluous(claim, verdicts))


def _keys(claim: Claim, part: SubClaim) -> list[str]:
    return [f"{claim.parts.index(part)}.{i}" for i in part.citations]


def _failing(claim: Claim, verdicts: Verdicts) -> tuple[SubClaim, ...]:
    """Parts of which no citation is supported by both judges, all having been judged."""
    if len(claim.citations) < 2 or claim.kind == "focal":
        return ()
    failing = []
    for part in claim.parts:
        labels = [_labels(verdicts.get(key, ())) for key in _keys(claim, part)]
        judged = all(found and "not checked" not in found for found in labels)
        if judged and not any(found == {"supported"} for found in labels):
            failing.append(part)
    return tuple(failing)


def _superfluous(claim: Claim, verdicts: Verdicts) -> tuple[PaperId, ...]:
    """Citations that both judges find to carry nothing, beside one that carries the same part."""
    if len(claim.citations) < 2 or claim.kind == "focal":
        return ()
    needed, idle = set(), []
    for part in claim.parts:
        labels = {i: _labels(verdicts.get(key, ())) for i, key in zip(part.citations, _keys(claim, part), strict=True)}
        good = [i for i, found in labels.items() if found == {"supported"}]
        needed |= set(good)
        idle += [i for i, found in labels.items() if good and found == {"not supported"}]
    return tuple(dict.fromkeys(i for i in idle if i not in needed))


def _labels(judgements: Iterable[Judgement]) -> set[str]:
    return {j.label for j in judgements}


def _against(verdicts: Verdicts) -> tuple[Judgement, ...]:
    return tuple(j for key in sorted(verdicts) for j in verdicts[key] if j.label == "not supported")


_BY_RULE = {
    "citation": ErrorType.INCORRECT_ATTRIBUTION,
    "number": ErrorType.UNSUBSTANTIATED,
    "year": ErrorType.MISREPRESENTATION,
    "quote": ErrorType.MISREPRESENTATION,
    "place": ErrorType.MISREPRESENTATION,
    "superlative": ErrorType.MISREPRESENTATION,
    "closer": ErrorType.INCORRECT_ATTRIBUTION,
}


def error_type(against: Iterable[Judgement], hard: Sequence[Finding] = ()) -> ErrorType:
    """The kind of error by ensemble: the kinds named, weighed by confidence; the gate decides where no judge names one."""
    weights: dict[ErrorType, float] = {}
    for judgement in against:
        if judgement.error_type is not None:
            sure = 0.5 if judgement.confidence is None else judgement.confidence
            weights[judgement.error_type] = weights.get(judgement.error_type, 0.0) + sure
    if weights:
        order = list(ErrorType)
        return max(weights, key=lambda e: (weights[e], -order.index(e)))
    return _BY_RULE.get(hard[0].rule, ErrorType.OTHER) if hard else ErrorType.UNSUBSTANTIATED


def reasons(verdicts: Verdicts, findings: Iterable[Finding]) -> str:
    """Everything said against a claim, for whoever mends it."""
    said = [f"{f.rule}: “{f.words}” {f.message}." for f in findings]
    whole = [j for j in verdicts.get(UNION, ()) if j.label == "not supported"]
    for judgement in (whole or _against(verdicts))[:MOST_REASONS]:
        text = judgement.reason.strip().rstrip(".") or "no reason given"
        said.append(f"{text}." + (f" The source: “{judgement.quote}”" if judgement.quote else ""))
    return " ".join(dict.fromkeys(said))
