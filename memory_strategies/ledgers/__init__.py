"""The parts of `instruction_ledger`: the ledger, and the two ways of reading a session into it."""
