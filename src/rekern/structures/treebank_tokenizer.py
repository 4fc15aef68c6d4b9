r"""Treebank-style tokens of a text, by one compiled pattern.

The rules are those of the Penn Treebank as NLTK's ``TreebankWordTokenizer`` has them: brackets, quotes and most
punctuation stand alone; ``don't`` is ``do n't`` and ``they'll`` is ``they 'll``; a comma or a colon before a digit
stays (``3,000``, ``5:30``); a full stop is split off only at the end of the text, so ``U.S.`` keeps its own.
The tokens are the same as NLTK's but for these, all on purpose:

1. *Quotes.* ``"``, two backticks and two apostrophes all give the token ``"``, and a backtick that stands alone gives
   ``'``, so that raw text and text that has been tokenised before give the same tokens.
2. *Typographic quotes* are read as the plain ones: ``“ ” „`` as ``"``, and ``‘ ’`` as ``'`` (``don’t`` is ``do n't``).
3. *Brackets.* The tokens ``-LRB- -RRB- -LSB- -RSB- -LCB- -RCB-`` (or in small letters) give the bracket they stand for.
4. *An opening single quote* stands alone: ``'hello'`` is ``' hello '``, where NLTK has ``'hello '``. What is short for
   something keeps its apostrophe: ``'s``, ``'em``, ``'til``, ``'90s`` …
5. *Runs of commas and colons* are split one by one, where NLTK glues every second one to what follows it.
6. *Several clitics in a row* are all split off: ``I'd've`` is ``I 'd 've``, and ``it's')`` is ``it 's ' )``.
7. *White space* is alike, where NLTK splits off some clitics before a blank but not before a tab or a line's end.

Only the final full stop looks beyond a blank; apart from it, the tokens of ``a b`` are those of ``a`` and of ``b``.
Time is linear in the length of the text, whatever is in it.
"""

import re

__all__ = ["tokenize"]

# The pieces of the pattern; none of them captures, so that findall gives whole matches.
_ALONE = r'"\[\](){}<>;@\#$%&?!'  # each of these characters is always a token
_FINAL = r"(?<!\.)\.(?=[\])}>\"']*\s*\Z)"  # the full stop that ends the text
_END = rf"(?:[\s{_ALONE}]|\Z|[,:](?!\d)|--|''|``|\.\.\.|{_FINAL})"  # what ends a word
_CLITIC = r"'(?:[sSmMdD]|ll|LL|re|RE|ve|VE)?"
_CLITICS = rf"(?:{_CLITIC}){{0,3}}{_END}"  # perhaps further clitics, then the end of the word
_NOT = rf"(?:(?<=n)'t|(?<=N)'T){_CLITICS}"  # the rest of n't
_FIRST_HALF = (  # of a word that is two, such as can|not
    r"(?:[cC](?i:an(?=not\b))|[dD](?i:(?='ye\b))|[gG](?i:im(?=me\b)|on(?=na\b)|ot(?=ta\b))|[lL](?i:em(?=me\b))"
    rf"|[mM](?i:ore(?='n\b))|[wW](?i:an(?=na{_CLITICS})))"
)
# A cheap look back that holds for no word such as cannot, gimme, gonna, gotta; with it the shortcut below need not try
# the halves on every word. It fails for a few others (henna, comme), which then take the general way.
_NO_CONTRACTION = r"(?<![nN][nN][oO][tT])(?<![mntMNT][mntMNT][eEaA])"
_SECOND_HALF = (
    r"(?:[nN](?i:ot(?<=\bcannot)|a(?<=\bgonna)|a(?<=\bwanna))|[mM](?i:e(?<=\bgimme)|e(?<=\blemme))|[tT](?i:a(?<=\bgotta))"
    r"|'(?i:ye(?<=\bd'ye)|n(?<=\bmore'n))|[iI](?i:s(?<='tis))|[wW](?i:as(?<='twas)))\b"
)
_ELISION = r"(?:[smdtn]|ll|re|ve|ye|em|til|till|cause|cuz|coz|bout|round|neath|tis|twas|twere|twill)\b|\d"

_TOKEN = re.compile(
    rf"""
    \w++(?=\s){_NO_CONTRACTION}                    # nearly every word: letters and digits, then a blank
    | [{_ALONE}] | [,:](?!\d) | --|''|``|\.\.\.|{_FINAL}
    | \b{_FIRST_HALF} | {_SECOND_HALF}
    | '(?i:t(?=is\b|was\b))                        # 't|is
    | '(?=\w)(?!(?i:{_ELISION}))                   # an opening single quote
    | \S                                           # any other word: its first character, and then
      (?: (?!\b{_FIRST_HALF})\w+(?!{_NOT})         #   letters and digits, but for the n of n't
        | '(?!'|(?:[sSmMdD]|ll|LL|re|RE|ve|VE)?{_CLITICS})
        | -(?!-) | [,:](?=\d) | `(?!`)
        | (?!{_FINAL})\.(?!\.\.)
        | [^\w\s{_ALONE}',:.`-]
      )*+
    """,
    re.VERBOSE,
)

_PLAIN = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'"})
_RENAMED = {"``": '"', "''": '"', "`": "'"}
for _code, _bracket in {"LRB": "(", "RRB": ")", "LSB": "[", "RSB": "]", "LCB": "{", "RCB": "}"}.items():
    _RENAMED[f"-{_code}-"] = _RENAMED[f"-{_code.lower()}-"] = _bracket


def tokenize(text: str) -> list[str]:
    """The tokens of a text, by the rules of the Penn Treebank (the module says where it differs from NLTK).

    >>> tokenize("They'll pay $3,000 (or so) to the U.S. soon.")
    ['They', "'ll", 'pay', '$', '3,000', '(', 'or', 'so', ')', 'to', 'the', 'U.S.', 'soon', '.']
    >>> tokenize("“I can't,” she said") == tokenize("`` I ca n't , '' she said")
    True
    """
    if not text.isascii():
        text = text.translate(_PLAIN)
    tokens = _TOKEN.findall(text)
    # Few texts have anything to rename, and to look for these four is far cheaper than to look every token up.
    if "`" in text or "''" in text or "B-" in text or "b-" in text:
        return [_RENAMED.get(token, token) for token in tokens]
    return tokens
