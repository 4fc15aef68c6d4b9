r"""A tokenizer in the style of the Penn Treebank, by one compiled pattern.

The rules are those of NLTK's ``TreebankWordTokenizer``. Brackets, quotes and most punctuation marks are tokens.
``don't`` becomes ``do n't``, and ``they'll`` becomes ``they 'll``. A comma or a colon before a digit is not split off
(``3,000``, ``5:30``). A full stop is split off only at the end of the text, so ``U.S.`` stays one token.

The tokens differ from NLTK's on purpose in these cases:

1. *Quotes.* ``"``, two backticks and two apostrophes all become the token ``"``, and a single backtick becomes ``'``.
   Raw text and text that is already tokenised therefore give the same tokens.
2. *Typographic quotes* are read as plain ones: ``“ ” „`` as ``"``, and ``‘ ’`` as ``'`` (``don’t`` is ``do n't``).
3. *Brackets.* The tokens ``-LRB- -RRB- -LSB- -RSB- -LCB- -RCB-`` (also in lower case) become the brackets themselves.
4. *An opening single quote* is a token: ``'hello'`` becomes ``' hello '``, while NLTK gives ``'hello '``. Short forms
   keep their apostrophe: ``'s``, ``'em``, ``'til``, ``'90s`` …
5. *Runs of commas and colons* are split one by one, while NLTK joins every second one to the text after it.
6. *Several clitics in a row* are all split off: ``I'd've`` is ``I 'd 've``, and ``it's')`` is ``it 's ' )``.
7. *White space.* All kinds are equal, while NLTK splits off some clitics before a blank but not before a tab or a
   newline.

The tokens of ``a b`` are those of ``a`` followed by those of ``b``, except for the final full stop. The time is linear
in the length of the text for any text.
"""

import re

__all__ = ["tokenize"]

# The parts of the pattern. None of them has a capturing group, so that findall returns whole matches.
_ALONE = r'"\[\](){}<>;@\#$%&?!'  # each of these characters is always a token
_FINAL = r"(?<!\.)\.(?=[\])}>\"']*\s*\Z)"  # the full stop that ends the text
_END = rf"(?:[\s{_ALONE}]|\Z|[,:](?!\d)|--|''|``|\.\.\.|{_FINAL})"  # what ends a word
_CLITIC = r"'(?:[sSmMdD]|ll|LL|re|RE|ve|VE)?"
_CLITICS = rf"(?:{_CLITIC}){{0,3}}{_END}"  # optional further clitics, then the end of the word
_NOT = rf"(?:(?<=n)'t|(?<=N)'T){_CLITICS}"  # the rest of n't
_FIRST_HALF = (  # of a word that is split into two tokens, such as can|not
    r"(?:[cC](?i:an(?=not\b))|[dD](?i:(?='ye\b))|[gG](?i:im(?=me\b)|on(?=na\b)|ot(?=ta\b))|[lL](?i:em(?=me\b))"
    rf"|[mM](?i:ore(?='n\b))|[wW](?i:an(?=na{_CLITICS})))"
)
# A cheap test that excludes words such as cannot, gimme, gonna and gotta, so that the first alternative below does not
# have to try the halves on every word. It also excludes a few other words (henna, comme), which the last one matches.
_NO_CONTRACTION = r"(?<![nN][nN][oO][tT])(?<![mntMNT][mntMNT][eEaA])"
_SECOND_HALF = (
    r"(?:[nN](?i:ot(?<=\bcannot)|a(?<=\bgonna)|a(?<=\bwanna))|[mM](?i:e(?<=\bgimme)|e(?<=\blemme))|[tT](?i:a(?<=\bgotta))"
    r"|'(?i:ye(?<=\bd'ye)|n(?<=\bmore'n))|[iI](?i:s(?<='tis))|[wW](?i:as(?<='twas)))\b"
)
_ELISION = r"(?:[smdtn]|ll|re|ve|ye|em|til|till|cause|cuz|coz|bout|round|neath|tis|twas|twere|twill)\b|\d"

_TOKEN = re.compile(
    rf"""
    \w++(?=\s){_NO_CONTRACTION}                    # most words: letters and digits, then a blank
    | [{_ALONE}] | [,:](?!\d) | --|''|``|\.\.\.|{_FINAL}
    | \b{_FIRST_HALF} | {_SECOND_HALF}
    | '(?i:t(?=is\b|was\b))                        # 't|is
    | '(?=\w)(?!(?i:{_ELISION}))                   # an opening single quote
    | \S                                           # any other word: its first character, and then
      (?: (?!\b{_FIRST_HALF})\w+(?!{_NOT})         #   letters and digits, except the n of n't
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
    """Split a text into tokens by the rules of the Penn Treebank; the module lists the differences from NLTK.

    >>> tokenize("They'll pay $3,000 (or so) to the U.S. soon.")
    ['They', "'ll", 'pay', '$', '3,000', '(', 'or', 'so', ')', 'to', 'the', 'U.S.', 'soon', '.']
    >>> tokenize("“I can't,” she said") == tokenize("`` I ca n't , '' she said")
    True
    """
    if not text.isascii():
        text = text.translate(_PLAIN)
    tokens = _TOKEN.findall(text)
    # Few texts have tokens to rename, and these four tests are much cheaper than looking up every token.
    if "`" in text or "''" in text or "B-" in text or "b-" in text:
        return [_RENAMED.get(token, token) for token in tokens]
    return tokens
