"""The map stays true: what each module may import, call and hold. import-linter checks the layers beside this."""

import ast
import gc
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "rekern"
FILES = sorted(PACKAGE.rglob("*.py"))

LONGEST_FILE = 450
MOST_PARAMETERS = 12
MOST_ANY = 120

# Libraries that are imported where they are used, and why.
LATE_IMPORTS = {
    "distributed": "optional, and takes seconds to import",
    "gensim": "optional, and takes seconds to import",
    "jieba": "optional",
    "joblib": "slow to import; one pair is compared without it",
    "matplotlib": "optional, and slow to import",
    "numba": "slow to import; `rekern question` starts without it",
    "pandas": "optional, and slow to import",
    "pyarrow": "optional",
    "pyspark": "optional, and takes seconds to import",
    "ray": "optional, and takes seconds to import",
    "resource": "not on every system",
    "rich": "slow to import, and needed on terminals only",
    "scipy": "parts of it are slow to import",
    "sentence_transformers": "optional, and takes seconds to import",
    "sklearn": "slow to import; questions are classified without it",
    "snowballstemmer": "slow to import; many questions are classified without it",
    "spacy": "optional, and takes seconds to import",
    "sqlalchemy": "optional",
    "stanza": "optional, and takes seconds to import",
    "wn": "optional",
}

# Modules that import others by name: the registry, what loads a public name when it is first used, and the parsers.
IMPORTERS = {"core/lazy_names.py", "core/registry.py", "structures/parsers/__init__.py"}

# File names that stand in several folders, and what they hold in each.
SAME_NAMES = {
    "__init__": "the door of a folder",
    "trees": "the structure, and the kernels on it",
    "graphs": "the structure, and the kernels on it",
    "reproduce": "the experiments, and the command that runs them",
}

# The text of an error, searched or cut up; to put it on one line with ``split()`` is no reading of it.
PARSED = re.compile(
    r"re\.\w+\([^)]*str\((error|caught|fault)\)|str\((error|caught|fault)\)\.(removeprefix|split\([^)]|partition|replace)"
)

# Of named tuples, os._exit, and what Numba's functions call their cache.
PUBLIC_UNDERSCORES = {"_replace", "_fields", "_asdict", "_make", "_exit", "_cache"}


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


@cache
def nodes_of(path):
    """All nodes of a file's syntax tree, each with its parent."""
    nodes = [ast.parse(path.read_text(encoding="utf-8"))]
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST) and not isinstance(child, ast.expr_context):
                    child.parent = node
                    nodes.append(child)
    return nodes


@pytest.fixture(scope="module", autouse=True)
def without_garbage_collection():
    """While the nodes are made nothing is garbage; after these tests all are, and no collection looks at them."""
    gc.disable()
    yield
    nodes_of.cache_clear()
    gc.enable()


def functions_of(path):
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def is_inside_function(node):
    while (node := getattr(node, "parent", None)) is not None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return True
    return False


def is_compiled(function):
    return any("compiled" in ast.unparse(decorator) for decorator in function.decorator_list)


