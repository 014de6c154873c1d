"""F_fact-check: every claim against the passages of what it cites: gate, two verdicts, correction, verification again.

`verify` is the agent; `examination` looks at claims without changing them, `correction` mends those that do not stand.
"""

from marwg.agents.fact_checking.verification import verify

__all__ = ["verify"]
