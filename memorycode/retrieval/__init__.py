"""What retrieval has in common whichever retriever ranks: units, queries, how many to take."""
