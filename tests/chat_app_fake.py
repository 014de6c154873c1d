"""The chat with a stand-in for the assistant: `chainlit run tests/chat_app_fake.py`, for tests of the screen alone."""

import os

from marwg.chat.service import service
from tests.fake_assistant import FakeAssistant

FakeAssistant.pace = float(os.environ.get("FAKE_PACE", "0.05"))
service.factory = FakeAssistant.open  # type: ignore[assignment]

import chainlit_app  # noqa: E402, F401
