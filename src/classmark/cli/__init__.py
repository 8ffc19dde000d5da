"""The command line: one command a file, parsing only.

Commands import the service when they run, so that `--help` answers at once. Results go to standard output, progress
and warnings to standard error; exit code 0 is success, 1 a failure, 2 a wrong request, never with a traceback.
"""

from classmark.cli.main import main

__all__ = ["main"]
