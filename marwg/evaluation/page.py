"""The report as one HTML page."""

from collections.abc import Sequence
from html import escape

_STYLE = """body{font-family:sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;font-size:.8rem;display:block;overflow-x:auto}td,th{padding:.25rem .5rem;border-bottom:1px solid #8886;
text-align:left;white-space:nowrap}svg{max-width:100%;margin:1rem 0;display:block}"""


def html_page(text: str, svg: Sequence[str]) -> str:
    """A page with the report and its plots, which needs nothing from elsewhere."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Evaluation</title><style>{_STYLE}</style></head>'
        f"<body>{_html(text)}<h2>Plots</h2>{''.join(svg)}</body></html>\n"
    )


def _html(text: str) -> str:
    """The Markdown that `report` writes as HTML: headings, tables, lists and paragraphs."""
    blocks = []
    for block in text.strip().split("\n\n"):
        if block.startswith("#"):
            level = len(block) - len(block.lstrip("#"))
            blocks.append(f"<h{level}>{_inline(block.lstrip('# '))}</h{level}>")
        elif block.startswith("|"):
            rows = [line.strip("| ").split(" | ") for line in block.splitlines()]
            head = "".join(f"<th>{_inline(c)}</th>" for c in rows[0])
            body = "".join("<tr>" + "".join(f"<td>{_inline(c)}</td>" for c in row) + "</tr>" for row in rows[2:])
            blocks.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        elif block.startswith("- "):
            blocks.append("<ul>" + "".join(f"<li>{_inline(line[2:])}</li>" for line in block.splitlines()) + "</ul>")
        elif block.startswith("<details>"):
            summary, _, rest = (
                block.removeprefix("<details><summary>").removesuffix("</details>").partition("</summary>")
            )
            blocks.append(f"<details><summary>{_inline(summary)}</summary>{_inline(rest)}</details>")
        else:
            blocks.append(f"<p>{_inline(block)}</p>")
    return "\n".join(blocks)


def _inline(text: str) -> str:
    """Bold and code; everything else is text."""
    parts = escape(text).split("`")
    shown = "".join(f"<code>{p}</code>" if n % 2 else p for n, p in enumerate(parts))
    bold = shown.split("**")
    return "".join(f"<b>{p}</b>" if n % 2 else p for n, p in enumerate(bold))
