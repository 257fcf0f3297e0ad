"""Measures speed and memory: ``python -m benchmarks.throughput`` and ``python -m benchmarks.memory``."""
