"""Published results, as the papers print them: test accuracies in per cent.

The first part is from "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012), Tables 1 and 2.
"""

from typing import NamedTuple


class PublishedTask(NamedTuple):
    """A row of the table of all tasks: its title, what is measured, and what others report."""

    title: str
    measure: str  # accuracy (in per cent), Pearson, MAP or F (in per cent)
    paper: float | None = None  # the best figure of the paper whose method it is
    known: str = ""  # the best one that we know without a language model, in the words of the table


TASKS = {
    "msrp": PublishedTask("MSRP", "accuracy", 79.13, "80.4 (with the test texts)"),
    "msrp-trees": PublishedTask("MSRP, sums with trees", "accuracy", 79.13, "80.4 (with the test texts)"),
    "rte3": PublishedTask("RTE-3, all RTE for training", "accuracy", 65.1, "72.3 (large resources)"),
    "rte3-dev": PublishedTask("RTE-3, its dev part for training", "accuracy", 67.0, "72.3 (large resources)"),
    "rte3-trees": PublishedTask("RTE-3, its dev part, sums with trees", "accuracy", 67.0, "72.3 (large resources)"),
    "sick-entailment": PublishedTask("SICK, entailment", "accuracy", None, "84.6 (2014)"),
    "sick-relatedness": PublishedTask("SICK, relatedness", "Pearson", None, "0.828 (2014)"),
    "stsb": PublishedTask("STS Benchmark", "Pearson", None, "0.81 (2017)"),
    "paws": PublishedTask("PAWS, its dev part for training", "accuracy"),
    "qqp": PublishedTask("QQP, public part", "accuracy"),
    "wikiqa": PublishedTask("WikiQA", "MAP"),
    "snli": PublishedTask("SNLI, its dev part for training", "accuracy"),
    "trec-coarse": PublishedTask("TREC, six types", "accuracy", None, "95.0 (2011)"),
    "trec-fine": PublishedTask("TREC, fifty types", "accuracy", None, "90.8 (2011)"),
    "nf-cats-human": PublishedTask("NF-CATS, labelled by people", "accuracy"),
    "geoquery": PublishedTask("GeoQuery, ten folds", "F", 79.79, "89.2 (2007)"),
    "geoquery-600": PublishedTask("GeoQuery, 600 and 280", "right answers", None, "91.1 (a lexicon made by hand)"),
    "clang": PublishedTask("CLang, ten folds", "F", None, "80.8 (annotated trees)"),
}

# The other systems of the tables, as the paper names them.
OTHERS = {
    "msrp": {
        "Zhang and Patrick (2005)": 71.9,
        "Lintean and Rus (2011)": 73.6,
        "Heilman and Smith (2010)": 73.2,
        "Qiu et al. (2006)": 72.0,
        "Wan et al. (2006)": 75.6,
        "Das and Smith (2009)": 73.9,
        "Das and Smith (2009) (PoE)": 76.1,
    },
    "rte3": {
        "Harmeling (2007)": 59.5,
        "de Marneffe et al. (2006)": 60.5,
        "M&M (2007) (NL)": 59.4,
        "M&M (2007) (Hybrid)": 64.3,
        "Zanzotto et al. (2007)": 65.75,
        "Heilman and Smith (2010)": 62.8,
    },
}

# The paper's own rows: the best over kmax, with PR or without.
OWN = {
    "msrp": {"pr": 73.6, "ps-srk": 75.6, "pw-srk": 75.0, "kb-srk": 76.3},
    "rte3": {"pr": 62.0, "ps-srk": 64.6, "pw-srk": 63.8, "kb-srk": 65.1},
}

# The kmax for which the text says that kb-SRK was best (Sections 6.1 and 6.2); it says nothing about other kernels.
BEST_KMAX = {"msrp": {"kb-srk": 4}, "rte3": {"kb-srk": 2}}

TABLE = {"msrp": "Table 1 (MSRP)", "rte3": "Table 2 (RTE-3)"}
FIGURE = {"msrp": 7, "rte3": 8}

# TREC coarse questions, C = 10, KeLP's trees, by SVM-LIGHT-TK.
TREC = {("sst", "grct"): 90.4, ("ptk", "grct"): 91.4, ("ptk", "lct"): 90.6, ("ptk", "loct"): 90.0}

