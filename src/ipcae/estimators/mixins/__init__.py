"""The methods of a fitted selector, and its support of notebooks and callbacks.

In reading order: ``decoding`` computes the outputs of the decoder, of tables that are read in parts
by ``streamed_outputs``. ``selected_features`` ranks the features and transforms tables, and
``outputs`` writes files, exported models and reports. ``notebook`` shows a selector in notebooks,
and ``sklearn_callbacks`` calls the callbacks of scikit-learn.
"""
