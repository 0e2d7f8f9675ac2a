"""How large games may become where the claim does not say.

Rounds and tasks have no limit here: engines make games longer as far as compiled sides and exact arithmetic carry. A
limit stays where a game lists all outcomes of a sample, whose number is exponential in its rounds, and in dimensions.
"""

from __future__ import annotations

MOST_D = 8  # exact projections, rotations and roots in more dimensions take minutes for one witness
