"""The terminal: draft a section, check one that you wrote, add papers to the library, look at the installation. The same pipeline as the chat."""

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
    words = sys.argv[1:] if arguments is None else arguments
    asked = _parser(words[0] if words else "").parse_args(words)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        status = asyncio.run(asked.command(asked))
    except MarwgError as error:
        logging.getLogger("marwg").debug("stopped", exc_info=error)
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. What was done is kept: the same command goes on from there.", file=sys.stderr)
        return 130
    return status or 0


def _parser(chosen: str = "") -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m marwg", description="Writes and verifies related-work sections.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: Callable[[argparse.Namespace], Awaitable[int | None]], about: str
    ) -> argparse.ArgumentParser:
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
    draft.add_argument("--minimum-similarity", type=float, help="papers less similar than this are not taken")
    draft.add_argument("--only-my-library", action="store_true", default=None, help="no live search in this run")
    draft.add_argument("--pin", dest="pinned", action="append", metavar="KEY", help="a paper that must be in")
    draft.add_argument("--exclude", dest="excluded", action="append", metavar="KEY", help="a paper to leave out")
    draft.add_argument("--english", choices=["american", "british"], help="spelling")
    draft.add_argument("--tone", choices=["neutral", "critical", "formal", "plain"], help="needs a language model")
    draft.add_argument("--language", help="of the section; needs a language model")
    draft.add_argument("--word-limit", type=int, help="never exceeded (default: none)")
    draft.add_argument("--no-headings", dest="headings", action="store_false", default=None, help="no subsections")
    draft.add_argument("--no-closing", dest="closing", action="store_false", default=None, help="no closing paragraph")
    verify = command(
        "verify", _verify, "Check a related-work section that you wrote; 2 where something is found against it."
    )
    verify.add_argument(
        "section", type=Path, help="LaTeX, Markdown, Word or plain text; of a whole paper its related work"
    )
    verify.add_argument("--bib", type=Path, action="append", default=[], help="its references (.bib, .ris, CSL-JSON)")
    verify.add_argument(
        "--pdf", type=Path, action="append", default=[], help="a PDF that it cites, or a folder of them"
    )
    verify.add_argument(
        "--paper", type=Path, help="the paper that it is for, for claims about it (default: the section's)"
    )
    verify.add_argument("--out", type=Path, help="folder for the report as HTML, JSON and CSV")
    verify.add_argument(
        "--fail-on", default="unsupported,disputed,unknown", metavar="LIST",
        help="what makes the exit status 2, of: unsupported, disputed, not-checked, uncited, unknown, unused, none",
    )  # fmt: skip
    add = command("add", _add, "Add papers: .bib, .ris, CSL-JSON, PDF, .zip, folders, DOIs, arXiv ids.")
    add.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, a DOI, an arXiv id, a URL, or zotero:")
    evaluation = command("evaluate", _evaluate, "Compare systems on a benchmark: texts, metrics, report.")
    making = command("benchmark", _benchmark, "Make a benchmark of your own papers, or add one to it.")
    if chosen in ("evaluate", "benchmark"):  # what their arguments need is loaded for them alone
        from marwg.evaluation.command import add_benchmark, add_evaluate

        add_evaluate(evaluation)
        add_benchmark(making)
    command("doctor", _doctor, "Show which models, library and vector database are in use.")
    return parser


async def _draft(asked: argparse.Namespace) -> None:
    from marwg.conversation.reading import checked, focal_in_file
    from marwg.exports import write_all
    from marwg.pipeline import Pipeline
    from marwg.services import open_services
    from marwg.terminal import Screen, parameters_of, summary
    from marwg.types import Request
    from marwg.writing.matrix import matrix

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
        papers = services.library.papers()
        compared = matrix(run.cards or (), run.focal_card, papers)
        paper = asked.paper.read_text(encoding="utf-8", errors="replace") if asked.paper.suffix == ".tex" else ""
        files = write_all(
            asked.out,
            focal,
            run.draft,
            run.ledger,
            papers,
            taxonomy=run.taxonomy,
            matrix=compared,
            paper=paper,
            csl=services.settings.csl,
        )
        screen.say(summary(run, files))
    finally:
        await services.close()


async def _verify(asked: argparse.Namespace) -> int:
    from marwg.checking import text_of
    from marwg.conversation import own_text, reading
    from marwg.exports import write_check
    from marwg.pipeline import Pipeline
    from marwg.services import open_services
    from marwg.terminal import Screen, check_summary, failures
    from marwg.types import Parameters

    fatal = failures(asked.fail_on)
    text = text_of(asked.section)
    focal = reading.focal_in_file(asked.paper) if asked.paper else None
    brought = own_text.of_file(asked.section, text, (*asked.bib, *asked.pdf))
    services = await open_services(Settings())
    try:
        screen = Screen()
        screen.say(services.models.describe())
        run, work = await own_text.begin(services, "terminal", brought, Parameters(), focal, screen.show)
        async for event in Pipeline(services).check(run):
            screen.show(event)
            run = getattr(event, "run", run)
        papers = services.library.papers()
        found = check_summary(run, papers)
        print(found.text)
        for remark in (*work.imported.refused, *work.imported.incomplete):
            screen.say(f"Note: {remark}")
        if asked.out:
            screen.say("Wrote " + ", ".join(str(f) for f in write_check(asked.out, run, papers)) + ".")
        return 2 if fatal & found.kinds else 0
    finally:
        await services.close()


async def _add(asked: argparse.Namespace) -> None:
    from marwg.library.importing import import_files
    from marwg.services import open_services
    from marwg.terminal import Screen, import_summary

    services = await open_services(Settings())
    try:
        screen = Screen()
        report = await import_files(asked.paths, services.library, services.index, screen.show, services.online)
        screen.say(import_summary(report))
    finally:
        await services.close()


async def _evaluate(asked: argparse.Namespace) -> None:
    from marwg.evaluation.command import evaluate
    from marwg.terminal import Screen

    await evaluate(asked, Screen().say)


async def _benchmark(asked: argparse.Namespace) -> None:
    from marwg.evaluation.command import make_benchmark
    from marwg.terminal import Screen

    await make_benchmark(asked, Screen().say)


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
