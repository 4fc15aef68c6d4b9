"""The default kernel: the sum of what the training sentences allow, chosen by fit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from rekern import SemanticParser, load_model
from rekern.errors import InputError
from rekern.krisp import WordSubsequences
from rekern.krisp.semantic_parser import DEFAULT, WITH_HEADS, WITH_TREES
from rekern.krisp.substring_kernels import make_substring_kernel
from rekern.structures.sentences import sentence

SUM, HEADS = (repr(make_substring_kernel(name)) for name in (WITH_TREES, WITH_HEADS))


def flat_tree(text):
    return "(S " + " ".join(f"(X {word})" for word in text.split()) + ")"


def parse_texts(texts):
    """A parser of natural language that can be copied."""
    return [flat_tree(text) for text in texts]


def link(text):
    """A sentence whose words all depend on the first."""
    words = text.split()
    return sentence(words, [-1] + [0] * (len(words) - 1))


@pytest.fixture(scope="module")
def trained(grammar, questions):
    sentences, meanings = questions
    return SemanticParser(grammar, rounds=1, n_jobs=1).fit(sentences, meanings, parse_texts(sentences))


def test_texts_alone_have_the_word_kernel(grammar, questions):
    parser = SemanticParser(grammar, rounds=1, n_jobs=1)
    for trees in (None, [None] * len(questions[0])):
        parser.fit(*questions, trees)
        assert (parser.kernel, repr(parser.kernel_)) == (DEFAULT, repr(WordSubsequences()))
    words = SemanticParser(grammar, kernel="word", rounds=1, n_jobs=1).fit(*questions)
    ours, theirs = parser.parse(questions[0][0]), words.parse(questions[0][0])
    assert [reading.log_probability for reading in ours] == [reading.log_probability for reading in theirs]


def test_trees_bring_the_sum_of_all_kernels(grammar, questions, trained):
    sentences, meanings = questions
    trees = parse_texts(sentences)
    assert (trained.kernel, repr(trained.kernel_)) == (DEFAULT, SUM)
    named = SemanticParser(grammar, kernel=WITH_TREES, rounds=1, n_jobs=1).fit(sentences, meanings, trees)
    for ours, theirs in zip(trained.parse_all(sentences, trees), named.parse_all(sentences, trees)):
        assert [(r.meaning, r.log_probability) for r in ours] == [(r.meaning, r.log_probability) for r in theirs]


def test_a_parser_brings_the_sum_of_all_kernels(grammar, questions, trained):
    sentences, meanings = questions
    parsed = SemanticParser(grammar, rounds=1, parser=parse_texts, n_jobs=1).fit(sentences, meanings)
    assert repr(parsed.kernel_) == SUM
    assert parsed.predict(sentences) == trained.predict(sentences, parse_texts(sentences))


def test_heads_bring_paths_and_words(grammar, questions):
    sentences, meanings = questions
    ready = [link(text) for text in sentences]
    for options in ({}, {"parser": parse_texts}):
        parser = SemanticParser(grammar, rounds=1, n_jobs=1, **options).fit(ready, meanings)
        assert repr(parser.kernel_) == HEADS
        assert parser.predict(ready[:1])[0] is not None
    mixed = [*ready[:1], *sentences[1:]]
    parser = SemanticParser(grammar, rounds=1, n_jobs=1).fit(mixed, meanings, parse_texts(sentences))
    assert repr(parser.kernel_) == HEADS


def test_missing_trees_are_named_in_one_line_with_both_remedies(grammar, questions, trained, tmp_path):
    sentences, meanings = questions
    trained.save(tmp_path / "p.rekern")
    loaded = load_model(tmp_path / "p.rekern")
    new = SemanticParser(grammar)
    some = [*parse_texts(sentences[:-1]), None]
    cases = [
        (lambda: trained.predict(["how big is utah"]), "sentence 1 has no tree"),
        (lambda: loaded.predict(["how big is utah"]), "sentence 1 has no tree"),
        (lambda: trained.parse("how big is utah"), "sentence 1 has no tree"),
        (lambda: trained.predict([link("how big is utah")]), "sentence 1 has no tree"),
        (lambda: new.fit(sentences, meanings, some), f"sentence {len(sentences)} has no tree"),
        (lambda: new.fit([link(sentences[0]), *sentences[1:]], meanings), "sentence 2 has no tree"),
    ]
    for call, message in cases:
        with pytest.raises(InputError, match=message) as caught:
            call()
        assert str(caught.value).endswith("give trees or a parser, or train with kernel='word'")
        assert "\n" not in str(caught.value)


def test_all_folds_of_ranking_have_the_same_kernel(grammar, questions, monkeypatch):
    sentences, meanings = questions
    mixed = [link(sentences[0]), *sentences[1:]]  # the first fold has no heads without trees
    seen = []
    keep = SemanticParser._set_state
    monkeypatch.setattr(
        SemanticParser, "_set_state", lambda self, *state: (seen.append(repr(state[1])), keep(self, *state))[1]
    )
    parser = SemanticParser(grammar, rounds=1, ranking=2, n_jobs=1).fit(mixed, meanings, parse_texts(sentences))
    assert parser.ranker_ is not None and seen == [HEADS] * 3


def test_a_file_keeps_the_kernel_that_was_chosen(grammar, questions, trained, tmp_path):
    sentences, _ = questions
    trees = parse_texts(sentences)
    trained.save(tmp_path / "trees.rekern")
    loaded = load_model(tmp_path / "trees.rekern")
    assert repr(loaded.kernel_) == repr(loaded.kernel) == SUM
    for ours, theirs in zip(trained.parse_all(sentences, trees), loaded.parse_all(sentences, trees)):
        assert [reading.meaning for reading in ours] == [reading.meaning for reading in theirs]
        np.testing.assert_allclose([r.log_probability for r in ours], [r.log_probability for r in theirs])
    given = load_model(tmp_path / "trees.rekern", parser=parse_texts)
    assert given.predict(sentences) == trained.predict(sentences, trees)
    SemanticParser(grammar, rounds=1, n_jobs=1).fit(*questions).save(tmp_path / "words.rekern")
    assert repr(load_model(tmp_path / "words.rekern").kernel_) == repr(WordSubsequences())


def test_it_is_cloned_and_searched(grammar, questions, trained):
    sentences, meanings = questions
    copy = clone(trained)
    assert copy.get_params()["kernel"] == DEFAULT and not hasattr(copy, "kernel_")
    assert repr(copy.fit(*questions).kernel_) == repr(WordSubsequences())  # the choice is that of each fit

    def count_right(parser, texts, meant):
        return np.mean([one == other for one, other in zip(parser.predict(texts), meant)])

    parser = SemanticParser(grammar, rounds=0, parser=parse_texts, n_jobs=1)
    search = GridSearchCV(parser, {"kernel": [DEFAULT, "word"]}, scoring=count_right, cv=2, error_score="raise")
    search.fit(sentences, meanings)
    assert search.best_params_["kernel"] in (DEFAULT, "word")
    kinds = {DEFAULT: SUM, "word": repr(WordSubsequences())}
    assert repr(search.best_estimator_.kernel_) == kinds[search.best_params_["kernel"]]
