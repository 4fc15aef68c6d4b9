"""The kernel of curves over scores, straight from its definition, one value at a time, in plain Python."""

import math


def rise(value, low, high, pieces):
    """The share of the whole range below a value, and of each piece of it."""
    value = min(max(value, low), high)
    width = (high - low) / pieces
    steps = [min(max((value - low - piece * width) / width, 0.0), 1.0) for piece in range(pieces)]
    return [(value - low) / (high - low), *steps]


def mean(values):
    return math.fsum(values) / len(values)


def curve_features(training, items, knots, bend, weight):
    """The features of the items; both arguments are lists of lists of scores."""
    columns = list(zip(*training))
    moving = sum(max(column) - min(column) > 1e-9 for column in columns)
    rows = [[] for _ in items]
    for place, column in enumerate(columns):
        low, high = min(column), max(column)
        if high - low <= 1e-9:
            for row in rows:
                row += [0.0] * knots
            continue
        seen = list(zip(*(rise(value, low, high, knots - 1) for value in column)))
        centers = [mean(values) for values in seen]
        variances = [mean([(value - center) ** 2 for value in values]) for values, center in zip(seen, centers)]
        scales = [math.sqrt(weight / moving / variances[0])]
        scales += [math.sqrt(weight / moving * bend / sum(variances[1:]))] * (knots - 1)
        for row, item in zip(rows, items):
            found = rise(item[place], low, high, knots - 1)
            row += [(value - center) * scale for value, center, scale in zip(found, centers, scales)]
    return rows


def product_features(training, items, knots, bend, weight, products):
    """The features of the curves, and the products of every two standardised scores."""
    known, asked = (curve_features(training, rows, knots, bend, weight) for rows in (training, items))
    places = range(0, len(known[0]), knots)  # of the lines
    pairs = [(one, other) for one in places for other in places if one < other]
    seen = [[row[one] * row[other] for row in known] for one, other in pairs]
    centers = [mean(values) for values in seen]
    total = sum(mean([(value - center) ** 2 for value in values]) for values, center in zip(seen, centers))
    whole = sum(mean([value**2 for value in values]) for values in seen)
    scale = math.sqrt(products / total) if total > 1e-9 * whole else 0.0
    return [
        row + [(row[one] * row[other] - center) * scale for (one, other), center in zip(pairs, centers)]
        for row in asked
    ]
