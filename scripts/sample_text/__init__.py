"""Made-up texts for the sample corpus: English, Chinese and source code."""
