"""Named settings: a kernel, the price C of a training error, and the name under which a result is reported.

A new idea joins the choice on the training part by one more `Setting` in `candidates`.
"""

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from rekern.kernels import Gaussian, Kernel, Rewriting, Scaled, Sum
from rekern.similarity import PrecisionRecall, Similarities

KERNELS = {"ps-srk": "none", "pw-srk": "free", "kb-srk": "aligned"}
KMAX = (1, 2, 3, 4)
PRICES = (0.3, 1.0, 3.0, 10.0)
IDF = ("idf precision", "idf recall")
SCORES = 28  # of Similarities


@dataclass(frozen=True)
class Setting:
    """What is trained: the ``method`` names the row, ``note`` says what the name does not.

    >>> srk("kb-srk+pr", 2).method, srk("kb-srk+pr", 2).kmax, srk("kb-srk+pr", 2).price
    ('kb-srk+pr', 2, 1.0)
    """

    method: str
    kernel: Kernel
    kmax: int | None = None
    price: float = 1.0
    note: str = ""

    def at(self, price: float) -> "Setting":
        """The same with another C."""
        return replace(self, price=price)

    def described(self) -> dict[str, Any]:
        """The setting, ready for JSON.

        >>> Setting("pr", PrecisionRecall()).described()
        {'method': 'pr', 'kmax': None, 'C': 1.0, 'note': '', 'kernel': 'PrecisionRecall()'}
        """
        kernel = " ".join(repr(self.kernel).split())
        return {"method": self.method, "kmax": self.kmax, "C": self.price, "note": self.note, "kernel": kernel}


def srk(method: str, kmax: int, decay: float = 1.0, tokenizer: Any = None, note: str = "") -> Setting:
    """A string re-writing kernel K_1 + … + K_kmax, each normalised, with ``+pr`` in its name plus precision and recall.

    >>> srk("ps-srk", 2).kernel
    Rewriting(k=(1, 2), wildcards='none')
    """
    name, _, scores = method.partition("+")
    kernel: Kernel = Rewriting(k=(1, kmax), wildcards=KERNELS[name], decay=decay, tokenizer=tokenizer)
    if scores:
        kernel = kernel + PrecisionRecall(tokenizer)
    return Setting(method, kernel, kmax, note=note)


def paper_settings() -> list[Setting]:
    """The rows of the paper's figures: three kernels, kmax from 1 to 4, with and without PR; and PR alone.

    >>> len(paper_settings())
    25
    """
    methods = [f"{name}{scores}" for name in KERNELS for scores in ("", "+pr")]
    return [Setting("pr", PrecisionRecall())] + [srk(method, kmax) for method in methods for kmax in KMAX]


def candidates() -> list[Setting]:
    """What our own row is chosen from by cross-validation, besides the paper's settings.

    >>> [(setting.method, setting.kmax, setting.note) for setting in candidates()][-1]
    ('kb-srk+sim', 4, 'idf precision and recall')
    """
    rules = Rewriting(k=(1, 4))
    return [srk("kb-srk+pr", kmax, decay=0.5, note="decay 0.5") for kmax in KMAX] + [
        with_similarities(),
        Setting("kb-srk+sim", rules + Gaussian(Similarities(), 1 / SCORES), 4, note="Gaussian, γ = 1/28"),
        Setting("kb-srk+sim", rules + Similarities(IDF, standardize=False), 4, note="idf precision and recall"),
    ]


def with_similarities() -> Setting:
    """kb-SRK with a Gaussian kernel over all scores of `Similarities`.

    >>> with_similarities().method
    'kb-srk+sim'
    """
    kernel = Rewriting(k=(1, 4)) + 3 * Gaussian(Similarities(), 0.3 / SCORES)
    return Setting("kb-srk+sim", kernel, 4, note="3 × Gaussian, γ = 0.3/28")


def terms(kernel: Kernel, weight: float = 1.0) -> list[tuple[float, Kernel]]:
    """A kernel taken apart into a weighted sum, window sizes apart, so that settings can share the Grams of the parts.

    The parts have learned nothing yet, even if the kernel has.

    >>> for term in terms(Rewriting(k=(1, 2)) + 2 * PrecisionRecall()):
    ...     print(*term)
    1.0 Rewriting(k=[(1, 1)])
    1.0 Rewriting(k=[(2, 2)])
    2.0 PrecisionRecall()
    """
    if isinstance(kernel, Sum):
        return terms(kernel.left, weight) + terms(kernel.right, weight)
    if isinstance(kernel, Scaled):
        return terms(kernel.kernel, weight * float(kernel.weight))
    if type(kernel) is Rewriting:
        parameters = kernel.get_params(deep=False)
        return [(weight, Rewriting(**{**parameters, "k": [window]})) for window in kernel.windows()]
    return [(weight, clone(kernel))]
