"""The compiled part of the table of similar labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs, no-warn-return-any

from rekern.core.compiling import compiled


@compiled
def place_similarities(products, matrix, first, least):
    """Write rows and columns of a symmetric matrix from its diagonal on: 0 for what is below ``least``, 1 on it.

    Row i of ``products`` has the values of row ``first + i`` from column ``first`` on.
    """
    height, width = products.shape
    for row in range(height):
        for column in range(row, width):
            value = products[row, column]
            products[row, column] = value if value >= least else 0.0
        products[row, row] = 1.0
        for column in range(row, width):
            matrix[first + row, first + column] = products[row, column]
    for column in range(width):
        for row in range(min(column, height)):
            matrix[first + column, first + row] = products[row, column]
