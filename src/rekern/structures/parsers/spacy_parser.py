"""spaCy: dependencies, tags and lemmas; the parser for raw text unless another is named."""

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rekern.core.spacy_pipelines import TWINS, load_pipeline
from rekern.errors import InputError, missing_extra
from rekern.structures.parsers.interface import Parse, Parser
from rekern.structures.sentences import Sentence

# names of components that heads, tags and lemmas need; the others (entities, categories) would only take time
NEEDED = {
    "tok2vec",
    "transformer",
    "curated_transformer",
    "tagger",
    "morphologizer",
    "parser",
    "experimental_biaffine_parser",
    "attribute_ruler",
    "lemmatizer",
    "trainable_lemmatizer",
}


class SpacyParser(Parser):
    """Dependencies by a spaCy model. With ``tokenized`` the words of a text are what stands between its blanks.

    >>> SpacyParser(model="xx_none").identity
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the spaCy model xx_none is not installed: python -m spacy download xx_none
    """

    name = "spacy"
    gives: tuple[str, ...] = ("dependencies",)

    def __init__(self, model: str = "en_core_web_sm", tokenized: bool = False, batch_size: int = 256):
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise InputError(f"batch_size={batch_size!r}: give a whole number from 1")
        self.model = str(model)
        self.tokenized = bool(tokenized)
        self.batch_size = batch_size
        self._loaded: Any = None

    @property
    def identity(self) -> Mapping[str, object]:
        meta = _meta(self.model) or self._pipeline().meta
        return {
            "parser": self.name,
            "version": _version(),
            # the twin carries the same weights, but the version of the model counts
            "model": f"{self.model} {meta.get('version', '')}",
            "tokenized": self.tokenized,
        }

    def _parses(self, texts: list[str]) -> Iterator[Parse]:
        pipeline = self._pipeline()
        most = pipeline.max_length
        fitting: list[Any] = [text if len(text) <= most else "" for text in texts]
        if self.tokenized:
            from spacy.tokens import Doc

            fitting = [Doc(pipeline.vocab, words=text.split(" ")) if text else text for text in fitting]
        for text, document in zip(texts, pipeline.pipe(fitting, batch_size=self.batch_size)):
            if len(text) > most:
                yield Parse(fault=f"{len(text):,} characters, and spaCy takes {most:,}; split the text")
            else:
                yield Parse(dependencies=tuple(_sentence(span) for span in document.sents))

    def _pipeline(self) -> Any:
        if self._loaded is None:
            self._loaded = _load(self.model)
        return self._loaded


def _version() -> str:
    """The version of spaCy, which need not be loaded for it."""
    try:
        return version("spacy")
    except PackageNotFoundError:
        raise missing_extra("spacy", "parse") from None


def _meta(model: str) -> dict[str, Any]:
    """What an installed model says of itself, without loading it; empty where it cannot be found or read.

    Models are looked for where `_load` finds them: packages, then folders, then packages of the other name.
    """
    folders = [*_package_folders(model), Path(model), *_package_folders(TWINS.get(model, ""))]
    for folder in folders:
        try:
            found = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _package_folders(name: str) -> list[Path]:
    try:
        spec = find_spec(name) if name.isidentifier() else None
    except ValueError:  # a module that was not imported from anywhere
        return []
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


def _load(model: str) -> Any:
    pipeline = load_pipeline(model)
    if not {"parser", "experimental_biaffine_parser"} & set(pipeline.pipe_names):
        raise InputError(f"the spaCy model {model} has no dependency parser: choose one such as en_core_web_sm")
    pipeline.select_pipes(enable=[name for name in pipeline.pipe_names if name in NEEDED])
    return pipeline


def _sentence(span: Any) -> Sentence:
    """One sentence of a document; its own words are counted from 0."""
    start = span.start
    tokens = list(span)
    heads = [token.head.i - start for token in tokens]
    own = [-1 if head == place else head for place, head in enumerate(heads)]
    return Sentence(
        tuple(token.text for token in tokens),
        tuple((token.lemma_ or token.text).lower() for token in tokens),
        tuple(token.tag_ or token.pos_ or "_" for token in tokens),
        tuple(own),
        tuple("root" if head == -1 else token.dep_ for token, head in zip(tokens, own)),
    )
