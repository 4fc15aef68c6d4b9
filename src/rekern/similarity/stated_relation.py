"""The relation that the target states, as a vector: what its words mean that are between the two things it relates."""

from __future__ import annotations

import numpy as np

from rekern.core.arrays import Floats
from rekern.core.explanations import Part
from rekern.core.messages import show_value
from rekern.core.registry import register
from rekern.core.state_schema import InstanceOf, Schema, Text, parameters
from rekern.errors import InputError
from rekern.kernels.kernel_items import Item, wrap_item
from rekern.kernels.score_effects import ScoreEffect
from rekern.kernels.score_kernel import ScoreDecision, ScoreKernel
from rekern.similarity.pair_sides import read_tree_sides
from rekern.similarity.role_graphs import make_role_graph
from rekern.similarity.statements import find_statement
from rekern.similarity.word_support import find_vector
from rekern.structures.word_space import WordSpace


@register
class StatedRelation(ScoreKernel):
    """Linear kernel on a vector of length 1, the sum over the words of the relation that the target states.

    The relation is made of the content words of the target that are below neither of the two things that it relates: in
    "Ann works for Acme" the word *works*. A target that relates no two things has its main word instead. Every word has
    the vector of its written form in small letters, or else of its stem, with length 1. If no word has a vector, or
    there is none, as in "Ann sang", the sum is 0, and all such targets are alike. The source is not looked at.

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
    schema = Schema(parameters(on=Text(1000), space=InstanceOf(WordSpace)))

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
        stated = self.find_words(X)
        return np.array([_set_length(vectors.sum(axis=0)) for _, vectors in stated]).reshape(-1, len(self.names()))

    def find_words(self, X: object) -> list[tuple[list[str], Floats]]:
        """Return the words of the relation that each target states, and their vectors, without words that have none."""
        space, size = self._find_space(), len(self.names())
        if not isinstance(self.on, str):
            raise InputError(f"on={show_value(self.on)}: name the representation that has the dependencies")
        sides = read_tree_sides(X, self.on, "StatedRelation")
        assert sides.tags is not None and sides.heads is not None and sides.relations is not None
        texts = list(zip(sides.lemmas, sides.forms, sides.tags, sides.heads, sides.relations, strict=True))[1::2]
        known: dict[tuple[str, str], Floats] = {}
        found = []
        for text in texts:
            graph = make_role_graph(*text)
            stated = find_statement(graph)
            places = stated.relation if stated is not None else [graph.tree.parents.index(-1)] if len(graph) else []
            words, vectors = list[str](), list[Floats]()
            for place in places:
                key = graph.tree.words[place], graph.tree.stems[place]
                if key not in known:
                    known[key] = _set_length(find_vector(space, *key))
                if known[key].any():
                    words.append(key[0])
                    vectors.append(known[key])
            found.append((words, np.array(vectors).reshape(len(words), size)))
        return found

    def get_decision_class(self) -> type[ScoreDecision]:
        """Return the class of the decision function, which has a part for each word."""
        return StatedDecision

    def _find_space(self) -> WordSpace:
        if not isinstance(self.space, WordSpace):
            raise InputError(f"space={show_value(self.space)}: give a WordVectors or a LatentSemantics")
        return self.space


class StatedDecision(ScoreDecision):
    """The decision function of `StatedRelation`: what it adds is said by words, not by dimensions of their space."""

    def parts(self, item: Item, output: int = 0) -> list[Part]:
        """Return one part for each word of the relation that the target states."""
        assert isinstance(self.kernel, StatedRelation)
        ((words, vectors),) = self.kernel.find_words(wrap_item(item))
        length = float(np.linalg.norm(vectors.sum(axis=0)))
        added = (vectors @ self.weights[:, output] / (length or 1.0)).tolist()
        return [
            Part("score", f"stated {word}", 1.0, value, description=f'the target states: "{word}"', score=1.0)
            for word, value in zip(words, added)
        ]

    def effects(self, output: int = 0) -> list[ScoreEffect]:
        """Return nothing: a dimension has no meaning of its own."""
        return []


def _set_length(vector: Floats) -> Floats:
    """Return a vector with the length 1, or 0 if it is 0."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
