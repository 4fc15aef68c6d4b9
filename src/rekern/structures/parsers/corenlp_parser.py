"""The adapter for a running CoreNLP server, which gives constituents, dependencies, tags and lemmas."""

import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from rekern.errors import InputError
from rekern.structures.parsers.interface import Parse, Parser, check_seconds
from rekern.structures.sentences import Sentence, sentence

URL = "REKERN_CORENLP_URL"
ANNOTATORS = "tokenize,ssplit,pos,lemma,depparse,parse"
KINDS = (("dependencies", "depparse"), ("constituents", "parse"))  # what a parser gives, and the annotator for it
LARGEST = 1 << 28  # the largest number of bytes of an answer


class CoreNlpParser(Parser):
    """Parse texts to constituents and dependencies with a CoreNLP server.

    ``url`` is the address of the server. By default it is the value of the environment variable REKERN_CORENLP_URL, or
    http://localhost:9000 if the variable is not set.

    >>> CoreNlpParser(url="ftp://localhost")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: 'ftp://localhost' is not the URL of a CoreNLP server: try http://localhost:9000
    """

    name = "corenlp"
    gives: tuple[str, ...] = ("dependencies", "constituents")

    def __init__(
        self,
        url: str | None = None,
        annotators: str = ANNOTATORS,
        tokenized: bool = False,
        seconds: float = 60.0,
    ):
        self.url = url or os.environ.get(URL) or "http://localhost:9000"
        self.annotators = str(annotators)
        self.tokenized = bool(tokenized)
        self.seconds = check_seconds(seconds)
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            remedy = "try http://localhost:9000"
            raise InputError(f"{self.url!r} is not the URL of a CoreNLP server: {remedy}")
        given = set(self.annotators.replace(" ", "").split(","))
        self.gives = tuple(kind for kind, step in KINDS if step in given)
        if not self.gives:
            raise InputError(f"annotators={self.annotators!r}: they need depparse or parse to give trees")

    @property
    def identity(self) -> Mapping[str, object]:
        """The identity for the cache. A server does not tell its version, so its address stands for it."""
        options = {"annotators": self.annotators, "tokenized": self.tokenized}
        return {"parser": self.name, "version": "", "model": self.url, **options}

    def _parses(self, texts: list[str]) -> Iterator[Parse]:
        for text in texts:
            try:
                answer = self._ask(text)
            except TimeoutError as error:
                yield Parse(fault=str(error))
            else:
                yield read_answer(answer, self.gives)

    def _ask(self, text: str) -> Any:
        """Return the server's answer to one text; raise TimeoutError if only this text cannot be parsed."""
        properties = {"annotators": self.annotators, "outputFormat": "json", "timeout": int(1000 * self.seconds)}
        if self.tokenized:
            properties["tokenize.whitespace"] = "true"
        query = urllib.parse.urlencode({"properties": json.dumps(properties)})
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/?{query}",
            data=text.encode(),
            headers={"Content-Type": "text/plain; charset=utf-8"},
        )
        try:
            # wait a little longer than the server's own limit, so that its answer comes first
            with urllib.request.urlopen(request, timeout=self.seconds + 5) as response:
                data = response.read(LARGEST + 1)
        except urllib.error.HTTPError as error:
            reason = " ".join(error.read(300).decode("utf-8", "replace").split()) or str(error.reason)
            if error.code == 500:  # the server cannot parse this text, or not in time
                raise TimeoutError(f"the server answers: {reason}") from None
            raise InputError(f"{self.url} answers {error.code} ({reason[:200]}): is it a CoreNLP server?") from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise TimeoutError(f"no answer after {self.seconds:g} s") from None
            raise self._explain_unreachable(error.reason) from None
        except TimeoutError:
            raise TimeoutError(f"no answer after {self.seconds:g} s") from None
        except (OSError, http.client.HTTPException) as error:
            raise self._explain_unreachable(error) from None
        if len(data) > LARGEST:
            raise TimeoutError(f"the answer is longer than {LARGEST:,} bytes")
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise InputError(f"{self.url} does not answer with JSON: is it a CoreNLP server?") from None

    def _explain_unreachable(self, reason: object) -> InputError:
        start = 'java -mx4g -cp "*" edu.stanford.nlp.pipeline.StanfordCoreNLPServer'
        return InputError(f"no CoreNLP server answers at {self.url} ({reason}): start it ({start}), or give its url")


def read_answer(answer: Any, gives: tuple[str, ...] = CoreNlpParser.gives) -> Parse:
    """Read the parse from a server's answer, which is decoded JSON; ``gives`` are the kinds of trees to read.

    >>> token = {"index": 1, "word": "Go", "lemma": "go", "pos": "VB"}
    >>> root = {"dep": "ROOT", "governor": 0, "dependent": 1}
    >>> read_answer({"sentences": [{"tokens": [token], "basicDependencies": [root], "parse": "(ROOT (VB Go))"}]})
    Parse(dependencies=(Sentence(words=('Go',), lemmas=('go',), tags=('VB',), heads=(-1,), relations=('root',)),), \
constituents=('(ROOT (VB Go))',), fault='')
    """
    try:
        found = answer["sentences"]
        dependencies = tuple(_read_sentence(one) for one in found) if "dependencies" in gives else None
        constituents = tuple(" ".join(one["parse"].split()) for one in found) if "constituents" in gives else None
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        what = f"{type(error).__name__}: {error}"
        raise InputError(f"the CoreNLP server's answer is not as documented ({what}); is it another server?") from None
    return Parse(dependencies, constituents)


def _read_sentence(found: dict[str, Any]) -> Sentence:
    tokens = found["tokens"]
    # A word without a link keeps the head -2, which `sentence` refuses.
    heads, relations = [-2] * len(tokens), [""] * len(tokens)
    for link in found["basicDependencies"]:
        place = link["dependent"] - 1
        heads[place] = link["governor"] - 1
        relations[place] = "root" if link["governor"] == 0 else link["dep"]
    words = [token["word"] for token in tokens]
    lemmas = [(token.get("lemma") or token["word"]).lower() for token in tokens]
    tags = [token.get("pos") or "_" for token in tokens]
    return sentence(words, heads, lemmas, tags, relations, name="CoreNLP's answer")
