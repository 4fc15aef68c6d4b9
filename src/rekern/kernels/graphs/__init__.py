"""Kernels on graphs by pairs of neighbourhoods."""

from rekern.kernels.graphs.neighborhoods import Neighborhoods

__all__ = ["Neighborhoods"]
