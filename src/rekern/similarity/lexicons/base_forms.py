"""Base forms of English words: those of irregular forms from a list, the others by rules for endings."""

from collections.abc import Iterator

__all__ = ["list_base_forms"]

_ENDINGS = (
    ("ies", "y", "nv"),
    ("ves", "f", "n"),
    ("ves", "fe", "n"),
    ("ses", "s", "n"),
    ("ses", "sis", "n"),
    ("xes", "x", "n"),
    ("zes", "z", "n"),
    ("ches", "ch", "n"),
    ("shes", "sh", "n"),
    ("oes", "o", "n"),
    ("men", "man", "n"),
    ("es", "e", "v"),
    ("es", "", "v"),
    ("s", "", "nv"),
    ("ied", "y", "v"),
    ("ed", "e", "v"),
    ("ed", "", "v"),
    ("ing", "e", "v"),
    ("ing", "", "v"),
    ("iest", "y", "a"),
    ("ier", "y", "a"),
    ("est", "e", "a"),
    ("est", "", "a"),
    ("er", "e", "a"),
    ("er", "", "a"),
)

# A base form and its irregular forms.
_VERBS = """be am is are was were been being|have has had|do does did done|go goes went gone|say said|make made|
take took taken|come came|see saw seen|get got gotten|give gave given|find found|think thought|tell told|
become became|leave left|feel felt|bring brought|begin began begun|keep kept|hold held|write wrote written|
stand stood|hear heard|mean meant|meet met|run ran|pay paid|sit sat|speak spoke spoken|lie lay lain lying|
lead led|grow grew grown|lose lost|fall fell fallen|send sent|build built|understand understood|draw drew drawn|
break broke broken|spend spent|rise rose risen|drive drove driven|buy bought|wear wore worn|choose chose chosen|
seek sought|throw threw thrown|catch caught|deal dealt|win won|forget forgot forgotten|sell sold|fight fought|
teach taught|eat ate eaten|sing sang sung|strike struck stricken|hang hung|shake shook shaken|ride rode ridden|
feed fed|shoot shot|drink drank drunk|hide hid hidden|fly flew flown|sleep slept|steal stole stolen|
swim swam swum|know knew known|show shown|arise arose arisen|awake awoke awoken|bear bore borne born|bend bent|
bind bound|bite bit bitten|bleed bled|blow blew blown|breed bred|cling clung|creep crept|dig dug|dive dove|
flee fled|fling flung|forbid forbade forbidden|forgive forgave forgiven|freeze froze frozen|grind ground|
kneel knelt|lay laid|lend lent|light lit|ring rang rung|shine shone|shrink shrank shrunk|sink sank sunk|
slide slid|spin spun|spring sprang sprung|stick stuck|sting stung|swear swore sworn|sweep swept|swing swung|
tear tore torn|undergo underwent undergone|undertake undertook undertaken|wake woke woken|weave wove woven|
weep wept|wind wound|withdraw withdrew withdrawn|overcome overcame|foresee foresaw foreseen|
mistake mistook mistaken|overtake overtook overtaken|oversee oversaw overseen|uphold upheld|withhold withheld|
withstand withstood|plead pled"""
_NOUNS = """man men|woman women|child children|person people|foot feet|tooth teeth|goose geese|mouse mice|ox oxen|
datum data|medium media|criterion criteria|phenomenon phenomena|bacterium bacteria|nucleus nuclei|fungus fungi|
alumnus alumni|stimulus stimuli|appendix appendices|index indices|matrix matrices|vertex vertices|die dice|
louse lice"""
_ADJECTIVES = """good better best|bad worse worst|far farther farthest further furthest|little less least|
much more most|many more most|old elder eldest"""

_DOUBLED = "bdgklmnprtvz"


def _read_irregular_forms(table: str, pos: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for entry in table.split("|"):
        base, *forms = entry.split()
        for form in forms:
            yield form, (base, pos)


_IRREGULAR: dict[str, list[tuple[str, str]]] = {}
for _table, _pos in ((_VERBS, "v"), (_NOUNS, "n"), (_ADJECTIVES, "a")):
    for _form, _reading in _read_irregular_forms(_table, _pos):
        _IRREGULAR.setdefault(_form, []).append(_reading)


def list_base_forms(form: str) -> list[tuple[str, str]]:
    """Return the possible base forms of a word in lower case, each with its part of speech (n, v or a).

    Some of them are not words: use a lexicon to decide.

    >>> list_base_forms("stopped"), list_base_forms("mice"), list_base_forms("wrote")
    ([('stoppe', 'v'), ('stopp', 'v'), ('stop', 'v')], [('mouse', 'n')], [('write', 'v')])
    """
    found = list(_IRREGULAR.get(form, ()))
    for ending, base, kinds in _ENDINGS:
        stem = form[: len(form) - len(ending)]
        if len(stem) < 2 or not form.endswith(ending) or (ending == "s" and stem.endswith("s")):
            continue
        found += [(stem + base, pos) for pos in kinds]
        if not base and ending != "s" and stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
            found += [(stem[:-1], pos) for pos in kinds]
    return list(dict.fromkeys(found))
