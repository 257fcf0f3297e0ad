"""What changed from one run to another: a pure function of two results, and of what is known of their documents."""