def modules_in(node):
    """The modules that an import statement names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""]


def report(found):
    assert not found, "\n".join(["", *found])


def test_no_private_name_of_another_module_is_imported():
    report(
        [
            f"{name_of(path)}:{node.lineno} imports {alias.name} from {node.module}"
            for path in FILES
            for node in nodes_of(path)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rekern")
            for alias in node.names
            if alias.name.startswith("_") and not alias.name.startswith("__")
        ]
    )


def test_no_private_attribute_of_another_class_is_used():
    found = []
    for path in FILES:
        nodes = nodes_of(path)
        own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        own |= {
            node.attr
            for node in nodes
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        }
        own |= {
            node.target.id for node in nodes if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        for node in nodes:
            if not isinstance(node, ast.Attribute) or not re.match(r"_[a-z]", node.attr):
                continue
            if node.attr in own or node.attr in PUBLIC_UNDERSCORES:
                continue
            holder = ast.unparse(node.value)
            if holder in ("self", "cls", "super()"):
                continue
            found.append(f"{name_of(path)}:{node.lineno} uses {holder}.{node.attr}")
    report(found)


def test_only_slow_or_optional_libraries_are_imported_inside_functions():
    found = []
    for path in FILES:
        if name_of(path).startswith("cli/"):
            continue  # commands import what they need when they run, so that all start fast
        for node in nodes_of(path):
            if isinstance(node, ast.Import | ast.ImportFrom) and is_inside_function(node):
                late = [module for module in modules_in(node) if module.split(".")[0] not in LATE_IMPORTS]
                found += [f"{name_of(path)}:{node.lineno} imports {module} inside a function" for module in late]
    report(found)


def test_no_library_is_listed_that_nobody_imports_late():
    used = {
        module.split(".")[0]
        for path in FILES
        for node in nodes_of(path)
        if isinstance(node, ast.Import | ast.ImportFrom) and is_inside_function(node)
        for module in modules_in(node)
    }
    report(sorted(set(LATE_IMPORTS) - used))


def test_modules_are_imported_by_name_in_few_places():
    report(
        [
            f"{name_of(path)}:{node.lineno}"
            for path in FILES
            if name_of(path) not in IMPORTERS
            for node in nodes_of(path)
            if getattr(node, "attr", getattr(node, "id", None)) in ("import_module", "__import__")
        ]
    )


def test_no_two_modules_have_the_same_name():
    places = defaultdict(list)
    for path in FILES:
        places[path.stem].append(name_of(path))
    for path in sorted({path.parent for path in FILES}):
        places[path.name].append(name_of(path) + "/")
    report(
        [f"{stem}: {', '.join(names)}" for stem, names in places.items() if len(names) > 1 and stem not in SAME_NAMES]
    )


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


def test_functions_have_few_parameters():
    found = []
    for path in FILES:
        if name_of(path).startswith("cli/") or path.stem.endswith("_core"):
            continue
        for function in functions_of(path):
            arguments = function.args
            number = len(arguments.posonlyargs + arguments.args + arguments.kwonlyargs)
            number -= bool(arguments.args) and arguments.args[0].arg in ("self", "cls")
            if number > MOST_PARAMETERS and not is_compiled(function):
                found.append(f"{name_of(path)}:{function.lineno} {function.name} has {number}")
    report(found)


def test_any_is_rare():
    lines = [
        f"{name_of(path)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\bAny\b", line)
    ]
    assert len(lines) < MOST_ANY, f"{len(lines)} lines with Any, the first in {lines[:5]}"


def test_parsing_does_not_know_answering():
    report(
        [
            f"{name_of(path)}:{node.lineno}"
            for path in FILES
            if name_of(path).startswith("krisp/") and not name_of(path).startswith("krisp/answering/")
            for node in nodes_of(path)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rekern.krisp.answering")
        ]
    )


def test_messages_are_not_parsed():
    """An error carries its file, row and column; nobody looks for them in its text."""
    report(
        [
            f"{name_of(path)}:{number}"
            for path in FILES
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if PARSED.search(line)
        ]
    )


def test_compiled_code_stands_in_cores():
    """Compiled functions are in core/ or in files that say so, so that types are checked everywhere else."""
    report(
        [
            f"{name_of(path)}:{function.lineno} {function.name}"
            for path in FILES
            if not path.stem.endswith("_core") and not name_of(path).startswith("core/")
            for function in functions_of(path)
            if is_compiled(function)
        ]
    )


def test_types_are_checked_outside_of_cores():
    report(
        [
            name_of(path)
            for path in FILES
            if "# mypy:" in path.read_text(encoding="utf-8")
            if not path.stem.endswith("_core") and not name_of(path).startswith("core/")
        ]
    )
