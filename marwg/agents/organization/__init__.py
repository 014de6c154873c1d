"""Agent 3, Organization: papers → the multidimensional taxonomy → the outline."""

from marwg.agents.organization.organizing import organize
from marwg.agents.organization.outlining import assign_topics, outline

__all__ = ["assign_topics", "organize", "outline"]
