"""Claims, their evidence, the gate and the verdicts, and the ledger that holds them; pure, knows no model."""
