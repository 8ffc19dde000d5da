"""The command line, which parses and prints: one file per command in `commands`.

Commands import the service when they run, so that `--help` answers at once. Results go to standard output, progress
and warnings to standard error; exit code 0 is success, 1 a failure, 2 a wrong request, never with a traceback.
"""

import sys

try:
    from classmark.cli.main import main
except KeyboardInterrupt:
    # The installed script imports this before there is anything that could say it better.
    sys.exit("classmark: interrupted; files are as they were before")

__all__ = ["main"]
