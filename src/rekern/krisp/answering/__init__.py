"""Answers from a database: readings, confidence, SQL, the embedded geography of Europe."""
