"""From labels to the taxonomy and from the taxonomy to an outline that people change; pure, knows no model."""
