"""CoNLL-U: round trips, what is passed over, and faults with their places."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rekern.errors import InputError
from rekern.structures.formats.conllu import from_conllu, read_conllu, to_conllu, write_conllu
from rekern.structures.sentences import Sentence

VALUES = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"]), min_size=1).filter(
    lambda value: value != "_"
)


@st.composite
def sentences(draw):
    size = draw(st.integers(1, 6))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for number, place in enumerate(order[1:], 1):
        heads[place] = order[draw(st.integers(0, number - 1))]
    words, lemmas, tags, relations = (draw(st.tuples(*[VALUES] * size)) for _ in range(4))
    return Sentence(words, lemmas, tags, tuple(heads), relations)


@settings(deadline=None)
@given(st.lists(sentences(), max_size=4))
def test_what_is_written_is_read_back(found):
    assert from_conllu(to_conllu(found)) == found


def word(number, form, head, lemma="_", upos="X", xpos="_"):
    return f"{number}\t{form}\t{lemma}\t{upos}\t{xpos}\t_\t{head}\tdep\t_\t_\n"


def test_ranges_empty_nodes_comments_and_columns(tmp_path):
    text = (
        "# newdoc\n# text = Vámonos al mar\n"
        + word("1-2", "Vámonos", "_")
        + word(1, "Vamos", 0, "ir", "VERB", "V")
        + word(2, "nos", 1, "nosotros", "PRON")
        + word("2.1", "juntos", "_")
        + word("3-4", "al", "_")
        + word(3, "a", 5)
        + word(4, "el", 5)
        + word(5, "mar", 1, "_", "NOUN", "N\u00a0x")
        + "\n\n# only a comment\n\n"
        + word(1, "_", 0).replace("\n", "\r\n")
    )
    path = tmp_path / "es.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    first, second = read_conllu(path)
    assert first.words == ("Vamos", "nos", "a", "el", "mar")
    assert first.heads == (-1, 0, 4, 4, 0)
    assert first.lemmas == ("ir", "nosotros", "a", "el", "mar")
    assert first.tags == ("V", "PRON", "X", "X", "N\u00a0x")
    assert second.words == second.lemmas == ("_",)
    write_conllu(tmp_path / "again.conllu.gz", [first])
    assert read_conllu(tmp_path / "again.conllu.gz") == [first]
    assert from_conllu("") == from_conllu([]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (word(1, "a", 0) + word(2, "b", 0), "line 4, sentence 2: 'b' is a second root"),
        (word(1, "a", 2) + word(2, "b", 1), "line 3, sentence 2: no word is the root"),
        (word(1, "a", 0) + word(2, "b", 3) + word(3, "c", 2), "line 4, sentence 2: the heads of 'b' lead back"),
        (word(1, "a", 0) + word(2, "b", "_"), "line 4, sentence 2: 'b' has no head"),
        (word(1, "a", 0) + word(2, "b", "x"), "line 4, sentence 2: 'b' has the head 'x'"),
        (word(1, "a", 0) + word(2, "b", -1), "line 4, sentence 2: 'b' has the head '-1'"),
        (word(1, "a", 0) + word(2, "b", "9" * 5000), "line 4, sentence 2: 'b' has the head '999"),
        (word(1, "a", 0) + word(2, "b", 3), "line 4, sentence 2: 'b' has the head 3, but the sentence has 2 words"),
        (word(1, "a", 0) + word(3, "b", 1), "line 4, sentence 2: the word's number is '3'; the next one is 2"),
        ("1\ta\ta\n", "line 3, sentence 2: 3 columns between tabs; CoNLL-U has 10"),
    ],
)
def test_faults_have_a_place(text, message, tmp_path):
    whole = word(1, "fine", 0) + "\n" + text
    with pytest.raises(InputError) as error:
        from_conllu(whole)
    assert str(error.value).startswith(message) and "\n" not in str(error.value)
    path = tmp_path / "x.conllu"
    path.write_text(whole)
    with pytest.raises(InputError) as error:
        read_conllu(path)
    assert str(error.value).startswith(f"{path}, {message}")


def test_what_cannot_be_written():
    good = Sentence(("a",), ("a",), ("X",), (-1,), ("root",))
    for bad in (good._replace(words=("a\tb",)), good._replace(lemmas=("",)), good._replace(tags=("\n",))):
        with pytest.raises(InputError, match=r"sentence 1, word 0: .* CoNLL-U cannot hold it"):
            to_conllu([good, bad])
    with pytest.raises(InputError, match=r"write \[sentence\]"):
        to_conllu(good)
    with pytest.raises(InputError, match="item 0 is a str"):
        to_conllu(["a"])
