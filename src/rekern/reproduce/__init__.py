"""The published experiments, and the public corpora, run again: ``rekern reproduce NAME``.

>>> sorted(NAMES)
['msrp', 'paws', 'qqp', 'rte3', 'rte3-ablation', 'sick', 'stsb', 'wikiqa']
"""

import time
from importlib import import_module
from pathlib import Path
from typing import Any

from rekern.errors import InputError

__all__ = ["NAMES", "render", "run"]

NAMES: dict[str, str] = {
    "msrp": "MSR Paraphrase Corpus: Table 1 and Figures 6 and 7 of the paper",
    "rte3": "RTE-3 entailment: Table 2 and Figure 8 of the paper",
    "rte3-ablation": "RTE-3 under other tokens (case, stems, punctuation) and another decay",
    "qqp": "Quora question pairs, the public part: duplicate or not",
    "sick": "SICK: entailment in three classes, relatedness from 1 to 5",
    "stsb": "STS Benchmark: similarity from 0 to 5",
    "wikiqa": "WikiQA: candidate answers, ranked",
    "paws": "PAWS-Wiki: paraphrases among pairs that share their words",
}

_PAPER = {"msrp", "rte3", "rte3-ablation"}


def run(name: str, data: Any = None, out: Any = None, n_jobs: int | None = None) -> dict[str, Any]:
    """Run one experiment and return its figures, ready for JSON.

    ``data`` is the folder with the corpora (see `rekern.datasets.data_directory`). With ``out`` the figures are drawn
    there as PNG, and the result is written there as JSON; what was chosen on the training part is written there before
    the test part is read. Accuracies are in per cent.

    >>> run("msrq")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no experiment 'msrq': choose msrp, rte3, rte3-ablation, qqp, sick, ...
    """
    if name not in NAMES:
        raise InputError(f"there is no experiment {name!r}: choose {', '.join(NAMES)}")
    started = time.perf_counter()
    folder = _folder(out)
    module = import_module(f"rekern.reproduce.{'paper' if name in _PAPER else 'comparisons'}")
    result = {"name": name, **getattr(module, name.replace("-", "_"))(data, folder, n_jobs)}
    if folder is not None:
        from rekern.reproduce.experiment import write_json
        from rekern.reproduce.figures import draw

        result["files"] = [str(path) for path in draw(result, folder)] + [str(folder / f"{name}.json")]
    result["seconds"] = round(time.perf_counter() - started, 1)
    if folder is not None:
        write_json(folder / f"{name}.json", result)
    return result


def render(result: dict[str, Any]) -> str:
    """A result as text tables.

    >>> row = {"method": "pr", "kmax": None, "accuracy": 73.51, "published": 73.6}
    >>> print(render({"name": "msrp", "rows": [row], "chosen_on_train": {"method": "pr", "C": 1.0, "accuracy": 73.51},
    ...               "seconds": 1.0}))
    msrp: MSR Paraphrase Corpus: Table 1 and Figures 6 and 7 of the paper
    <BLANKLINE>
    method  kmax  accuracy  published
    pr      -        73.51      73.60
    <BLANKLINE>
    Chosen on the training part: pr, C = 1
      test: accuracy 73.51
    <BLANKLINE>
    1.0 seconds
    """
    from rekern.reproduce.tables import as_text

    return as_text(result)


def _folder(out: Any) -> Path | None:
    """The folder for the files, made if need be."""
    if out is None:
        return None
    from rekern.reproduce.figures import check_library

    check_library()  # before minutes of work, not after
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: give the folder in which to put the figures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
