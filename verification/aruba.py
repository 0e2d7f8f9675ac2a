r"""Sections 2 and 3: average regret-upper-bound analysis, similar tasks and changing environments.

Tries every statement of this section: `python -m verification.aruba`; options of `arubatheory verify` may follow.
"""

import sys

from verification import section

if __name__ == "__main__":
    sys.exit(section(__file__))
