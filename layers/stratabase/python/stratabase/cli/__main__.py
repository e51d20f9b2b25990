"""The entry point of `python -m stratabase.cli`, which is the same as `stratabase`."""

import sys

from stratabase.cli.main import main

sys.exit(main())
