"""What follows from the per-sample tables of a whole board, worked out once for a revision and kept."""
