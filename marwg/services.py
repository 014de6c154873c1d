"""Opens what a pipeline works with, from the settings: models, library, index and the store of runs."""

from dataclasses import dataclass

from marwg.errors import MarwgError
from marwg.index import Embedder, Index
from marwg.language_models import Models
from marwg.library import Library
from marwg.library.starter import seed
from marwg.live import Live
from marwg.runs import Runs
from marwg.settings import Settings


@dataclass(frozen=True)
class Services:
    """What a pipeline works with; `close` lets go of files and connections."""

    settings: Settings
    models: Models
    library: Library
    index: Index
    runs: Runs
    online: Live | None = None
    """Live sources; None where they are switched off, and then nothing is sent to them."""

    def describe(self) -> list[str]:
        """Which models do what, what the library holds, which embeddings and vector database are used; one a line."""
        papers = len(self.library)
        return [
            self.models.describe(),
            f"Library: {papers} paper{'' if papers == 1 else 's'} in {self.settings.home}",
            f"Embeddings: {self.index.embedder.name}; vectors: {self.settings.milvus_uri or 'Milvus Lite'}",
            f"Live search: {self._online()}",
        ]

    def _online(self) -> str:
        if self.online is None:
            return "off (MARWG_ONLINE=true switches it on)"
        return f"arXiv, OpenAlex and Semantic Scholar; what is sent is in {self.online.courier.log}"

    async def close(self) -> None:
        """Closes files and connections; safe to call twice."""
        if self.online is not None:
            await self.online.close()
        await self.models.close()
        await self.index.close()
        self.library.close()
        self.runs.close()


async def open_services(settings: Settings) -> Services:
    """Opens everything cheaply: models, embeddings and vectors are loaded when first used.

    A library that is empty and was never used is filled with the starter library.
    """
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MarwgError(
            f"The folder {settings.home} cannot be made or written to.", "Set MARWG_HOME to a folder of yours."
        ) from error
    library = Library(settings.home / "library.db")
    seed(library, settings.starter_library)
    embedder = Embedder(settings)
    models = await Models.open(settings, embedder.encode)
    index = Index(settings, embedder, library)
    online = Live(settings, library, index) if settings.online else None
    return Services(settings, models, library, index, Runs(settings.home / "runs.db"), online)
