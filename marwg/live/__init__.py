"""Live sources: papers from arXiv, OpenAlex, Semantic Scholar and Zotero, politely and only where the user allows it."""

from marwg.live.finder import Live

__all__ = ["Live"]
