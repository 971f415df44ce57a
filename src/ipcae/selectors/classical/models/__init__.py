"""Small models that rankings fit, or compare sets of columns with."""
