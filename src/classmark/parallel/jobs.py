"""How many threads and processes `n_jobs` asks for."""

from classmark.errors import InputError

MOST_A_CORE = 4
"""More than this would only wait for each other, and a hundred thousand would never be started."""


def n_threads(n_jobs: int | None) -> int:
    """Give the number of threads that `n_jobs` asks for, in joblib's manner: None is 1, -1 all cores, -2 all but one.

    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs == 0:
        raise InputError("n_jobs=0: must be a number of threads, -1 for all cores or -2 for all but one")
    if n_jobs is None:
        return 1
    return min(n_jobs, MOST_A_CORE * n_cores()) if n_jobs > 0 else max(1, n_cores() + 1 + n_jobs)


def n_processes(n_jobs: int | None) -> int | None:
    """Give joblib the number of processes that it is asked for, bounded as that of threads; None and -1 are its own.

    >>> n_processes(None), n_processes(-1), n_processes(2)
    (None, -1, 2)
    """
    return None if n_jobs is None else min(n_jobs, MOST_A_CORE * n_cores())


def n_cores() -> int:
    """Return the number of cores that this process may use: by its affinity, and by the quota of a container.

    >>> n_cores() >= 1
    True
    """
    from joblib import cpu_count

    return int(cpu_count())
