r"""Appendix D: adapting to the inter-task geometry.

Tries every statement of this section: `python -m verification.geometry`; options of `arubatheory verify` may follow.
"""

import sys

from verification import section

if __name__ == "__main__":
    sys.exit(section(__file__))
