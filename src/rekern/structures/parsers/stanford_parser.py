"""The adapter for the Stanford parser, which gives constituents. The user provides its jar and a model.

One Java process parses all sentences. A text is split as by the parser itself: its own tokeniser makes the tokens, and
a sentence ends at ``.``, ``!`` or ``?`` and the closing brackets and quotes that follow.
"""

import hashlib
import os
import re
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from functools import cached_property

from rekern.core.files import show_path
from rekern.errors import InputError
from rekern.structures.parsers.interface import Parse, Parser, check_seconds
from rekern.structures.parsers.line_program import JavaLines, ProgramError, find_java, find_java_error

JAR = "REKERN_STANFORD_JAR"
MODEL = "REKERN_STANFORD_MODEL"
PARSER = "edu.stanford.nlp.parser.lexparser.LexicalizedParser"
TOKENIZER = "edu.stanford.nlp.process.PTBTokenizer"
# The models were trained on the Treebank's forms of quotes and brackets. The spelling of words is not changed.
TOKENS = "ptb3Escaping=true,splitHyphenated=false"
GREETING = "Yes ."
NO_TREE = "(())"  # the parser's answer if it finds no tree or has too little memory
SENTENCE_ENDS = {".", "!", "?"}
CLOSING_MARKS = {")", "]", '"', "'", "''", "-RRB-", "-RSB-", "-RCB-"}
BRACKETS = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


class StanfordParser(Parser):
    """Parse texts to constituents with the Stanford parser.

    ``jar`` is the path of the jar, or several paths joined as in a Java class path. ``model`` is a file, or the name of
    a file inside a jar. By default both come from the environment variables REKERN_STANFORD_JAR and
    REKERN_STANFORD_MODEL. If a sentence takes longer than ``seconds`` or kills the process, its text has no tree, and
    there is a warning.

    >>> StanfordParser(jar="no-such.jar", model="englishPCFG.ser.gz")
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no file no-such.jar: give the jar of the Stanford parser (REKERN_STANFORD_JAR)
    """

    name = "stanford"
    gives: tuple[str, ...] = ("constituents",)

    def __init__(
        self,
        jar: str | os.PathLike[str] | None = None,
        model: str | os.PathLike[str] | None = None,
        tokenized: bool = False,
        seconds: float = 60.0,
        memory: str = "1g",
        tokenizer: str = TOKENS,
        java: str | None = None,
    ):
        self.jar = _find_path(jar, JAR, "jar")
        self.model = _find_path(model, MODEL, "model")
        self.tokenized = bool(tokenized)
        self.seconds = check_seconds(seconds)
        self.memory = str(memory)
        self.tokenizer = str(tokenizer)
        if not re.fullmatch("[0-9]+[kKmMgG]?", self.memory):
            raise InputError(f"memory={memory!r}: give what Java's -Xmx takes, such as 800m or 2g")
        for part in self.jar.split(os.pathsep):
            if not os.path.isfile(part):
                name = show_path(part)
                reason = f"there is no file {name}: give the jar of the Stanford parser ({JAR})"
                raise InputError(reason, file=name, names_file=True)
        if not os.path.isfile(self.model) and not _is_in_jars(self.model, self.jar):
            name = show_path(self.model)
            reason = f"there is no file {name}: give a model of the Stanford parser ({MODEL})"
            raise InputError(reason, file=name, names_file=True)
        java = find_java(java)
        self._java = [java, f"-Xmx{self.memory}", "-Dfile.encoding=UTF-8", "-cp", self.jar]
        arguments = ["-sentences", "newline", "-tokenized", "-encoding", "utf-8", "-outputFormat", "oneline"]
        self._lines = JavaLines([*self._java, PARSER, *arguments, self.model, "-"], GREETING)

    @cached_property
    def identity(self) -> Mapping[str, object]:
        """The identity for the cache: hashes of the jar and of the model, and the options that change trees."""
        model = _hash_file(self.model) if os.path.isfile(self.model) else self.model
        jars = [_hash_file(part) for part in self.jar.split(os.pathsep)]
        tokens = "given" if self.tokenized else self.tokenizer
        return {"parser": self.name, "version": jars, "model": model, "tokens": tokens}

    def close(self) -> None:
        self._lines.close()

    def _parses(self, texts: list[str]) -> Iterator[Parse]:
        for tokens in self._tokenize(texts):
            trees, fault = [], ""
            for number, words in enumerate(split_sentences(tokens), 1):
                try:
                    tree = self._lines.ask(" ".join(words), self.seconds)
                    if tree == NO_TREE or not tree.startswith("("):
                        raise ProgramError(f"no tree found; is {self.memory} of memory enough?")
                    trees.append(tree)
                except ProgramError as error:  # no parse at all is better than the parse of a part of the text
                    fault = f"sentence {number}, of {len(words)} words: {error}"
                    break
            yield Parse(fault=fault) if fault else Parse(constituents=tuple(trees))

    def _tokenize(self, texts: list[str]) -> list[list[str]]:
        """Return the tokens of each text; the tokeniser is another program in the same jar."""
        if self.tokenized:
            return [text.translate(BRACKETS).split() for text in texts]
        command = [*self._java, TOKENIZER, "-preserveLines", "-encoding", "utf-8", "-options", self.tokenizer]
        given = "".join(text + "\n" for text in texts).encode()
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        lines = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
        if done.returncode or len(lines) != len(texts):
            reason = find_java_error(done.stderr.decode("utf-8", "replace").strip().splitlines())
            raise InputError(f"the Stanford tokeniser fails ({reason.strip()}): check the jar and Java")
        return [line.translate(BRACKETS).split() for line in lines]


def split_sentences(tokens: list[str]) -> list[list[str]]:
    """Split tokens into sentences, as the parser does it.

    >>> split_sentences(["``", "Go", "!", "''", "He", "went", ".", "Home"])
    [['``', 'Go', '!', "''"], ['He', 'went', '.'], ['Home']]
    """
    found: list[list[str]] = []
    ended = True
    for token in tokens:
        if ended and not (found and token in SENTENCE_ENDS | CLOSING_MARKS):
            found.append([])
            ended = False
        found[-1].append(token)
        ended = ended or token in SENTENCE_ENDS
    return found


def _find_path(value: str | os.PathLike[str] | None, variable: str, what: str) -> str:
    found = os.fspath(value) if value is not None else os.environ.get(variable, "")
    if not found:
        raise InputError(f"the Stanford parser needs its {what}: give {what}= or set {variable}")
    return found


def _is_in_jars(model: str, jars: str) -> bool:
    for part in jars.split(os.pathsep):
        try:
            with zipfile.ZipFile(part) as jar:
                if model in jar.namelist():
                    return True
        except (OSError, zipfile.BadZipFile):
            name = show_path(part)
            reason = f"{name} is not a jar: give the jar of the Stanford parser ({JAR})"
            raise InputError(reason, file=name, names_file=True) from None
    return False


def _hash_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
