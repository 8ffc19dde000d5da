"""`python -m classmark`: the command line."""

from classmark.cli import main

if __name__ == "__main__":
    main()
