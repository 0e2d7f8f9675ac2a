r"""Appendix B: strongly convex coupling.

Tries every statement of this section: `python -m verification.coupling`; options of `arubatheory verify` may follow.
"""

import sys

from verification import section

if __name__ == "__main__":
    sys.exit(section(__file__))
