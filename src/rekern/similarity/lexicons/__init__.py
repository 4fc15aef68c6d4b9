"""What is known about words: WordNet, word vectors, latent and explicit semantic spaces."""
