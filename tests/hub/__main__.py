"""`python -m tests.hub --port 0 --folder F`: a double that outlives whoever talks to it; prints its address first."""

import argparse
import sys
from pathlib import Path

from tests.hub.double import HubDouble


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.hub", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()

    def announce(address: str) -> None:
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()

    HubDouble(asked.folder, asked.port).run(announce)


if __name__ == "__main__":
    main()
