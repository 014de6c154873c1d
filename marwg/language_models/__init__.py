"""The seam to language models: `Models` runs or streams a task with whatever model has its role."""

from marwg.language_models.choice import Choice, Role, Spec, choose
from marwg.language_models.models import Models

__all__ = ["Choice", "Models", "Role", "Spec", "choose"]
