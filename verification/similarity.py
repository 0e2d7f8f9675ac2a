r"""Appendix F: adapting to task-similarity under parameter growth.

Tries every statement of this section: `python -m verification.similarity`; options of `arubatheory verify` may follow.
"""

import sys

from verification import section

if __name__ == "__main__":
    sys.exit(section(__file__))
