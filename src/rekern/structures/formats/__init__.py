"""File formats of trees: brackets, Penn Treebank, CoNLL-U, KeLP, SVM-LIGHT-TK."""
