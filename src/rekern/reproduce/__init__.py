"""The published experiments, and the public corpora, run again: ``rekern reproduce NAME``.

>>> sorted(NAMES)  # doctest: +NORMALIZE_WHITESPACE
['clang', 'geoquery', 'msrp', 'paws', 'qqp', 'questions', 'rte3', 'rte3-ablation', 'sick', 'structural-msrp',
 'structural-rte3', 'stsb', 'trec', 'wikiqa']
"""

import time
from importlib import import_module
from pathlib import Path
from typing import Any

from rekern.core.files import make_folder
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
    "questions": "What kind of answer a question wants, on four corpora: Tables 4, 5 and 6 of the paper",
    "trec": "TREC questions by tree kernels on KeLP's trees",
    "structural-msrp": "MSR Paraphrase Corpus by kernels on trees and graphs: Table 1 of the paper",
    "structural-rte3": "RTE-3 by kernels on trees and graphs: Table 2 of the paper",
    "geoquery": "GeoQuery: questions become queries, by three kernels on substrings: Table 1 of the paper",
    "clang": "CLang: instructions to a robot team become rules, by the same kernels",
}

_PAPER = {"msrp", "rte3", "rte3-ablation"}
# Of these a module of its own has the experiment, its tables and its figures.
_OWN = {"questions": "question_experiments", "trec": "trec"}
_OWN |= dict.fromkeys(("structural-msrp", "structural-rte3"), "structural.structural_experiments")
_OWN |= {"geoquery": "geoquery", "clang": "clang"}


def run(
    name: str,
    data: Any = None,
    out: Any = None,
    n_jobs: int | None = None,
    only: str | None = None,
    cache: Any = None,
    kernel: str | None = None,
    train: str | int | None = None,
    runs: int | None = None,
    folds: int | None = None,
) -> dict[str, Any]:
    """Run one experiment and return its figures, ready for JSON.

    ``data`` is the folder with the corpora (see `rekern.datasets.data_directory`). With ``out`` the figures are drawn
    there as PNG, and the result is written there as JSON; what was chosen on the training part is written there before
    the test part is read. Accuracies are in per cent. ``only`` names one of several data sets of an experiment.
    ``cache`` is a folder for the Grams of the structural experiments: a later run finds them there. GeoQuery and CLang
    take kernels and numbers of training examples, with commas between them, and the first so many runs and folds.

    >>> run("msrq")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    rekern.errors.InputError: there is no experiment 'msrq': choose msrp, rte3, rte3-ablation, qqp, sick, ...
    """
    if name not in NAMES:
        raise InputError(f"there is no experiment {name!r}: choose {', '.join(NAMES)}")
    started = time.perf_counter()
    folder = _folder(out)
    if only is not None and name != "questions":
        raise InputError(f"{name} has one data set: leave --only (only=) out")
    if cache is not None and not name.startswith("structural-"):
        raise InputError(f"{name} keeps no Grams: leave --cache (cache=) out")
    own = _OWN.get(name, "rewriting_experiments" if name in _PAPER else "tfidf_comparisons")
    module = import_module(f"rekern.reproduce.{own}")
    learning = {"kernel": kernel, "train": train, "runs": runs, "folds": folds}
    if name not in ("geoquery", "clang") and any(value is not None for value in learning.values()):
        raise InputError(f"{name} has no learning curve: leave --kernel, --train, --runs and --folds out")
    given = {"only": only, "cache": cache, **learning}
    further = {key: value for key, value in given.items() if value is not None}
    result = {"name": name, **getattr(module, name.replace("-", "_"))(data, folder, n_jobs, **further)}
    if folder is not None:
        from rekern.reproduce.rewriting_plots import draw
        from rekern.reproduce.two_class_experiment import write_json

        drawn = module.draw if name in _OWN else draw
        result["files"] = [str(path) for path in drawn(result, folder)] + [str(folder / f"{name}.json")]
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
    if result["name"] in _OWN:
        return import_module(f"rekern.reproduce.{_OWN[result['name']]}").as_text(result)
    from rekern.reproduce.text_tables import as_text

    return as_text(result)


def _folder(out: Any) -> Path | None:
    """The folder for the files, made if need be."""
    if out is None:
        return None
    from rekern.reproduce.rewriting_plots import check_library

    check_library()  # before minutes of work, not after
    return make_folder(out, "the figures")
