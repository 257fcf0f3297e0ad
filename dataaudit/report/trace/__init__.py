"""The page of a trace: a rendering of its JSON and of nothing else."""
