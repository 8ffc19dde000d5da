"""The numeric tests as other processors compute: `python -m tests.processors`, which is `make kernels`.

Which products of matrices and which vector instructions are used depends on the processor, and with them the last
digits. Environment variables choose those of another one: the kernels of OpenBLAS, what numpy has compiled for newer
processors, and numba's target. A name that a library does not know is passed over in silence, so every process that
runs tests, as this is a plugin of pytest too, is asked first what it has really got, and stops where that is not it.
"""

import os
import platform
import subprocess
import sys
from datetime import date
from typing import Any

import numpy as np
import pytest

FOLDERS = (
    *(f"tests/{name}" for name in ("weak", "metrics", "probability", "strategies", "linear", "decision", "generative")),
    *(f"tests/{name}" for name in ("boosting", "index", "neighbours", "selection", "text", "ensembles", "explain")),
    *(f"tests/test_{name}.py" for name in ("base", "pipeline", "tuning", "contract")),
)
CORES = {"Prescott": ("Prescott", "Katmai"), "Haswell": ("Haswell", "Zen")}
"""What OpenBLAS may call the kernels asked for: those of Prescott serve Katmai too, those of Haswell Zen."""
KNOWN: Any = np._core._multiarray_umath  # type: ignore[attr-defined]


def features() -> list[str]:
    """Give the features of this processor that the installed numpy has code of its own for, by numpy's names."""
    return [name for name in KNOWN.__cpu_dispatch__ if KNOWN.__cpu_features__[name]]


def environment(core: str, threads: int, newer: bool) -> dict[str, str]:
    """Give the variables of a setting. The corpora are left out: they would take most of the time."""
    chosen = {"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    if not newer:
        chosen |= {"NPY_DISABLE_CPU_FEATURES": " ".join(features()), "NUMBA_CPU_NAME": "generic"}
    return {name: value for name, value in os.environ.items() if name != "CLASSMARK_DATA"} | chosen


def pytest_configure() -> None:
    """Stop where this process is not as its variables ask."""
    import scipy.linalg  # noqa: F401 - it brings an OpenBLAS of its own
    from numba.core import config
    from threadpoolctl import threadpool_info, threadpool_limits

    core, threads = os.environ["OPENBLAS_CORETYPE"], int(os.environ["OPENBLAS_NUM_THREADS"])
    # By its variable alone OpenBLAS takes no more threads than there are cores.
    threadpool_limits(threads)
    for one in threadpool_info():
        if one["internal_api"] == "openblas" and one["architecture"] not in CORES[core]:
            raise pytest.UsageError(f"OpenBLAS has the kernels of {one['architecture']}, not of {core}")
        if one["num_threads"] != threads:
            raise pytest.UsageError(f"{one['internal_api']} has {one['num_threads']} threads, not {threads}")
    if "NPY_DISABLE_CPU_FEATURES" in os.environ and features():
        raise pytest.UsageError(f"numpy still has {features()}")
    if os.environ.get("NUMBA_CPU_NAME") != config.CPU_NAME:
        raise pytest.UsageError(f"numba compiles for {config.CPU_NAME}")


def main() -> int:
    """Run the numeric tests under one setting; return the exit code."""
    if platform.machine() not in ("x86_64", "AMD64"):
        sys.stderr.write(f"skipped: the settings are those of x86, and this is {platform.machine()}\n")
        return 0
    settings = {"Prescott": (1, False)}
    if KNOWN.__cpu_features__["AVX2"]:
        settings["Haswell"] = (4, True)
    core = sys.argv[1] if len(sys.argv) > 1 else list(settings)[date.today().toordinal() % len(settings)]
    if core not in settings:
        sys.stderr.write(f"{core}: unknown setting; choose one of {', '.join(settings)}\n")
        return 2
    threads, newer = settings[core]
    sys.stderr.write(f"{core}, {threads} thread(s), newer instructions {'on' if newer else 'off'}\n")
    # torch has kernels of its own, which none of the variables choose.
    which = ["-k", "not FineTuned and not fine-tuned", "--quick", "--hypothesis-profile=few", *FOLDERS]
    command = ["-m", "pytest", "-q", "-p", "tests.processors", "-n", "auto", "--dist", "loadgroup", *which]
    return subprocess.run([sys.executable, *command], env=environment(core, threads, newer), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
