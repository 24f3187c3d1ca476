"""``python -m memorycode``."""

from memorycode.cli import main

if __name__ == "__main__":
    main()
