"""Wishes about the order of topics in words, as the new order of their numbers."""

import re
from collections.abc import Sequence

from marwg.extractive.mentions import number_of, topics_in
from marwg.tasks import OutlineEditReply


def reorder(clause: str, titles: Sequence[str]) -> OutlineEditReply | None:
    total = len(titles)
    order = list(range(1, total + 1))
    if not total:
        return None
    if re.match(r"^(?:reverse|invert|flip|turn around)\b", clause, re.IGNORECASE):
        return OutlineEditReply(kind="reorder", topics=tuple(reversed(order)))
    if match := re.match(r"^(?:swap|switch|exchange)\s+(?P<refs>.+)$", clause, re.IGNORECASE):
        pair = topics_in(match["refs"], titles)
        if len(pair) == 2 and max(pair) <= total and min(pair) >= 1:
            a, b = order.index(pair[0]), order.index(pair[1])
            order[a], order[b] = order[b], order[a]
            return OutlineEditReply(kind="reorder", topics=tuple(order))
        return None
    if match := re.match(
        r"^(?:re-?order|re-?arrange|order|sort|new order|put them in(?: the)? order)\b\D*(?P<list>(?:\d+\W*(?:and|then)?\W*)+)$",
        clause,
        re.IGNORECASE,
    ):
        said = [int(n) for n in re.findall(r"\d+", match["list"])]
        return _completed(said, total)
    return _relative(clause, titles, order)


def _relative(clause: str, titles: Sequence[str], order: list[int]) -> OutlineEditReply | None:
    verb = r"(?:move|put|place|bring|shift|start with|begin with|end with|finish with)"
    if match := re.match(r"^(?:start|begin|open)\s+with\s+(?P<ref>.+)$", clause, re.IGNORECASE):
        topic = topics_in(match["ref"], titles)
        return _completed(topic, len(order)) if len(topic) == 1 else None
    if match := re.match(r"^(?:end|finish|close)\s+with\s+(?P<ref>.+)$", clause, re.IGNORECASE):
        topic = topics_in(match["ref"], titles)
        return _completed([n for n in order if n not in topic] + topic, len(order)) if len(topic) == 1 else None
    match = re.match(
        rf"^(?:{verb}\s+)?(?P<ref>.+?)\s+(?:should (?:come|go|be)\s+|comes?\s+|goes?\s+)?(?:(?P<side>before|after|in front of|behind|above|below)\s+(?P<other>.+)"
        r"|(?:(?:to|at|in) )?(?:the )?(?P<place>first|last|front|beginning|start|top|end|bottom|very end|second|third|fourth|up|down)(?: place| position)?)$",
        clause,
        re.IGNORECASE,
    )
    if not match:
        return None
    topic = topics_in(match["ref"], titles)
    if len(topic) != 1 or not 1 <= topic[0] <= len(order):
        return None
    rest = [n for n in order if n != topic[0]]
    if match["side"]:
        other = topics_in(match["other"], titles)
        if len(other) != 1 or other[0] not in rest:
            return None
        at = rest.index(other[0]) + (match["side"].lower() in ("after", "behind", "below"))
    else:
        at = _place(match["place"].lower(), order.index(topic[0]), len(rest))
    return OutlineEditReply(kind="reorder", topics=(*rest[:at], topic[0], *rest[at:]))


def _place(word: str, now: int, last: int) -> int:
    if word in ("first", "front", "beginning", "start", "top"):
        return 0
    if word in ("last", "end", "bottom", "very end"):
        return last
    if word in ("up", "down"):
        return max(0, now - 1) if word == "up" else min(last, now + 1)
    return min(last, max(0, number_of(word) - 1))


def _completed(said: Sequence[int], total: int) -> OutlineEditReply | None:
    """An order in which topics that were not named follow as they stand."""
    kept = [n for n in dict.fromkeys(said) if 1 <= n <= total]
    if not kept:
        return None
    return OutlineEditReply(kind="reorder", topics=(*kept, *(n for n in range(1, total + 1) if n not in kept)))
