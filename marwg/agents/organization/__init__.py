"""Agent 3, Organization: papers → the multidimensional taxonomy → the outline."""

from marwg.agents.organization.organizing import organize
from marwg.agents.organization.outlining import assign_topics, divide, outline

__all__ = ["assign_topics", "divide", "organize", "outline"]
