"""Which documents are copies of others: fingerprints, partitions, verified edges, clusters, and what they say."""
