"""The two question corpora of the package: complete, balanced, free of repetitions and of filled-in templates."""

import re
import unicodedata
from collections import Counter
from importlib.resources import files

import pytest

TYPES = {"Fact", "List", "Reason", "Solution", "Definition", "Navigation"}
# language: at least this many questions, and this many held-out ones of each type
SIZES = {"english": (950, 30), "chinese": (560, 20)}

# A template is what is left of a question when its content words are dots. The lists are kept apart from those of the
# classifier: the corpora must stay varied whatever is done to it.
FUNCTION_WORDS = """
    a an the this that these those some any all each every no not n't of in on at to for from with without by about
    as into over under between than and or but if when while because so then i you he she it we they me my your his her
    its our their one somebody someone anyone anybody is are was were be been am do does did done have has had can could
    should would will may might must what which who whom whose where why how 's 're 've there here up out off down
    please many much long often far old
    什么 怎么 怎样 怎么样 如何 为什么 为何 为啥 哪里 哪儿 哪个 哪些 哪 谁 多少 几 多 啥 何 吗 呢 吧 啊 呀
    的 了 着 过 是 有 在 和 与 或 把 被 对 从 到 向 跟 给 用 让 我 你 他 她 它 我们 你们 大家 这 那 不 没 没有
    会 能 可以 应该 该 要 想 请 请问 都 也 还 就 才 又 很 最 更 一 个 之 于 而 但 如果 怎 办 以 上 下 里 中
"""
ENGLISH = {word for word in FUNCTION_WORDS.split() if word.isascii()}
CHINESE = sorted((word for word in FUNCTION_WORDS.split() if not word.isascii()), key=len, reverse=True)


@pytest.fixture(scope="module", params=sorted(SIZES))
def corpus(request: pytest.FixtureRequest) -> tuple[str, list[tuple[str, str, str]]]:
    return request.param, read(request.param)


def read(language: str) -> list[tuple[str, str, str]]:
    text = (files("rekern") / "questions" / "data" / f"{language}.tsv").read_text("utf-8")
    header, *lines = text.split("\n")[:-1]
    assert text.endswith("\n") and header == "question\ttype\tpart"
    rows = [tuple(line.split("\t")) for line in lines]
    assert all(len(row) == 3 for row in rows)
    return rows  # type: ignore[return-value]


def words(question: str, language: str) -> list[str]:
    """Words of English, characters of Chinese (and its Latin words), folded, without punctuation."""
    folded = unicodedata.normalize("NFKC", question).casefold()
    return re.findall(r"[a-z0-9']+|[^\W\d_a-z]" if language == "chinese" else r"[^\W_]+(?:'[^\W_]+)?", folded)


def template(question: str, language: str) -> str:
    if language == "english":
        pieces = [word if word in ENGLISH else "." for word in words(question, language)]
        return re.sub(r"\.(?: \.)+", ".", " ".join(pieces))
    bare = "".join(words(question, language))
    function = "|".join(map(re.escape, CHINESE))
    return re.sub(r"\.+", ".", "".join(m.group(1) or "." for m in re.finditer(f"({function})|.", bare)))


def test_size_and_balance(corpus):
    language, rows = corpus
    least, least_held_out = SIZES[language]
    assert len(rows) >= least
    assert {kind for _, kind, _ in rows} == TYPES and {part for *_, part in rows} == {"train", "heldout"}
    kinds = Counter(kind for _, kind, _ in rows)
    held_out = Counter(kind for _, kind, part in rows if part == "heldout")
    assert min(kinds.values()) >= 0.1 * len(rows)
    assert min(held_out[kind] for kind in TYPES) >= least_held_out
    assert 0.2 <= held_out.total() / len(rows) <= 0.3


def test_questions_are_clean_text(corpus):
    language, rows = corpus
    for question, _, _ in rows:
        assert question == question.strip() and question.isprintable()
        assert words(question, language)
    if language == "chinese":
        assert all(re.search(r"[\u4e00-\u9fff]|^[a-z]+", question) for question, _, _ in rows)


def test_no_question_is_there_twice(corpus):
    language, rows = corpus
    seen = Counter(" ".join(words(question, language)) for question, _, _ in rows)
    assert [question for question, count in seen.items() if count > 1] == []


def test_held_out_questions_are_not_reworded_training_questions(corpus):
    language, rows = corpus
    parts = {part: [set(words(q, language)) for q, _, p in rows if p == part] for part in ("train", "heldout")}
    close = [
        (sorted(one), sorted(other))
        for one in parts["heldout"]
        for other in parts["train"]
        if len(one & other) / len(one | other) >= 0.8
    ]
    assert close == []


def test_few_questions_fill_the_slots_of_a_template(corpus):
    """ "what is .", "." and "how do i ." are how people ask: each may be there often, but not most of the time."""
    language, rows = corpus
    shapes = Counter(template(question, language) for question, _, _ in rows)
    assert max(shapes.values()) <= 0.06 * len(rows), shapes.most_common(5)
    repeated = sum(count for count in shapes.values() if count >= 5)
    assert repeated <= len(rows) / 3, shapes.most_common(30)
    assert len(shapes) >= len(rows) / 3


def test_part_of_the_questions_is_informal(corpus):
    language, rows = corpus
    unmarked = sum(not question.endswith(("?", "？")) for question, _, _ in rows)
    assert 0.2 <= unmarked / len(rows) <= 0.85
    if language == "english":
        assert sum(question[0].islower() for question, _, _ in rows) >= 0.2 * len(rows)
    longest = max(len(words(question, language)) for question, _, _ in rows)
    assert longest >= 20 and min(len(words(question, language)) for question, _, _ in rows) <= 2
