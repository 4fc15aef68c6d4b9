"""The relation that the target states, as a vector: what its words mean that are between the two things it relates."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.messages import show_value
from rekern.core.registry import register
from rekern.core.state_schema import InstanceOf, Schema, Text, parameters
from rekern.errors import InputError
from rekern.kernels.score_kernel import ScoreKernel
from rekern.similarity.pair_sides import read_tree_sides
from rekern.similarity.role_graphs import make_role_graph
from rekern.similarity.statements import find_statement
from rekern.similarity.word_support import find_vector
from rekern.structures.word_space import WordSpace


@register
class StatedRelation(ScoreKernel):
    """Linear kernel on a vector of length 1, the sum over the words of the relation that the target states.

    The relation is made of the content words of the target besides the two things that it relates: in "Ann works for
    Acme" the word *works*. A target that relates no two things has its main word instead. Every word has the vector of
    its written form in small letters, or else of its stem, with length 1. If no word has a vector, the sum is 0. The
    source is not read.

    Alone it knows nothing about a pair. In a product it tells other kernels when their scores mean the same:
    ``Gaussian(scores, 0.07) * Gaussian(StatedRelation(on="parse", space=space), 0.5)`` is larger for two pairs with
    similar scores if their targets state similar relations.

    Parameters
    ----------
    on : str
        The representation of the pairs that has dependencies in CoNLL-U.
    space : WordVectors or LatentSemantics
        The word space.

    Examples
    --------
    >>> from rekern.similarity import WordVectors
    >>> from rekern.structures import sentence, to_conllu
    >>> parse = to_conllu([sentence(["Ann", "likes", "Bob"], [1, -1, 1], tags=["NNP", "VBZ", "NNP"],
    ...                             relations=["nsubj", "root", "dobj"])])
    >>> kernel = StatedRelation(on="parse", space=WordVectors(["likes", "bob"], [[3.0, 4.0], [1.0, 0.0]]))
    >>> kernel.scores({"source.parse": [parse], "target.parse": [parse]})
    array([[0.6, 0.8]])
    """

    checks_itself = frozenset({"on", "space"})
    schema = Schema(parameters(on=Text(1000), space=InstanceOf(WordSpace)))  # a model file has both

    def __init__(self, on: str | None = None, space: WordSpace | None = None):
        self.on = on
        self.space = space

    def names(self) -> list[str]:
        """Return the names of the scores: the dimensions of the word space."""
        return [f"stated relation {number}" for number in range(1, self._find_space().vectors([""]).shape[1] + 1)]

    def describe_scores(self) -> list[str]:
        """Return every score in words."""
        return [f"{name.rpartition(' ')[2]}. dimension of what the target states" for name in self.names()]

    def count_sizes(self) -> dict[str, int]:
        """Return the number of scores."""
        return {"scores": len(self.names())}

    def scores(self, X: object) -> Floats:
        """Return the vector of the relation that each target states, a row for each pair."""
        space, size = self._find_space(), len(self.names())
        if not isinstance(self.on, str):
            raise InputError(f"on={show_value(self.on)}: name the representation that has the dependencies")
        sides = read_tree_sides(X, self.on)
        assert sides.tags is not None and sides.heads is not None and sides.relations is not None
        texts = list(zip(sides.lemmas, sides.forms, sides.tags, sides.heads, sides.relations, strict=True))[1::2]
        found = np.zeros((len(texts), size))
        known: dict[tuple[str, str], Floats] = {}
        for row, text in enumerate(texts):
            graph = make_role_graph(*text)
            stated = find_statement(graph)
            places = stated.relation if stated is not None else [graph.tree.parents.index(-1)] if len(graph) else []
            for place in places:
                key = graph.tree.words[place], graph.tree.stems[place]
                if key not in known:
                    known[key] = _set_length(find_vector(space, *key))
                found[row] += known[key]
            found[row] = _set_length(found[row])
        return found

    def _find_space(self) -> WordSpace:
        if not isinstance(self.space, WordSpace):
            raise InputError(f"space={show_value(self.space)}: give a WordVectors or a LatentSemantics")
        return self.space


def _set_length(vector: Floats) -> Floats:
    """Return a vector with the length 1, or 0 if it is 0."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
