"""The map stays true: what each module may import, call and hold. import-linter checks the layers beside this."""

import ast
import gc
import re
import tomllib
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
    "dask": "optional, and takes seconds to import",
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

# Ways to load a module whose name is a text.
LOADERS = {"import_module", "__import__", "resolve_name", "spec_from_file_location", "exec_module", "exec", "eval"}

# What looks for something in a text, or cuts it up; ``split()`` and ``splitlines()`` put a message on one line.
CUTTERS = {"removeprefix", "removesuffix", "partition", "rpartition", "replace", "rsplit"}
CUTTERS |= {"startswith", "endswith", "find", "rfind", "index", "count"}

# Of named tuples, os._exit, and what Numba's functions call their cache.
PUBLIC_UNDERSCORES = {"_replace", "_fields", "_asdict", "_make", "_exit", "_cache"}

# Private attributes that a class sets on an object of its own, and that are defined by its base class in another file.
INHERITED = {"_set_vectors"}


# Participles as names of functions: public since version 0.1.0, decorators, or a rule of SQLite and its grammar.
PARTICIPLES = {"concatenated", "relabelled", "written", "unescaped", "linked_graphs", "paired", "normalized", "seen"}
PARTICIPLES |= {"mentioned", "embedded_model", "compiled", "inlined", "uncounted", "allowed"}


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


def attribute_of(node):
    """What an attribute belongs to, and its name, also in getattr(holder, "name"); two empty texts for other nodes."""
    if isinstance(node, ast.Attribute):
        return ast.unparse(node.value), node.attr
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "setattr"):
        holder, name = node.args[:2]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return ast.unparse(holder), name.value
    return "", ""


def functions_of(path):
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def is_inside_function(node):
    while (node := getattr(node, "parent", None)) is not None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return True
    return False


def is_compiled(function):
    decorators = " ".join(map(ast.unparse, function.decorator_list))
    return "compiled" in decorators or "uncounted" in decorators


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
            if re.match(r"_[A-Za-z]", alias.name) or re.search(r"\._[a-z]", node.module)
        ]
    )


def test_imports_name_the_whole_path():
    """Relative imports would not be seen by the other tests."""
    report(
        [
            f"{name_of(path)}:{node.lineno}"
            for path in FILES
            for node in nodes_of(path)
            if isinstance(node, ast.ImportFrom) and node.level
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
            if isinstance(node.ctx, ast.Store)
        }
        own |= {
            node.target.id for node in nodes if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        for node in nodes:
            holder, name = attribute_of(node)
            if not re.match(r"_[A-Za-z]", name) or name in own or name in PUBLIC_UNDERSCORES | INHERITED:
                continue
            if holder not in ("self", "cls", "super()"):
                found.append(f"{name_of(path)}:{node.lineno} uses {holder}.{name}")
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
            if getattr(node, "attr", getattr(node, "id", None)) in LOADERS
            if getattr(node, "attr", None) not in ("exec", "eval")
        ]
    )


def test_names_that_are_loaded_late_come_from_the_left():
    """`load_lazily` is given modules as texts, which import-linter does not see."""
    config = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    height = {
        name.strip().split(".")[1]: len(layers) - place for place, row in enumerate(layers) for name in row.split("|")
    }
    late = [path for path in FILES if any(getattr(node, "id", None) == "load_lazily" for node in nodes_of(path))]
    assert len(late) > 10
    report(
        [
            f"{name_of(path)}:{node.lineno} loads {node.value}"
            for path in late
            if path != PACKAGE / "__init__.py"
            for node in nodes_of(path)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("rekern.")
            for folder, own in [(node.value.split(".")[1], name_of(path).split("/")[0])]
            if folder != own and height[folder] >= height[own]
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


def test_functions_are_verbs():
    """No function begins with a participle; other nouns are for the reader of the code to find."""
    report(
        [
            f"{name_of(path)}:{function.lineno} {function.name}"
            for path in FILES
            for function in functions_of(path)
            if re.match(r"_*([a-z]*[^e]ed|written|seen|held|taught|kept|made|found|taken)(_|$)", function.name)
            if function.name not in PARTICIPLES
            if not any("property" in ast.unparse(decorator) for decorator in function.decorator_list)
        ]
    )


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


def is_text_of_error(node, names):
    """Whether a node is ``str(error)``, ``error.reason`` or ``error.args``, perhaps put on one line."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("lower", "strip"):
        return is_text_of_error(node.func.value, names)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("str", "repr") and node.args:
        return isinstance(node.args[0], ast.Name) and node.args[0].id in names
    if isinstance(node, ast.Subscript):
        return is_text_of_error(node.value, names)
    return (
        isinstance(node, ast.Attribute) and node.attr in ("args", "reason", "msg") and ast.unparse(node.value) in names
    )


def test_messages_are_not_parsed():
    """An error carries its file, row and column; nobody looks for them, or for anything else, in its text."""
    found = []
    for path in FILES:
        names = {node.name for node in nodes_of(path) if isinstance(node, ast.ExceptHandler)} - {None}
        for node in nodes_of(path):
            texts = []
            if isinstance(node, ast.Compare):
                texts = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                is_cut = node.func.attr in CUTTERS or (node.func.attr == "split" and node.args)
                texts = [node.func.value] if is_cut else node.args if ast.unparse(node.func.value) == "re" else []
            if any(is_text_of_error(text, names) for text in texts):
                found.append(f"{name_of(path)}:{node.lineno} {ast.unparse(node)[:80]}")
    report(found)


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
