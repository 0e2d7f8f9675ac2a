r"""Appendix G: experimental details.

Tries every statement of this section: `python -m verification.details`; options of `arubatheory verify` may follow.
"""

import sys

from verification import section

if __name__ == "__main__":
    sys.exit(section(__file__))
