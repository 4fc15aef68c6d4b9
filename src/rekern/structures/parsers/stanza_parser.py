"""The adapter for Stanza: dependencies, tags and lemmas in many languages, and constituents in some."""

from collections.abc import Iterator, Mapping
from typing import Any

from rekern.errors import InputError, missing_extra
from rekern.structures.parsers.interface import Parse, Parser
from rekern.structures.sentences import Sentence, sentence

PROCESSORS = "tokenize,pos,lemma,depparse"


class StanzaParser(Parser):
    """Parse texts to dependencies with Stanza, and with ``constituents=True`` also to constituent trees.

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
        version = str(getattr(_import_stanza(), "__version__", ""))
        return {"parser": self.name, "version": version, "model": f"{self.language} {self.package}", **options}

    def _parses(self, texts: list[str]) -> Iterator[Parse]:
        if not texts:
            return
        pipeline = self._get_pipeline()
        if self.tokenized:  # Stanza expects a list of sentences, each a list of tokens
            documents = [pipeline([text.split(" ")]) for text in texts]
        else:
            documents = pipeline([_import_stanza().Document([], text=text) for text in texts])
        for document in documents:
            dependencies = tuple(map(_convert_sentence, document.sentences))
            trees = tuple(str(one.constituency) for one in document.sentences) if self.constituents else None
            yield Parse(dependencies, trees)

    def _get_pipeline(self) -> Any:
        if self._loaded is None:
            stanza = _import_stanza()
            options: dict[str, Any] = {"dir": self.folder} if self.folder else {}
            try:
                self._loaded = stanza.Pipeline(
                    self.language,
                    processors=PROCESSORS + (",constituency" if self.constituents else ""),
                    package=self.package,
                    tokenize_pretokenized=self.tokenized,
                    use_gpu=self.gpu,
                    download_method=None,  # never download anything
                    verbose=False,
                    **options,
                )
            except Exception as error:  # Stanza raises many kinds of errors for a missing model
                reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
                remedy = f"python -c \"import stanza; stanza.download('{self.language}')\""
                raise InputError(f"Stanza has no usable model for {self.language!r} ({reason}): {remedy}") from None
        return self._loaded


def _import_stanza() -> Any:
    try:
        import stanza
    except ImportError:
        raise missing_extra("stanza", "stanza") from None
    return stanza


def _convert_sentence(found: Any) -> Sentence:
    """Convert one sentence of Stanza, which counts heads from 1 and marks the root by 0."""
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
