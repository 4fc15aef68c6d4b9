"""Files of semantic parsers that are made to hang, to crash or to fill the memory."""

import json
import zipfile

import pytest

from rekern import InputError, ModelFileError, ModelLimits, SemanticParser, load_model
from rekern.krisp import read_grammar

GRAMMAR = ["Query -> answer({State})", "State -> state(all)", "State -> next_to({State})"]
SENTENCES = ["list all states", "which states are next to a state"]
MEANINGS = ["answer(state(all))", "answer(next_to(state(all)))"]
TREES = ["(S (V list) (N (D all) (N states)))", "(S (W which) (N states) (V are) (R next) (P to) (D a) (N state))"]


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """The members of the files of a parser on words, and of one on dependency paths."""
    folder = tmp_path_factory.mktemp("parsers")
    found = {}
    for kernel in ("word", "dependency"):
        SemanticParser(read_grammar(GRAMMAR), kernel, rounds=1).fit(SENTENCES, MEANINGS, TREES).save(folder / kernel)
        with zipfile.ZipFile(folder / kernel) as archive:
            found[kernel] = {name: archive.read(name) for name in archive.namelist()}
    return found


def pack(path, members, **changes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            new = changes.get(name.partition(".")[0])
            archive.writestr(name, content if new is None else json.dumps(new))
    return path


def refused(path, words, *readers, **options):
    for reader in readers or (load_model,):
        with pytest.raises(ModelFileError, match=words) as caught:
            reader(path, **options)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("head", [-1, 0, -(10**8), 10**8, 0.5, None])
def test_heads_that_are_no_tree(tmp_path, members, head):
    sentences = json.loads(members["dependency"]["sentences.json"])
    sentences[0][1] = [head] * len(sentences[0][1])
    refused(pack(tmp_path / "m", members["dependency"], sentences=sentences), "no tree|is damaged")


@pytest.mark.parametrize("kernel", ["word", "dependency"])
def test_a_sentence_that_is_too_long(tmp_path, members, kernel):
    sentences = json.loads(members[kernel]["sentences.json"])
    sentences.append([["a"] * 20_000, list(range(-1, 19_999)), None])
    path = pack(tmp_path / "m", members[kernel], sentences=sentences)
    refused(path, r"a sentence of 20,000 words; the limit is 200: load_model\(path, limits=ModelLimits\(sent")
    sentences[-1] = [["a"] * 210, list(range(-1, 209)), None]
    path = pack(tmp_path / "m", members[kernel], sentences=sentences)
    refused(path, "the limit is 200")
    load_model(path, limits=ModelLimits(sentence_words=210))


@pytest.mark.parametrize(
    "change", [{"length": 10**7}, {"length": 0}, {"decay": 1e200}, {"decay": "x"}, {"length": 2.5}]
)
def test_parameters_of_the_kernel(tmp_path, members, change):
    header = json.loads(members["word"]["model.json"])
    header["kernel"] |= change
    path = pack(tmp_path / "m", members["word"], model=header)
    refused(path, f"its {next(iter(change))} is damaged")


@pytest.mark.parametrize("name", ["beam", "threshold", "stretch", "names", "C"])
def test_parameters_of_the_parser(tmp_path, members, name):
    header = json.loads(members["word"]["model.json"])
    for value in (-1, 10**9, "other", None, [1]):
        if name == "C" and value == 10**9:
            continue
        header["parameters"][name] = value
        path = pack(tmp_path / "m", members["word"], model=header)
        refused(path, f"its {name} is damaged")


def test_a_parser_of_trees_is_given_when_a_file_is_loaded(tmp_path, members):
    path = pack(tmp_path / "m", members["dependency"])
    given = load_model(path, parser=lambda texts: [TREES[0]] * len(texts))
    assert given.predict([SENTENCES[0]]) == load_model(path).predict([SENTENCES[0]], [TREES[0]])
    with pytest.raises(InputError, match="tree"):
        load_model(path).predict([SENTENCES[0]])
    with pytest.raises(TypeError, match="load_model has no parameter 'parsers'; it has limits, wordnet"):
        load_model(path, parsers=None)
