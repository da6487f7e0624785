"""``python -m wmap``."""

from wmap.cli.main import main

if __name__ == "__main__":
    main()
