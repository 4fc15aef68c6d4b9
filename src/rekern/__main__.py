"""``python -m rekern`` is the command line."""

from rekern.cli import main

if __name__ == "__main__":
    main()
