"""The chat: runs of the assistant drawn on a Chainlit screen."""
