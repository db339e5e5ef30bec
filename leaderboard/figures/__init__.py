"""Figures of a board: records become a drawing, the table of what it shows, and one sentence that says what to see."""
