"""`python -m stratabase.cli` is `stratabase`."""

import sys

from stratabase.cli.main import main

sys.exit(main())
