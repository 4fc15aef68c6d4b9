"""WordNet from tables and from the wn library: forms of words, information, what a damaged table says."""

import gzip
import sys

import numpy as np
import pytest

from rekern import PairClassifier, load_model
from rekern.errors import InputError, MissingDataError, ModelFileError
from rekern.similarity import Similarities
from rekern.similarity.lexicons.base_forms import list_base_forms
from rekern.similarity.lexicons.wordnet import WordNet, find_wordnet

HEADER = "synset\tpos\tmembers\thypernym\tinstance_hypernym\tdefinition\n"
LEXICON = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
 <Lexicon id="tiny" label="tiny" language="en" email="a@b.c" license="none" version="1">
  <LexicalEntry id="t-dog"><Lemma writtenForm="dog" partOfSpeech="n"/><Sense id="s-dog" synset="tiny-1"/></LexicalEntry>
  <LexicalEntry id="t-cat"><Lemma writtenForm="cat" partOfSpeech="n"/><Sense id="s-cat" synset="tiny-2">
   <SenseRelation relType="antonym" target="s-dog"/></Sense></LexicalEntry>
  <LexicalEntry id="t-pet"><Lemma writtenForm="pet" partOfSpeech="n"/><Sense id="s-pet" synset="tiny-3"/></LexicalEntry>
  <Synset id="tiny-1" ili="" partOfSpeech="n"><Definition>it barks</Definition>
   <SynsetRelation relType="hypernym" target="tiny-3"/></Synset>
  <Synset id="tiny-2" ili="" partOfSpeech="n"><Definition>a pet that mews</Definition>
   <SynsetRelation relType="hypernym" target="tiny-3"/></Synset>
  <Synset id="tiny-3" ili="" partOfSpeech="n"><Definition>kept at home</Definition></Synset>
 </Lexicon>
