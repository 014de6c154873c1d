"""The terminal as the README shows it, with the real embedding model, in a process of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def marwg(home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MARWG_", "MILVUS_"))}
    environment |= {"MARWG_HOME": str(home), "MARWG_GENERATOR": "built-in", "MARWG_VERIFIER": "built-in"}
    command = [sys.executable, "-m", "marwg", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=110)


def test_a_draft_with_its_files_and_a_repeat_that_does_nothing(home: Path, tmp_path: Path):
    done = marwg(home, "draft", "examples/focal.md", "--out", tmp_path / "out", "--breadth", "12")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert [line[:5] for line in done.stderr.splitlines() if line.startswith("[")] == [f"[{n}/5]" for n in range(1, 6)]
    files = {p.name: p.read_text(errors="replace") for p in (tmp_path / "out").iterdir()}
    assert set(files) == {
        "related_work.md", "related_work.tex", "references.bib", "ledger.json", "verification.html", "verification.csv",
        "related_work_natbib.tex", "related_work_biblatex.tex", "related_work.txt", "related_work.docx", "related_work.json",
        "comparison.tex", "comparison.csv", "taxonomy.txt", "taxonomy.mmd", "taxonomy.graphml",
    }  # fmt: skip
    cited = set(re.findall(r"@([\w:-]+)", files["related_work.md"]))
    assert cited == set(re.findall(r"@\w+\{([^,]+),", files["references.bib"]))
    assert len(cited) >= 9
    assert json.loads(files["ledger.json"])["states"].get("supported", 0) > 10
    again = marwg(home, "draft", "examples/focal.md", "--out", tmp_path / "again", "--breadth", "12")
    assert again.stderr.count("kept from an earlier run") == 5
    assert (tmp_path / "again" / "related_work.md").read_text() == files["related_work.md"]


def test_a_topic_that_the_library_lacks_writes_nothing(home: Path, tmp_path: Path):
    focal = tmp_path / "bread.md"
    focal.write_text(
        "# An even crumb: sourdough at home\n\nSourdough fermentation depends on temperature and hydration, and bakers "
        "adjust both by hand. We measure the rise of two hundred loaves in a home kitchen and show that a warm overnight "
        "rest gives the most even crumb of all.\n"
    )
    done = marwg(home, "draft", focal, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("draft", "nowhere.md"), "nowhere.md cannot be read"),
        (("draft", "examples/focal.md", "--breadth", "0"), "--breadth cannot be 0"),
        (("draft", "examples/focal.md", "--until", "soon"), "--until cannot be soon"),
        (("add", "nowhere.bib"), "nowhere.bib"),
    ],
)
def test_bad_input_gets_one_sentence(home: Path, arguments: tuple[str, ...], says: str):
    done = marwg(home, *arguments)
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_papers_are_added_from_a_bib_file(home: Path, tmp_path: Path):
    bib = tmp_path / "refs.bib"
    bib.write_text("@article{doe2024, title={A paper of mine}, author={Doe, Jane}, year={2024}}\n@article{bad, \n")
    done = marwg(home, "add", bib)
    assert done.returncode == 0, done.stderr
    assert "1 paper read" in done.stderr
    assert "refused" in done.stderr


def test_identifiers_and_other_kinds_of_files_are_added(home: Path, tmp_path: Path):
    ris = tmp_path / "refs.ris"
    ris.write_text("TY  - JOUR\nTI  - A paper of mine\nAU  - Doe, Jane\nPY  - 2024\nER  -\n")
    done = marwg(home, "add", ris, "10.1000/xyz", "arXiv:2310.11511")
    assert done.returncode == 0, done.stderr
    assert "1 paper read" in done.stderr
    assert done.stderr.count("MARWG_ONLINE=true") == 2


def test_doctor_says_what_is_in_use(home: Path):
    done = marwg(home, "doctor")
    assert done.returncode == 0
    assert "built-in" in done.stderr
    assert "Library:" in done.stderr


def test_help_names_the_commands(home: Path):
    done = marwg(home, "--help")
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("draft", "add", "doctor"))
