"""`python -m tests.fuzz --mutations 2000`."""

from tests.fuzz.driver import main

main()
