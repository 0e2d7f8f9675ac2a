"""`python -m verification` puts the whole paper on trial; options of `arubatheory verify` may follow."""

import sys

from verification import campaign

if __name__ == "__main__":
    sys.exit(campaign(sys.argv[1:]))
