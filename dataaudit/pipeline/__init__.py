"""Plan, stages, run folder and engines."""
