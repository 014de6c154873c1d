"""The built-in writer: every task answered by extraction and rules, without a language model or a network."""

from marwg.extractive.writer import ExtractiveWriter

__all__ = ["ExtractiveWriter"]
