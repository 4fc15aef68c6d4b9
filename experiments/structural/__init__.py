"""The experiments on trees and graphs of pairs of texts (Filice et al., 2015)."""
