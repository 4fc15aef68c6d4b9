"""A small domain for the parser."""

from state_questions import grammar, questions

__all__ = ["grammar", "questions"]
