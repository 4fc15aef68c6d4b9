"""Sources of knowledge about words: WordNet, word vectors, latent and explicit semantic analysis."""
