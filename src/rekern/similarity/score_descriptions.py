"""Every score inside a pair in words, for people who read explanations."""

from __future__ import annotations

from rekern.similarity.symmetric_scores import SIDES

_SHARES = {
    "": "words",
    "idf ": "words, rare ones counting more,",
    "bigram ": "pairs of neighbouring words",
    "trigram ": "runs of three words",
    "content ": "content words",
    "capital ": "capitalised words",
    "number ": "words with a digit",
    "character ": "runs of four characters",
    "idf bigram ": "pairs of neighbouring words, rare ones counting more,",
    "idf trigram ": "runs of three words, rare ones counting more,",
    "link ": "links between a word and its head",
    "relation ": "links between a word and its head, of the same kind,",
    "skip ": "pairs of words in order, at most four words apart,",
    "content bigram ": "pairs of neighbouring content words",
}
_FOUND = {
    "subsequence ": "in the longest common sequence of words, gaps allowed",
    "substring ": "in the longest common run of words",
    "prefix ": "whose first four characters a word of the {other} has, rare words counting more",
    "resnik ": "with a word of related meaning in the {other}, by WordNet",
    "synonym ": "with a synonym in the {other}, by WordNet",
    "thesaurus ": "with a word listed as equal in the {other}",
    "vector ": "with a word of similar use in the {other}, by word vectors",
    "substituted resnik ": "with a word of related meaning in the {other}, nouns made more general",
    "linked ": "that are linked one to one with similar words of the {other}, by word vectors, rare ones counting more",
    "sister ": "that are in the {other}, or have a sister term there (cat for dog), by WordNet",
}
_LINKED = {
    "aligned ": "linked with an equal word or a synonym of the {other}, rare ones counting more",
    "soft aligned ": "linked with similar words of the {other}, rare ones counting more",
}
_UNSHARED = {
    "idf": "weight of all words that only the {side} has (logarithm)",
    "content": "number of content words that only the {side} has (logarithm)",
    "content weight": "weight of the content words that only the {side} has",
    "longest run": "length of the longest run of words that only the {side} has",
    "runs": "number of runs of words that only the {side} has",
    "beginning": "words at the beginning that only the {side} has",
    "end": "words at the end that only the {side} has",
    "others": "number of other words that only the {side} has (logarithm)",
}
_SIDED = {
    "mover distance": "mean distance from a content word of the {side} to the nearest one of the {other}, by vectors",
    "weakest match": "weight of the content word of the {side} with the weakest match in the {other}, by word vectors",
    "missed weight": "weight of the words of the {side} without a similar word in the {other} (logarithm)",
    "unaligned weight": "weight of the content words of the {side} that have no link to the {other} (logarithm)",
    "unaligned words": "number of content words of the {side} that have no link to the {other} (logarithm)",
    "bleu": "BLEU of the {side}, with the {other} as its reference translation",
    "negations": "number of negations in the {side} (logarithm)",
    "modality": "number of modal words in the {side}, such as may and should (logarithm)",
    "reports": "number of words of reporting and thinking in the {side}, such as said and believe (logarithm)",
    "other numbers": "number of numbers that only the {side} has, five and 5 being the same (logarithm)",
    "other names": "number of capitalised words that only the {side} has (logarithm)",
}
_KINDS = ("names", "nouns", "verbs", "adjectives", "adverbs", "numbers", "function words")
_SINGLE = {
    "window recall": "words of the target in the best part of the source, rare ones counting more",
    "negation differs": "only one side has a negation",
    "common substring": "length of the longest common run of characters, as a share of the longer side",
    "common subsequence": (
        "length of the longest common sequence of characters, gaps allowed, as a share of the longer side"
    ),
    "string tiling": "words of both sides in common runs of several words",
    "tiles": "number of common runs for each word in them (low if long parts are shared)",
    "edit similarity": "words that stay if one side is edited into the other",
    "numbers equal": "both sides have the same numbers",
    "numbers contained": "the numbers of one side are all in the other",
    "names equal": "both sides have the same names",
    "names contained": "the names of one side are all in the other",
    "length ratio": "difference in length (logarithm of the ratio)",
    "antonyms": "the sides have words of opposite meaning, by WordNet",
    "esa": "similarity of the subjects of both sides (ESA)",
    "substituted esa": "similarity of the subjects of both sides (ESA), nouns made more general",
    "vector cosine": "similarity of the two sides' word vectors",
    "meteor": "shared words in the same order (METEOR)",
    "chunks": "runs of shared words, for each shared word",
    "inversions": "steps back in the order of shared words, for each shared word",
    "verbs in common": "verbs that both sides have",
    "names in common": "names that both sides have",
    "same beginning": "both sides begin with the same word",
    "vector bigram precision": "match of neighbouring words of the source with those of the target, by word vectors",
    "vector bigram recall": "match of neighbouring words of the target with those of the source, by word vectors",
    "general precision": "words of the source that the target has too, or has a more general word for (WordNet)",
    "general recall": "words of the target that the source has too, or that are more general than one of it (WordNet)",
    "special precision": "words of the source that the target has too, or has a more special word for (WordNet)",
    "special recall": "words of the target that the source has too, or that are more special than one of it (WordNet)",
    "mean cosine": "similarity of the mean word vectors, frequent words hardly counting",
    "mean distance": "distance of the mean word vectors, frequent words hardly counting",
    "unshared cosine": "similarity of the words that only one side has with those of the other, by word vectors",
    "extremes cosine": "similarity of the largest and smallest numbers in the word vectors of both sides",
    "aligned surroundings": "how well the neighbours of linked words match, on average",
    "reversals": "pairs of shared words that are in reversed order, as a share",
    "content reversals": "pairs of shared content words that are in reversed order, as a share",
    "name reversals": "pairs of shared names that are in reversed order, as a share",
    "chunk rate": "number of common runs for each shared word",
    "mean shift": "how far shared words have moved, on average",
    "largest shift": "how far the shared word that moved most has moved",
    "same first word": "both sides begin with the same word",
    "same last word": "both sides end with the same content word",
    "odd negations": "the negations of both sides together are an odd number",
    "negated on one side": "shared content words that are negated on one side only, as a share",
    "modality differs": "one side has a modal word that the other has not",
    "quantities differ": "one side has a quantity such as all or few that the other has not",
    "numbers conflict": "each side has a number that the other has not",
    "names conflict": "each side has a name that the other has not",
    "times conflict": "each side has a day, month or year that the other has not",
    "new names": "number of names in the target that are not in the source (logarithm)",
    "new numbers": "number of numbers in the target that are not in the source (logarithm)",
    **{
        f"{kind} wanted": f"the source asks for a {kind}: 1 if the target seems to have one, -1 if not"
        for kind in ("person", "time", "place", "number", "reason", "definition")
    },
}


