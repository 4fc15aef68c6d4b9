"""What "String Re-writing Kernel" (Bu, Li and Zhu, ACL 2012) printed: Tables 1 and 2, test accuracies in per cent."""

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

# Its own rows: the best over kmax, with PR or without.
OWN = {
    "msrp": {"pr": 73.6, "ps-srk": 75.6, "pw-srk": 75.0, "kb-srk": 76.3},
    "rte3": {"pr": 62.0, "ps-srk": 64.6, "pw-srk": 63.8, "kb-srk": 65.1},
}

# Where the text says that kb-SRK was best (Sections 6.1 and 6.2); for the other kernels it does not say.
BEST_KMAX = {"msrp": {"kb-srk": 4}, "rte3": {"kb-srk": 2}}

TABLE = {"msrp": "Table 1 (MSRP)", "rte3": "Table 2 (RTE-3)"}
FIGURE = {"msrp": 7, "rte3": 8}
