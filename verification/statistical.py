r"""Section 5: fast rates and high probability bounds for statistical learning-to-learn.

Tries every statement of this section: `python -m verification.statistical`; options of `arubatheory verify` may follow.
"""

import sys

from verification import section

if __name__ == "__main__":
    sys.exit(section(__file__))
