"""Text as text: citation markers and sentences, names of papers, numbers and telling words, quotes in sources."""
