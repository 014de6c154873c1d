"""The index: embeddings of papers and passages in Milvus, hybrid search, and topics."""

from marwg.index.embedding import Embedder
from marwg.index.hybrid import Hit
from marwg.index.store import Index

__all__ = ["Embedder", "Hit", "Index"]
