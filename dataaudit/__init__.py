"""dataaudit: audits a corpus before a language-model training run."""

__version__ = "0.1.0"
