"""Plots as SVG text: box plots, lines and points, readable without colour and in dark pages."""

from collections.abc import Callable, Mapping, Sequence
from html import escape

import numpy as np

WIDTH, ROW, LEFT, RIGHT, TOP = 640, 24, 190, 20, 30
_INK = "currentColor"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#000000")


def boxes(title: str, values: Mapping[str, Sequence[float]]) -> str:
    """A box for each name: quartiles, median, whiskers to the last value within 1.5 of the box, points beyond, mean as ×."""
    filled = {name: np.asarray(v, dtype=float) for name, v in values.items() if len(v)}
    if not filled:
        return ""
    low, high = _range(np.concatenate(list(filled.values())))
    height = TOP + ROW * len(filled) + 30

    def x(value: float) -> float:
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    parts = _axis(x, low, high, height)
    for place, (name, numbers) in enumerate(filled.items()):
        y = TOP + ROW * place + ROW / 2
        first, median, third = np.percentile(numbers, [25, 50, 75])
        reach = 1.5 * (third - first)
        inside = numbers[(numbers >= first - reach) & (numbers <= third + reach)]
        parts.append(_text(LEFT - 8, y + 4, name, "end"))
        parts.append(_line(x(inside.min()), y, x(inside.max()), y))
        parts.append(
            f'<rect x="{x(first):.1f}" y="{y - 7:.1f}" width="{max(1.0, x(third) - x(first)):.1f}" height="14" '
            f'fill="#0072b2" fill-opacity="0.25" stroke="{_INK}"/>'
        )
        parts.append(_line(x(median), y - 7, x(median), y + 7, 2))
        parts.append(_text(x(float(numbers.mean())), y + 4, "×", "middle"))
        beyond = numbers[(numbers < first - reach) | (numbers > third + reach)]
        parts += [f'<circle cx="{x(v):.1f}" cy="{y:.1f}" r="2" fill="none" stroke="{_INK}"/>' for v in sorted(beyond)]
    return _svg(title, height, parts)


def lines(title: str, series: Mapping[str, Sequence[tuple[float, float]]], horizontal: str) -> str:
    """A line through the points of each name."""
    return _plane(title, series, horizontal, joined=True)


def points(title: str, series: Mapping[str, Sequence[tuple[float, float]]], horizontal: str) -> str:
    """The points of each name."""
    return _plane(title, series, horizontal, joined=False)


def _plane(title: str, series: Mapping[str, Sequence[tuple[float, float]]], horizontal: str, joined: bool) -> str:
    filled = {name: sorted(p) for name, p in series.items() if p}
    if not filled:
        return ""
    every = [point for p in filled.values() for point in p]
    (left, right), (low, high) = _range(np.array([p[0] for p in every])), _range(np.array([p[1] for p in every]))
    height = 320

    def x(value: float) -> float:
        return 60 + (value - left) / (right - left) * (WIDTH - 260)

    def y(value: float) -> float:
        return height - 40 - (value - low) / (high - low) * (height - 40 - TOP)

    parts = _axis(x, left, right, height)
    for tick in _ticks(low, high):
        parts.append(_text(52, y(tick) + 4, f"{tick:g}", "end"))
        parts.append(_line(56, y(tick), 60, y(tick)))
    for place, (name, found) in enumerate(filled.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        dash = ' stroke-dasharray="5 3"' if place >= len(_COLOURS) // 2 else ""
        if joined:
            path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in found)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="4" fill="{colour}"/>' for a, b in found]
        row = TOP + 18 * place
        parts.append(f'<circle cx="{WIDTH - 180}" cy="{row}" r="4" fill="{colour}"/>')
        parts.append(_text(WIDTH - 170, row + 4, name, "start"))
    parts.append(_text((60 + WIDTH - 200) / 2, height - 2, horizontal, "middle"))
    return _svg(title, height, parts)


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    inside = "\n".join([_text(WIDTH / 2, 16, title, "middle", bold=True), *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" role="img" '
        f'font-family="sans-serif" font-size="12"><title>{escape(title)}</title>\n{inside}\n</svg>'
    )


def _axis(x: Callable[[float], float], low: float, high: float, height: float) -> list[str]:
    base = height - 36
    parts = [_line(x(low), base, x(high), base)]
    for tick in _ticks(low, high):
        parts += [_line(x(tick), base, x(tick), base + 4), _text(x(tick), base + 16, f"{tick:g}", "middle")]
    return parts


def _range(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if low >= 0 and high <= 1:
        return min(low, 0.0), 1.0
    low = min(low, 0.0)
    return (low, high) if high > low else (low, low + 1)


def _ticks(low: float, high: float) -> list[float]:
    return [float(f"{t:.3g}") for t in np.linspace(low, high, 6)]


def _line(x1: float, y1: float, x2: float, y2: float, width: int = 1) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{_INK}" stroke-width="{width}"/>'


def _text(x: float, y: float, text: str, anchor: str, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{_INK}"{weight}>{escape(text)}</text>'
