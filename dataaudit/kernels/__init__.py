"""Measuring loops over Arrow buffers: Numba functions, NumPy arrays in and out."""
