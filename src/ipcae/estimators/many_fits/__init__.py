"""Many fits as the runs of one batch: folds, numbers of features, methods, subsamples.

In reading order: ``variants`` fits runs that differ in their rows or in K. ``variant_batches``
groups them into batches, ``threaded_batches`` trains these in several threads, and
``batch_progress`` shows their progress as one.

``cross_validation`` makes variants of ``folds`` and ``feature_counts`` and scores them with the
``scoring`` of scikit-learn. ``attempt`` is its result for one method, ``number_search`` searches
for K, and ``method_comparison`` compares methods. ``subsamples`` makes variants of halves of the
rows, for stability selection.
"""
