"""Writes the sections in docs/samples from the starter library with the built-in writer, with settings and ledger.

    python benchmarks/samples.py [--check]

The starter library holds notes of ours and no foreign abstract, so that no foreign sentence comes into the repository.
With `--check` nothing is written, and the exit status is 1 where a sample is not what the program writes now.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from marwg.conversation import starters  # noqa: E402
from marwg.exports import ledger_json, pandoc_markdown, references_bib  # noqa: E402
from marwg.pipeline import Pipeline  # noqa: E402
from marwg.services import open_services  # noqa: E402
from marwg.settings import Settings  # noqa: E402
from marwg.text.references import bibliography, with_keys  # noqa: E402
from marwg.types import Focal, Parameters, Request, Style  # noqa: E402
from marwg.writing.matrix import markdown, matrix  # noqa: E402

FOLDER = ROOT / "docs" / "samples"

SAMPLES = (
    ("citation-verification", Parameters(breadth=15, words=500)),
    ("cross-domain-recommendation", Parameters(breadth=12, words=350, style=Style(english="british", headings=False))),
    ("domain-adaptive-segmentation", Parameters(breadth=15, style=Style(word_limit=400, closing=False))),
)
"""A name for each starter, in their order, and the settings that it is written with."""


async def files(home: Path) -> dict[str, str]:
    services = await open_services(Settings(home=home, generator="built-in", verifier="built-in"))
    made: dict[str, str] = {}
    try:
        for (name, parameters), starter in zip(SAMPLES, starters.load(), strict=True):
            focal = Focal(title=starter.title, abstract=starter.abstract)
            run = services.runs.start(name, Request(focal=focal, parameters=parameters))
            for _ in range(2):
                async for event in Pipeline(services).advance(run):
                    run = getattr(event, "run", run)
                run = run.model_copy(update={"outline_approved": True})
            assert run.draft is not None
            assert run.ledger is not None
            papers = services.library.papers()
            cited = bibliography(run.draft, papers)
            settings = parameters.model_dump(mode="json", exclude_defaults=True) | {"written_by": run.draft.author}
            compared = matrix(run.cards or (), run.focal_card, papers)
            keys = {p.paper_id: p.key for p in papers}
            made[f"{name}/related_work.md"] = pandoc_markdown(run.draft, cited)
            made[f"{name}/references.bib"] = references_bib(cited)
            made[f"{name}/ledger.json"] = ledger_json(focal, run.draft, run.ledger, cited)
            made[f"{name}/comparison.md"] = with_keys(markdown(compared), keys) + "\n"
            made[f"{name}/settings.json"] = (
                json.dumps({"focal": focal.model_dump()} | settings, indent=2, ensure_ascii=False) + "\n"
            )
    finally:
        await services.close()
    return made


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        made = asyncio.run(files(Path(folder) / "home"))
    if "--check" in sys.argv:
        differ = [
            n
            for n, text in made.items()
            if not (FOLDER / n).is_file() or (FOLDER / n).read_text(encoding="utf-8") != text
        ]
        print(
            f"{len(made) - len(differ)} of {len(made)} files are as written now"
            + "".join(f"\n  differs: {n}" for n in differ)
        )
        return int(bool(differ))
    for name, text in made.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {len(text.split())} words")
    return 0


if __name__ == "__main__":
    sys.exit(main())
