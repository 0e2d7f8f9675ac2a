r"""Section 6: empirical results, Algorithm 2.

Tries every statement of this section: `python -m verification.empirical`; options of `arubatheory verify` may follow.
"""

import sys

from verification import section

if __name__ == "__main__":
    sys.exit(section(__file__))
