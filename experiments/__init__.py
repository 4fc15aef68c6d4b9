"""The published experiments, and other public corpora, run again: ``python -m experiments NAME``.

It is not part of the package that is installed: run it from the root of the repository. The corpora are not part of the
repository either, because most of their licences do not allow it.
"""
