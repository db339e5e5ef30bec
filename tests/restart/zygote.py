"""Starts lives of a Space in a moment: everything is imported once here, and each life is forked from it.

`python -m tests.restart.zygote` reads one JSON object a line: {"life": <fields of Plan>} starts a life and answers its
process group, {"reap": <group>} waits for its end. Nothing of ours runs in this process, so that a life begins as a
fresh start of the program does, but for the seconds that imports take.
"""

import json
import os
import sys
import traceback
from pathlib import Path

from tests.restart.life import Plan, live, prepare


def main() -> None:
    """Answer commands until the input ends."""
    prepare()
    _say({"ready": True})
    for line in sys.stdin:
        command = json.loads(line)
        if "life" in command:
            _say({"group": _start(Plan(**command["life"]))})
        else:
            _say({"status": os.waitpid(command["reap"], 0)[1]})


def _start(plan: Plan) -> int:
    group = os.fork()
    if group:
        return group
    code = 1
    try:
        os.setsid()
        with Path(plan.log).open("ab", buffering=0) as log:
            for number in (1, 2):
                os.dup2(log.fileno(), number)
        live(plan)
        code = 0
    except BaseException:  # noqa: BLE001 - a forked process must never run on in its parent's code
        traceback.print_exc()
    finally:
        os._exit(code)


def _say(answer: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
