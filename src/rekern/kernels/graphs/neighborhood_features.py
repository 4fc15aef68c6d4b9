"""The features of graphs: pairs of neighbourhoods, as rows of keys and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rekern.core.arrays import AnyArray, Ints, Keys, SmallInts
from rekern.core.hashing import constants
from rekern.core.interruption import call_core
from rekern.core.key_rows import KeyRows, stack_rows
from rekern.core.parallel_jobs import run, split_range
from rekern.kernels.gram_plan import invert_roots
from rekern.kernels.graphs import neighborhood_pair_core as core
from rekern.kernels.graphs.neighborhood_key_core import merge_links
from rekern.kernels.graphs.neighborhood_text import write_neighborhood
from rekern.structures.graphs import Graphs

GRAPHS_IN_BLOCK = 128

Links = tuple[AnyArray, ...]


class NeighborhoodFeatures(NamedTuple):
    """Which pairs of neighbourhoods are features, and whether rows are normalised.

    >>> features = NeighborhoodFeatures(min_radius=0, radius=0, distance=1, normalize=False)
    >>> features.extract_rows(Graphs.from_items([(["a", "b"], [(0, 1)])])).values.round(3).tolist()
    [1.0, 1.0, 1.414]
    """

    min_radius: int
    radius: int
    distance: int
    normalize: bool

    def count_cells(self) -> int:
        """Return how many combinations of a radius and a distance there are."""
        return (self.radius - self.min_radius + 1) * (self.distance + 1)

    def find_cell(self, cell: int) -> tuple[int, int]:
        """Return the radius and the distance of a combination."""
        return self.min_radius + cell // (self.distance + 1), cell % (self.distance + 1)

    def extract_rows(self, graphs: Graphs, n_jobs: int | None = None) -> KeyRows:
        """Return the features of every graph as a row of keys and values."""
        cells = self.extract_cells(graphs, n_jobs)
        number = self.count_cells()
        indptr = cells.indptr[::number].copy()
        if not self.normalize:
            return KeyRows(indptr, cells.keys, cells.values)
        scale = invert_roots(cells.sum_squares())
        present = np.count_nonzero(scale.reshape(-1, number), axis=1).astype(float)
        scale *= np.repeat(invert_roots(present), number)
        return KeyRows(indptr, cells.keys, cells.values * np.repeat(scale, np.diff(cells.indptr)))

    def extract_cells(self, graphs: Graphs, n_jobs: int | None = None) -> KeyRows:
        """Return the features of every graph, a row for each radius and distance, not normalised.

        Pairs of nodes are ordered: two different neighbourhoods at a distance above 0 make two features. They are
        stored as one with √2 times their number. Two equal ones make one feature that counts twice. So the inner
        products are those of the ordered pairs.
        """
        links = find_links(graphs)
        shared = (graphs.offsets, links, self.min_radius, self.radius, self.distance)
        calls = [(*span, *shared) for span in split_range(len(graphs), GRAPHS_IN_BLOCK)] or [(0, 0, *shared)]
        return stack_rows(list(run(_extract_block, calls, n_jobs, "neighbourhoods")))

    def name_features(self, graph: Graphs, rows: KeyRows, places: Ints) -> list[str]:
        """Return as text the features of one graph at these places; ``rows`` are those of `extract_cells`."""
        cells = np.searchsorted(rows.indptr, places, side="right") - 1
        roots: dict[tuple[int, int], tuple[int, int]] = {}  # of each cell and key, the first pair
        for cell in np.unique(cells).tolist():
            wanted = rows.keys[places[cells == cell]]
            for nodes, keys in iterate_root_pairs(graph, *self.find_cell(cell)):
                for at in np.flatnonzero(np.isin(keys, wanted)).tolist():
                    one, other = nodes[at].tolist()
                    roots.setdefault((cell, int(keys[at])), (one, other))
                wanted = np.setdiff1d(wanted, keys)
                if not len(wanted):
                    break
        texts = []
        for place, cell in zip(places.tolist(), cells.tolist()):
            radius, distance = self.find_cell(cell)
            one, other = roots[cell, int(rows.keys[place])]
            text = write_neighborhood(graph[0], one, radius)
            if distance:
                text = " and ".join(sorted([text, write_neighborhood(graph[0], other, radius)])) + f", {distance} apart"
            texts.append(text)
        return texts


def find_links(graphs: Graphs) -> Links:
    """Return the arrays of a corpus in the form that the compiled functions take."""
    arrays = (graphs.offsets, graphs.labels, graphs.indptr, graphs.neighbors, graphs.edge_labels)
    links: Links = merge_links(*arrays, graphs.label_keys())
    return links


def iterate_root_pairs(graph: Graphs, radius: int, distance: int) -> Iterator[tuple[SmallInts, Keys]]:
    """Yield the pairs of nodes of a single graph at this distance, and the keys of their neighbourhoods, in parts."""
    heads, others, links, own = find_links(graph)
    rooted = core.hash_roots(radius, radius, heads, others, links, own)[:, 0]
    cell = _make_constants(radius, radius, distance)[0, distance]
    for begin, end in split_range(len(own), max(1, core.PAIRS_AT_ONCE // max(len(own), 1))):
        pairs, starts = core.list_pairs(begin, end, distance, heads, others)
        pairs = pairs[starts[distance] : starts[distance + 1]]
        yield pairs, core.hash_pairs(pairs, rooted, cell)


def _make_constants(smallest: int, largest: int, farthest: int) -> Keys:
    """Return a constant for every radius and distance, the same whatever the other radii and distances are."""
    return np.stack([constants(0x6300 + radius, farthest + 1) for radius in range(smallest, largest + 1)])


def _extract_block(
    first: int, last: int, offsets: Ints, links: Links, smallest: int, largest: int, farthest: int
) -> KeyRows:
    cells = _make_constants(smallest, largest, farthest)
    steps = float((np.diff(offsets[first : last + 1]).astype(float) ** 2).sum())
    call = (first, last, offsets, *links, smallest, largest, farthest, cells)
    return KeyRows(*call_core(steps, core.extract_graphs, *call))
