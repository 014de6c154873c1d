"""Mending claims that do not stand: rewrite, another source, weaker words, then drop or flag; each step recorded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from marwg.agents.fact_checking.examination import JUDGING, Examined, Examiner
from marwg.errors import KeyRefused, ModelError
from marwg.events import Notice, Report
from marwg.language_models import Models
from marwg.tasks import CorrectClaims, CorrectedClaim, ErroneousClaim
from marwg.text.sources import match_ids
from marwg.types import Claim, ClaimState, Correction, Draft, ErrorType
from marwg.verification.mending import may_be_dropped, proposed, reattributed, without_papers
from marwg.verification.verdicts import UNION

CLAIMS_A_CALL = 10
_SURE = 0.9
_LEAST = 0.5
"""Cosine and half the share of words together: below, another paper is not even asked."""


@dataclass
class Case:
    """One claim on its way: as it came, as it stands, what was done, and whether its sentence is taken out."""

    first: Examined
    now: Examined
    state: ClaimState
    error_type: ErrorType | None = None
    corrections: list[Correction] = field(default_factory=list)
    tried: Examined | None = None
    dropped: bool = False

    @classmethod
    def of(cls, examined: Examined) -> "Case":
        """A claim as it was first examined."""
        return cls(examined, examined, examined.outcome.state, examined.outcome.error_type)

    @property
    def open(self) -> bool:
        """Whether it still does not stand."""
        return not self.dropped and self.state in (ClaimState.UNSUPPORTED, ClaimState.DISPUTED)

    @property
    def latest(self) -> Examined:
        """The wording that the next attempt starts from."""
        return self.tried or self.now

    def accept(self, examined: Examined, correction: Correction, state: ClaimState) -> None:
        """A new wording that was checked and stands."""
        self.now, self.state = examined, state
        self.corrections.append(correction)


@dataclass(frozen=True)
class Trial:
    """A new wording for a case, to be examined before it counts."""

    case: Case
    claim: Claim
    correction: Correction
    state: ClaimState = ClaimState.CORRECTED


class Corrector:
    """Mends the open cases of one draft; `gentle` where no model that can read has judged: then nothing is taken out."""

    def __init__(self, draft: Draft, examiner: Examiner, models: Models, report: Report, gentle: bool) -> None:
        self._draft = draft
        self._examiner = examiner
        self._models = models
        self._report = report
        self._gentle = gentle
        self._author = models.name("generator", CorrectClaims.name)
        self._judges = " and ".join(
            dict.fromkeys((models.name("generator", JUDGING), models.name("verifier", JUDGING)))
        )

    async def mend(self, cases: Sequence[Case], attempts: int) -> None:
        """The steps in order, each for the cases that the one before left open; what is left at the end is flagged."""
        idle = [] if self._gentle else [t for c in cases if (t := self._without_idle(c))]
        for attempt in range(attempts):
            trials = await self._rewritten([c for c in cases if c.open])
            await self._try([*trials, *(idle if attempt == 0 else [])])
        if attempts:
            await self._try([t for c in cases if c.open and (t := await self._other_source(c))])
            await self._try(await self._rewritten([c for c in cases if c.open], weaken=True))
        gone: set[str] = set()
        for case in cases:
            if case.open:
                self._drop_or_flag(case, gone)
            elif case.now.outcome.superfluous:
                self._flag_idle(case)

    async def _try(self, trials: Sequence[Trial]) -> None:
        """Examines new wordings; one that both judges support is taken, any other leaves the sentence as it was."""
        examined = await self._examiner.examine([t.claim for t in trials], {}) if trials else []
        for trial, found in zip(trials, examined, strict=True):
            strange = trial.state is ClaimState.REATTRIBUTED and any(f.rule == "name" for f in found.findings)
            if found.outcome.good and not strange:
                trial.case.accept(found, trial.correction, trial.state)
            elif trial.state is ClaimState.CORRECTED and trial.case.open:
                trial.case.tried = found

    # ------------------------------------------------------------ steps

    async def _rewritten(self, cases: Sequence[Case], weaken: bool = False) -> list[Trial]:
        """c' = Model_1(c, R_c, type, reason), for each case where it gives something that may stand."""
        trials: list[Trial] = []
        for start in range(0, len(cases), CLAIMS_A_CALL):
            batch = cases[start : start + CLAIMS_A_CALL]
            said = await self._ask(batch, weaken)
            for number, case in enumerate(batch, 1):
                reply = said.get(f"c{number}")
                if reply is None:
                    continue
                claim, _ = proposed(case.now.claim, reply.sentence, reply.reason, weaken)
                if claim is None or (case.tried and claim.sentence == case.tried.claim.sentence):
                    continue
                correction = Correction(
                    kind="weakened" if weaken else "rewritten",
                    before=case.now.claim.sentence,
                    after=claim.sentence,
                    reason=_why(case.now, reply.reason),
                    by=self._author,
                )
                trials.append(Trial(case, claim, correction))
        return trials

    async def _ask(self, batch: Sequence[Case], weaken: bool) -> dict[str, CorrectedClaim]:
        wrong = tuple(
            ErroneousClaim(
                id=f"c{number}",
                sentence=case.latest.claim.sentence,
                error_type=case.latest.outcome.error_type or case.error_type or ErrorType.OTHER,
                reason=case.latest.against or case.now.against,
                passages=tuple(case.latest.sources.values()),
                weaken=weaken,
            )
            for number, case in enumerate(batch, 1)
        )
        try:
            reply = await self._models.run(CorrectClaims(claims=wrong))
        except KeyRefused:
            raise
        except ModelError as error:
            self._report(
                Notice(text=f"Some claims could not be corrected and are left to you. {error}", level="warning")
            )
            return {}
        return match_ids(reply.claims, [w.id for w in wrong]).found

    async def _other_source(self, case: Case) -> Trial | None:
        """The failing part of a claim under another paper of the shortlist, where one comes near."""
        failing = case.now.outcome.failing
        closer = any(f.rule == "closer" for f in case.now.findings)
        if not (case.state is ClaimState.UNSUPPORTED or closer) or case.now.claim.kind != "cited" or len(failing) != 1:
            return None
        (part,) = failing
        other = await self._examiner.best_other(
            case.now.claim, part.text, _SURE if self._gentle and not closer else _LEAST
        )
        claim = reattributed(case.now.claim, part, other) if other else None
        if claim is None:
            return None
        gone = ", ".join(f"[@{i}]" for i in part.citations)
        reason = f"{gone} does not say this, [@{other}] does. {case.now.against}"
        correction = Correction(
            kind="re-attributed", before=case.now.claim.sentence, after=claim.sentence, reason=reason, by=self._judges
        )
        return Trial(case, claim, correction, ClaimState.REATTRIBUTED)

    def _without_idle(self, case: Case) -> Trial | None:
        """A supported claim without the citations that both judges find to carry nothing."""
        idle = case.now.outcome.superfluous
        claim = without_papers(case.now.claim, idle) if idle else None
        if claim is None:
            return None
        correction = Correction(
            kind="dropped",
            before=case.now.claim.sentence,
            after=claim.sentence,
            reason=idle_note(case),
            by=self._judges,
        )
        return Trial(case, claim, correction)

    # ------------------------------------------------------------ at the end

    def _drop_or_flag(self, case: Case, gone: set[str]) -> None:
        """A sentence that two models that can read find unsupported goes; any other is left for the author to decide."""
        claim = case.now.claim
        labels = [j.label for j in case.now.verdicts.get(UNION, ())]
        both = bool(labels) and all(label == "not supported" for label in labels)
        if both and not self._gentle and may_be_dropped(self._draft, claim, gone):
            case.dropped = True
            gone.add(claim.sentence)
            self._record(case, "dropped", "", f"Nothing at hand supports it. {case.now.against}", self._judges)
        else:
            self._record(case, "flagged", claim.sentence, f"Left for you to decide. {case.now.against}", self._judges)

    def _flag_idle(self, case: Case) -> None:
        self._record(case, "flagged", case.now.claim.sentence, idle_note(case), self._judges)

    @staticmethod
    def _record(case: Case, kind: str, after: str, reason: str, by: str) -> None:
        before = case.now.claim.sentence
        correction = Correction.model_validate(
            {"kind": kind, "before": before, "after": after, "reason": reason.strip(), "by": by}
        )
        case.corrections.append(correction)


def _why(examined: Examined, reason: str) -> str:
    kind = examined.outcome.error_type
    said = f"{kind.value}: {examined.against}" if kind else examined.against
    return f"{said} Changed: {reason.strip()}" if reason.strip() else said


def idle_note(case: Case) -> str:
    """Which citations of a claim carry nothing of it."""
    papers = ", ".join(f"[@{i}]" for i in case.now.outcome.superfluous)
    return f"{papers} does not carry this, the other citation does."
