"""Stanza: dependencies, tags and lemmas in many languages, and constituents where it has a model for them."""

from collections.abc import Iterator, Mapping
from typing import Any

from rekern.errors import InputError, missing_extra
from rekern.structures.parsers.interface import Parse, Parser
from rekern.structures.sentences import Sentence, sentence

PROCESSORS = "tokenize,pos,lemma,depparse"


class StanzaParser(Parser):
    """Dependencies by Stanza; with ``constituents=True`` constituent trees, too.

    >>> StanzaParser(language="de").gives, StanzaParser(constituents=True).gives
    (('dependencies',), ('dependencies', 'constituents'))
    """

    name = "stanza"
    gives: tuple[str, ...] = ("dependencies",)

    def __init__(
        self,
        language: str = "en",
        constituents: bool = False,
        tokenized: bool = False,
        package: str = "default",
        folder: str | None = None,
        gpu: bool = False,
    ):
        self.language = str(language)
        self.constituents = bool(constituents)
        self.tokenized = bool(tokenized)
        self.package = str(package)
        self.folder = folder
        self.gpu = bool(gpu)
        self.gives = ("dependencies", "constituents") if self.constituents else ("dependencies",)
        self._loaded: Any = None

    @property
    def identity(self) -> Mapping[str, object]:
        options = {"constituents": self.constituents, "tokenized": self.tokenized}
        version = str(getattr(_library(), "__version__", ""))
        return {"parser": self.name, "version": version, "model": f"{self.language} {self.package}", **options}

    def _parses(self, texts: list[str]) -> Iterator[Parse]:
        if not texts:
            return
        pipeline = self._pipeline()
        if self.tokenized:  # a list of sentences, each a list of tokens
            documents = [pipeline([text.split(" ")]) for text in texts]
        else:
            documents = pipeline([_library().Document([], text=text) for text in texts])
        for document in documents:
            dependencies = tuple(map(_sentence, document.sentences))
            trees = tuple(str(one.constituency) for one in document.sentences) if self.constituents else None
            yield Parse(dependencies, trees)

    def _pipeline(self) -> Any:
        if self._loaded is None:
            stanza = _library()
            options: dict[str, Any] = {"dir": self.folder} if self.folder else {}
            try:
                self._loaded = stanza.Pipeline(
                    self.language,
                    processors=PROCESSORS + (",constituency" if self.constituents else ""),
                    package=self.package,
                    tokenize_pretokenized=self.tokenized,
                    use_gpu=self.gpu,
                    download_method=None,  # nothing is fetched behind the user's back
                    verbose=False,
                    **options,
                )
            except Exception as error:  # Stanza has a dozen kinds of errors for a model that is not there
                reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
                remedy = f"python -c \"import stanza; stanza.download('{self.language}')\""
                raise InputError(f"Stanza has no usable model for {self.language!r} ({reason}): {remedy}") from None
        return self._loaded


def _library() -> Any:
    try:
        import stanza
    except ImportError:
        raise missing_extra("stanza", "stanza") from None
    return stanza


def _sentence(found: Any) -> Sentence:
    """One sentence; Stanza counts heads from 1, and 0 is the root."""
    words = found.words
    heads = [word.head - 1 for word in words]
    return sentence(
        [word.text for word in words],
        heads,
        [(word.lemma or word.text).lower() for word in words],
        [word.xpos or word.upos or "_" for word in words],
        ["root" if head == -1 else word.deprel for word, head in zip(words, heads)],
        name="Stanza's answer",
    )
