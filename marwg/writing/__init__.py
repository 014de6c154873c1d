"""What a section is written from, and what code sees wrong with it; pure, knows no model."""
