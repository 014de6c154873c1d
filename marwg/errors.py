"""Everything that can go wrong, as a small tree.

MarwgError                 one sentence for the user, a hint what to do, whether trying again helps
├── InputError             the request itself cannot be used (empty abstract, too long, wrong language)
├── LibraryError           a paper, file or library cannot be read
│   ├── EmptyLibrary       there is nothing to search in
│   ├── UnreadableFile     one file is encrypted, has no text, is broken
│   └── NothingFound       the search came back without one usable paper
├── IndexUnavailable       the vector database cannot be reached
│   ├── LibraryBusy        another process holds the local library
│   └── OtherEmbedding     the collection was made with another embedding model
├── ModelError             a language model did not do its task
│   ├── KeyRefused         the provider does not accept the key
│   ├── ModelTimeout       no answer in time
│   ├── ModelUnavailable   the provider answers with an error, or not at all
│   └── InvalidReply       answers came, none was usable; carries the attempts
├── SourceUnavailable      a live source (arXiv, OpenAlex, …) does not answer; the others are used
├── PromptError            a prompt file and its task do not fit together
├── RunError               a stored run cannot be found or continued
└── LimitReached           the limit of cost that the user set
"""

from collections.abc import Sequence


class MarwgError(Exception):
    """Something the user has to know: `message` says what happened, `hint` what to do; the cause is for the log."""

    retry = False  # whether trying the same again may help

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class InputError(MarwgError):
    """The request cannot be used as it is."""


class LibraryError(MarwgError):
    """A paper, a file or the library cannot be read."""


class EmptyLibrary(LibraryError):
    """There is no paper to search in."""


class UnreadableFile(LibraryError):
    """One file gives no text or no entries."""


class NothingFound(LibraryError):
    """The search came back without one usable paper, so nothing may be written."""


class IndexUnavailable(MarwgError):
    """The vector database cannot be reached."""

    retry = True


class LibraryBusy(IndexUnavailable):
    """Another process holds the local library."""


class OtherEmbedding(IndexUnavailable):
    """The stored vectors come from another embedding model than the one in use."""

    retry = False


class ModelError(MarwgError):
    """A language model did not do its task."""


class KeyRefused(ModelError):
    """The provider does not accept the key."""


class ModelTimeout(ModelError):
    """No answer came in time."""

    retry = True


class ModelUnavailable(ModelError):
    """The provider answers with an error, or not at all."""

    retry = True


class InvalidReply(ModelError):
    """Answers came and none was usable; `attempts` holds what was said and why it was refused."""

    retry = True

    def __init__(self, message: str, hint: str = "", attempts: Sequence[str] = ()) -> None:
        super().__init__(message, hint)
        self.attempts = tuple(attempts)


class SourceUnavailable(MarwgError):
    """A live source does not answer, or not with data; what is here and the other sources are used."""

    retry = True


class PromptError(MarwgError):
    """A prompt file and its task do not fit together; found when prompts are loaded."""


class RunError(MarwgError):
    """A stored run cannot be found or continued."""


class LimitReached(MarwgError):
    """The limit of cost that the user set is reached; what was done is kept."""
