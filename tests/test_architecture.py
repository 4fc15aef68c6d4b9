"""No folder uses a private name of another folder. import-linter checks the layers beside this."""

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "rekern"


def imported_names(path):
    """The line, module and name of everything that a file imports from Rekern."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rekern":
            yield from ((node.lineno, node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names if alias.name.startswith("rekern."))


def test_no_private_name_of_another_folder_is_imported():
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        folder = ".".join(("rekern", *path.relative_to(PACKAGE).parent.parts))
        for line, module, name in imported_names(path):
            home = module if (PACKAGE.parent / module.replace(".", "/")).is_dir() else module.rpartition(".")[0]
            is_private = re.match(r"_[A-Za-z]", name) or re.search(r"\._[a-z]", module)
            if is_private and home != folder:
                found.append(f"{path.relative_to(PACKAGE)}:{line} imports {name} from {module}")
    assert not found, "\n".join(found)
