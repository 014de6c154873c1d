"""F_integrate: the sections drafted from their papers, read over on four dimensions, refined on four aspects.

Whatever a model writes passes the guards. What it does not mend when asked is taken out by code and said so; a revision
that breaks the guards leaves the text as it was.
"""

from marwg.agents.integration.desk import REPAIRS
from marwg.agents.integration.writing import notice, revise, write

__all__ = ["REPAIRS", "notice", "revise", "write"]
