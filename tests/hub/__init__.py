"""A hub on the loopback that the real client talks to; it keeps every commit, counts, and fails when told to."""
