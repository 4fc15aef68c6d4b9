"""The XML files of the PASCAL challenges on recognizing textual entailment (RTE)."""

import codecs
from xml.parsers import expat

from rekern.core.text_files import decode_text
from rekern.errors import InputError

TRUTH = {"YES": "1", "TRUE": "1", "NO": "0", "FALSE": "0"}
COLUMNS = ("id", "entailment", "task", "length", "text", "hypothesis")


def is_xml(data: bytes) -> bool:
    """Whether the first character that is not white space is a ``<``, in UTF-8 or UTF-16.

    >>> is_xml(b' <?xml version="1.0"?>'), is_xml(b"id\\tentailment")
    (True, False)
    """
    return data[:100].lstrip(codecs.BOM_UTF8 + codecs.BOM_UTF16 + b"\0 \t\r\n").startswith(b"<")


def read_pairs(data: bytes, file: str, encoding: str = "utf-8") -> tuple[list[dict[str, object]], list[int]]:
    """Read ``<pair id= entailment= task=><t>…</t><h>…</h></pair>``: one dict a pair, and the line of each.

    YES, NO, TRUE and FALSE become 1 and 0; white space is collapsed. Nothing outside the file is loaded. A file that
    declares entities is refused, because a few bytes of them can expand to gigabytes.

    >>> read_pairs(b'<c><pair id="1" value="TRUE"><t>A b.</t><h>B.</h></pair></c>', "rte.xml")
    ([{'id': '1', 'entailment': '1', 'text': 'A b.', 'hypothesis': 'B.'}], [1])
    """
    declared = encoding.lower() in ("utf-8", "utf8")  # the default: the file's own declaration counts
    reader = _PairReader(file, None if declared else "utf-8")
    reader.parse(data if declared else decode_text(data, file, encoding).encode())
    records = reader.records
    if not records:
        raise InputError(f"{file} holds no <pair>: it is not in RTE's format", file=file, names_file=True)
    answers = {str(record["entailment"]).upper() for record in records if record["entailment"]}
    if answers <= TRUTH.keys():
        for record in records:
            record["entailment"] = TRUTH.get(str(record["entailment"]).upper())
    used = [key for key in COLUMNS if any(record[key] is not None for record in records)]
    return [{key: record[key] for key in used} for record in records], reader.lines


class _PairReader:
    """The handlers of expat, which collect one record a pair."""

    def __init__(self, file: str, encoding: str | None):
        self.file = file
        self.records: list[dict[str, object]] = []
        self.lines: list[int] = []
        self._pieces: list[str] = []
        self._pair: dict[str, object] = {}  # the one that is open
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._pieces.append
        self._parser.StartDoctypeDeclHandler = self._refuse_declarations
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.SkippedEntityHandler = self._refuse_unknown

    def parse(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            remedy = "correct it, or name the file's encoding with --encoding"
            reason = f"invalid XML ({expat.ErrorString(error.code)}); {remedy}"
            column = f"column {error.offset + 1}"
            raise InputError(reason, file=self.file, row=error.lineno, column=column, unit="line") from None
        except InputError:
            raise
        except (LookupError, ValueError) as error:  # an encoding that the file declares and Python lacks
            reason = f"unreadable encoding ({error}); name it with --encoding"
            raise InputError(reason, file=self.file) from None

    def _locate(self, reason: str) -> InputError:
        return InputError(reason, file=self.file, row=self._parser.CurrentLineNumber, unit="line")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("t", "h"):
            self._pieces.clear()
        elif tag == "pair":
            if self._pair:
                raise self._locate("a <pair> inside a <pair>; close the first one before it")
            self._pair.update({key: attributes.get(key) for key in ("id", "entailment", "task", "length")})
            self._pair["entailment"] = attributes.get("entailment", attributes.get("value"))
            self.lines.append(self._parser.CurrentLineNumber)

    def _end(self, tag: str) -> None:
        if tag in ("t", "h"):
            self._pair["text" if tag == "t" else "hypothesis"] = " ".join("".join(self._pieces).split())
        elif tag == "pair":
            if "text" not in self._pair or "hypothesis" not in self._pair:
                raise self._locate("a <pair> needs a text <t> and a hypothesis <h>")
            self.records.append(dict(self._pair))
            self._pair.clear()

    def _refuse_declarations(self, _name: str, _system: str | None, _public: str | None, internal: bool) -> None:
        if internal:
            raise self._locate("the document type declares things of its own; remove the [...] part")

    def _refuse_entity(self, *_: object) -> None:
        raise self._locate("the file declares entities, which are never expanded; remove them")

    def _refuse_unknown(self, name: str, _parameter: bool) -> None:
        raise self._locate(f"the entity &{name}; is unknown; write the character itself")
