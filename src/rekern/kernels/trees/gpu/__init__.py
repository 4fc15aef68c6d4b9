"""Grams of tree kernels by a GPU of NVIDIA, through numba-cuda; loaded when a GPU is asked for."""
