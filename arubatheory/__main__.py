"""`python -m arubatheory` is the command `arubatheory`."""

import sys

from arubatheory.cli import main

if __name__ == "__main__":
    sys.exit(main())