def _list_descriptions() -> dict[str, str]:
    found = dict(_SINGLE)
    for measure, side, other in (("precision", "source", "target"), ("recall", "target", "source")):
        for name, noun in _SHARES.items():
            found[f"{name}{measure}"] = f"{noun} of the {side} that the {other} has too"
        for name, words in _FOUND.items():
            found[f"{name}{measure}"] = f"words of the {side} {words.format(other=other)}"
        for name, words in _LINKED.items():
            found[f"{name}{measure}"] = f"content words of the {side} that are {words.format(other=other)}"
    for side in ("source", "target"):
        found[f"{side} length"] = f"length of the {side} (logarithm, divided by 5)"
        found[f"{side} negation"] = f"the {side} has a negation"
        found[f"{side} rarest unshared"] = f"rarity of the rarest word that only the {side} has"
        for name, words in _UNSHARED.items():
            found[f"{side} unshared {name}"] = words.format(side=side)
        for name, words in _SIDED.items():
            found[f"{side} {name}"] = words.format(side=side, other="target" if side == "source" else "source")
        for kind in _KINDS:
            found[f"{side} unshared {kind}"] = f"number of {kind} that only the {side} has (logarithm)"
    for n, run in ((1, ""), (2, "runs of two "), (3, "runs of three "), (4, "runs of four ")):
        found[f"lemma {n}-gram cosine"] = f"similarity of the counts of {run}words (cosine)"
        found[f"tag {n}-gram cosine"] = f"similarity of the counts of {run}parts of speech (cosine)"
    return found


DESCRIPTIONS = _list_descriptions()


def describe_score(name: str) -> str:
    """Return a score in words; a name that is not known is returned as it is.

    >>> describe_score("recall"), describe_score("source negation")
    ('words of the target that the source has too', 'the source has a negation')
    >>> describe_score("idf lower share")
    'words, rare ones counting more, of one side that the other has too (the lower value)'
    >>> describe_score("Spectrum inside")
    'similarity of the source and the target by the kernel Spectrum'
    """
    if name in DESCRIPTIONS:
        return DESCRIPTIONS[name]
    for side, rank in SIDES:  # of a symmetric score, which does not distinguish source and target
        if rank in name and name.replace(rank, side) in DESCRIPTIONS:
            word = rank.partition(" ")[0]
            one, other = ("source", "target") if word == "lower" else ("target", "source")
            words = DESCRIPTIONS[name.replace(rank, side)]
            return f"{words.replace(f'the {one}', 'one side').replace(f'the {other}', 'the other')} (the {word} value)"
    kernel, inside, number = name.partition(" inside")
    return f"similarity of the source and the target by the kernel {kernel}{number}" if inside else name
