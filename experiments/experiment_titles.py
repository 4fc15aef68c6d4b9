"""The names of the experiments and what each repeats."""

TITLES: dict[str, str] = {
    "msrp": "MSR Paraphrase Corpus: Table 1 and Figures 6 and 7 of the paper",
    "rte3": "RTE-3 entailment: Table 2 and Figure 8 of the paper",
    "rte3-ablation": "RTE-3 under other tokens (case, stems, punctuation) and another decay",
    "qqp": "Quora question pairs, the public part: duplicate or not",
    "sick": "SICK: entailment in three classes, relatedness from 1 to 5",
    "stsb": "STS Benchmark: similarity from 0 to 5",
    "wikiqa": "WikiQA: candidate answers, ranked",
    "paws": "PAWS-Wiki: paraphrases among pairs that share their words",
    "pairs": "Ten tasks on pairs, by all scores with WordNet, word vectors and a thesaurus",
    "auto": "The same tasks, by the kernel that --auto chooses from the texts alone",
    "embeddings": "The same tasks and questions, by sentence embeddings of a model folder of yours (--model)",
    "mistakes": "The mistakes of the default kernel on held-out pairs of the training parts, by kind",
    "questions": "What kind of answer a question wants, on four corpora: Tables 4, 5 and 6 of the paper",
    "nf-cats-focus": "NF-CATS questions by words, by forms and traits of questions, and by word vectors",
    "trec": "TREC questions by tree kernels on KeLP's trees",
    "trec-focus": "TREC questions by what they ask for, coarse and fine types",
    "structural-msrp": "MSR Paraphrase Corpus by kernels on trees and graphs: Table 1 of the paper",
    "structural-rte3": "RTE-3 by kernels on trees and graphs: Table 2 of the paper",
    "geoquery": "GeoQuery: questions become queries, by three kernels on substrings: Table 1 of the paper",
    "geoquery-600": "GeoQuery: the split into 600 training and 280 test questions",
    "clang": "CLang: instructions to a robot team become rules, by the same kernels",
    "query-mistakes": "The mistakes of a semantic parser in folds of a training part of GeoQuery and CLang, by kind",
}


def format_title(name: str) -> str:
    """Format the heading of a result.

    >>> format_title("stsb")
    'stsb: STS Benchmark: similarity from 0 to 5'
    """
    return f"{name}: {TITLES[name]}"
