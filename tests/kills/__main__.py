"""`python -m tests.kills --kills 100`."""

from tests.kills.driver import main

main()
