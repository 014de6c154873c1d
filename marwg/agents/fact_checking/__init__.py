"""F_fact-check: every claim against the passages of what it cites: gate, two verdicts, correction, verification again.

`verify` is the agent; `examination` looks at claims without changing them, `correction` mends those that do not stand.
`review` adds to the ledger of a person's own text what it misses.
"""

from marwg.agents.fact_checking.reviewing import review
from marwg.agents.fact_checking.verification import judges_of, verify

__all__ = ["judges_of", "review", "verify"]
