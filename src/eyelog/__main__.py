"""``python -m eyelog`` is the command ``eyelog``."""

import sys

from eyelog.cli import main

sys.exit(main())