# "Structural Representations for Learning Relations between Pairs of Texts" (Filice, Da San Martino and Moschitti,
# ACL 2015), Tables 1 and 2: (method, REL) -> accuracy and F1 of the fixed split, accuracy in 5 folds of both parts.
# Its rows with a word2vec space are compared with our rows with GloVe vectors.
STRUCTURAL: dict[str, dict[tuple[str, bool | None], tuple[float, float, float]]] = {
    "msrp": {
        ("LK", False): (75.88, 82.9, 75.54),
        ("GK", False): (72.81, 82.5, 72.49),
        ("SM-PTK", False): (72.06, 81.8, 72.04),
        ("SM-SPTK-LSA", False): (72.12, 81.8, 72.56),
        ("SM-SPTK-GloVe", False): (71.88, 81.7, 72.23),
        ("all×PTK", False): (71.42, 81.4, 71.57),
        ("all×SPTK-LSA", False): (72.29, 81.9, 72.06),
        ("all×SPTK-GloVe", False): (71.59, 81.6, 71.61),
        ("all₊PTK", False): (70.78, 80.9, 70.76),
        ("all₊SPTK-LSA", False): (71.48, 81.3, 71.42),
        ("all₊SPTK-GloVe", False): (70.72, 80.9, 71.19),
        ("M-PTK", False): (72.17, 81.7, 72.31),
        ("M-SPTK-LSA", False): (72.00, 81.6, 72.32),
        ("M-SPTK-GloVe", False): (71.71, 81.4, 71.99),
        ("GK", True): (75.07, 83.3, 74.69),
        ("SM-PTK", True): (76.17, 83.8, 75.42),
        ("SM-SPTK-LSA", True): (76.52, 84.0, 75.62),
        ("SM-SPTK-GloVe", True): (76.35, 83.9, 75.64),
        ("all×PTK", True): (75.36, 83.0, 74.76),
        ("all×SPTK-LSA", True): (75.65, 83.1, 74.83),
        ("all×SPTK-GloVe", True): (75.88, 83.3, 75.26),
        ("all₊PTK", True): (74.49, 82.4, 73.99),
        ("all₊SPTK-LSA", True): (75.07, 82.7, 73.87),
        ("all₊SPTK-GloVe", True): (75.42, 82.9, 74.16),
        ("GK+SM-SPTK-GloVe", True): (76.70, 83.7, 76.12),
        ("LK+GK", True): (78.67, 84.9, 77.85),
        ("LK+SM-SPTK-GloVe", True): (77.74, 84.3, 77.52),
        ("LK+GK+SM-SPTK-GloVe", True): (79.13, 85.2, 78.11),
    },
    "rte3": {
        ("LK", False): (62.0, 66.3, 62.94),
        ("GK", False): (55.38, 59.9, 55.63),
        ("PTK₊", False): (56.13, 61.2, 54.13),
        ("SPTK-LSA₊", False): (56.88, 61.9, 53.63),
        ("SPTK-GloVe₊", False): (56.63, 61.7, 54.06),
        ("PTK×", False): (55.88, 60.9, 52.81),
        ("SPTK-LSA×", False): (56.25, 61.1, 53.56),
        ("SPTK-GloVe×", False): (55.25, 59.7, 52.50),
        ("GK", True): (61.63, 66.2, 59.81),
        ("PTK₊", True): (66.00, 71.4, 67.75),
        ("SPTK-LSA₊", True): (65.38, 70.9, 67.81),
        ("SPTK-GloVe₊", True): (66.38, 71.8, 68.00),
        ("PTK×", True): (66.13, 71.4, 67.75),
        ("SPTK-LSA×", True): (66.00, 71.2, 68.00),
        ("SPTK-GloVe×", True): (67.00, 72.2, 67.69),
        ("GK+SPTK-GloVe×", True): (66.38, 71.3, 66.00),
        ("LK+GK", True): (62.25, 66.7, 62.06),
        ("LK+SPTK-GloVe×", True): (66.13, 71.5, 68.25),
        ("LK+GK+SPTK-GloVe×", True): (66.00, 70.7, 66.31),
    },
}
