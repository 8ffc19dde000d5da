"""Work on a Dask cluster: the same tasks and the same parts as on one machine, and so the same bits.

`connecting` opens a cluster, which algorithms see as a `Place`, and compares versions, `tasks` and `residents` are
its two kinds of work, `watching` bounds every wait, and `hosting` is what runs on the workers. Nothing but Dask's own
channels is used, and Dask is imported by these modules alone.
"""
