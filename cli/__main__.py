"""`python -m cli` is `stratabase`."""

import sys

from cli.main import main

sys.exit(main())
