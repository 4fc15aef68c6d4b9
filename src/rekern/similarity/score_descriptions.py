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
_MISSED = ("names", "numbers", "verbs", "nouns")
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
    "included words": "content words of the target that words of the source support, rare ones counting more",
    "included in one sentence": "content words of the target that the best sentence of the source supports, by weight",
    "largest miss": "weight of the content word of the target that the source supports least",
    "inclusion": "how well the tree of the target can be laid into that of the source, word on word",
    "included links": "links between content words of the target of which both words have a place in the source",
    "links kept": "links between content words of the target that are links in the source, too",
    "links near": "links between content words of the target whose words are at most two steps apart in the source",
    "stretch": "how much farther apart the words of the target are in the tree of the source, on average",
    "close words": "pairs of content words of the target that are not farther apart in the tree of the source",
    "names apart": "how far names and numbers of the target are apart in the tree of the source, at most",
    "words between": "words of the source above those of the target in its tree (logarithm)",
    "negated inclusion": "what the target says is negated in the source and not in the target, or the reverse",
    "hedged inclusion": "what the target says is only possible or claimed in the source (-1 in the target)",
    "included root": "how far the source supports the first content word of the tree of the target, such as its verb",
    "depth of inclusion": "how deep in the tree of the source the target is found (logarithm)",
    "source content": "number of content words in the source (logarithm)",
    "target content": "number of content words in the target (logarithm)",
    **{
        f"missed {name}": f"weight of the {words} of the target that the source does not support (logarithm)"
        for name, words in (*((kind, kind) for kind in _MISSED), ("others", "other content words"))
    },
    "frame": "how far a word of the source supports the main word of the target, with its subject and other roles",
    "weakest role": "how far the main word of the target has its least supported role in the source",
    "other fillers": "subjects and objects of the target's main word whose role another word has in the source",
    "denied frame": "that word is denied in the source and not in the target, or the reverse",
    "doubtful frame": "that word is only possible, wanted or claimed in the source (-1: in the target)",
    "frame word": "how far that word supports the main word of the target",
    "doubtful frames": "share of the words for the main word of the target that are doubtful (less 1: in the target)",
    "denied frames": "share of the words for the main word of the target that are denied (less 1: in the target)",
    "frame found": "a word of the source supports the main word of the target",
    **{
        f"{kind} steps": f"steps {words} between the two things that the target relates, in the source"
        for kind, words in (
            ("subject", "from or to a subject"),
            ("object", "from or to an object"),
            ("of", 'by "of" or a possessive'),
            ("in", 'by "in"'),
            ("preposition", "by another preposition"),
            ("is", "from what something is"),
            ("part", "within a noun phrase"),
            ("clause", "into another clause"),
            ("same", "from a pronoun or a name to the same name"),
            ("text", "out of a sentence"),
            ("other", "by other roles"),
        )
    },
    "way found": "the two things that the target relates both have a place in the source",
    "length of way": "how far apart the two things that the target relates are in the source",
    "target says is": "the target says what something is",
    "is supported": "how far the source says so, too",
    "things joined": "the source has both things that the target relates",
    "distance of things": "how far apart the two things that the target relates are in the source, at most 6 steps",
    "words between things": "content words from one to the other of the target's two things, in the source (logarithm)",
    "names between things": "names between the target's two things, in the source (logarithm)",
    "things in order": "the source has the target's two things in the same order",
    "names nearer to the last": "source names nearer to the target's last thing than its first is (logarithm)",
    "names nearer to the first": "source names nearer to the target's first thing than its last is (logarithm)",
    "relation supported": "how far the source has a word that the target says of its two things, at best",
    "relation on the way": "how far the source says what the target says, on the way between the target's two things",
    "denied on the way": "the source denies one of the target's two things, or a word on the way between them",
    "doubtful on the way": "one of the target's two things, or a word on the way, is only possible, wanted or claimed",
    "words on the way": "words on the way between the target's two things, in the source",
    "support of the first": "how far the source has the first thing that the target relates",
    "support of the last": "how far the source has the last thing that the target relates",
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
BY_ROLES = " by roles"  # after the name of a score that is computed again by the roles of words


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
    if name.endswith(BY_ROLES):
        return f"{describe_score(name.removesuffix(BY_ROLES))}, by the roles of words"
    for side, rank in SIDES:  # of a symmetric score, which does not distinguish source and target
        if rank in name and name.replace(rank, side) in DESCRIPTIONS:
            word = rank.partition(" ")[0]
            one, other = ("source", "target") if word == "lower" else ("target", "source")
            words = DESCRIPTIONS[name.replace(rank, side)]
            return f"{words.replace(f'the {one}', 'one side').replace(f'the {other}', 'the other')} (the {word} value)"
    kernel, inside, number = name.partition(" inside")
    return f"similarity of the source and the target by the kernel {kernel}{number}" if inside else name
