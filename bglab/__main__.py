"""`python -m bglab` is the command line."""

import sys

from bglab.lab.cli import main

sys.exit(main())
