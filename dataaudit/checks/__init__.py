"""Checks judge a shard or the corpus. One file a check; found by walking the package."""
