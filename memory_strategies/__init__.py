"""Memory strategies, one file each. They import `memorycode` only and are found by name."""
