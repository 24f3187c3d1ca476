"""What retrieval has in common whichever retriever ranks: units, how many to take, measures."""
