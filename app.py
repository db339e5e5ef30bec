"""Castboard's front door: without an argument it serves; `app.py --help` lists the verbs."""

import sys

from leaderboard.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
