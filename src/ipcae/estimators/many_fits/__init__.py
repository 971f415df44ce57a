"""Many fits as the runs of one batch: folds, numbers of features, methods, subsamples."""
