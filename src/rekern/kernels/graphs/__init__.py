"""Kernels on graphs by pairs of neighbourhoods."""
