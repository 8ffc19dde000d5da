"""A simulation of work on a cluster: `benchmarks/cluster_size.py` calibrates it, checks it and extrapolates by it.

`events` has processes, links and cores, and knows nothing of what is computed; `problems` says what a round of
boosting, an iteration of EM and a batch of queries ask for, by their size alone; `costs` measures what things cost on
one worker, and `runs` what the same problems take on real workers.
"""
