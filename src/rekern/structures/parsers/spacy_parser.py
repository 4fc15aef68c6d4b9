"""The adapter for spaCy, which gives dependencies, tags and lemmas. It is the default parser for raw text."""

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rekern.core.parameters import check_whole
from rekern.core.spacy_pipelines import TWINS, load_pipeline
from rekern.errors import InputError, missing_extra
from rekern.structures.parsers.interface import Parse, Parser
from rekern.structures.sentences import Sentence

# The components that heads, tags and lemmas need. The others (entities, categories) are disabled to save time.
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
    """Parse texts to dependencies with a spaCy model; with ``tokenized`` a text is split into words at its blanks.

    >>> SpacyParser(model="xx_none").identity
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: the spaCy model xx_none is not installed: python -m spacy download xx_none
    """

    name = "spacy"
    gives: tuple[str, ...] = ("dependencies",)

    def __init__(self, model: str = "en_core_web_sm", tokenized: bool = False, batch_size: int = 256):
        self.model = str(model)
        self.tokenized = bool(tokenized)
        self.batch_size = check_whole("batch_size", batch_size, 1)
        self._loaded: Any = None

    @property
    def identity(self) -> Mapping[str, object]:
        meta = _read_meta(self.model) or self._get_pipeline().meta
        return {
            "parser": self.name,
            "version": _find_version(),
            # The name of the model, also if the package of its twin is loaded: both have the same weights.
            "model": f"{self.model} {meta.get('version', '')}",
            "tokenized": self.tokenized,
        }

    def _parses(self, texts: list[str]) -> Iterator[Parse]:
        pipeline = self._get_pipeline()
        most = pipeline.max_length
        fitting: list[Any] = [text if len(text) <= most else "" for text in texts]
        if self.tokenized:
            from spacy.tokens import Doc

            fitting = [Doc(pipeline.vocab, words=text.split(" ")) if text else text for text in fitting]
        for text, document in zip(texts, pipeline.pipe(fitting, batch_size=self.batch_size)):
            if len(text) > most:
                yield Parse(fault=f"{len(text):,} characters, but spaCy takes at most {most:,}; split the text")
            else:
                yield Parse(dependencies=tuple(_convert_sentence(span) for span in document.sents))

    def _get_pipeline(self) -> Any:
        if self._loaded is None:
            self._loaded = _load(self.model)
        return self._loaded


def _find_version() -> str:
    """Return the version of spaCy without importing it."""
    try:
        return version("spacy")
    except PackageNotFoundError:
        raise missing_extra("spacy", "parse") from None


def _read_meta(model: str) -> dict[str, Any]:
    """Return the metadata of an installed model without loading it, or an empty dict if it cannot be found or read.

    The model is searched in the same order as by `_load`: as a package, as a folder, as a package of its other name.
    """
    folders = [*_list_package_folders(model), Path(model), *_list_package_folders(TWINS.get(model, ""))]
    for folder in folders:
        try:
            found = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _list_package_folders(name: str) -> list[Path]:
    try:
        spec = find_spec(name) if name.isidentifier() else None
    except ValueError:  # a module without a specification, such as __main__
        return []
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


def _load(model: str) -> Any:
    pipeline = load_pipeline(model)
    if not {"parser", "experimental_biaffine_parser"} & set(pipeline.pipe_names):
        raise InputError(f"the spaCy model {model} has no dependency parser: choose one such as en_core_web_sm")
    pipeline.select_pipes(enable=[name for name in pipeline.pipe_names if name in NEEDED])
    return pipeline


def _convert_sentence(span: Any) -> Sentence:
    """Convert one sentence of a spaCy document; its heads are counted from the first word of the sentence."""
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
