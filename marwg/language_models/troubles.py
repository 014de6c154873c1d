"""Calls that failed: what an error of a provider means for the call and for the user."""

import re

from marwg.errors import InvalidReply, KeyRefused, ModelError, ModelTimeout, ModelUnavailable
from marwg.language_models.choice import KEYS, Spec, key_of
from marwg.settings import Settings

_TOO_LONG = re.compile(r"context.{0,20}(length|window|size)|too (long|many tokens)|maximum.{0,30}tokens", re.IGNORECASE)
_KEPT = "what was done is kept."


class Trouble(Exception):
    """A call that failed: the error for the user, and what can be done before it is raised."""

    def __init__(
        self, error: ModelError, *, again: bool = False, wait: float | None = None, form: bool = False, detail: str = ""
    ) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again  # the same call may work later
        self.wait = wait  # seconds that the server asks for
        self.form = form  # the form of the reply may be what the server does not know
        self.detail = detail  # for the log, without keys


def refusal(spec: Spec, said: str) -> Trouble:
    """The model will not answer this."""
    hint = "Another model may do it; see MARWG_GENERATOR and MARWG_VERIFIER."
    return Trouble(InvalidReply(f"{spec} refused to answer.", hint, attempts=(said,)), detail=said)


def trouble_of(error: Exception, spec: Spec, url: str, settings: Settings) -> Trouble:
    """What an error of pydantic-ai means; no text in it holds a key."""
    status = getattr(error, "status_code", None)
    detail = _without_keys(str(error), settings)
    said = _without_keys(" ".join(str(getattr(error, "body", None) or error).split()), settings)[:200]
    trouble = _lasting(error, spec, url, status, detail, said) or _passing(error, spec, url, settings)
    if trouble is None:
        failed = f"{spec} answered with an error ({status or 'unreadable'})."
        # A local server that does not know a form answers so; the large ones say what is wrong with a request.
        trouble = Trouble(
            ModelUnavailable(failed, f"Try again later, or use another model; {_KEPT}"),
            again=True,
            wait=getattr(error, "retry_after", None),
            form=status in (500, 501) and spec.provider in ("ollama", "compatible"),
        )
    trouble.detail = detail
    return trouble


def _lasting(error: Exception, spec: Spec, url: str, status: int | None, detail: str, said: str) -> Trouble | None:
    """What will not go away by waiting."""
    from pydantic_ai import exceptions as e

    if isinstance(error, e.ModelAuthenticationError) or "API_KEY_INVALID" in detail:
        variable = KEYS.get(spec.provider, "")
        hint = f"Check {variable}, and that the key may use this model." if variable else "Check the key."
        return Trouble(KeyRefused(f"{spec.provider} does not accept the key for {spec}.", hint))
    if isinstance(error, e.ModelNotFoundError):
        hint = "Check the name of the model" + (f" and the address {url}." if url else ".")
        return Trouble(ModelError(f"{spec} is not there.", hint))
    if isinstance(error, e.ModelContextWindowExceededError) or (status in (400, 413) and _TOO_LONG.search(detail)):
        hint = "Use a model with a longer context, or a smaller breadth or depth."
        return Trouble(ModelError(f"The prompt is too long for {spec}.", hint))
    if isinstance(error, e.ModelQuotaExceededError):
        hint = f"Top the account up, or use another model; {_KEPT}"
        return Trouble(ModelError(f"The account at {spec.provider} has no quota left.", hint))
    if isinstance(error, e.ContentFilterError):
        return refusal(spec, said)
    client_error = status is not None and 400 <= status < 500 and status not in (408, 429)
    if isinstance(error, e.ModelRequestRejectedError) or client_error:
        return Trouble(ModelError(f"{spec} did not accept the request: {said}", "Use another model."), form=True)
    return None


def _passing(error: Exception, spec: Spec, url: str, settings: Settings) -> Trouble | None:
    """What may be over in a moment."""
    from pydantic_ai import exceptions as e

    if isinstance(error, e.ModelRateLimitError):
        limited = ModelUnavailable(f"{spec} limits how often it may be asked.", f"Wait a while and go on; {_KEPT}")
        return Trouble(limited, again=True, wait=error.retry_after)
    if isinstance(error, e.ModelTimeoutError | e.ModelRequestTimeout):
        hint = "Try again, use a faster model, or raise MARWG_TIMEOUT_SECONDS."
        late = ModelTimeout(f"{spec} gave no answer in {settings.timeout_seconds:g} seconds.", hint)
        return Trouble(late, again=True)
    if isinstance(error, e.ModelConnectionError):
        unreached = f"{spec} cannot be reached{f' at {url}' if url else ''}."
        hint = f"See whether the server runs and the network is there; {_KEPT}"
        return Trouble(ModelUnavailable(unreached, hint), again=True)
    return None


def _without_keys(text: str, settings: Settings) -> str:
    for provider in KEYS:
        key = key_of(settings, provider)
        text = text.replace(key, "[key]") if key else text
    return text
