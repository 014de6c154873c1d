"""The terminal: draft a section, add papers to the library, look at the installation. The same pipeline as the chat."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from marwg.errors import MarwgError
from marwg.settings import Settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; 0 where it did what it says, 1 with one sentence on stderr where it could not."""
    asked = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        asyncio.run(asked.command(asked))
    except MarwgError as error:
        logging.getLogger("marwg").debug("stopped", exc_info=error)
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. What was done is kept: the same command goes on from there.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m marwg", description="Writes and verifies related-work sections.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], Awaitable[None]], about: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=about, description=about)
        added.set_defaults(command=run)
        return added

    draft = command("draft", _draft, "Write and verify the related-work section of a paper.")
    draft.add_argument("paper", type=Path, help="Markdown or LaTeX: the title as first heading, the abstract below")
    draft.add_argument("--out", type=Path, default=Path("out"), help="folder for the results (default: out)")
    draft.add_argument("--breadth", type=int, help="B: papers in the shortlist (default: 20)")
    draft.add_argument("--depth", type=int, help="D: pages per paper (default: 3)")
    draft.add_argument("--diversity", type=float, help="λ: from 0 (relevance alone, default) to 1")
    draft.add_argument("--words", type=int, help="aimed length of the section (default: 600)")
    draft.add_argument("--until", help="nothing that appeared later than this date is proposed: 2025-05-31")
    draft.add_argument("--selection", choices=["reading", "similarity"], help="how candidates are chosen")
    add = command("add", _add, "Add papers to the library: .bib files, PDFs, and folders of them.")
    add.add_argument("paths", type=Path, nargs="+", metavar="PATH")
    command("doctor", _doctor, "Show which models, library and vector database are in use.")
    return parser


async def _draft(asked: argparse.Namespace) -> None:
    from marwg.conversation.reading import checked, focal_in_file
    from marwg.exports import write_all
    from marwg.pipeline import Pipeline
    from marwg.services import open_services
    from marwg.terminal import Screen, parameters_of, summary
    from marwg.types import Request

    focal = checked(focal_in_file(asked.paper))
    parameters = parameters_of(asked)
    services = await open_services(Settings())
    try:
        screen = Screen()
        screen.say(services.models.describe())
        pipeline = Pipeline(services)
        run = services.runs.start("terminal", Request(focal=focal, parameters=parameters))
        for _ in range(2):  # to the outline, which is approved as it is, and on to the end
            async for event in pipeline.advance(run):
                screen.show(event)
                run = getattr(event, "run", run)
            run = run.model_copy(update={"outline_approved": True})
            services.runs.save(run)
        assert run.draft is not None
        files = write_all(asked.out, focal, run.draft, run.ledger, services.library.papers())
        screen.say(summary(run, files))
    finally:
        await services.close()


async def _add(asked: argparse.Namespace) -> None:
    from marwg.library.importing import import_files
    from marwg.services import open_services
    from marwg.terminal import Screen, import_summary

    services = await open_services(Settings())
    try:
        screen = Screen()
        report = await import_files(asked.paths, services.library, services.index, screen.show)
        screen.say(import_summary(report))
    finally:
        await services.close()


async def _doctor(asked: argparse.Namespace) -> None:
    from marwg.services import open_services
    from marwg.terminal import Screen

    services = await open_services(Settings())
    try:
        Screen().say("\n".join(services.describe()))
    finally:
        await services.close()


if __name__ == "__main__":
    sys.exit(main())
