"""Kernels are compiled, and also where no cache can be written."""

import os
import subprocess
import sys

SOURCE = """
from classmark.compilation import kernel

@kernel
def twice(number):
    return 2 * number

assert twice(4) == 8
print(twice.signatures)
"""


def test_where_no_cache_can_be_written(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": "/proc/nowhere", "HOME": "/proc/nowhere"}
    # Read from standard input, a function has no file to keep its machine code beside.
    done = subprocess.run(
        [sys.executable, "-"], input=SOURCE, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "[(int64,)]\n"
