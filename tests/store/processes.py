"""Processes of their own that start quickly: from one that has the imports, and nothing else of this one."""

from multiprocessing import get_context

context = get_context("forkserver")
context.set_forkserver_preload(["classmark.store", "classmark.store.store", "psycopg"])


def run_all(target, arguments):
    """Run a function in processes, one for each of the arguments, and see all of them end well."""
    processes = [context.Process(target=target, args=given) for given in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * len(processes)
