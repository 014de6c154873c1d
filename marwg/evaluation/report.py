"""The report of an evaluation: Markdown, and one self-contained HTML page with plots. It says what was compared with what."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from marwg import metrics
from marwg.evaluation import plots
from marwg.evaluation.benchmark import Topic
from marwg.evaluation.page import html_page
from marwg.evaluation.records import Scored, Setting, Written, of_one_corpus
from marwg.evaluation.systems import ABLATIONS, SYSTEMS
from marwg.types import Usage

COLUMNS: dict[str, tuple[str, int]] = {
    "clap": ("ClaP", 3), "citp": ("CitP", 3), "citp_strict": ("CitP-strict", 3), "attribution": ("Attr. recall", 3),
    "rc": ("RC", 3), "ref_precision": ("Ref. P", 3), "ref_f1": ("Ref. F1", 3), "cc": ("CC", 2), "single": ("One-key share", 2),
    "sn_f1": ("SN-F1", 3), "sn_floor": ("SN floor", 3), "sn_over": ("SN over floor", 3), "tq": ("TQ", 2),
    "organization": ("Org. win", 2), "words": ("Words", 0), "invalid": ("Invalid ids", 1),
}  # fmt: skip
"""Every metric of the tables with its digits; none is left out."""

CROSS_DOMAIN = ("q-bio", "eess.IV", "cs.AR")
"""Categories that are reported apart, as the paper does with its second benchmark."""

_CUTS = (10, 20, 30, 40)
_PLOTTED = ("clap", "citp", "rc", "cc", "sn_f1", "sn_over", "tq")


@dataclass(frozen=True)
class Results:
    """All rows of one evaluation with what made them."""

    setting: Setting
    topics: Sequence[Topic]
    rows: Sequence[tuple[Written, Scored]]

    def of(self, system: str, breadth: int, topics: Sequence[Topic] | None = None) -> list[tuple[Written, Scored]]:
        """The rows of a system at one B, in the order of the topics."""
        order = {t.topic_id: n for n, t in enumerate(topics if topics is not None else self.topics)}
        found = [r for r in self.rows if r[0].system == system and r[0].breadth == breadth and r[0].topic in order]
        return sorted(found, key=lambda r: order[r[0].topic])

    @property
    def systems(self) -> list[str]:
        there = {w.system for w, _ in self.rows}
        return [name for name in SYSTEMS if name in there]

    @property
    def breadths(self) -> list[int]:
        return sorted({w.breadth for w, _ in self.rows}, key=lambda b: (b == 0, b))


def write_report(folder: Path, results: Results) -> list[Path]:
    """`report.md` and `report.html` in a folder; InputError where the rows are of different corpora."""
    of_one_corpus([row for pair in results.rows for row in pair])
    text = markdown_report(results)
    page = html_page(text, pictures(results))
    files = [folder / "report.md", folder / "report.html"]
    for path, content in zip(files, (text, page), strict=True):
        path.write_text(content, encoding="utf-8")
    return files


def markdown_report(results: Results) -> str:
    """The whole report as Markdown."""
    blocks = ["# Evaluation", _header(results)]
    main = _fullest(results)
    blocks += [f"## All systems, {_b(main)}", _table(results, results.systems, main, results.topics)]
    ablations = [s for s in ABLATIONS if results.of(s, main)]
    if "ours" in ablations:
        others = [s for s in results.systems if s not in ABLATIONS]
        parts = [s for s in ablations if s != "ours"]
        for title, compared in (("Ablations", parts), ("ours against the others on the same topics", others)):
            if any(results.of(s, main) for s in compared):
                blocks += [f"## {title}, {_b(main)}", _differences(results, "ours", compared, main)]
    for breadth in (b for b in results.breadths if b != main):
        blocks += [f"## All systems, {_b(breadth)}", _table(results, results.systems, breadth, results.topics)]
    blocks += ["## Retrieval", _retrieval(results, main)]
    if len(results.breadths) > 1:
        blocks += ["## Reference coverage against B", _coverage(results)]
    blocks += ["## Cost of an article", _costs(results, main)]
    apart = [t for t in results.topics if any(c.startswith(CROSS_DOMAIN) for c in (*t.categories, t.area))]
    if apart:
        names = ", ".join(f"{t.topic_id} ({t.area})" for t in apart)
        blocks += [
            f"## Cross-domain topics, {_b(main)}",
            f"{len(apart)} topics: {names}.",
            _table(results, results.systems, main, apart),
        ]
    blocks += [_readers(results, main), "## Failures", _failures(results)]
    return "\n\n".join(b for b in blocks if b) + "\n"


def _fullest(results: Results) -> int:
    """The B with most texts: the one that the report is about."""
    return max(results.breadths, key=lambda b: sum(w.breadth == b for w, _ in results.rows))


def _header(results: Results) -> str:
    s = results.setting
    models = ", ".join(f"{role} {name}" for role, name in s.models.items())
    parameters = ", ".join(f"{name} {value}" for name, value in s.parameters.items())
    prompts = ", ".join(f"{name} `{value}`" for name, value in s.prompts.items())
    versions = ", ".join(f"{name} {value}" for name, value in s.versions.items())
    lines = [
        f"Benchmark: {s.benchmark}, corpus `{s.corpus}` of {s.corpus_size:,} papers, {s.topics} topics.",
        f"Writers: {models}. Judge: **{s.judge}**. Embeddings (retrieval and SN-F1): {s.embedding}.",
        f"Systems: {', '.join(SYSTEMS[name].title for name in results.systems)}; all with the same corpus, index, cut-off dates and B.",
        f"Parameters: {parameters}. Seed of the bootstrap: {s.seed}. Versions: {versions}.",
        "Means over topics with 95 % bootstrap intervals; a failure counts as 0 in every metric. SN-F1 does not start at 0: "
        "the floor is its value against the human section of another topic of the same theme.",
    ]
    if "offline" in s.judge:
        lines.append(
            "The judge is offline: it compares words and vectors and cannot read. ClaP, CitP and attribution recall are what it "
            "says; TQ and the organization win rate are not given without a model that reads."
        )
    return "\n\n".join([*lines, f"<details><summary>Prompt digests</summary>{prompts}</details>"])


# ---------------------------------------------------------------- tables


def _table(results: Results, systems: Sequence[str], breadth: int, topics: Sequence[Topic]) -> str:
    rows = {name: results.of(name, breadth, topics) for name in systems}
    rows = {name: found for name, found in rows.items() if found}
    names = [c for c in COLUMNS if any(c in s.values for found in rows.values() for _, s in found)]
    head = ["System", "Topics", *(COLUMNS[c][0] for c in names)]
    body = [
        [SYSTEMS[name].title, str(len(found)), *(_interval(_values(found, c), COLUMNS[c][1]) for c in names)]
        for name, found in rows.items()
    ]
    return _markdown_table(head, body)


def _differences(results: Results, ours: str, others: Sequence[str], breadth: int) -> str:
    """Ours minus each other system, paired by topic; an interval above 0 is marked."""
    own = {w.topic: s for w, s in results.of(ours, breadth)}
    body = []
    for name in others:
        pairs = [(own[w.topic], s) for w, s in results.of(name, breadth) if w.topic in own]
        if not pairs:
            continue
        cells = []
        for metric in ("clap", "citp", "citp_strict", "rc", "cc", "sn_f1", "sn_over", "words"):
            found = metrics.paired_difference(
                [a.values.get(metric, 0.0) for a, _ in pairs], [b.values.get(metric, 0.0) for _, b in pairs]
            )
            mark = " ▲" if found.low > 0 else " ▼" if found.high < 0 else ""
            cells.append(f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]{mark}")
        body.append([f"against {SYSTEMS[name].title}", *cells])
    head = ["ours − other", "ClaP", "CitP", "CitP-strict", "RC", "CC", "SN-F1", "SN over floor", "Words"]
    return _markdown_table(head, body) + "\n\n▲ the interval lies above 0, ▼ below."


def _retrieval(results: Results, breadth: int) -> str:
    """Recall of the rankings, wherever they are cut: what texts can cover at most."""
    gold = {t.topic_id: t.gold for t in results.topics}
    body = []
    for system in results.systems:
        rows = results.of(system, breadth)
        if not rows:
            continue
        cuts = [
            [metrics.recall_at(w.ranked, gold[w.topic], count or len(gold[w.topic])) for w, _ in rows]
            for count in (*_CUTS, 0)
        ]
        multiples = [_values(rows, name) for name in ("recall_b", "recall_3b", "recall_6b")]
        body.append([SYSTEMS[system].title, *(_interval(values, 3) for values in (*cuts, *multiples))])
    head = ["System", *(f"@{count}" for count in _CUTS), "@gold", "@B", "@3B", "@6B"]
    return (
        f"Share of the gold references among the first papers of the ranking that a system made, {_b(breadth)}; @gold is as "
        "many as the topic has gold references.\n\n" + _markdown_table(head, body)
    )


def _coverage(results: Results) -> str:
    """RC of the texts at each B, over the topics that every shown system has at every B."""
    systems, topics = _everywhere(results)
    if not systems or not topics:
        return "No system has texts of one topic at every B."
    body = [
        [SYSTEMS[s].title, *(_interval(_values(results.of(s, b, topics), "rc"), 3) for b in results.breadths)]
        for s in systems
    ]
    return f"{len(topics)} topics.\n\n" + _markdown_table(["System", *(_b(b) for b in results.breadths)], body)


def _everywhere(results: Results) -> tuple[list[str], list[Topic]]:
    """The systems with texts at every B, and the topics that all of these have at every B."""
    done = {(w.system, w.breadth, w.topic) for w, _ in results.rows}
    systems = [s for s in results.systems if all(results.of(s, b) for b in results.breadths)]
    topics = [t for t in results.topics if all((s, b, t.topic_id) in done for s in systems for b in results.breadths)]
    return systems, topics


def _costs(results: Results, breadth: int) -> str:
    body = []
    for name in results.systems:
        texts = [w for w, _ in results.of(name, breadth) if not w.error]
        if not texts:
            continue
        spent = sum((t.usage for t in texts), Usage())
        seconds = np.percentile([t.seconds for t in texts], [50, 95])
        count = len(texts)
        price = "unknown" if spent.dollars is None else f"{spent.dollars / count:.4f}"
        cells = [spent.calls, spent.cached, spent.input_tokens, spent.output_tokens]
        body.append(
            [
                SYSTEMS[name].title,
                *(f"{c / count:,.1f}" for c in cells),
                price,
                f"{seconds[0]:.1f}",
                f"{seconds[1]:.1f}",
            ]
        )
    head = ["System", "Calls", "From cache", "Tokens in", "Tokens out", "US$", "Seconds p50", "p95"]
    return (
        "Means per article without failures. Seconds are those of this run: systems share what was embedded for a topic, so "
        "whichever came first paid for it.\n\n" + _markdown_table(head, body)
    )


def _readers(results: Results, breadth: int) -> str:
    """How far the readings of the judge agree, where there are some."""
    rated = [s for system in results.systems for _, s in results.of(system, breadth) if len(s.readings) > 1]
    if not rated:
        return ""
    table = [[float(np.mean(reading)) for reading in s.readings] for s in rated]
    value = metrics.intraclass_correlation(table)
    asked, open_ = sum(s.questions for s in rated), sum(s.unanswered for s in rated)
    return (
        f"## The judge\n\nICC(2,1) of the {len(table[0])} readings over {len(table)} texts: {value:.2f}. "
        f"{open_} of {asked} questions got no answer and count as not supported."
    )


def _failures(results: Results) -> str:
    failed = [
        f"- {SYSTEMS[w.system].title}, {w.topic}, {_b(w.breadth)}: {w.error or s.error}"
        for w, s in results.rows
        if w.error or s.error
    ]
    return "\n".join(failed) or "None."


def _values(rows: Sequence[tuple[Written, Scored]], metric: str) -> list[float]:
    return [s.values.get(metric, 0.0) for _, s in rows]


def _interval(values: Sequence[float], digits: int) -> str:
    found = metrics.bootstrap(values)
    return f"{found.mean:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}]"


def _b(breadth: int) -> str:
    return f"B = {breadth}" if breadth else "B = number of gold references (oracle)"


def _markdown_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *body)]
    return "\n".join(lines)


# ---------------------------------------------------------------- plots


def pictures(results: Results) -> list[str]:
    """Box plots by metric, coverage against B, cost against quality."""
    fullest = _fullest(results)
    found = []
    for metric in _PLOTTED:
        by_system: dict[str, Sequence[float]] = {
            SYSTEMS[s].title: _values(rows, metric)
            for s in results.systems
            if (rows := results.of(s, fullest)) and any(metric in r.values for _, r in rows)
        }
        found.append(plots.boxes(f"{COLUMNS[metric][0]} by topic, {_b(fullest)}", by_system))
    fixed = [b for b in results.breadths if b]
    systems, topics = _everywhere(results)
    if len(fixed) > 1 and topics:
        coverage = {
            SYSTEMS[s].title: [(float(b), float(np.mean(_values(results.of(s, b, topics), "rc")))) for b in fixed]
            for s in systems
        }
        found.append(plots.lines(f"Reference coverage against B, {len(topics)} topics", coverage, "B"))
    found += [_cost_plot(results, fullest, "citp"), _cost_plot(results, fullest, "tq")]
    return [picture for picture in found if picture]


def _cost_plot(results: Results, breadth: int, metric: str) -> str:
    """Quality against calls, or against seconds where no model was asked."""
    asked = any(w.usage.calls for w, _ in results.rows)
    spots: dict[str, Sequence[tuple[float, float]]] = {}
    for name in results.systems:
        rows = results.of(name, breadth)
        if rows and any(metric in s.values for _, s in rows):
            cost = float(np.mean([w.usage.calls if asked else w.seconds for w, _ in rows]))
            spots[SYSTEMS[name].title] = [(cost, float(np.mean(_values(rows, metric))))]
    unit = "calls per article" if asked else "seconds per article"
    return plots.points(f"{COLUMNS[metric][0]} against {unit}", spots, unit)
