"""The Stanford parser: constituents from its jar and a model, which the user gives; Java runs them.

One Java process parses all sentences. A text is cut into tokens and sentences as the parser itself does it: its own
tokeniser, and the end of a sentence at ``.``, ``!`` or ``?`` with the brackets and quotes that follow.
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
from rekern.structures.parsers.line_program import JavaLines, Stopped, find_java, java_reason

JAR = "REKERN_STANFORD_JAR"
MODEL = "REKERN_STANFORD_MODEL"
PARSER = "edu.stanford.nlp.parser.lexparser.LexicalizedParser"
TOKENIZER = "edu.stanford.nlp.process.PTBTokenizer"
# the Treebank's own forms of quotes and brackets, on which the models were trained; spelling stays as it is
TOKENS = "ptb3Escaping=true,splitHyphenated=false"
GREETING = "Yes ."
NO_TREE = "(())"  # the parser's answer when it finds none, or has too little memory
SENTENCE_ENDS = {".", "!", "?"}
STAY_WITH_THEM = {")", "]", '"', "'", "''", "-RRB-", "-RSB-", "-RCB-"}
BRACKETS = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


class StanfordParser(Parser):
    """Constituents by the Stanford parser; ``jar`` and ``model`` default to two environment variables.

    ``jar`` may be several, joined as in a Java class path; ``model`` is a file, or the name of one inside a jar. A
    sentence that takes longer than ``seconds``, or kills the process, gives its text no tree, and a warning.

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
        self.jar = _given(jar, JAR, "jar")
        self.model = _given(model, MODEL, "model")
        self.tokenized = bool(tokenized)
        self.seconds = check_seconds(seconds)
        self.memory = str(memory)
        self.tokenizer = str(tokenizer)
        if not re.fullmatch("[0-9]+[kKmMgG]?", self.memory):
            raise InputError(f"memory={memory!r}: give what Java's -Xmx takes, such as 800m or 2g")
        for part in self.jar.split(os.pathsep):
            if not os.path.isfile(part):
                raise InputError(f"there is no file {show_path(part)}: give the jar of the Stanford parser ({JAR})")
        if not os.path.isfile(self.model) and not _in_jars(self.model, self.jar):
            raise InputError(f"there is no file {show_path(self.model)}: give a model of the Stanford parser ({MODEL})")
        java = find_java(java)
        self._java = [java, f"-Xmx{self.memory}", "-Dfile.encoding=UTF-8", "-cp", self.jar]
        arguments = ["-sentences", "newline", "-tokenized", "-encoding", "utf-8", "-outputFormat", "oneline"]
        self._lines = JavaLines([*self._java, PARSER, *arguments, self.model, "-"], GREETING)

    @cached_property
    def identity(self) -> Mapping[str, object]:
        """The bytes of the jar and of the model decide, not their names; so do the options that change trees."""
        model = _digest(self.model) if os.path.isfile(self.model) else self.model
        jars = [_digest(part) for part in self.jar.split(os.pathsep)]
        tokens = "given" if self.tokenized else self.tokenizer
        return {"parser": self.name, "version": jars, "model": model, "tokens": tokens}

    def close(self) -> None:
        self._lines.close()

    def _parses(self, texts: list[str]) -> Iterator[Parse]:
        for tokens in self._tokens(texts):
            trees, fault = [], ""
            for number, words in enumerate(sentences_of(tokens), 1):
                try:
                    tree = self._lines.ask(" ".join(words), self.seconds)
                    if tree == NO_TREE or not tree.startswith("("):
                        raise Stopped(f"no tree found; is {self.memory} of memory enough?")
                    trees.append(tree)
                except Stopped as error:  # half of a text would pass for the whole
                    fault = f"sentence {number}, of {len(words)} words: {error}"
                    break
            yield Parse(fault=fault) if fault else Parse(constituents=tuple(trees))

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        """The tokens of each text; the tokeniser is a second program in the same jar, and quick."""
        if self.tokenized:
            return [text.translate(BRACKETS).split() for text in texts]
        command = [*self._java, TOKENIZER, "-preserveLines", "-encoding", "utf-8", "-options", self.tokenizer]
        given = "".join(text + "\n" for text in texts).encode()
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        lines = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
        if done.returncode or len(lines) != len(texts):
            reason = java_reason(done.stderr.decode("utf-8", "replace").strip().splitlines())
            raise InputError(f"the Stanford tokeniser fails ({reason.strip()}): check the jar and Java")
        return [line.translate(BRACKETS).split() for line in lines]


def sentences_of(tokens: list[str]) -> list[list[str]]:
    """Tokens cut into sentences, as the parser cuts them.

    >>> sentences_of(["``", "Go", "!", "''", "He", "went", ".", "Home"])
    [['``', 'Go', '!', "''"], ['He', 'went', '.'], ['Home']]
    """
    found: list[list[str]] = []
    ended = True
    for token in tokens:
        if ended and not (found and token in SENTENCE_ENDS | STAY_WITH_THEM):
            found.append([])
            ended = False
        found[-1].append(token)
        ended = ended or token in SENTENCE_ENDS
    return found


def _given(value: str | os.PathLike[str] | None, variable: str, what: str) -> str:
    found = os.fspath(value) if value is not None else os.environ.get(variable, "")
    if not found:
        raise InputError(f"the Stanford parser needs its {what}: give {what}= or set {variable}")
    return found


def _in_jars(model: str, jars: str) -> bool:
    for part in jars.split(os.pathsep):
        try:
            with zipfile.ZipFile(part) as jar:
                if model in jar.namelist():
                    return True
        except (OSError, zipfile.BadZipFile):
            raise InputError(f"{show_path(part)} is not a jar: give the jar of the Stanford parser ({JAR})") from None
    return False


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
