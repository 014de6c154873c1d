"""A chat turn to what the pipeline does, and what to show of it; knows no screen."""

from marwg.conversation.assistant import Assistant
from marwg.conversation.views import Answer, EvidenceView, PaperView, Starter

__all__ = ["Answer", "Assistant", "EvidenceView", "PaperView", "Starter"]
