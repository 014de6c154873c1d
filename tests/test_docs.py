"""The README cannot go stale: its links lead somewhere, its map has every file, its commands exist."""

import re
import shlex
from pathlib import Path

import pytest

from marwg.__main__ import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands() -> list[str]:
    return re.findall(r"^python -m marwg (\w+)", README, re.MULTILINE)


@pytest.mark.parametrize("page", DOCS, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links {target}"


def test_the_map_has_every_part_and_no_other():
    listed = set(re.findall(r"`(marwg/[\w/]+?(?:\.py|/))`", README))
    there = {
        f"marwg/{p.name}" + ("/" if p.is_dir() else "")
        for p in (ROOT / "marwg").iterdir()
        if p.name not in ("__init__.py", "__pycache__")
    }
    assert listed == there


def test_the_scripts_that_the_docs_name_exist():
    for page in DOCS:
        for name in re.findall(r"benchmarks/(\w+\.py)", page.read_text(encoding="utf-8")):
            assert (ROOT / "benchmarks" / name).exists(), f"{page.name} names {name}"


@pytest.mark.parametrize("command", sorted(set(commands())))
def test_the_commands_of_the_readme_exist(command: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(f"{command} --help"))
    assert ended.value.code == 0
    assert capsys.readouterr().out
