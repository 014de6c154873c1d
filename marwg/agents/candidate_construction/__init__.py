"""Agent 1, Candidate Construction: from the focal paper to C, the longlist L and the shortlist S_t with its pages.

Candidates come from dense and lexical search together. A language model reads them (`selection = "reading"`): its grade
leads, similarity breaks ties, and it asks for what is missing. With `selection = "similarity"`, and for the built-in
writer, the order is the paper's: cosine to the focal paper. Everything is joined by paper id.
"""

from marwg.agents.candidate_construction.constructing import construct

__all__ = ["construct"]
