"""The further groups of scores against their definitions; where they come from, and what is said if something lacks."""

import json
import math
import os
import zipfile
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import close
from reference import similarity_groups as reference
from reference.similarities import Statistics
from rekern import PairClassifier, load_model
from rekern.errors import InputError, ModelFileError
from rekern.kernels import Gaussian, PartialTree, Rewriting, Spectrum, Subsequence
from rekern.similarity import LatentSemantics, Similarities, WordVectors
from rekern.similarity.lexicons.explicit_semantics import ExplicitSemantics
from rekern.similarity.lexicons.wordnet import WordNet
from rekern.similarity.overlap_core import count_ngrams, make_ngram_table, measure_common_run
from rekern.similarity.score_groups import GROUPS, Group
from rekern.similarity.sequence_core import tile_pairs
from rekern.structures import sentence, to_conllu

WORDS = ["the", "dog", "Dog", "cat", "run", "7", "12b", ",", "é", "entity", "gnu", "car"]
token_lists = st.lists(st.sampled_from(WORDS), max_size=9) | st.lists(st.sampled_from("ab"), max_size=14)
corpora = st.lists(st.tuples(token_lists, token_lists), min_size=1, max_size=4)
PLAIN = ("ngrams", "sequences", "differences")

SYNSETS = [
    ("e", "n", ["entity", "thing"], [], "a thing"),
    ("a", "n", ["animal"], ["e"], "a living thing"),
    ("d", "n", ["dog"], ["a"], "an animal that barks"),
    ("c", "n", ["cat", "gnu"], ["a", "e"], "no dog"),
    ("v", "n", ["vehicle"], ["e"], "something to drive"),
    ("k", "n", ["car", "auto"], ["v"], "a vehicle to drive"),
    ("m", "v", ["move"], [], "go on"),
    ("r", "v", ["run", "drive"], ["m"], "move"),
    ("s", "a", ["fast"], [], "what runs"),
]


def save_wordnet(folder):
    wordnet = WordNet.from_synsets(SYNSETS)
    wordnet.antonyms = {frozenset(("dog", "cat"))}
    wordnet.save(folder)
    return str(folder)


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory):
    return save_wordnet(tmp_path_factory.mktemp("wordnet"))


def values(group, training, items, **parameters):
    return Similarities(groups=(group,), standardize=False, **parameters).fit(training).scores(items)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), max_size=40), st.lists(st.integers(0, 2), max_size=40), st.integers(0, 4))
def test_string_tiling_of_texts_that_repeat_few_tokens(one, two, least):
    found = reference.tiles(one, two, max(least, 1))
    covered, tiles = sum(size for *_, size in found), len(found)
    shares = tile_pairs(np.array([*one, *two], np.int32), np.array([0, len(one), len(one) + len(two)]), least)
    whole = len(one) + len(two)
    assert shares.tolist() == [[2 * covered / whole if whole else 1.0, tiles / covered if covered else 1.0]]


@settings(max_examples=50, deadline=None)
@given(corpora, corpora, st.integers(1, 3))
def test_plain_groups(training, items, least):
    statistics = Statistics(training)
    close(values("ngrams", training, items), [reference.ngram_cosines(s, t) for s, t in items])
    expected = [reference.sequence_scores(s, t, s, t, least) for s, t in items]
    close(values("sequences", training, items, min_match=least), expected)
    expected = [reference.difference_scores(s, t, s, t, statistics) for s, t in items]
    close(values("differences", training, items), expected)


