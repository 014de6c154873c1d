"""The layout shows the architecture: imports point down, and each heavy library has one door."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__init__", "types", "errors"),
    ("events", "tasks"),
    # pure modules and what reads files of ours
    ("concurrency", "prompts", "reporting", "selection", "settings"),
    ("text",),
    ("metrics", "writing", "organizing", "verification", "extractive"),
    ("language_models", "library", "index", "live"),
    ("agents", "checking", "exports", "regrowth", "runs", "services"),
    ("pipeline",),
    ("conversation", "evaluation"),
    ("chat", "terminal", "__main__"),
)

DOORS = {
    "pymilvus": ("marwg/index/milvus.py",),
    "pydantic_ai": ("marwg/language_models/",),
    "openai": ("marwg/language_models/",),
    "google": ("marwg/language_models/",),
    "chainlit": ("marwg/chat/", "chainlit_app.py"),
    "sentence_transformers": ("marwg/index/",),
    "bertopic": ("marwg/index/",),
    "HanTa": ("marwg/extractive/",),
    "bibtexparser": ("marwg/library/",),
    "pypdfium2": ("marwg/library/",),
    "pypandoc": ("marwg/exports/",),
}


def sources() -> list[Path]:
    return [*sorted((ROOT / "marwg").rglob("*.py")), ROOT / "chainlit_app.py"]


def imported(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def layer_of(module: str) -> int:
    for number, names in enumerate(LAYERS):
        if module in names:
            return number
    raise AssertionError(f"marwg.{module} has no layer: add it to LAYERS")


def test_imports_point_down_only():
    wrong = []
    for path in sources():
        part = "chat" if path.parent == ROOT else path.relative_to(ROOT / "marwg").parts[0].removesuffix(".py")
        for name in imported(path):
            bits = name.split(".")
            if bits[0] != "marwg" or len(bits) == 1 or bits[1] in (part, "__version__"):
                continue
            if layer_of(bits[1]) > layer_of(part):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_agents_do_not_import_agents():
    for path in sorted((ROOT / "marwg/agents").rglob("*.py")):
        own = path.relative_to(ROOT / "marwg/agents").parts[0].removesuffix(".py")
        for name in imported(path):
            if name.startswith("marwg.agents."):
                assert name.split(".")[2] == own, f"{path.name} imports {name}"


def test_no_module_imports_itself_in_a_circle():
    files = {p: ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for p in sources()}
    names = set(files.values())
    graph: dict[str, set[str]] = {}
    for path, module in files.items():
        wanted = set()
        for name in imported_at_load(path):
            while name and name not in names:
                name = name.rpartition(".")[0]
            if name and name != module:
                wanted.add(name)
        graph[module] = wanted
    seen: dict[str, int] = {}

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " → ".join((*path, module))
        if module in seen:
            return
        for other in sorted(graph[module]):
            visit(other, (*path, module))
        seen[module] = 1

    for module in sorted(graph):
        visit(module, ())


def imported_at_load(path: Path) -> list[str]:
    """Imports that run when the module is loaded: not those inside functions or under TYPE_CHECKING."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def test_each_heavy_library_has_one_door():
    wrong = []
    for path in sources():
        where = str(path.relative_to(ROOT))
        for name in imported(path):
            allowed = DOORS.get(name.split(".")[0])
            if allowed and not where.startswith(allowed):
                wrong.append(f"{where} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_importing_the_package_has_no_effect():
    code = (
        "import sys, marwg, marwg.types, marwg.errors, marwg.events, marwg.tasks, marwg.settings\n"
        "heavy = {'torch', 'sentence_transformers', 'pymilvus', 'bertopic', 'openai', 'chainlit', 'sklearn', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_the_pipeline_is_imported_without_models_or_clients():
    code = (
        "import sys, marwg.conversation\n"
        "print(sorted({'torch', 'sentence_transformers', 'pymilvus', 'bertopic', 'chainlit'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"
