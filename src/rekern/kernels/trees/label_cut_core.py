"""The compiled part of the table of similar labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.compiling import compiled


@compiled
def cut_similarities(matrix, first, last, least):
    """Set what is below ``least`` to 0 and the diagonal to 1, in some rows of a matrix of similarities."""
    for row in range(first, last):
        for column in range(matrix.shape[1]):
            if not matrix[row, column] >= least:
                matrix[row, column] = 0.0
        matrix[row, row] = 1.0