def test_words_of_texts_are_stems_and_forms():
    pairs = [("Ann sold cars", "ANN sells a car"), ("It rains", "")]
    found = dict(zip(GROUPS["sequences"].names, values("sequences", pairs, pairs)[0]))
    assert found["common subsequence"] == 10 / 15  # "ann s" and "l" … of the characters as written, in small letters
    assert dict(zip(GROUPS["ngrams"].names, values("ngrams", pairs, pairs)[0]))["lemma 1-gram cosine"] == 2 / math.sqrt(
        12
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_resnik(data):
    """Over random hierarchies: against the maximum over all senses and common ancestors."""
    words = "abcdef"
    size = data.draw(st.integers(1, 7))
    synsets = []
    for place in range(size):
        pos = data.draw(st.sampled_from("nnva"))
        above = [
            f"{pos}{i}" for i in range(place) if f"{pos}{i}" in {s[0] for s in synsets} and data.draw(st.booleans())
        ]
        members = data.draw(st.lists(st.sampled_from(words), max_size=3, unique=True))
        synsets.append((f"{pos}{place}", pos, members, above, " ".join(data.draw(st.lists(st.sampled_from(words))))))
    hierarchy, wordnet = reference.Hierarchy(synsets), WordNet.from_synsets(synsets)
    close(wordnet.information, [hierarchy.information[name] for name in wordnet.names])
    for one in words:
        for two in words:
            close(wordnet.resnik(one, two), hierarchy.resnik(one, two))


@settings(max_examples=60, deadline=None)
@given(corpora, corpora)
def test_lexicons(wordnet, training, items):
    hierarchy, idf = reference.Hierarchy(SYNSETS), Statistics(training).idf
    found = values("wordnet", training, items, wordnet=wordnet)
    thesaurus = [("car", "dog"), ("run", "the")]
    listed = values("thesaurus", training, items, thesaurus=thesaurus)
    for row, (s, t) in enumerate(items):

        def resnik(i, j, s=s, t=t):
            return 1.0 if s[i] == t[j] else hierarchy.similarity(s[i].lower(), t[j].lower())

        def synonym(i, j, s=s, t=t):
            return float(s[i] == t[j] or bool(set(hierarchy.of(s[i].lower())) & set(hierarchy.of(t[j].lower()))))

        def together(i, j, s=s, t=t):
            return float(s[i] == t[j] or any({s[i].lower(), t[j].lower()} == set(pair) for pair in thesaurus))

        # Dog and dog are two tokens with one entry in the lexicon.
        close(found[row, :2], reference.best_matches(s, t, resnik, idf))
        close(found[row, 2:4], reference.best_matches(s, t, synonym, idf))
        close(listed[row], reference.best_matches(s, t, together, idf))
        one, two = ({x.lower() for x in side} for side in (s, t))
        only = {x.lower() for x in set(s) - set(t)}, {x.lower() for x in set(t) - set(s)}
        assert found[row, 4] == any({x, y} <= {"dog", "cat"} and x != y for x in only[0] for y in only[1]), (one, two)


@settings(max_examples=60, deadline=None)
@given(corpora, corpora)
def test_alignment(training, items):
    vectors = {"dog": [1, 0.5], "cat": [1, 1], "run": [-1, 0], "a": [0, 1], "entity": [0.0, 0.0]}
    space = WordVectors(list(vectors), list(vectors.values()))
    idf = Statistics(training).idf

    def both(x, y):
        return any(vectors.get(x.lower(), [])) and any(vectors.get(y.lower(), []))

    def similar(x, y):
        if x == y:
            return 1.0
        return max(space.similarity(x.lower(), y.lower()), 0.0) if both(x, y) else 0.0

    found = values("alignment", training, items, space=space)
    for row, (s, t) in enumerate(items):
        expected = reference.best_matches(s, t, lambda i, j, s=s, t=t: similar(s[i], t[j]), idf)
        np.testing.assert_allclose(found[row, :2], expected, atol=1e-6)
        sums = []
        for side in (s, t):
            units = [
                idf(x) * np.array(vectors[x.lower()]) / np.linalg.norm(vectors[x.lower()]) for x in side if both(x, x)
            ]
            sums.append(np.sum(units, axis=0) if units else np.zeros(2))
        length = np.linalg.norm(sums[0]) * np.linalg.norm(sums[1])
        np.testing.assert_allclose(found[row, 2], sums[0] @ sums[1] / length if length else 0.0, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(token_lists, min_size=1, max_size=9), corpora)
def test_esa(documents, items):
    concepts = ExplicitSemantics(documents)
    found = values("esa", items, items, concepts=concepts)
    np.testing.assert_allclose(found[:, 0], [reference.esa(documents, s, t) for s, t in items], atol=1e-9)
    again = ExplicitSemantics.from_dict(concepts.to_dict())
    assert np.array_equal(values("esa", items, items, concepts=again), found)


def test_esa_keeps_what_is_typical(monkeypatch):
    documents = [f"filler{n} " * n + "dog cat" for n in range(1, 40)] + ["bird"] * 400
    monkeypatch.setattr("rekern.similarity.lexicons.explicit_semantics.MOST", 3)
    concepts = ExplicitSemantics([text.split() for text in documents])
    row = concepts.matrix[[concepts.words.index("dog")]].toarray()[0]
    assert np.flatnonzero(row).tolist() == [0, 1, 2]  # in the shortest documents it weighs most


def test_esa_over_definitions_and_substitution(wordnet):
    pairs = [("the dog", "the cat"), ("my dog", "my dog"), ("dogs", "a car")]
    esa = values("esa", pairs, pairs, wordnet=wordnet)[:, 0]
    assert esa[1] == 1 and esa[0] > esa[2]
    # The frequent words of so few pairs are all of them, so none is a noun unless trees say so.
    assert np.array_equal(values("substitution", pairs, pairs, wordnet=wordnet)[:, 2], esa)
    filler = [([f"f{n}"] * 9, []) for n in range(100)]
    found = values("substitution", pairs + filler, pairs, wordnet=wordnet)
    assert found[0].tolist() == [1, 1, 1]  # the animal, the animal
    rows = [row(f"(NP (DT the) (NN {a}))", f"(NP (DT the) (NN {b}))") for a, b in (("dog", "cat"), ("dogs", "car"))]
    found = values("substitution", rows, rows, wordnet=wordnet, on="constituents")
    assert found[0].tolist() == [1, 1, 1] and (found[1] < 1).all()


def row(source, target):
    return {"source": "x", "target": "y", "source.constituents": source, "target.constituents": target}


ROWS = [
    row("(S (NP (NNP Ann)) (VP (VBZ sells) (NP (NNS cars))))", "(S (NP (NNP Bob)) (VP (VBZ sells) (NP (NNS cars))))"),
    row("(S (NP (NNP-REL Ann)) (VP (VBD::v sold)))", "()"),
    row("(S (NP (NNP Ann::n)) (VP (VBZ sell::v)))", "(S (NP (NNP Ann::n)) (VP (VBZ sell::v) (NP (NNS cars))))"),
]


def test_tags_and_links():
    tags = values("tags", ROWS, ROWS, on="constituents")
    close(tags[0], [1, 1, 1, 0])
    assert not tags[1].any()
    close(tags[2], reference.ngram_cosines(["NNP", "VBZ"], ["NNP", "VBZ", "NNS"]))
    links = values("links", ROWS, ROWS, on="constituents")
    close(links[0], [2 / 3] * 4)  # sell, and cars → sell, with and without the relation
    close(links[1], [0, 1, 0, 1])
    close(links[2], [1, 2 / 3] * 2)
    lemmas = values("ngrams", ROWS, ROWS, on="constituents")
    close(lemmas[2], reference.ngram_cosines(["Ann", "sell"], ["Ann", "sell", "car"]))


def test_kernels_inside():
    kernels = (PartialTree(on="constituents"), Subsequence(), PartialTree(mu=0.1, on="constituents"))
    kernel = Similarities(groups=("kernels",), kernels=kernels, standardize=False).fit(ROWS)
    assert kernel.names() == ["PartialTree inside", "Subsequence inside", "PartialTree inside 2"]
    found = kernel.scores(ROWS)
    for line, pair in zip(found, ROWS):
        trees = pair["source.constituents"], pair["target.constituents"]
        close(line, [PartialTree()(*trees), 0.0, PartialTree(mu=0.1)(*trees)])
    plain = [("a b c", "a b d"), ("a", "a"), ("", "a")]
    found = Similarities(only=("Spectrum inside",), kernels=(Spectrum(1),), standardize=False).fit(plain).scores(plain)
    close(found[:, 0], [2 / 3, 1, 0])
    for wrong, message in (
        ((Rewriting(),), r"kernels\[0\] is"),
        (Spectrum(1), "give a tuple"),
        ((3,), r"kernels\[0\]"),
    ):
        with pytest.raises(InputError, match=message):
            Similarities(kernels=wrong).names()


def parse(text):
    words = [word.split("/") for word in text.split()]
    fields = list(zip(*words)) or [()] * 4
    return to_conllu([sentence(fields[0], [int(head) - 1 for head in fields[2]], tags=fields[1], relations=fields[3])])


DOGS = "dogs/NNS/2/nsubj ran/VBD/0/root to/IN/2/prep Rome/NNP/3/pobj"
CATS = "cats/NNS/2/nsubj ran/VBD/0/root from/IN/2/prep dogs/NNS/3/pobj"
PARSED_ROWS = [
    {"source": "a", "target": "b", "source.constituents": parse(source), "target.constituents": parse(target)}
    for source, target in [(DOGS, DOGS), (DOGS, CATS), (CATS, DOGS), (CATS, CATS)]
]


@pytest.mark.parametrize("group", list(GROUPS))
def test_alone_or_among_others(group, wordnet):
    """To the bit; a generator will do, and an empty list."""
    rows = [*ROWS, row("(A (NN dog) (VB run) (NN dog))", "(A (NN cat) (NN auto) (CD 7))"), row("()", "()")]
    space = LatentSemantics(2).fit(["dog cat", "run"])
    resources = {"wordnet": wordnet, "thesaurus": [("dog", "auto")], "space": space}
    kernel = Similarities(groups=(group,), on="constituents", **resources).fit(item for item in rows)
    found = kernel.scores(rows)
    assert found.shape == (len(rows), len(GROUPS[group].names)) and np.isfinite(found).all()
    assert np.array_equal(np.vstack([kernel.scores([item]) for item in rows]), found)
    assert kernel.scores([]).shape == (0, len(GROUPS[group].names))


@settings(max_examples=40, deadline=None)
@given(corpora, corpora)
def test_symmetric(training, items):
    groups = ("basic", "ngrams", "differences")
    kernel = Similarities(groups=groups, symmetric=True, standardize=False).fit(training)
    swapped = [(t, s) for s, t in items]
    found = kernel.scores(items)
    close(kernel.scores(swapped), found)
    plain = Similarities(groups=groups, standardize=False).fit(training)
    named, both = dict(zip(kernel.names(), found.T)), dict(zip(plain.names(), plain.scores(items).T))
    assert len(named) == len(both) - 1  # window recall
    close(named["idf lower share"], np.minimum(both["idf precision"], both["idf recall"]))
    close(named["higher length"], np.maximum(both["source length"], both["target length"]))
    close(named["higher unshared idf"], np.maximum(both["source unshared idf"], both["target unshared idf"]))


def test_default_space_is_that_of_the_training_texts():
    pairs = [("cats chase mice", "dogs chase mice"), ("stocks fell", "shares fell"), ("cats", "dogs")]
    kernel = Similarities(groups=("alignment",), standardize=False).fit(pairs)
    assert isinstance(kernel.space_, LatentSemantics)
    assert kernel.scores([("cat", "dog")])[0, 0] > kernel.scores([("cat", "share")])[0, 0]


def learned(wordnet):
    animals, cars = ["dog", "cat", "gnu", "animal"], ["car", "auto", "vehicle", "drive"]
    pairs = [(f"my {a}", f"your {b}") for kind in (animals, cars) for a in kind for b in animals + cars if a != b]
    labels = [(a.split()[1] in animals) == (b.split()[1] in animals) for a, b in pairs]
    scores = Similarities(groups=("basic", "wordnet", "esa"), wordnet=wordnet)
    return pairs, np.array(labels, int), scores


def test_models_files_and_explanations(tmp_path, wordnet):
    pairs, labels, scores = learned(wordnet)
    model = PairClassifier(kernel=Gaussian(scores, gamma=0.1) + Rewriting(k=1), C=10).fit(pairs, labels)
    assert (model.predict(pairs) == labels).mean() > 0.9
    model.save(tmp_path / "m.rekern")
    again = load_model(tmp_path / "m.rekern", wordnet=scores.wordnet)
    assert np.array_equal(again.decision_function(pairs), model.decision_function(pairs))
    linear = PairClassifier(kernel=scores).fit(pairs, labels)
    shown = {part.name: part for part in linear.explain(pairs[0]).parts}
    assert set(shown) == set(scores.names()) and shown["resnik recall"].contribution > 0


def test_model_without_its_wordnet(tmp_path):
    pairs, labels, scores = learned(save_wordnet(tmp_path))
    PairClassifier(kernel=scores).fit(pairs, labels).save(tmp_path / "m.rekern")
    for name in ("synsets", "antonyms"):
        (tmp_path / f"{name}.tsv.gz").unlink()
    with pytest.raises(ValueError, match=r"m\.rekern: .*there is no synsets\.tsv"):
        load_model(tmp_path / "m.rekern", wordnet=str(tmp_path))


def test_a_thesaurus_is_part_of_the_file(tmp_path):
    (tmp_path / "words.tsv").write_text("car\tauto\ndog\tcanine\n")
    pairs = [("my car", "an auto"), ("a dog", "a canine"), ("my car", "a dog"), ("an auto", "a canine")]
    scores = Similarities(groups=("thesaurus",), thesaurus=str(tmp_path / "words.tsv"))
    model = PairClassifier(scores, calibration=0).fit(pairs, [1, 1, 0, 0])
    model.save(tmp_path / "m.rekern")
    (tmp_path / "words.tsv").unlink()
    again = load_model(tmp_path / "m.rekern")
    assert np.array_equal(again.decision_function(pairs), model.decision_function(pairs))


def test_nothing_that_a_file_names_is_opened(tmp_path):
    """A device, a pipe or any other path in a file is never opened."""
    pairs, labels, _ = learned(None)
    PairClassifier(Similarities(), calibration=0).fit(pairs, labels).save(tmp_path / "m.rekern")
    with zipfile.ZipFile(tmp_path / "m.rekern") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    os.mkfifo(tmp_path / "pipe")
    for name in ("thesaurus", "wordnet"):
        for place in ("/dev/zero", str(tmp_path / "pipe"), "wn:oewn:2024", "http://localhost/"):
            header = json.loads(members["model.json"])
            header["kernel"][name] = place
            with zipfile.ZipFile(tmp_path / "changed.rekern", "w") as archive:
                for member, content in members.items():
                    archive.writestr(member, json.dumps(header) if member == "model.json" else content)
            with pytest.raises(ModelFileError, match=f"it needs a {name}: give it to load_model"):
                load_model(tmp_path / "changed.rekern")


def test_model_with_its_space(tmp_path):
    pairs, labels, _ = learned(None)
    space = WordVectors(["dog", "cat", "car"], [[1, 0], [1, 0.1], [0, 1]])
    concepts = ExplicitSemantics(["dog cat", "car auto", "gnu"])
    scores = Similarities(groups=("alignment", "esa"), space=space, concepts=concepts)
    model = PairClassifier(kernel=scores).fit(pairs, labels)
    model.save(tmp_path / "m.rekern")
    assert np.array_equal(load_model(tmp_path / "m.rekern").decision_function(pairs), model.decision_function(pairs))


def test_what_lacks(tmp_path, monkeypatch):
    pairs = [("a", "b")]
    monkeypatch.setenv("REKERN_DATA", str(tmp_path))
    monkeypatch.setattr("rekern.similarity.lexicons.wordnet.WordNet.from_wn", _no_wn)
    for group in ("wordnet", "esa", "substitution"):
        with pytest.raises(InputError, match="need WordNet, and there is none in"):
            Similarities(groups=(group,)).fit(pairs)
    for group in ("tags", "links"):
        with pytest.raises(InputError, match=f"{group}' needs constituent trees"):
            Similarities(groups=(group,)).fit(pairs)
        with pytest.raises(InputError, match=r"no column 'source\.constituents'"):
            Similarities(groups=(group,), on="constituents").fit(pairs)
    with pytest.raises(InputError, match=r"need thesaurus=: .*\[\] for none"):
        Similarities(groups=("thesaurus",)).fit(pairs)
    with pytest.raises(InputError, match=r"there is no file .*none\.tsv: check the path"):
        Similarities(groups=("thesaurus",), thesaurus=str(tmp_path / "none.tsv")).fit(pairs)
    (tmp_path / "one.tsv").write_text("a\tb\nc\n")
    with pytest.raises(InputError, match=r"one\.tsv, line 2: two words"):
        Similarities(groups=("thesaurus",), thesaurus=str(tmp_path / "one.tsv")).fit(pairs)
    with pytest.raises(InputError, match="there is no group 'word'; choose among basic, ngrams"):
        Similarities(groups=("word",)).names()
    with pytest.raises(InputError, match="give a tuple of names of groups"):
        Similarities(groups="basic").names()
    for wrong in ({"min_match": 0}, {"space": "glove"}, {"concepts": ["a"]}):
        with pytest.raises(InputError, match=f"{next(iter(wrong))}="):
            Similarities(groups=("sequences",), **wrong).fit(pairs)
    few = Similarities(only=("recall", "edit similarity")).fit(pairs)  # nothing is looked for in vain
    assert few.scores(pairs).shape == (1, 2)


def _no_wn(lexicon=None):
    raise InputError("wn has no lexicon")


def test_parameters_are_plain():
    kernel = Similarities(groups=("basic", "wordnet"), wordnet="somewhere")
    assert json.dumps(kernel.get_params(deep=False))
    assert Similarities().names() == Similarities(groups=("basic",)).names() and len(Similarities().names()) == 28


CONCEPTS = {
    "words": ["a", "b"],
    "idf": np.ones(2),
    "data": np.ones(2),
    "indices": np.array([0, 1]),
    "indptr": np.array([0, 1, 2]),
    "documents": 2,
}


@pytest.mark.parametrize(
    "change",
    [
        {"data": np.ones(0), "indices": np.zeros(0, int), "indptr": np.array([0, 10**9, 0])},
        {"data": np.array([1.0, -1.0])},
        {"idf": np.array([1.0, -1.0])},
        {"data": np.array([1.0, np.nan])},
        {"indices": np.array([0, 2])},
        {"indices": np.array([0, -1])},
        {"indptr": np.array([0, 2, 1])},
        {"indptr": np.array([0, 1])},
        {"documents": 10**12},
        {"documents": 10**8},
        {"idf": np.ones(3)},
        {"words": ["a", 1]},
    ],
    ids=range(12),
)
def test_concepts_that_are_damaged(change):
    ExplicitSemantics.from_dict(CONCEPTS)
    with pytest.raises(InputError, match="the concepts are damaged"):
        ExplicitSemantics.from_dict({**CONCEPTS, **change}).similarity("a", "b")


codes = st.lists(st.sampled_from([0, 1, 2, 70_000]), max_size=30)


@settings(max_examples=200, deadline=None)
@given(codes, codes, st.integers(1, 4))
def test_common_runs_and_ngrams_of_any_codes(one, two, n):
    """The longest common run, by all pairs of places; n-grams, by their counts."""
    runs = [
        size
        for size in range(min(len(one), len(two)) + 1)
        if {tuple(one[at : at + size]) for at in range(len(one) - size + 1)}
        & {tuple(two[at : at + size]) for at in range(len(two) - size + 1)}
    ]
    scratch = np.full(70_001, -1), np.empty(len(two), np.int64)
    assert measure_common_run(np.array(one, np.uint64), np.array(two, np.uint64), *scratch) == max(runs, default=0)
    assert (scratch[0] == -1).all()
    expected = [Counter(tuple(side[at : at + n]) for at in range(len(side) - n + 1)) for side in (one, two)]
    table = make_ngram_table(len(one) + len(two))
    both = np.array([*one, *two], np.uint64)
    for limit in (max([*one, *two, 0]) + 1, 1 << 40):  # the codes as bits of one number, if they fit; one by one
        size = count_ngrams(both, 0, len(one), len(both), n, limit, *table)
        grams = [tuple([*one, *two][place : place + n]) for place in table[1][:size].tolist()]
        assert len(set(grams)) == size == len(expected[0] | expected[1])
        assert table[3][:size].tolist() == [[counts[gram] for counts in expected] for gram in grams]


def test_trees_in_brackets_may_have_tabs():
    rows = [
        {"source": "a", "target": "b", "source.t": tree, "target.t": tree}
        for tree in ("", "(S\t(NP (NNS dogs))\t(VP (VBP run)))")
    ]
    plain = [{**row, "source.t": row["source.t"].replace("\t", " ")} for row in rows]
    kernel = Similarities(groups=("tags", "links"), on="t", standardize=False)
    assert kernel.fit(rows).scores(rows).tolist() == kernel.fit(plain).scores(plain).tolist()
    assert kernel.fit(rows[1:]).scores(rows[1:]).any()


def test_errors_of_conllu_name_the_row():
    wrong = [*PARSED_ROWS[:2], {**PARSED_ROWS[2], "target.constituents": "1\ta\ta\tX\tX\t_\t1\tnsubj\t_\t_"}]
    with pytest.raises(InputError, match=r"^row 2, target\.constituents: line 1"):
        Similarities(groups=("links",), on="constituents").fit(wrong)


def test_a_program_may_add_a_group(monkeypatch):
    def count_words(sides, resources):
        return np.diff(sides.lemmas.offsets).reshape(-1, 2)[:, :1].astype(float)

    monkeypatch.setitem(GROUPS, "own", Group(("source words",), count_words, is_directed=True))
    kernel = Similarities(groups=("basic", "own"), standardize=False).fit([("a b", "c")])
    assert kernel.names()[-1] == "source words" == kernel.describe_scores()[-1]
    assert kernel.scores([("a b", "c"), ("a", "b")])[:, -1].tolist() == [2.0, 1.0]
    with pytest.raises(InputError, match="'own' distinguishes the two sides"):
        Similarities(groups=("own",), symmetric=True).fit([("a", "b")])
