"""What the readers of token arrays share: ids of a file by their place, what delimits them, batches and facts."""