</LexicalResource>
"""


def test_base_forms():
    for form, base in (
        ("dogs", "dog"),
        ("cities", "city"),
        ("wolves", "wolf"),
        ("churches", "church"),
        ("stopped", "stop"),
        ("making", "make"),
        ("went", "go"),
        ("better", "good"),
        ("women", "woman"),
        ("firemen", "fireman"),
        ("happier", "happy"),
        ("crises", "crisis"),
    ):
        assert base in [lemma for lemma, _ in list_base_forms(form)], form
    assert not list_base_forms("glass") and not list_base_forms("") and not list_base_forms("s")


def test_from_the_wn_library(tmp_path, monkeypatch):
    import wn

    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "wn")
    (tmp_path / "tiny.xml").write_text(LEXICON, encoding="utf-8")
    with pytest.raises(InputError, match=r"wn has no lexicon .*: get one with wn\.download"):
        WordNet.from_wn("oewn:2024")
    wn.add(tmp_path / "tiny.xml", progress_handler=None)
    found = WordNet.from_wn("tiny:1")
    assert found.names == ["tiny-1", "tiny-2", "tiny-3"] and found.antonyms == {frozenset(("dog", "cat"))}
    # 1 + 1 of the 4 that were counted: every synset once, and pet in a definition
    assert found.generalization("dogs") == "pet" and found.resnik("dog", "cat") == 0 and found.resnik("dog", "pet") == 0
    assert found.resnik("dog", "dog") == pytest.approx(np.log(4))
    assert find_wordnet("wn:tiny:1") is find_wordnet("wn:tiny:1")
    found.save(tmp_path)
    again = WordNet.from_tables(tmp_path)
    assert again.definitions == found.definitions and again.antonyms == found.antonyms
    assert np.array_equal(again.above, found.above) and np.array_equal(again.information, found.information)


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "wn", None)
    with pytest.raises(ImportError, match=r"rekern\[wordnet\]"):
        WordNet.from_wn()


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "line 1: there is no column 'synset'"),
        (HEADER.encode(), "there are no synsets"),
        (b"synset\tpos\n", "line 1: there is no column 'members'"),
        (HEADER.encode() + b"1\tn\tdog\n", "line 2: it has too few columns"),
        (HEADER.encode() + b"1\tn\t\xff\t\t\t\n", "not UTF-8"),
        (HEADER.encode() + b"1\tn\ta\t2\t\t\n2\tn\tb\t1\t\t\n", "the hypernyms of the synsets have a cycle"),
    ],
)
def test_damaged_tables(tmp_path, content, message):
    (tmp_path / "synsets.tsv").write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        WordNet.from_tables(tmp_path)
    assert "\n" not in str(caught.value)


def test_truncated_table(tmp_path):
    whole = gzip.compress((HEADER + "1\tn\tdog\t\t\tbarks\n" * 2000).encode())
    (tmp_path / "synsets.tsv.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="is not a whole gzip file"):
        WordNet.from_tables(tmp_path)


def test_names_that_lead_nowhere_are_passed_over(tmp_path):
    (tmp_path / "synsets.tsv").write_text(HEADER + "1\tn\tdog|hot_dog\t99\t\tbarks\n")
    found = WordNet.from_tables(tmp_path)
    assert found.generalization("dog") is None and found.synsets("Hot dogs") == [0] and found.synsets("hot dog") == [0]


def test_wordnet_is_looked_for_in_the_data_folder_alone(tmp_path, monkeypatch):
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "wn")
    tables = "shared/data/oewn", "data/oewn"
    for name in tables:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "synsets.tsv").write_text(HEADER + "1\tn\tdog\t\t\tbarks\n")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.delenv("REKERN_DATA", raising=False)
    with pytest.raises(MissingDataError, match=r"^these scores need WordNet: give its folder .*REKERN_DATA"):
        find_wordnet()
    monkeypatch.setenv("REKERN_DATA", "nowhere")
    with pytest.raises(MissingDataError, match=r"^these scores need WordNet, and there is none in nowhere.oewn: "):
        find_wordnet()
    monkeypatch.setenv("REKERN_DATA", str(tmp_path / "data"))
    assert len(find_wordnet().names) == 1


@pytest.mark.slow
def test_open_english_wordnet(corpora):
    wordnet = find_wordnet(str(corpora / "oewn"))
    assert len(wordnet.names) == 120_630 and wordnet is find_wordnet(str(corpora / "oewn"))
    assert wordnet.resnik("dogs", "cats") > wordnet.resnik("dog", "car") > wordnet.resnik("dog", "idea")
    assert (wordnet.resnik("said", "told") > 0 and wordnet.lemmas("women") == ["women", "woman"]) or wordnet.lemmas(
        "women"
    )
    assert (wordnet.information >= 0).all() and np.isfinite(wordnet.information).all()
    assert frozenset(("rise", "fall")) in wordnet.antonyms


def test_a_model_whose_wordnet_is_gone_says_so(tmp_path):
    folder = tmp_path / "wordnet"
    folder.mkdir()
    animals = [("1", "n", ["animal"], [], "it lives"), ("2", "n", ["dog"], ["1"], "an animal that barks")]
    WordNet.from_synsets(animals).save(folder)
    pairs = [("a dog", "an animal"), ("a dog", "a cat"), ("an animal", "a dog"), ("a cat", "a dog")]
    scores = Similarities(groups=("basic", "wordnet"), wordnet=str(folder))
    PairClassifier(scores, calibration=0).fit(pairs, [1, 0, 1, 0]).save(tmp_path / "m.rekern")
    load_model(tmp_path / "m.rekern", wordnet=str(folder)).predict(pairs)
    with pytest.raises(
        ModelFileError, match=r"m\.rekern: it needs a wordnet: give it to load_model\(path, wordnet=…\)"
    ):
        load_model(tmp_path / "m.rekern")
    for path in folder.iterdir():
        path.unlink()
    with pytest.raises(ModelFileError, match=r"m\.rekern: .*wordnet: there is no synsets"):
        load_model(tmp_path / "m.rekern", wordnet=str(folder))
