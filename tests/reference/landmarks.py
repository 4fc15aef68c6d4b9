"""Landmarks as in the formulas: the Nyström approximation (Williams and Seeger, 2001) and the choice of k-means++."""

import math

import numpy as np


def approximate(kernel, landmarks, left, right, cut=1e-10):
    """K(x, L) · K(L, L)⁺ · K(L, y), value by value; eigenvalues up to ``cut`` of the largest are left out."""
    inner = np.array([[kernel(a, b) for b in landmarks] for a in landmarks])
    values, vectors = np.linalg.eigh((inner + inner.T) / 2)
    inverse = np.zeros_like(inner)
    for value, vector in zip(values, vectors.T):
        if value > cut * max(values.max(), 0.0):
            inverse += np.outer(vector, vector) / value
    found = np.zeros((len(left), len(right)))
    for i, x in enumerate(left):
        one = np.array([kernel(x, mark) for mark in landmarks])
        for j, y in enumerate(right):
            found[i, j] = one @ inverse @ np.array([kernel(mark, y) for mark in landmarks])
    return found


def pick(gram, numbers):
    """The rows that k-means++ picks (Arthur and Vassilvitskii, 2007), given its random numbers from 0 to 1."""
    n = len(gram)
    picked = [int(numbers[0] * n)]
    for number in numbers[1:]:
        distances = []
        for row in range(n):
            near = []
            for mark in picked:
                squares = gram[row][row] + gram[mark][mark]
                distance = squares - 2 * gram[row][mark]
                near.append(distance if distance > 1e-12 * squares else 0.0)
            distances.append(0.0 if row in picked else min(near))
        total = 0.0
        sums = [total := total + distance for distance in distances]
        if total <= 0:
            break
        place = 0
        while sums[place] <= min(number * total, math.nextafter(total, 0.0)):
            place += 1
        picked.append(place)
    return picked
